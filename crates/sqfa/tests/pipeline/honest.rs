//! The accuracy that a fit reports as held out is what new samples will show, however little there is to learn.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::{Data, recipe};

/// Normal numbers with two classes of equal size that have nothing to do with them.
pub(crate) fn pure_noise(rows: usize, columns: usize, seed: u64) -> Data {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let values = (0..rows * columns).map(|_| StandardNormal.sample(&mut generator)).collect();
    let mut labels: Vec<i64> = (0..rows as i64).map(|row| row % 2).collect();
    for row in (1..rows).rev() {
        labels.swap(row, generator.random_range(0..=row));
    }
    Data { values, columns, labels }
}

/// Checks that the mean of some accuracies is that of chance, up to one point and two standard errors.
fn assert_chance(accuracies: &[f64], what: &str) {
    let count = accuracies.len() as f64;
    let mean = accuracies.iter().sum::<f64>() / count;
    let squares: f64 = accuracies.iter().map(|one| (one - mean).powi(2)).sum();
    let error = (squares / (count - 1.0) / count).sqrt();
    assert!(mean - 0.5 <= 0.01 + 2.0 * error, "{what}: {mean} ± {error}");
    // Classes are balanced, so what is left of a class after a fold is held out leans away from it.
    assert!(mean > 0.4, "{what}: {mean} ± {error}");
}

/// The selected candidate itself would show 52.8 ± 0.4 %.
#[test]
fn selecting_settings_does_not_make_noise_look_informative() {
    let accuracies: Vec<f64> = (0..200)
        .map(|seed| {
            let fitted = pure_noise(60, 5, seed).fit(&recipe("sqfa", 2)).unwrap();
            fitted.record.selection.unwrap().accuracy.unwrap()
        })
        .collect();
    assert_chance(&accuracies, "60 × 5");
}

/// Filters and components of all samples would show 100 %.
#[test]
fn refinement_of_many_columns_is_scored_on_samples_it_has_not_seen() {
    let accuracies: Vec<f64> = (0..6)
        .map(|seed| {
            let fitted = pure_noise(60, 300, seed).fit(&recipe("sqfa+refine", 2)).unwrap();
            fitted.record.refinement.unwrap().accuracy
        })
        .collect();
    assert_chance(&accuracies, "60 × 300, refined");
}

/// Methods that choose nothing on folds are refined by folds of their own: LDA of all samples separates 60 points in 40
/// columns perfectly.
#[test]
fn refinement_of_other_methods_is_scored_on_samples_it_has_not_seen() {
    let accuracies: Vec<f64> = (0..6)
        .map(|seed| {
            let fitted = pure_noise(60, 40, seed).fit(&recipe("lda+refine", 1)).unwrap();
            fitted.record.refinement.unwrap().accuracy
        })
        .collect();
    assert_chance(&accuracies, "60 × 40, LDA refined");
}

/// More filters than the classes differ in, in far more columns than samples: filters nearly coincide.
#[test]
fn refinement_of_few_samples_and_filters_that_coincide_ends() {
    let mut data = pure_noise(30, 1500, 3);
    (0..30).for_each(|row| data.values[row * 1500] += 6.0 * data.labels[row] as f64);
    let fitted = data.fit(&recipe("sqfa+refine", 4)).unwrap();
    assert_eq!(fitted.filters().ncols(), 4);
    assert!(fitted.record.refinement.unwrap().accuracy <= 1.0);
}
