//! Tests of the minimum covariance determinant against brute force, invariances and clean data.

use super::*;
use crate::points::Table;
use rand::RngExt;

fn cloud(rows: usize, width: usize, outliers: usize, seed: u64) -> Vec<f64> {
    let mut random = generator(seed, 0);
    (0..rows)
        .flat_map(|row| {
            let shift = if row < outliers { 12.0 } else { 0.0 };
            // The sum of twelve uniform numbers is almost normal.
            (0..width)
                .map(|_| shift + (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0)
                .collect::<Vec<f64>>()
        })
        .collect()
}

fn run(values: &[f64], width: usize, support: f64) -> Mcd {
    let table = Table::row_major(values, values.len() / width, width).unwrap();
    mcd(Points::F64(table), &McdOptions { support, ..McdOptions::default() }).unwrap()
}

#[test]
fn no_subset_of_few_points_has_a_smaller_determinant() {
    for seed in 0..6 {
        let values = cloud(11, 2, 3, seed);
        let found = run(&values, 2, 0.73);
        let all = Columns::new(Points::F64(Table::row_major(&values, 11, 2).unwrap()));
        let mut least = f64::INFINITY;
        for subset in 0u32..1 << 11 {
            if subset.count_ones() == 8 {
                let chosen: Vec<f64> = (0..11).map(|i| f64::from(subset >> i & 1)).collect();
                least = least.min(all.metric(&chosen).unwrap().log_determinant);
            }
        }
        assert!((found.raw.log_determinant - least).abs() < 1e-12, "seed {seed}");
    }
}

#[test]
fn outliers_are_excluded() {
    let values = cloud(200, 4, 30, 1);
    let found = run(&values, 4, 0.8);
    assert!(!found.raw.support[..30].contains(&true));
    assert!(!found.reweighted.support[..30].contains(&true));
    assert!(found.reweighted.location.iter().all(|x| x.abs() < 0.4));
    // Most other samples are kept: for Gaussian samples 97.5 %.
    let kept = found.reweighted.support.iter().filter(|one| **one).count();
    assert!((155..=170).contains(&kept), "{kept}");
}

#[test]
fn the_estimate_is_affine_equivariant() {
    let values = cloud(120, 3, 10, 2);
    let map = [[2.0, 0.0, 0.0], [1.0, 0.5, 0.0], [-3.0, 1.0, 4.0]];
    let moved: Vec<f64> = values
        .chunks(3)
        .flat_map(|x| map.map(|row| 7.0 + row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>()))
        .collect();
    let (plain, other) = (run(&values, 3, 0.75), run(&moved, 3, 0.75));
    assert_eq!(plain.raw.support, other.raw.support);
    for (a, b) in plain.reweighted.distances.iter().zip(&other.reweighted.distances) {
        assert!((a / b - 1.0).abs() < 1e-9);
    }
    // The log-determinant increases by 2·ln|det map| = 2·ln 4.
    let change = other.raw.log_determinant - plain.raw.log_determinant;
    assert!((change - 2.0 * 4f64.ln()).abs() < 1e-9);
}

#[test]
fn full_support_gives_the_sample_covariance() {
    let values = cloud(50, 2, 0, 3);
    let found = run(&values, 2, 1.0);
    let mean = values.iter().step_by(2).sum::<f64>() / 50.0;
    assert!((found.raw.location[0] - mean).abs() < 1e-14);
    let variance = values.iter().step_by(2).map(|x| (x - mean).powi(2)).sum::<f64>() / 50.0;
    assert!((found.raw.scatter[0] / variance - 1.0).abs() < 1e-12);
}

#[test]
fn consistent_for_many_gaussian_points() {
    let values = cloud(4000, 2, 0, 4);
    let found = run(&values, 2, 0.8);
    // The scatter with the consistency factor must be close to 1, the variance of the samples.
    let corrected = found.raw.scatter[0] * found.consistency;
    assert!((corrected - 1.0).abs() < 0.08, "{corrected}");
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let values = cloud(2000, 3, 200, 5);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&values, 3, 0.8))
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn invalid_input_is_rejected() {
    let points = |values: &'static [f64], width: usize| {
        Points::F64(Table::row_major(values, values.len() / width, width).unwrap())
    };
    let ask = |points, support| mcd(points, &McdOptions { support, ..McdOptions::default() });
    const FLAT: &[f64] = &[0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0, 6.0];
    assert_eq!(ask(points(FLAT, 2), 0.4), Err(RobustError::Support { share: 0.4 }));
    assert_eq!(
        ask(points(FLAT, 6), 0.8),
        Err(RobustError::TooFewPoints { points: 2, support: 1, dimension: 6 })
    );
    assert_eq!(ask(points(FLAT, 2), 0.8), Err(RobustError::ExactFit { support: 4, points: 6 }));
    const BAD: &[f64] = &[0.0, 1.0, f64::NAN, 2.0];
    assert!(matches!(
        ask(points(BAD, 1), 0.8),
        Err(RobustError::NotFinite { row: 2, column: 0, .. })
    ));
}
