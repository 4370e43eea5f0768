//! PCA, LDA and SPCA against eigenproblems written out from the points.

use sqfa::Mat;
use sqfa::model::Warning;
use sqfa::optimize::Control;
use sqfa::reduce::{
    Choice, Lda, Pca, PcaSolver, ReduceError, Reducer, Reduction, Setting, Spca, Training,
};

use crate::problems::Sample;

/// Residuals of eigenproblems whose matrices have entries near 1 and condition numbers below 1e3.
const RESIDUAL: f64 = 1e-9;
const COUNTS: [usize; 4] = [40, 25, 60, 31];
const COLUMNS: usize = 7;

fn fit(reducer: &dyn Reducer, sample: &Sample, filters: &[usize]) -> Vec<Reduction> {
    let training = Training::from_points(sample.points(), &sample.labels).unwrap();
    reducer.fit(&training, filters, &mut |_| Control::Continue).unwrap()
}

/// Σ (x−μ)(x−μ)ᵀ / N over some rows, with μ their own mean.
fn scatter(sample: &Sample, rows: &[usize]) -> (Mat<f64>, Vec<f64>) {
    let count = rows.len() as f64;
    let mean: Vec<f64> =
        (0..COLUMNS).map(|j| rows.iter().map(|&r| sample.row(r)[j]).sum::<f64>() / count).collect();
    let matrix = Mat::from_fn(COLUMNS, COLUMNS, |i, j| {
        rows.iter()
            .map(|&r| (sample.row(r)[i] - mean[i]) * (sample.row(r)[j] - mean[j]))
            .sum::<f64>()
            / count
    });
    (matrix, mean)
}

fn all(sample: &Sample) -> Vec<usize> {
    (0..sample.rows()).collect()
}

fn of_class(sample: &Sample, class: u32) -> Vec<usize> {
    all(sample).into_iter().filter(|&row| sample.labels.codes()[row] == class).collect()
}

/// ‖Av − (vᵀAv / vᵀBv)Bv‖ and the quotient.
fn rayleigh(a: &Mat<f64>, b: &Mat<f64>, filters: &Mat<f64>, j: usize) -> (f64, f64) {
    let v = filters.subcols(j, 1);
    let (av, bv) = (a * v, b * v);
    let quotient = (v.transpose() * &av)[(0, 0)] / (v.transpose() * &bv)[(0, 0)];
    let residual = &av - &bv * faer::Scale(quotient);
    (residual.norm_l2(), quotient)
}

fn identity() -> Mat<f64> {
    Mat::from_fn(COLUMNS, COLUMNS, |i, j| f64::from(u8::from(i == j)))
}

#[test]
fn principal_components_are_leading_eigenvectors_of_the_covariance_of_all_points() {
    let sample = Sample::draw(&COUNTS, COLUMNS, 3);
    let (total, _) = scatter(&sample, &all(&sample));
    let fitted = fit(&Pca::default(), &sample, &[COLUMNS, 3]);
    let mut last = f64::INFINITY;
    for j in 0..COLUMNS {
        let (residual, variance) = rayleigh(&total, &identity(), &fitted[0].filters, j);
        assert!(residual < RESIDUAL && variance <= last, "{j}: {residual:e}");
        last = variance;
    }
    let gram = fitted[0].filters.transpose() * &fitted[0].filters;
    assert!((gram - identity()).norm_max() < RESIDUAL);
    assert_eq!(fitted[1].filters, fitted[0].filters.subcols(0, 3).to_owned());
    assert!(fitted[1].run.converged() && fitted[1].run.termination.is_none());
}

#[test]
fn principal_components_of_many_columns_see_what_columns_share() {
    // Few columns vary most, and they vary together: components are not these columns.
    const WIDE: usize = 300;
    let mut sample = Sample::draw(&COUNTS, WIDE, 8);
    for row in 0..sample.rows() {
        let shared: Vec<f64> = sample.row(row)[..6].to_vec();
        for (j, value) in sample.values[row * WIDE..][..6].iter_mut().enumerate() {
            *value = 3.0_f64.powi(6 - j as i32) * (shared.iter().sum::<f64>() + *value);
        }
    }
    let rows = sample.rows() as f64;
    let mean: Vec<f64> = (0..WIDE)
        .map(|j| (0..sample.rows()).map(|row| sample.row(row)[j]).sum::<f64>() / rows)
        .collect();
    let filters = &fit(&Pca::default(), &sample, &[4])[0].filters;
    for j in 0..4 {
        // Σ (x−μ)(x−μ)ᵀv, point by point.
        let mut image = [0.0; WIDE];
        for row in 0..sample.rows() {
            let centered: Vec<f64> =
                sample.row(row).iter().zip(&mean).map(|(x, m)| x - m).collect();
            let along: f64 = centered.iter().enumerate().map(|(i, x)| x * filters[(i, j)]).sum();
            image.iter_mut().zip(&centered).for_each(|(sum, x)| *sum += along * x);
        }
        let variance: f64 = (0..WIDE).map(|i| image[i] * filters[(i, j)]).sum();
        let apart = (0..WIDE).map(|i| (image[i] - variance * filters[(i, j)]).powi(2)).sum::<f64>();
        assert!(apart.sqrt() < 1e-10 * variance, "{j}: {:e} of {variance:e}", apart.sqrt());
    }
}

#[test]
fn randomised_components_span_the_same_subspace() {
    let sample = Sample::draw(&COUNTS, COLUMNS, 4);
    let exact = &fit(&Pca::default(), &sample, &[2])[0].filters;
    let randomised = Pca { solver: PcaSolver::Randomized };
    let found = &fit(&randomised, &sample, &[2])[0].filters;
    let overlap = (exact.transpose() * found).norm_l2().powi(2);
    // Both directions shared; subspace iteration over all seven dimensions is exact up to round-off.
    assert!((overlap - 2.0).abs() < 1e-8, "{overlap}");
}

#[test]
fn discriminants_solve_the_shrunk_eigenproblem() {
    let sample = Sample::draw(&COUNTS, COLUMNS, 5);
    let (total, _) = scatter(&sample, &all(&sample));
    for (shrinkage, shrinks_total) in
        [(0.0, false), (0.3, false), (0.8, false), (0.0, true), (0.3, true), (0.8, true)]
    {
        let shrunk = |matrix: &Mat<f64>| {
            let trace: f64 = (0..COLUMNS).map(|i| matrix[(i, i)]).sum();
            matrix * faer::Scale(1.0 - shrinkage)
                + identity() * faer::Scale(shrinkage * trace / COLUMNS as f64)
        };
        let (mut within, mut unshrunk) =
            (Mat::zeros(COLUMNS, COLUMNS), Mat::<f64>::zeros(COLUMNS, COLUMNS));
        for class in 0..COUNTS.len() {
            let share = COUNTS[class] as f64 / sample.rows() as f64;
            let own = scatter(&sample, &of_class(&sample, class as u32)).0;
            unshrunk += &own * faer::Scale(share);
            within += shrunk(&own) * faer::Scale(share);
        }
        let between = match shrinks_total {
            // As in scikit-learn.
            true => shrunk(&total) - &within,
            false => &total - &unshrunk,
        };
        let lda = Lda { shrinkage: Choice::Value(shrinkage), shrinks_total, seed: 0 };
        let filters = &fit(&lda, &sample, &[3])[0].filters;
        let mut last = f64::INFINITY;
        for j in 0..3 {
            let (residual, ratio) = rayleigh(&between, &within, filters, j);
            assert!(residual < RESIDUAL && ratio <= last, "{shrinkage}, {j}: {residual:e}");
            last = ratio;
        }
        let gram = filters.transpose() * &within * filters;
        assert!((gram - identity().submatrix(0, 0, 3, 3)).norm_max() < RESIDUAL);
    }
}

#[test]
fn the_shrinkage_is_the_best_of_the_tried_ones_for_every_number_of_filters() {
    let sample = Sample::draw(&[80, 70, 90, 60], COLUMNS, 6);
    let lda = Lda { shrinkage: Choice::Among(vec![0.9, 0.1, 0.5]), seed: 1, ..Lda::default() };
    for fitted in fit(&lda, &sample, &[1, 3]) {
        assert_eq!(fitted.trials.len(), 3);
        let best = fitted.trials.iter().filter_map(|trial| trial.accuracy).fold(0.0, f64::max);
        let chosen = fitted.setting(Setting::Shrinkage).unwrap();
        let first = fitted.trials.iter().find(|trial| trial.accuracy == Some(best)).unwrap();
        assert_eq!(chosen, first.value);
        let given = Lda { shrinkage: Choice::Value(chosen), seed: 1, ..Lda::default() };
        assert_eq!(fit(&given, &sample, &[fitted.filters.ncols()])[0].filters, fitted.filters);
    }
}

#[test]
fn supervised_components_are_eigenvectors_of_the_dense_label_kernel() {
    let sample = Sample::draw(&COUNTS, COLUMNS, 7);
    let n = sample.rows();
    let (_, mean) = scatter(&sample, &all(&sample));
    let centered = Mat::from_fn(n, COLUMNS, |row, j| sample.row(row)[j] - mean[j]);
    let codes = sample.labels.codes();
    let kernel = Mat::from_fn(n, n, |a, b| f64::from(u8::from(codes[a] == codes[b])));
    let criterion =
        (centered.transpose() * &kernel * &centered) * faer::Scale(1.0 / (n * n) as f64);
    let fitted = fit(&Spca, &sample, &[3, 5]);
    let mut last = f64::INFINITY;
    for j in 0..3 {
        let (residual, value) = rayleigh(&criterion, &identity(), &fitted[0].filters, j);
        assert!(residual < RESIDUAL && value <= last, "{j}: {residual:e}");
        last = value;
    }
    // Beyond classes less one the criterion is blind, which is said.
    assert!(
        fitted[0].run.warnings.is_empty()
            && fitted[1].run.warnings == [Warning::BeyondCriterion { rank: 3 }]
    );
    let gram = fitted[1].filters.transpose() * &fitted[1].filters;
    assert!((gram - identity().submatrix(0, 0, 5, 5)).norm_max() < RESIDUAL);
}

#[test]
fn limits_are_said_with_their_reason() {
    let sample = Sample::draw(&COUNTS, COLUMNS, 8);
    let training = Training::from_points(sample.points(), &sample.labels).unwrap();
    let mut go = |_: &sqfa::optimize::Progress| Control::Continue;
    let error = Lda::default().fit(&training, &[2, 4], &mut go).unwrap_err();
    assert!(matches!(error, ReduceError::TooMany { limit: 3, filters: 4, .. }));
    assert!(error.to_string().contains("classes less one"), "{error}");
    assert!(error.to_string().contains("or use pca"), "{error}");
    let error = Pca::default().fit(&training, &[8], &mut go).unwrap_err();
    assert!(matches!(error, ReduceError::TooMany { limit: COLUMNS, filters: 8, .. }));
    // No method gives more filters than dimensions: none is suggested, least of all the one just refused.
    assert!(error.to_string().ends_with(&format!(": ask for at most {COLUMNS}")), "{error}");
    let singular = Lda { shrinkage: Choice::Value(1.5), seed: 0, ..Lda::default() };
    let error = singular.fit(&training, &[1], &mut go).unwrap_err();
    assert!(error.to_string().starts_with("shrinkage is 1.5: give a number between 0 and 1"));
    let statistics = sample.statistics();
    let alone = Training::from_statistics(&statistics);
    let auto = Lda { shrinkage: Choice::Auto, seed: 0, ..Lda::default() };
    assert!(matches!(auto.fit(&alone, &[1], &mut go), Err(ReduceError::NeedsPoints { .. })));
    assert_eq!(
        Lda::default().fit(&alone, &[1], &mut go).unwrap()[0].setting(Setting::Shrinkage),
        Some(0.1)
    );
}
