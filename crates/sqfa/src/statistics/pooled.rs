//! Means of every class and one covariance within all of them, in the room of a single class: what scalings and principal
//! components ask for.
//!
//! Scatters about class means add up, so all classes are summed into the same triangle, one after the other. Every class of the
//! statistics then has W = Σ scatter_k / (N − c) as its covariance, which leaves the scatter within classes and the total what
//! they are. Cost: N·n² flops and n²/2 numbers, however many the classes.

use std::sync::Arc;

use super::class_sum::ClassSum;
use super::entries::EntrySum;
use super::{
    ClassAccumulator, ClassStatistics, Covariance, Dense, Estimator, Moments, StatisticsError,
};
use crate::labels::Labels;
use crate::linalg::{Mat, lower_rows};
use crate::points::Points;

impl ClassStatistics {
    /// Statistics of some labelled points, every number of which is known to be finite, each as often as its weight says.
    pub(crate) fn pooled(
        points: Points<'_>,
        labels: &Labels,
        weights: Option<&[u64]>,
        selected: impl Iterator<Item = usize> + Clone,
    ) -> Result<Self, StatisticsError> {
        let (classes, n) = (labels.classes().clone(), points.columns());
        let nothing = ClassAccumulator::new(classes.clone(), n).only_for(Estimator::Empirical);
        let mut rows = nothing.rows_by_class(points, labels, selected)?;
        if let Some(weights) = weights {
            nothing.check_weights(weights, points.rows(), &mut rows)?;
        }
        let mut means = Mat::zeros(n, classes.len());
        let mut counts = Vec::with_capacity(classes.len());
        let mut scatter = Vec::new();
        for (class, rows) in rows.iter().enumerate() {
            let own = EntrySum { scatter, fourth: None, ..EntrySum::empty(n) };
            let mut sum = ClassSum::Entries(own);
            sum.add(points, rows, weights);
            let ClassSum::Entries(mut sum) = sum else { return Err(StatisticsError::Classes) };
            sum.leave_bytes();
            if sum.count < 2 {
                let class = classes.label(class).to_string();
                return Err(StatisticsError::TooFewSamples { class, count: sum.count });
            }
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
        let covariances = vec![within; classes.len()];
        let (counts, moments) = (Some(counts), Moments::Central);
        Ok(Self { classes, counts, means, covariances, moments, shrunk: false, robust: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Lower;
    use crate::points::Table;
    use crate::statistics::Entries;

    /// Totals and scatters within classes are those of the classes themselves, for every kind of number and with weights.
    #[test]
    fn within_and_total_are_those_of_the_classes() {
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
        }
    }
}
