//! Class means and one pooled within-class covariance, in the memory of a single class. Scaling and principal
//! components need no more.
//!
//! Scatter matrices about class means can be added, so the samples of all classes are summed into the same triangle,
//! one class after the other. Every class of the result then has the covariance W = Σ scatter_k / (N − c), which
//! preserves the within-class scatter and the total scatter. The cost is N·n² flops and n²/2 numbers for any number of
//! classes. If variances are enough, it is 4·N·n flops and n numbers.

use std::sync::Arc;

use super::class_sum::ClassSum;
use super::entries::EntrySum;
use super::{
    ClassAccumulator, ClassStatistics, Covariance, Dense, LowRank, Moments, StatisticsError,
};
use crate::labels::{Classes, Labels};
use crate::linalg::{Mat, lower_rows};
use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::with_table;

impl ClassStatistics {
    /// Computes pooled statistics of the selected rows, each with its weight. All values must be finite.
    pub(crate) fn pooled(
        points: Points<'_>,
        labels: &Labels,
        weights: Option<&[u64]>,
        selected: impl Iterator<Item = usize> + Clone,
    ) -> Result<Self, StatisticsError> {
        let (classes, n) = (labels.classes().clone(), points.columns());
        let rows = checked_rows(points, labels, weights, selected)?;
        let mut means = Mat::zeros(n, classes.len());
        let mut counts = Vec::with_capacity(classes.len());
        let mut scatter = Vec::new();
        for (class, rows) in rows.iter().enumerate() {
            let own = EntrySum { scatter, ..EntrySum::empty(n) };
            let mut sum = ClassSum::Entries(own);
            sum.add(points, rows, weights);
            let ClassSum::Entries(mut sum) = sum else { return Err(StatisticsError::Classes) };
            sum.leave_bytes();
            refuse_one(&classes, class, sum.count)?;
            means.col_mut(class).iter_mut().zip(&sum.mean).for_each(|(to, mean)| *to = *mean);
            counts.push(sum.count);
            scatter = sum.scatter;
        }
        let freedom = counts.iter().sum::<u64>() as f64 - counts.len() as f64;
        lower_rows(&mut scatter, n, |_, row| row.iter_mut().for_each(|entry| *entry /= freedom));
        let within: Arc<dyn Covariance> = match points {
            Points::F64(_) => Arc::new(Dense::new(scatter, n).expect("a triangle")),
            _ => {
                let single = scatter.iter().map(|&entry| entry as f32).collect();
                Arc::new(Dense::<f32>::new(single, n).expect("a triangle"))
            }
        };
        Ok(Self::sharing(classes, counts, means, within))
    }

    /// Computes pooled statistics with only the variances of the pooled covariance.
    pub(crate) fn pooled_variances(
        points: Points<'_>,
        labels: &Labels,
        weights: Option<&[u64]>,
        selected: impl Iterator<Item = usize> + Clone,
    ) -> Result<Self, StatisticsError> {
        let (classes, n) = (labels.classes().clone(), points.columns());
        let rows = checked_rows(points, labels, weights, selected)?;
        let sums = parallel::map(
            &rows,
            |rows| with_table!(points, table => moments(&table, rows, weights)),
        );
        let counts: Vec<u64> = sums.iter().map(|sum| sum.count).collect();
        for (class, &count) in counts.iter().enumerate() {
            refuse_one(&classes, class, count)?;
        }
        let freedom = counts.iter().sum::<u64>() as f64 - counts.len() as f64;
        let variance = |i: usize| sums.iter().map(|sum| sum.squares[i]).sum::<f64>() / freedom;
        let within = LowRank::of_variances((0..n).map(variance).collect());
        let means = Mat::from_fn(n, classes.len(), |i, class| sums[class].mean[i]);
        Ok(Self::sharing(classes, counts, means, Arc::new(within)))
    }

    /// Creates statistics in which all classes share one covariance.
    fn sharing(
        classes: Classes,
        counts: Vec<u64>,
        means: Mat<f64>,
        within: Arc<dyn Covariance>,
    ) -> Self {
        let covariances = vec![within; classes.len()];
        let (counts, moments) = (Some(counts), Moments::Central);
        Self { classes, counts, means, covariances, moments, shrunk: false, robust: None }
    }
}

/// Returns the selected rows of each class whose weight is positive.
fn checked_rows(
    points: Points<'_>,
    labels: &Labels,
    weights: Option<&[u64]>,
    selected: impl Iterator<Item = usize> + Clone,
) -> Result<Vec<Vec<u32>>, StatisticsError> {
    let classes = labels.classes().clone();
    let nothing = ClassAccumulator::new(classes, points.columns());
    let mut rows = nothing.rows_by_class(points, labels, selected)?;
    if let Some(weights) = weights {
        nothing.check_weights(weights, points.rows(), &mut rows)?;
    }
    Ok(rows)
}

fn refuse_one(classes: &Classes, class: usize, count: u64) -> Result<(), StatisticsError> {
    if count < 2 {
        let class = classes.label(class).to_string();
        return Err(StatisticsError::TooFewSamples { class, count });
    }
    Ok(())
}

/// Count, mean and sum of squared deviations from the mean, for each column.
struct Sums {
    count: u64,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

fn moments<S: Scalar>(table: &Table<'_, S>, rows: &[u32], weights: Option<&[u64]>) -> Sums {
    let weight = |row: u32| weights.map_or(1, |weights| weights[row as usize]);
    let count: u64 = rows.iter().map(|&row| weight(row)).sum();
    let mut mean = vec![0.0; table.columns()];
    let mut squares = mean.clone();
    for &row in rows {
        for (column, sum) in mean.iter_mut().enumerate() {
            *sum += weight(row) as f64 * table.get(row as usize, column).to_f64();
        }
    }
    mean.iter_mut().for_each(|sum| *sum /= count.max(1) as f64);
    for &row in rows {
        for (column, (sum, mean)) in squares.iter_mut().zip(&mean).enumerate() {
            let gap = table.get(row as usize, column).to_f64() - mean;
            *sum += weight(row) as f64 * gap * gap;
        }
    }
    Sums { count, mean, squares }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Lower;
    use crate::points::Table;
    use crate::statistics::{Entries, Estimator};

    /// Total covariance and within-class scatter equal those of separate class covariances, for every number type and
    /// with weights.
    #[test]
    fn within_and_total_scatter_agree_with_separate_classes() {
        const N: usize = 7;
        const ROWS: usize = 90;
        let bytes: Vec<u8> =
            (0..ROWS * N).map(|at| ((at * at * 7 + 13 * at) % 251) as u8).collect();
        let labels: Vec<i64> = (0..ROWS as i64).map(|row| (row * row) % 3).collect();
        let labels = Labels::from_integers(&labels);
        let weights: Vec<u64> = (0..ROWS as u64).map(|row| row % 4).collect();
        let doubles: Vec<f64> = bytes.iter().map(|&byte| f64::from(byte) + 1e3).collect();
        let singles: Vec<f32> = doubles.iter().map(|&value| value as f32).collect();
        let tables: [Points<'_>; 3] = [
            Table::row_major(&bytes, ROWS, N).unwrap().into(),
            Table::row_major(&singles, ROWS, N).unwrap().into(),
            Table::row_major(&doubles, ROWS, N).unwrap().into(),
        ];
        for (points, weights) in
            tables.into_iter().flat_map(|p| [(p, None), (p, Some(&weights[..]))])
        {
            let mut sums = ClassAccumulator::new(labels.classes().clone(), N);
            sums.update_finite(points, &labels, weights, 5..ROWS).unwrap();
            let apart = sums.finish(Estimator::Empirical).unwrap();
            let pooled = ClassStatistics::pooled(points, &labels, weights, 5..ROWS).unwrap();
            assert_eq!(apart.counts(), pooled.counts());
            assert!((apart.means() - pooled.means()).norm_max() < 1e-9);
            let within = |statistics: &ClassStatistics| {
                let mut total = vec![0.0_f64; N * N];
                for (class, covariance) in statistics.covariances().iter().enumerate() {
                    let freedom = statistics.counts().unwrap()[class] as f64 - 1.0;
                    covariance.entries().unwrap().add_lower_to(freedom, &mut total);
                }
                Lower::new(&total, N).packed(|value| value)
            };
            let largest = 1e6 * ROWS as f64;
            for (one, other) in within(&apart).iter().zip(within(&pooled)) {
                assert!((one - other).abs() < 1e-7 * largest, "{one} {other}");
            }
            let single = matches!(pooled.covariances()[0].entries(), Some(Entries::F32(_)));
            assert_eq!(single, !matches!(points, Points::F64(_)));
            let thin =
                ClassStatistics::pooled_variances(points, &labels, weights, 5..ROWS).unwrap();
            assert_eq!((thin.counts(), thin.is_pooled()), (pooled.counts(), true));
            // Single precision rounds what blocks leave of the mean: an error of 250 · 2⁻²⁴.
            assert!((thin.means() - pooled.means()).norm_max() < 2e-5);
            for (one, other) in thin.total_variances().iter().zip(apart.total_variances()) {
                assert!((one - other).abs() < 1e-6 * other, "{one} {other}");
            }
        }
    }
}
