//! Oracle-approximating shrinkage against its formula, computed apart.

use sqfa::{ClassStatistics, ESTIMATORS, Estimator, Table};

use crate::common::product;
use crate::moments::{DOUBLE, SINGLE};
use crate::problems::{Sample, entries, largest, worst};

/// (1 − ρ)S + ρ(tr S/p)I with Chen et al.'s ρ, from full matrix products.
fn shrunk(covariance: &[f64], p: usize, count: u64) -> Vec<f64> {
    let trace_of = |matrix: &[f64]| matrix.iter().step_by(p + 1).sum::<f64>();
    let trace = trace_of(covariance);
    let square = trace_of(&product(covariance, covariance, p));
    let (size, order) = (count as f64, p as f64);
    let above = (1.0 - 2.0 / order) * square + trace.powi(2);
    let below = (size + 1.0 - 2.0 / order) * (square - trace.powi(2) / order);
    let rho = if above >= below { 1.0 } else { above / below };
    (0..p * p)
        .map(|at| {
            let identity = if at / p == at % p { trace / order } else { 0.0 };
            (1.0 - rho) * covariance[at] + rho * identity
        })
        .collect()
}

#[test]
fn oas_follows_its_formula() {
    // Few samples (full shrinkage), fewer than dimensions, many.
    for (counts, columns, seed) in
        [(vec![3, 4], 6, 81), (vec![5, 9], 12, 82), (vec![200, 60], 5, 83)]
    {
        let sample = Sample::draw(&counts, columns, seed);
        let (singles, rounded) = sample.singles();
        let found =
            ClassStatistics::from_points(sample.points(), &sample.labels, Estimator::Oas).unwrap();
        let points = Table::row_major(&singles, sample.rows(), columns).unwrap().into();
        let single = ClassStatistics::from_points(points, &sample.labels, Estimator::Oas).unwrap();
        for (found, sample, tolerance) in [(&found, &sample, DOUBLE), (&single, &rounded, SINGLE)] {
            for (class, (count, _, covariance)) in sample.naive().iter().enumerate() {
                let expected = shrunk(covariance, columns, *count);
                let gap = worst(&entries(found, class), &expected);
                assert!(gap <= tolerance * largest(expected), "class {class} is off by {gap:e}");
            }
        }
    }
}

#[test]
fn oas_keeps_the_trace_and_makes_few_samples_invertible() {
    let sample = Sample::draw(&[4, 6], 15, 84);
    let found =
        ClassStatistics::from_points(sample.points(), &sample.labels, Estimator::Oas).unwrap();
    for (class, (_, _, covariance)) in sample.naive().iter().enumerate() {
        let matrix = entries(&found, class);
        let trace = |matrix: &[f64]| matrix.iter().step_by(16).sum::<f64>();
        assert!((trace(&matrix) - trace(covariance)).abs() <= DOUBLE * trace(covariance));
        let (values, _) = crate::problems::eigen(&matrix, 15);
        assert!(values[0] > 1e-3 * values[14], "smallest eigenvalue {:e}", values[0]);
    }
}

#[test]
fn estimators_are_found_by_name() {
    for (name, estimator) in ESTIMATORS {
        assert_eq!(name.parse::<Estimator>(), Ok(estimator));
        assert_eq!(estimator.name(), name);
    }
    let message = "oass".parse::<Estimator>().unwrap_err();
    assert!(message.contains("'oass'") && message.contains("did you mean 'oas'"), "{message}");
    assert!(message.contains("empirical"), "{message}");
}
