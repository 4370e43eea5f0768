//! Closed forms with covariances kept as samples: what dense covariances of the same points give.

use sqfa::optimize::Control;
use sqfa::reduce::{Choice, Lda, Pca, Reducer, Reduction, Samples, Spca, Training};
use sqfa::{ClassStatistics, Estimator, Mat};

use crate::problems::Sample;

/// Sines of angles between equal subspaces: round-off over gaps of the eigenvalues, which exceed 1e-3 here.
const ANGLE: f64 = 1e-8;

fn fit(
    reducer: &dyn Reducer,
    sample: &Sample,
    statistics: &ClassStatistics,
    filters: usize,
) -> Reduction {
    let samples = Samples { points: sample.points(), labels: &sample.labels, preprocessor: None };
    let training = Training::new(statistics, samples);
    reducer.fit_one(&training, filters, &mut |_| Control::Continue).unwrap()
}

fn factors(sample: &Sample) -> ClassStatistics {
    ClassStatistics::from_factors(sample.points(), &sample.labels, Estimator::Empirical).unwrap()
}

/// An orthonormal basis of the columns.
fn basis(filters: &Mat<f64>) -> Mat<f64> {
    filters.qr().compute_thin_Q()
}

/// ‖A − BBᵀA‖ of orthonormal bases: the largest sine between the subspaces.
fn distance(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    let (a, b) = (basis(a), basis(b));
    let inside = &b * (b.transpose() * &a);
    (a - inside).norm_l2()
}

#[test]
fn fewer_samples_than_dimensions_are_solved_in_their_span() {
    let sample = Sample::draw(&[14, 11, 9], 60, 31);
    let (dense, kept) = (sample.statistics(), factors(&sample));
    let lda = Lda { shrinkage: Choice::Value(0.3), seed: 0, ..Lda::default() };
    let pca = Pca::default();
    let reducers: [(&dyn Reducer, usize); 3] = [(&lda, 2), (&pca, 4), (&Spca, 2)];
    for (reducer, filters) in reducers {
        let expected = fit(reducer, &sample, &dense, filters);
        let found = fit(reducer, &sample, &kept, filters);
        let angle = distance(&expected.filters, &found.filters);
        assert!(angle < ANGLE, "{}: {angle:e}", reducer.name());
        // Not only the subspace: every filter with its length and sign.
        let difference = (&expected.filters - &found.filters).norm_max();
        assert!(difference < ANGLE, "{}: {difference:e}", reducer.name());
    }
}

#[test]
fn more_samples_than_dimensions_need_no_span() {
    let sample = Sample::draw(&[40, 25, 60], 9, 32);
    let lda = Lda { shrinkage: Choice::Value(0.2), seed: 0, ..Lda::default() };
    let expected = fit(&lda, &sample, &sample.statistics(), 2);
    let found = fit(&lda, &sample, &factors(&sample), 2);
    assert!((&expected.filters - &found.filters).norm_max() < ANGLE);
}

#[test]
fn parts_that_settings_are_chosen_on_keep_the_form() {
    let sample = Sample::draw(&[24, 21, 27], 120, 33);
    let lda = Lda { shrinkage: Choice::Among(vec![0.9, 0.1, 0.5]), seed: 1, ..Lda::default() };
    let expected = fit(&lda, &sample, &sample.statistics(), 2);
    let found = fit(&lda, &sample, &factors(&sample), 2);
    assert_eq!(found.trials, expected.trials);
    assert!((&expected.filters - &found.filters).norm_max() < ANGLE);
}
