//! One fit of the scaling experiment and its accuracy beside that of the true subspace.
//!
//! Known statistics, noise 0.001, one start seeded with k. Filters are orthonormalized, points are drawn from the
//! projected classes, and QDA estimates its parameters from as many points as it is tested on. QDA does not see rotations:
//! the filters are first turned as near to the true subspace as they go, so that the same random numbers draw nearly the
//! same points in both and what is left of their difference is not the draw.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sqfa::distance::mean_distance;
use sqfa::model::Restarts;
use sqfa::optimize::{Observer, Optimizer, Stopping};
use sqfa::statistics::{ClassAccumulator, project};
use sqfa::{
    ClassStatistics, Classes, Distance, Estimator, Labels, Mat, MatRef, Noise, Qda, Sqfa, Table,
};

use super::PaperError;
use sqfa_io::datasets::matrix::{cholesky, normal, stream};
use sqfa_io::datasets::scaling::{CLASSES, ScalingForm, SyntheticFamily};
use sqfa_lab::compare::available;

/// Points of one class drawn to train and to test QDA, as in the paper.
pub const DRAWN: usize = 20_000;
/// The feature noise of the experiment.
const NOISE: f64 = 0.001;
/// What is added to variances before points are drawn.
const JITTER: f64 = 1e-6;
/// Points drawn by one random stream.
const CHUNK: usize = 256;

/// What one fit gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingRow {
    /// Dimensions of the data.
    pub dimensions: usize,
    /// Filters, as many as informative dimensions.
    pub filters: usize,
    /// The form of the covariances.
    pub form: String,
    /// Seconds of the fit.
    pub seconds: f64,
    /// Passes over the covariances.
    pub passes: usize,
    /// Evaluations of the objective.
    pub evaluations: usize,
    /// The objective.
    pub objective: f64,
    /// Why the fit ended.
    pub termination: String,
    /// Whether it was preconditioned.
    pub preconditioned: bool,
    /// Bytes of the covariances.
    pub covariance_bytes: usize,
    /// QDA accuracy with the filters, 0 … 1.
    pub accuracy: f64,
    /// QDA accuracy with the true subspace.
    pub most: f64,
    /// The standard error of their difference.
    pub standard_error: f64,
    /// The objective at the true subspace.
    pub objective_of_truth: f64,
}

/// How filters are climbed: whether by lines or in subspaces, and until when.
#[derive(Debug, Clone, Copy, Default)]
pub struct Climb {
    /// L-BFGS or subspaces; anything but [`Optimizer::Auto`] keeps to the whole space, whatever structure classes have.
    pub optimizer: Optimizer,
    /// When it ends.
    pub stopping: Stopping,
}

/// Fits and evaluates one member of the family; `drawn` points of every class train QDA and as many test it.
pub fn scaling_row(
    parameters: &SyntheticFamily,
    form: ScalingForm,
    climb: Climb,
    drawn: usize,
    observer: &mut Observer<'_>,
) -> Result<ScalingRow, PaperError> {
    let (n, filters) = (parameters.dimensions, parameters.informative);
    let fail = |error: &dyn std::fmt::Display| {
        PaperError::numbers(format!("n = {n}, m = {filters}"), error)
    };
    let needed = form.bytes(n, filters);
    if let Some(free) = available().filter(|&free| needed > free) {
        let gigabytes = |bytes: f64| bytes / 1e9;
        return Err(fail(&format!(
            "{} covariances take {:.1} GB of the {:.1} GB that are free: use the low-rank form or fewer dimensions",
            form.name(),
            gigabytes(needed),
            gigabytes(free)
        )));
    }
    let problem = parameters.generate()?;
    let statistics = problem.class_statistics(form)?;
    let fitted = Sqfa::new(filters)
        .map(|recipe| {
            recipe
                .noise(Noise::Value(NOISE))
                .restarts(Restarts::Count(1))
                .seed(filters as u64)
                .stopping(climb.stopping)
                .optimizer(climb.optimizer)
        })
        .and_then(|recipe| recipe.fit_observed(&statistics, observer))
        .map_err(|error| fail(&error))?;
    let own = fitted.orthogonalized().map_err(|error| fail(&error))?;
    let truth = MatRef::from_column_major_slice(&problem.basis, n, filters);
    let own = turned(own.as_ref(), truth).ok_or_else(|| fail(&"no singular vectors"))?;
    let score =
        |basis| hits(&statistics, basis, filters as u64, drawn).map_err(|problem| fail(&problem));
    let (found, most) = (score(own.as_ref())?, score(truth)?);
    let (accuracy, standard_error) = compared(&found, &most);
    let distance = Distance::named(fitted.distance()).map_err(|error| fail(&error))?;
    let objective_of_truth = mean_distance(&distance, &project(&statistics, truth, NOISE))
        .map_err(|error| fail(&error))?
        .value;
    Ok(ScalingRow {
        dimensions: n,
        filters,
        form: form.name().to_owned(),
        seconds: fitted.seconds(),
        passes: fitted.passes(),
        evaluations: fitted.evaluations(),
        objective: fitted.objective(),
        termination: fitted.termination().name().to_owned(),
        preconditioned: fitted.preconditioned(),
        covariance_bytes: statistics.bytes(),
        accuracy: accuracy[0],
        most: accuracy[1],
        standard_error,
        objective_of_truth,
    })
}

/// Orthonormal columns with the same span, as near to others as they go: FUVᵀ with FᵀT = USVᵀ.
fn turned(own: MatRef<'_, f64>, others: MatRef<'_, f64>) -> Option<Mat<f64>> {
    let overlap = own.transpose() * others;
    let svd = overlap.thin_svd().ok()?;
    Some(own * (svd.U() * svd.V().transpose()))
}

/// The shares of hits of two classifiers on the same points, and the standard error of their difference.
fn compared(first: &[bool], second: &[bool]) -> ([f64; 2], f64) {
    let count = first.len() as f64;
    let shares = [first, second].map(|hits| hits.iter().filter(|hit| **hit).count() as f64 / count);
    let differing = first.iter().zip(second).filter(|(a, b)| a != b).count() as f64 / count;
    let variance = differing - (shares[0] - shares[1]).powi(2);
    (shares, (variance / count).sqrt())
}

/// Which points drawn from the projected classes QDA gets right, its parameters estimated from as many others.
fn hits(
    statistics: &ClassStatistics,
    basis: MatRef<'_, f64>,
    seed: u64,
    drawn: usize,
) -> Result<Vec<bool>, String> {
    let m = basis.ncols();
    let gaussians = project(statistics, basis, 0.0);
    let roots: Vec<Vec<f64>> = (0..CLASSES)
        .map(|class| {
            let mut covariance = gaussians.covariance(class).to_vec();
            covariance.iter_mut().step_by(m + 1).for_each(|variance| *variance += JITTER);
            cholesky(&covariance, m)
        })
        .collect();
    let draw = |class: usize, part: u64| {
        points(gaussians.mean(class), &roots[class], drawn, seed, 2 * class as u64 + part)
    };
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let mut sums = ClassAccumulator::new(Classes::numbered(CLASSES), m);
    for class in 0..CLASSES {
        let train = draw(class, 0);
        let codes = vec![class as u32; drawn];
        let labels = Labels::from_codes(Classes::numbered(CLASSES), codes);
        let labels = labels.ok_or("a class beyond the last")?;
        let table = Table::row_major(&train, drawn, m).ok_or("points of another size")?;
        sums.update(table.into(), &labels).map_err(|error| text(&error))?;
    }
    let own = sums.finish(Estimator::Empirical).map_err(|error| text(&error))?;
    let identity = Mat::from_fn(m, m, |i, j| if i == j { 1.0 } else { 0.0 });
    let qda =
        Qda::plain_from_statistics(&own, identity.as_ref(), 0.0).map_err(|error| text(&error))?;
    let mut hits = Vec::with_capacity(CLASSES * drawn);
    for class in 0..CLASSES {
        let test = draw(class, 1);
        let table = Table::row_major(&test, drawn, m).ok_or("points of another size")?;
        let codes = qda.predict(table.into()).map_err(|error| text(&error))?;
        hits.extend(codes.iter().map(|&code| code as usize == class));
    }
    Ok(hits)
}

/// Points of N(mean, LLᵀ), row by row; chunks have random streams of their own, so that threads change nothing.
fn points(mean: &[f64], lower: &[f64], count: usize, seed: u64, part: u64) -> Vec<f64> {
    let m = mean.len();
    // Columns of L lie together, so that every product runs along memory.
    let upper: Vec<f64> = (0..m * m).map(|at| lower[at % m * m + at / m]).collect();
    let mut points = vec![0.0; count * m];
    points.par_chunks_mut(CHUNK * m).enumerate().for_each(|(chunk, points)| {
        let mut rng = stream(seed, part << 32 | chunk as u64);
        for point in points.chunks_exact_mut(m) {
            point.copy_from_slice(mean);
            for k in 0..m {
                let white = normal(&mut rng);
                let column = &upper[k * m + k..(k + 1) * m];
                for (value, weight) in point[k..].iter_mut().zip(column) {
                    *value += weight * white;
                }
            }
        }
    });
    points
}

#[cfg(test)]
mod tests {
    use sqfa::optimize::Control;

    use super::*;

    #[test]
    fn drawn_points_have_the_mean_and_covariance_asked_for() {
        const COUNT: usize = 40_000;
        let (mean, covariance) = ([1.0, -2.0], [2.0, 0.9, 0.9, 1.0]);
        let drawn = points(&mean, &cholesky(&covariance, 2), COUNT, 3, 1);
        // Five standard errors of a second moment: √(2·2²/N).
        let close = 5.0 * (8.0 / COUNT as f64).sqrt();
        for i in 0..2 {
            let average = drawn.chunks(2).map(|p| p[i]).sum::<f64>() / COUNT as f64;
            assert!((average - mean[i]).abs() < close);
            for j in 0..2 {
                let product = |p: &[f64]| (p[i] - mean[i]) * (p[j] - mean[j]);
                let moment = drawn.chunks(2).map(product).sum::<f64>() / COUNT as f64;
                assert!((moment - covariance[2 * i + j]).abs() < close, "{moment}");
            }
        }
    }

    #[test]
    fn filters_are_turned_onto_the_subspace_they_span() {
        let truth = Mat::<f64>::from_fn(5, 2, |i, j| f64::from(u8::from(i == j)));
        let (c, s) = (0.6, 0.8);
        let mixed = &truth * Mat::from_fn(2, 2, |i, j| [[c, s], [-s, c]][i][j]);
        let found = turned(mixed.as_ref(), truth.as_ref()).unwrap();
        assert!((&found - &truth).norm_max() < 1e-14);
    }

    #[test]
    fn the_error_of_a_difference_counts_only_points_that_differ() {
        let (first, second) = ([true, true, false, true], [true, false, false, true]);
        let (shares, error) = compared(&first, &second);
        assert_eq!(shares, [0.75, 0.5]);
        // One of four differs: variance 1/4 − 1/16.
        assert!((error - (0.1875_f64 / 4.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn sqfa_finds_the_true_subspace_of_a_small_problem() {
        let stopping = Stopping { tolerance: 1e-9, ..Stopping::default() };
        let climb = Climb { stopping, ..Climb::default() };
        let run = |form| {
            scaling_row(&SyntheticFamily::ambient(100), form, climb, 2000, &mut |_| {
                Control::Continue
            })
        };
        let row = run(ScalingForm::LowRank).unwrap();
        // Both scored on 10 000 points each: five standard errors of a share near 0.93.
        let close = 5.0 * (0.93_f64 * 0.07 / 10_000.0).sqrt();
        assert!((row.accuracy - row.most).abs() < close && row.most > 0.9, "{row:?}");
        let dense = run(ScalingForm::Dense).unwrap();
        // The same problem but for single precision.
        assert!((dense.objective - row.objective).abs() < 1e-4 * row.objective);
        let huge = scaling_row(
            &SyntheticFamily::ambient(10_000_000),
            ScalingForm::Dense,
            climb,
            10,
            &mut |_| Control::Continue,
        );
        assert!(huge.unwrap_err().to_string().contains("low-rank"));
    }
}
