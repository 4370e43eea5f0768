//! Initial filters: seeded normal numbers, also rotated to where the classes differ, or leading
//! principal components.

pub(crate) use crate::linalg::random;
use crate::linalg::{
    Mat, beside, column_inner, orthonormal_span, orthonormalize, symmetric_eigen, take_out,
    tall_times, transpose_times,
};
use crate::optimize::Preconditioner;
use crate::statistics::{ClassStatistics, pass, total_times};

/// Number of rounds of subspace iteration. Initial filters need not be exact, so this is plenty.
const ROUNDS: usize = 12;
/// Columns in addition to the requested ones, which make the iteration converge faster.
const EXTRA: usize = 8;

/// Returns the leading principal components of the total covariance, by subspace iteration.
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
            // There are fewer directions with variance than columns, so the current basis is kept.
            None => break,
        };
    }
    let image = total_times(statistics, basis.as_ref());
    let small = transpose_times(basis.as_ref(), image.as_ref());
    let Some((_, vectors)) = symmetric_eigen(small.as_ref()) else { return fallback() };
    let leading = Mat::from_fn(width, columns, |i, j| vectors[(i, width - 1 - j)]);
    tall_times(basis.as_ref(), leading.as_ref())
}

/// Number of passes that rotate random filters. One pass finds differences of low rank exactly.
/// With a second pass, fits to SVHN needed half as many passes as from random filters, and further
/// passes saved no more.
pub(super) const TURNS: usize = 2;
/// First of the streams of random numbers that only this rotation uses.
const TURN_STREAM: u64 = u64::MAX / 2;

/// Rotates random filters to where the second moments of the classes differ. Columns of which
/// nothing remains are replaced by random ones.
///
/// With A_k = Φ_k + (γ_k−γ̄)(γ_k−γ̄)ᵀ and T = Σπ_kA_k, a round replaces every column f by M⁻¹Σ_k
/// r_k√π_k(A_k − T)f, where the r_k are normal numbers, and then orthonormalizes the columns. This
/// is half a step of power iteration on the matrix of directional regression (Li & Wang, 2007), in
/// the manner of Halko, Martinsson & Tropp (2011). Because of the random r_k, the differences of
/// several classes do not cancel, as they would in a plain sum. Cost of a round: one pass.
pub(super) fn turned(
    statistics: &ClassStatistics,
    preconditioner: &Preconditioner,
    learned: Option<&Mat<f64>>,
    drawn: Mat<f64>,
    seed: u64,
) -> Mat<f64> {
    let (n, count) = (drawn.nrows(), drawn.ncols());
    let (shares, means) = (statistics.shares(), statistics.means());
    let classes = shares.len();
    let center = |i: usize| (0..classes).map(|k| shares[k] * means[(i, k)]).sum::<f64>();
    let center: Vec<f64> = (0..n).map(center).collect();
    let offsets = Mat::from_fn(n, classes, |i, k| means[(i, k)] - center[i]);
    let outside = learned.and_then(|learned| orthonormalize(learned.as_ref()));
    let mut filters = drawn.clone();
    for turn in 0..TURNS {
        let products = pass(statistics, &[filters.as_ref()]).remove(0);
        let overlaps = transpose_times(offsets.as_ref(), filters.as_ref());
        let numbers = random(classes, count, seed, TURN_STREAM + turn as u64);
        let mut image = Mat::<f64>::zeros(n, count);
        for j in 0..count {
            let number = |k: usize| numbers[(k, j)] * shares[k].sqrt();
            let sum: f64 = (0..classes).map(number).sum();
            for (k, product) in products.iter().enumerate() {
                // The weight r_k√π_k of A_k, minus its contribution to T.
                let weight = number(k) - shares[k] * sum;
                let along = weight * overlaps[(k, j)];
                let parts = product.col(j).iter().zip(offsets.col(k).iter());
                for (entry, (own, offset)) in image.as_mut().col_mut(j).iter_mut().zip(parts) {
                    *entry += weight * own + along * offset;
                }
            }
        }
        if let Some(solved) = preconditioner.apply(&[(0, image.as_ref())]).remove(0) {
            image = solved;
        }
        if let Some(outside) = &outside {
            take_out(image.as_mut(), outside.as_ref());
        }
        let Some(span) = orthonormal_span(image) else { return drawn };
        let kept = span.ncols();
        if kept == count {
            filters = span;
        } else {
            let taken = match &outside {
                Some(outside) => beside(&[outside.as_ref(), span.as_ref()]),
                None => span.clone(),
            };
            let rest = made_independent(Some(&taken), drawn.subcols(kept, count - kept).to_owned());
            filters = beside(&[span.as_ref(), rest.as_ref()]);
        }
    }
    filters
}

/// Number of rounds of power iteration for the largest variance, of which only the order of
/// magnitude matters.
const POWER_ROUNDS: usize = 4;

/// Returns a lower estimate of the largest variance of any class in any direction.
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

/// Squared sine of the angle to the preceding filters below which a random filter counts as
/// linearly dependent.
const NEARLY_DEPENDENT: f64 = 1e-4;

/// Returns new unit filters unchanged unless one of them is nearly dependent on others; then they
/// are orthonormalized.
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
