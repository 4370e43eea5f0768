//! Shrinkage estimators, tested against their formulas.

use sqfa::statistics::{ClassAccumulator, ESTIMATORS, StatisticsError};
use sqfa::{ClassStatistics, Estimator, Table};

use crate::common::product;
use crate::moments::{DOUBLE, SINGLE};
use crate::problems::{Sample, entries, largest, worst};

/// Returns (1 − ρ)S + ρ(tr S/p)I with ρ of Chen et al., computed from full matrix products.
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
    // Few samples (full shrinkage), fewer samples than columns, and many samples.
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
        assert_eq!(estimator.to_string(), name);
    }
    let message = "oass".parse::<Estimator>().unwrap_err();
    assert!(message.contains("'oass'") && message.contains("did you mean 'oas'"), "{message}");
    assert!(message.contains("empirical"), "{message}");
}

/// Returns the fraction min(b², d²)/d² as Ledoit & Wolf define it, from the outer products of single samples.
fn ledoit_wolf_share(rows: &[Vec<f64>]) -> f64 {
    let (count, p) = (rows.len() as f64, rows[0].len());
    let mean: Vec<f64> =
        (0..p).map(|i| rows.iter().map(|row| row[i]).sum::<f64>() / count).collect();
    let centered: Vec<Vec<f64>> =
        rows.iter().map(|row| row.iter().zip(&mean).map(|(x, m)| x - m).collect()).collect();
    let mut sample = vec![0.0; p * p];
    for row in &centered {
        (0..p * p).for_each(|at| sample[at] += row[at / p] * row[at % p] / count);
    }
    let level = sample.iter().step_by(p + 1).sum::<f64>() / p as f64;
    let norm = |matrix: &dyn Fn(usize) -> f64| {
        (0..p * p).map(|at| matrix(at).powi(2)).sum::<f64>() / p as f64
    };
    let identity = |at: usize| if at / p == at % p { 1.0 } else { 0.0 };
    let distance = norm(&|at| sample[at] - level * identity(at));
    let spread: f64 =
        centered.iter().map(|row| norm(&|at| row[at / p] * row[at % p] - sample[at])).sum::<f64>()
            / (count * count);
    spread.min(distance) / distance
}

fn shrunk_by(share: f64, covariance: &[f64], p: usize) -> Vec<f64> {
    let trace = covariance.iter().step_by(p + 1).sum::<f64>();
    (0..p * p)
        .map(|at| {
            let identity = if at / p == at % p { trace / p as f64 } else { 0.0 };
            (1.0 - share) * covariance[at] + share * identity
        })
        .collect()
}

/// Returns every class covariance shrunk according to the direct definition.
fn ledoit_wolf(sample: &Sample) -> Vec<Vec<f64>> {
    let naive = sample.naive();
    naive
        .iter()
        .enumerate()
        .map(|(class, (_, _, covariance))| {
            let rows: Vec<Vec<f64>> = (0..sample.rows())
                .filter(|&row| sample.labels.codes()[row] as usize == class)
                .map(|row| sample.row(row).to_vec())
                .collect();
            shrunk_by(ledoit_wolf_share(&rows), covariance, sample.columns)
        })
        .collect()
}

fn assert_covariances(found: &ClassStatistics, expected: &[Vec<f64>], tolerance: f64) {
    for (class, expected) in expected.iter().enumerate() {
        let gap = worst(&entries(found, class), expected);
        assert!(
            gap <= tolerance * largest(expected.iter().copied()),
            "class {class} is off by {gap:e}"
        );
    }
}

#[test]
fn ledoit_wolf_follows_its_definition_in_every_number_type() {
    // More samples than one block, far from the origin; fewer samples than columns; and more columns than vector lanes.
    for (counts, columns, shift, seed) in
        [(vec![700, 1200], 5, 40.0, 85), (vec![6, 9], 12, 0.0, 86), (vec![40, 30], 37, 3.0, 87)]
    {
        let sample = Sample::draw(&counts, columns, seed);
        let sample = sample.mapped(columns, |row| row.iter().map(|x| x + shift).collect());
        let finish = |points| {
            ClassStatistics::from_points(points, &sample.labels, Estimator::LedoitWolf).unwrap()
        };
        assert_covariances(&finish(sample.points()), &ledoit_wolf(&sample), DOUBLE);
        let (singles, rounded) = sample.singles();
        let points = Table::row_major(&singles, sample.rows(), columns).unwrap().into();
        assert_covariances(&finish(points), &ledoit_wolf(&rounded), SINGLE);
        let (bytes, rounded) =
            sample.mapped(columns, |row| row.iter().map(|x| x - shift).collect()).bytes();
        let points = Table::row_major(&bytes, sample.rows(), columns).unwrap().into();
        assert_covariances(&finish(points), &ledoit_wolf(&rounded), SINGLE);
    }
}

#[test]
fn ledoit_wolf_counts_weights_as_repetitions() {
    let sample = Sample::draw(&[60, 90], 7, 88);
    let weights: Vec<u64> = (0..sample.rows() as u64).map(|row| row % 4).collect();
    let found = ClassStatistics::from_weighted_points(
        sample.points(),
        &sample.labels,
        Some(&weights),
        Estimator::LedoitWolf,
    );
    let repeated: Vec<usize> =
        (0..sample.rows()).flat_map(|row| vec![row; weights[row] as usize]).collect();
    let values = repeated.iter().flat_map(|&row| sample.row(row).to_vec()).collect();
    let repeated = Sample { columns: 7, values, labels: sample.labels.select(&repeated) };
    assert_covariances(&found.unwrap(), &ledoit_wolf(&repeated), DOUBLE);
}

#[test]
fn ledoit_wolf_needs_samples_and_suggests_alternatives() {
    let sample = Sample::draw(&[50, 70], 6, 89);
    let mut sums = ClassAccumulator::new(sample.labels.classes().clone(), 6);
    sums.update(sample.points(), &sample.labels).unwrap();
    let error = sums.clone().finish(Estimator::LedoitWolf).unwrap_err();
    assert_eq!(error, StatisticsError::NoFourthMoments);
    for remedy in ["needs the samples", "use oas", "0.1", "fit the samples"] {
        assert!(error.to_string().contains(remedy), "{error}");
    }
    for estimator in [Estimator::Oas, Estimator::Shrinkage(0.1)] {
        assert!(sums.clone().finish(estimator).is_ok());
    }
}

#[test]
fn a_fixed_shrinkage_follows_its_formula() {
    let sample = Sample::draw(&[20, 30], 4, 90);
    for share in [0.0, 0.1, 1.0] {
        let estimator = Estimator::Shrinkage(share);
        let found =
            ClassStatistics::from_points(sample.points(), &sample.labels, estimator).unwrap();
        let expected: Vec<_> =
            sample.naive().iter().map(|(_, _, matrix)| shrunk_by(share, matrix, 4)).collect();
        assert_covariances(&found, &expected, DOUBLE);
        for text in [format!("{share}"), format!("shrinkage={share}"), estimator.to_string()] {
            assert_eq!(text.parse::<Estimator>(), Ok(estimator));
        }
    }
    for text in ["1.5", "-0.1", "nan", "shrinkage=2"] {
        assert!(text.parse::<Estimator>().unwrap_err().contains("from 0 to 1"), "{text}");
    }
    let wild = Estimator::Shrinkage(f64::NAN);
    assert!(ClassStatistics::from_points(sample.points(), &sample.labels, wild).is_err());
}

/// Returns the fraction as scikit-learn computes it: with divisor N and without the 2/p terms.
fn oas_share_elsewhere(covariance: &[f64], p: usize, count: u64) -> f64 {
    let other = (count - 1) as f64 / count as f64;
    let (size, order) = (count as f64, p as f64);
    let level = covariance.iter().step_by(p + 1).sum::<f64>() * other / order;
    let square = covariance.iter().map(|x| (x * other).powi(2)).sum::<f64>() / (order * order);
    let above = square + level * level;
    (above / ((size + 1.0) * (square - level * level / order))).min(1.0)
}

#[test]
fn the_two_spellings_of_oas_differ_by_what_they_drop() {
    // The omitted terms have relative size 2/p and 1/N, so the difference is visible here and bounded by them.
    let sample = Sample::draw(&[80, 80], 10, 91);
    let found =
        ClassStatistics::from_points(sample.points(), &sample.labels, Estimator::Oas).unwrap();
    for (class, (count, _, covariance)) in sample.naive().iter().enumerate() {
        let ours = 1.0 - entries(&found, class)[1] / covariance[1];
        let theirs = oas_share_elsewhere(covariance, 10, *count);
        let gap = (ours - theirs).abs() / theirs;
        assert!(gap > 1e-4 && gap < 2.0 / 10.0, "{ours} against {theirs}");
    }
}
