//! Orthonormal filters: as a constraint of the fit, and made after it.

use sqfa::Mat;
use sqfa::constraint::Constraint;

use super::problem::SHRINKAGE;
use sqfa::optimize::Observer;

use super::{Claim, Problem};
use crate::PaperError;
use crate::tables::median;

/// The largest difference between median accuracies, in percentage points, that does not count as an improvement.
const POINTS: f64 = 1.0;
/// The fraction of the passes of the other fits below which the number of passes counts as an improvement.
const FASTER: f64 = 0.8;
/// The largest difference in accuracy, in percentage points, that rounding may cause without shrinkage. Features and samples are
/// in single precision.
const ROUNDED: f64 = 0.05;
/// The largest difference in accuracy, in percentage points, that a shrinkage of 10⁻⁵ may cause, because it is not invariant to
/// linear maps.
const SHRUNK: f64 = 0.2;

/// An orthonormal constraint improves neither accuracy nor time.
pub(super) fn during(
    problem: &Problem<'_>,
    starts: u64,
    observer: &mut Observer<'_>,
) -> Result<Claim, PaperError> {
    let mut medians = Vec::new();
    for constraint in [Constraint::Sphere, Constraint::Orthonormal] {
        let (mut accuracies, mut seconds, mut passes) = (Vec::new(), Vec::new(), Vec::new());
        for seed in 0..starts.max(1) {
            let mut settings = problem.settings(seed);
            settings.constraint = Some(constraint);
            let fitted = problem.fit_on(
                &problem.statistics,
                "sqfa",
                &settings,
                problem.filters,
                observer,
            )?;
            accuracies.push(problem.accuracy(fitted.filters.as_ref())?);
            seconds.push(fitted.run.seconds);
            passes.push(fitted.run.passes as f64);
        }
        let of = |values| median(values).unwrap_or(f64::NAN);
        medians.push((of(accuracies), of(seconds), of(passes)));
    }
    let (sphere, orthonormal) = (medians[0], medians[1]);
    let difference = orthonormal.0 - sphere.0;
    let (time, passes) = (orthonormal.1 / sphere.1, orthonormal.2 / sphere.2);
    Ok(Claim {
        name: "orthonormal-constraint".into(),
        place: problem.title.into(),
        statement: "An orthonormal constraint improves neither accuracy nor training time.".into(),
        measured: vec![
            ("accuracy, unit norm (%)".into(), sphere.0),
            ("orthonormal (%)".into(), orthonormal.0),
            ("difference".into(), difference),
            ("ratio of seconds".into(), time),
            ("ratio of passes".into(), passes),
        ],
        rule: format!(
            "median accuracy at most {POINTS} points higher and at least {FASTER} of the passes"
        ),
        holds: difference <= POINTS && passes >= FASTER,
    })
}

/// Filters made orthonormal after the fit keep QDA's accuracy.
pub(super) fn after(
    problem: &Problem<'_>,
    _: u64,
    observer: &mut Observer<'_>,
) -> Result<Claim, PaperError> {
    let fitted = problem.fit_on(
        &problem.statistics,
        "sqfa",
        &problem.settings(0),
        problem.filters,
        observer,
    )?;
    let orthonormal = gram_schmidt(&fitted.filters);
    let mut shares = Vec::new();
    let mut changed = Vec::new();
    for shrinkage in [0.0, SHRINKAGE] {
        let own = problem.predict(fitted.filters.as_ref(), shrinkage)?;
        let other = problem.predict(orthonormal.as_ref(), shrinkage)?;
        let different = own.iter().zip(&other).filter(|(a, b)| a != b).count();
        changed.push(100.0 * different as f64 / own.len().max(1) as f64);
        shares.push((problem.share(&own), problem.share(&other)));
    }
    // One test point in per cent, and its rounding.
    let one = 100.0 / problem.test.labels.codes().len().max(1) as f64 + 1e-9;
    let difference = |at: usize| shares[at].1 - shares[at].0;
    Ok(Claim {
        name: "orthogonalised-after".into(),
        place: problem.title.into(),
        statement: "Filters can be made orthonormal after learning without affecting QDA accuracy."
            .into(),
        measured: vec![
            ("accuracy (%)".into(), shares[1].0),
            ("difference without shrinkage".into(), difference(0)),
            ("with shrinkage 1e-5".into(), difference(1)),
            ("points in another class without shrinkage (%)".into(), changed[0]),
            ("with shrinkage 1e-5 (%)".into(), changed[1]),
        ],
        rule: format!(
            "accuracies within {ROUNDED} points without shrinkage and {SHRUNK} with it, or one test point"
        ),
        holds: difference(0).abs() <= ROUNDED.max(one) && difference(1).abs() <= SHRUNK.max(one),
    })
}

/// Orthonormal columns with the same span: Gram–Schmidt, twice.
pub(super) fn gram_schmidt(filters: &Mat<f64>) -> Mat<f64> {
    let (n, m) = (filters.nrows(), filters.ncols());
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(m);
    for j in 0..m {
        let mut column: Vec<f64> = filters.col(j).iter().copied().collect();
        for _ in 0..2 {
            for other in &columns {
                let weight: f64 = column.iter().zip(other).map(|(a, b)| a * b).sum();
                column.iter_mut().zip(other).for_each(|(a, b)| *a -= weight * b);
            }
        }
        let length = column.iter().map(|value| value * value).sum::<f64>().sqrt();
        column.iter_mut().for_each(|value| *value /= length);
        columns.push(column);
    }
    Mat::from_fn(n, m, |i, j| columns[j][i])
}
