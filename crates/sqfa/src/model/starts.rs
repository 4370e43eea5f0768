//! Starting filters: seeded normal numbers or leading principal components.

pub(crate) use crate::linalg::random;
use crate::linalg::{
    Mat, beside, column_inner, orthonormalize, symmetric_eigen, tall_times, transpose_times,
};
use crate::statistics::{ClassStatistics, total_times};

/// Rounds of subspace iteration: plenty for a start, which need not be exact.
const ROUNDS: usize = 12;
/// Columns beyond those asked for, which speed the iteration up.
const EXTRA: usize = 8;

/// The leading principal components of the total covariance, by subspace iteration.
pub(crate) fn principal(statistics: &ClassStatistics, columns: usize, seed: u64) -> Mat<f64> {
    let n = statistics.dimension();
    let width = (columns + EXTRA).min(n);
    let fallback = || random(n, columns, seed, u64::MAX);
    let mut basis = match orthonormalize(random(n, width, seed, u64::MAX).as_ref()) {
        Some(basis) => basis,
        None => return fallback(),
    };
    for _ in 0..ROUNDS {
        let image = total_times(statistics, basis.as_ref());
        basis = match orthonormalize(image.as_ref()) {
            Some(basis) => basis,
            // Fewer directions with variance than columns: keep what there is.
            None => break,
        };
    }
    let image = total_times(statistics, basis.as_ref());
    let small = transpose_times(basis.as_ref(), image.as_ref());
    let Some((_, vectors)) = symmetric_eigen(small.as_ref()) else { return fallback() };
    let leading = Mat::from_fn(width, columns, |i, j| vectors[(i, width - 1 - j)]);
    tall_times(basis.as_ref(), leading.as_ref())
}

/// Rounds of power iteration for the largest variance: its order of magnitude is all that matters.
const POWER_ROUNDS: usize = 4;

/// The largest variance of any class in any direction, from below.
pub(crate) fn largest_variance(statistics: &ClassStatistics) -> f64 {
    let n = statistics.dimension();
    let largest = statistics.covariances().iter().max_by(|a, b| {
        let trace = |covariance: &dyn crate::statistics::Covariance| {
            covariance.diagonal().iter().sum::<f64>()
        };
        trace(a.as_ref()).total_cmp(&trace(b.as_ref()))
    });
    let Some(covariance) = largest else { return 0.0 };
    let mut vector = random(n, 1, 0, u64::MAX - 1);
    let mut size = 0.0;
    for _ in 0..POWER_ROUNDS {
        let norm = crate::linalg::column_inner(vector.as_ref(), vector.as_ref(), 0).sqrt();
        if norm == 0.0 {
            return 0.0;
        }
        vector.as_mut().col_mut(0).iter_mut().for_each(|value| *value /= norm);
        let mut image = Mat::zeros(n, 1);
        covariance.multiply(vector.as_ref(), image.as_mut(), 1);
        size = crate::linalg::column_inner(image.as_ref(), image.as_ref(), 0).sqrt();
        vector = image;
    }
    size
}

/// Squared sine below which a random filter counts as depending on those before it.
const NEARLY_DEPENDENT: f64 = 1e-4;

/// New unit filters as they are, unless one nearly depends on others: then with what they share taken out.
pub(super) fn made_independent(learned: Option<&Mat<f64>>, new: Mat<f64>) -> Mat<f64> {
    let all = match learned {
        Some(learned) => beside(&[learned.as_ref(), new.as_ref()]),
        None => new.clone(),
    };
    let Some(basis) = orthonormalize(all.as_ref()) else { return new };
    let own = basis.subcols(all.ncols() - new.ncols(), new.ncols());
    let dependent =
        (0..new.ncols()).any(|j| column_inner(own, new.as_ref(), j).powi(2) < NEARLY_DEPENDENT);
    if dependent { own.to_owned() } else { new }
}
