//! Class statistics that limit the influence of outliers: the robust estimators of `crate::robust`, applied to each
//! class.

use std::sync::Arc;

use super::accumulator::check_all;
use super::estimator::Estimator;
use super::{ClassAccumulator, ClassStatistics, Covariance, Dense, Moments, StatisticsError};
use crate::labels::Labels;
use crate::linalg::{Lower, Mat};
use crate::points::{Points, Scalar, Table};
use crate::robust::{Estimate, Law, McdOptions, Members, RobustError, estimate, mcd};
use crate::with_table;

/// Details of a robust estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct RobustNote {
    /// The estimator.
    pub estimator: Estimator,
    /// Degrees of freedom ν if the covariances are scatter matrices of t distributions.
    pub degrees: Option<f64>,
    /// Number of iterations of the slowest class; 0 for estimators that do not iterate.
    pub steps: usize,
    /// Names of classes that did not converge within this number of iterations.
    pub unsettled: Vec<String>,
    /// Names of classes with so few samples per column that distances were measured in a shrunk metric.
    pub shrunk: Vec<String>,
    /// Largest fraction of shrinkage among these classes; 0 if there are none.
    pub largest_share: f64,
}

impl ClassStatistics {
    /// Computes class statistics of labeled samples. A sample with weight w counts as w equal samples.
    ///
    /// # Errors
    ///
    /// Returns an error if the numbers of samples, labels and weights differ, a value is not finite, there are fewer
    /// than two classes, a class has too few samples, or the estimator's parameter is invalid.
    pub fn from_weighted_points(
        points: Points<'_>,
        labels: &Labels,
        weights: Option<&[u64]>,
        estimator: Estimator,
    ) -> Result<Self, StatisticsError> {
        if let Some(weights) = weights.filter(|weights| weights.len() != points.rows()) {
            let (weights, points) = (weights.len(), points.rows());
            return Err(StatisticsError::WeightCount { weights, points });
        }
        if !estimator.needs_points() {
            let mut sums = ClassAccumulator::new(labels.classes().clone(), points.columns());
            match weights {
                Some(weights) => sums.update_weighted(points, labels, weights)?,
                None => sums.update(points, labels)?,
            }
            if estimator != Estimator::LedoitWolf {
                return sums.finish(estimator);
            }
            let statistics = sums.finish(Estimator::Empirical)?;
            return statistics.ledoit_wolf(&statistics.fourth_moments(points, labels, weights)?);
        }
        let all: Vec<usize> = (0..points.rows()).collect();
        Self::robust_of_rows(points, labels, &all, weights, estimator)
    }

    /// Computes robust statistics of some rows, each with its weight.
    pub(crate) fn robust_of_rows(
        points: Points<'_>,
        labels: &Labels,
        rows: &[usize],
        weights: Option<&[u64]>,
        estimator: Estimator,
    ) -> Result<Self, StatisticsError> {
        estimator.check()?;
        check_all(points, labels)?;
        let classes = labels.classes().clone();
        if classes.is_empty() {
            return Err(StatisticsError::TooFewClasses { count: 0 });
        }
        let name = |class: usize| classes.label(class).to_string();
        let members = members(labels, rows, weights);
        let counts: Vec<u64> = members.iter().map(Members::count).collect();
        if let Some(class) = counts.iter().position(|&count| count < 2) {
            return Err(StatisticsError::TooFewSamples {
                class: name(class),
                count: counts[class],
            });
        }
        let refused = |(class, source): (usize, RobustError)| StatisticsError::RobustClass {
            class: name(class),
            source,
        };
        let (estimates, degrees, steps) = match estimator {
            Estimator::Mcd(share) => {
                (of_support(points, &members, share).map_err(refused)?, None, 0)
            }
            other => {
                let law = match other {
                    Estimator::StudentT(degrees) => Law::StudentT(degrees),
                    _ => Law::Tyler,
                };
                let found = estimate(points, &members, law).map_err(refused)?;
                (found.classes, found.degrees, found.steps)
            }
        };
        let named = |which: &dyn Fn(&Estimate) -> bool| {
            let some = estimates.iter().enumerate().filter(|(_, one)| which(one));
            some.map(|(class, _)| name(class)).collect::<Vec<_>>()
        };
        let note = RobustNote {
            estimator,
            degrees,
            steps,
            unsettled: named(&|one| !one.settled),
            shrunk: named(&|one| one.shrinkage > 0.0),
            largest_share: estimates.iter().map(|one| one.shrinkage).fold(0.0, f64::max),
        };
        let n = points.columns();
        let means = Mat::from_fn(n, estimates.len(), |i, class| estimates[class].location[i]);
        let double = matches!(points, Points::F64(_));
        let dense = |one: &Estimate| -> Box<dyn Covariance> {
            let lower = Lower::new(&one.scatter, n);
            if double {
                Box::new(Dense::new(lower.packed(|value| value), n).expect("a triangle"))
            } else {
                Box::new(Dense::new(lower.packed(|value| value as f32), n).expect("a triangle"))
            }
        };
        let covariances = estimates.iter().map(dense).collect();
        let mut statistics =
            Self::from_parts(classes, Some(counts), means, covariances, Moments::Central);
        statistics.robust = Some(Arc::new(note));
        Ok(statistics)
    }
}

/// Returns the rows of each class whose weight is positive.
fn members(labels: &Labels, rows: &[usize], weights: Option<&[u64]>) -> Vec<Members> {
    let mut members = vec![Members::default(); labels.classes().len()];
    for &row in rows {
        let weight = weights.map_or(1, |weights| weights[row]);
        if weight == 0 {
            continue;
        }
        let class = &mut members[labels.codes()[row] as usize];
        class.rows.push(row);
        if weights.is_some() {
            class.repeats.get_or_insert_default().push(weight as f64);
        }
    }
    members
}

/// Computes the minimum covariance determinant of each class in the columns that vary within the class.
fn of_support(
    points: Points<'_>,
    members: &[Members],
    share: f64,
) -> Result<Vec<Estimate>, (usize, RobustError)> {
    let n = points.columns();
    let mut estimates = Vec::new();
    for (class, members) in members.iter().enumerate() {
        let rows = members.repeated();
        let mut values = Vec::with_capacity(rows.len() * n);
        with_table!(points, table => for &row in &rows {
            values.extend((0..n).map(|column| table.get(row, column).to_f64()));
        });
        let varies = |column: usize| {
            let mut all = values.iter().skip(column).step_by(n);
            let first = all.next();
            all.any(|value| Some(value) != first)
        };
        let own: Vec<usize> = (0..n).filter(|&column| varies(column)).collect();
        if own.is_empty() {
            return Err((class, RobustError::Identical { points: rows.len() }));
        }
        let kept: Vec<f64> =
            values.chunks(n).flat_map(|row| own.iter().map(|&column| row[column])).collect();
        let table = Table::row_major(&kept, rows.len(), own.len()).expect("whole rows");
        let options = McdOptions { support: share, ..McdOptions::default() };
        let found = mcd(Points::F64(table), &options).map_err(|error| (class, error))?.reweighted;
        let mut location = values[..n].to_vec();
        let mut scatter = vec![0.0; n * n];
        for (i, &row) in own.iter().enumerate() {
            location[row] = found.location[i];
            for (j, &column) in own[..=i].iter().enumerate() {
                scatter[row * n + column] = found.scatter[i * own.len() + j];
            }
        }
        estimates.push(Estimate { location, scatter, shrinkage: 0.0, settled: true });
    }
    Ok(estimates)
}
