//! Whether starts find the same filters: without noise only their span is determined, with noise they are themselves.
//!
//! Without noise singular class covariances would be infinitely far apart. They are therefore shrunk a little before
//! filters are learned, with and without noise alike: what is added to the data, unlike noise on features, is seen through
//! the filters and leaves mixing them free. Only starts that reached the best objective are compared: local optima do
//! not count as disagreement.

use sqfa::{ClassStatistics, Estimator, Mat, Noise};

use super::constraint::gram_schmidt;
use sqfa::optimize::Observer;

use super::{Claim, Problem};
use crate::PaperError;
use sqfa_lab::evaluation::features;

/// Principal components that are kept.
const COMPONENTS: usize = 30;
/// The share of the identity in every class covariance.
const SHRINKAGE: f64 = 0.01;
/// Objectives within this share of the best are those of one optimum.
const SAME: f64 = 1e-4;
/// Filters at most so many degrees apart are consistent.
const CONSISTENT: f64 = 5.0;
/// Filters at least so many degrees apart vary; two in one plane are matched within 45.
const VARY: f64 = 10.0;
/// Two filters: more of them meet more local optima.
const FILTERS: usize = 2;
/// Starts of one series at least, so that some reach the same optimum.
const FEWEST: u64 = 6;

/// Filters vary over starts without noise and agree with it.
pub(super) fn over_starts(
    problem: &Problem<'_>,
    starts: u64,
    observer: &mut Observer<'_>,
) -> Result<Claim, PaperError> {
    let statistics = reduced(problem, COMPONENTS)?;
    let mut found = Vec::new();
    for noise in [0.0, problem.noise] {
        let mut fits = Vec::new();
        for seed in 0..starts.max(FEWEST) {
            let mut settings = problem.settings(seed);
            settings.noise = Noise::Value(noise);
            // Directions that noise fixes weakly are found late.
            settings.stopping.tolerance = 1e-9;
            let fitted = problem.fit_on(&statistics, "sqfa", &settings, FILTERS, observer)?;
            fits.push((fitted.run.objective.unwrap_or(f64::NAN), fitted.filters));
        }
        let best = fits.iter().map(|fit| fit.0).fold(f64::NEG_INFINITY, f64::max);
        fits.retain(|fit| fit.0 >= best - SAME * best.abs());
        let filters: Vec<Mat<f64>> = fits.into_iter().map(|fit| fit.1).collect();
        found.push((
            filters.len(),
            mean_over_pairs(&filters, matched),
            mean_over_pairs(&filters, span),
        ));
    }
    let (without, with) = (found[0], found[1]);
    Ok(Claim {
        name: "noise-fixes-filters".into(),
        place: problem.title.into(),
        statement: "Without regularization filters vary over starts, though their span does not; with it they agree.".into(),
        measured: vec![
            ("starts at the best optimum without noise".into(), without.0 as f64),
            ("degrees between their filters".into(), without.1),
            ("cosine² of their spans".into(), without.2),
            ("starts with noise".into(), with.0 as f64),
            ("degrees between filters".into(), with.1),
            ("cosine² of spans".into(), with.2),
        ],
        rule: format!(
            "at most {CONSISTENT} degrees with noise and at least {VARY} without, over at least two starts each"
        ),
        holds: without.0 > 1 && with.0 > 1 && with.1 <= CONSISTENT && without.1 >= VARY,
    })
}

/// Statistics of the first principal components of preprocessed training points.
fn reduced(problem: &Problem<'_>, components: usize) -> Result<ClassStatistics, PaperError> {
    let count = components.min(problem.statistics.dimension());
    let (basis, _) =
        problem.statistics.principal_components(count).map_err(|error| problem.fail(error))?;
    let points = problem.train.points.view();
    let features = features(points, problem.preprocessor.as_ref(), basis.as_ref());
    let (points, labels) = (features.as_points(count), &problem.train.labels);
    ClassStatistics::from_points(points, labels, Estimator::Shrinkage(SHRINKAGE))
        .map_err(|error| problem.fail(error))
}

fn mean_over_pairs(all: &[Mat<f64>], likeness: fn(&Mat<f64>, &Mat<f64>) -> f64) -> f64 {
    let pairs = all.iter().enumerate().flat_map(|(at, a)| all[..at].iter().map(move |b| (a, b)));
    let (sum, count) =
        pairs.fold((0.0, 0), |(sum, count), (a, b)| (sum + likeness(a, b), count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

/// The mean angle in degrees of filters that are matched with each other, the most alike first; signs do not count.
fn matched(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    let m = a.ncols();
    let length = |f: &Mat<f64>, j: usize| f.col(j).iter().map(|v| v * v).sum::<f64>().sqrt();
    let cosine = |i: usize, j: usize| {
        let dot: f64 = a.col(i).iter().zip(b.col(j).iter()).map(|(x, y)| x * y).sum();
        (dot / (length(a, i) * length(b, j))).abs()
    };
    let mut pairs: Vec<(f64, usize, usize)> =
        (0..m * m).map(|at| (cosine(at / m, at % m), at / m, at % m)).collect();
    pairs.sort_by(|x, y| y.0.total_cmp(&x.0));
    let (mut left, mut right) = (vec![true; m], vec![true; m]);
    let mut sum = 0.0;
    for (cosine, i, j) in pairs {
        if left[i] && right[j] {
            (left[i], right[j]) = (false, false);
            sum += cosine.min(1.0).acos().to_degrees();
        }
    }
    sum / m.max(1) as f64
}

/// The mean squared cosine of principal angles between two spans.
fn span(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    let (a, b) = (gram_schmidt(a), gram_schmidt(b));
    let m = a.ncols();
    let mut sum = 0.0;
    for i in 0..m {
        for j in 0..m {
            let dot: f64 = a.col(i).iter().zip(b.col(j).iter()).map(|(x, y)| x * y).sum();
            sum += dot * dot;
        }
    }
    sum / m.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_filters_have_the_same_span_and_other_cosines() {
        let a = Mat::from_fn(5, 2, |i, j| if i == j { 1.0 } else { 0.0 });
        // Turned by 45° in the same plane, and with signs and order changed.
        let turned =
            Mat::from_fn(5, 2, |i, j| [[1.0, 1.0], [1.0, -1.0]].get(i).map_or(0.0, |r| r[j]));
        let swapped = Mat::from_fn(5, 2, |i, j| if i + j == 1 { -3.0 } else { 0.0 });
        assert!((span(&a, &turned) - 1.0).abs() < 1e-12);
        assert!((matched(&a, &turned) - 45.0).abs() < 1e-9);
        assert!(matched(&a, &swapped).abs() < 1e-9);
        let across = Mat::from_fn(5, 2, |i, j| if i == j + 2 { 1.0 } else { 0.0 });
        assert_eq!((span(&a, &across), matched(&a, &across)), (0.0, 90.0));
    }
}
