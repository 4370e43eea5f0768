//! Leading eigenpairs of a symmetric matrix by a block Krylov method, for a few eigenpairs of a large matrix.
//!
//! The subspace grows from a random block with at least as many columns as eigenpairs are requested, so that repeated
//! eigenvalues are found with their multiplicity. Each new block is the product of the matrix and the previous block,
//! made orthogonal to all earlier blocks. When the subspace has grown to a third of all dimensions, it restarts from
//! its best block. The iteration ends when every residual ‖Av − λv‖ is as small as for a dense eigenproblem. If it does
//! not converge, the dense eigenproblem is solved instead.
//!
//! For a subspace of w columns, the cost is 2n²w + 4nw² flops, some eigenproblems of order w, and nw numbers of memory.
//! A dense eigenproblem takes about 10n³ flops and 4n² numbers.

use faer::{Mat, MatRef};

use super::block::{random, tall_times, transpose_times};
use super::factor::symmetric_eigen;
use super::orthonormal::{completed, take_out};
use super::symmetric::symmetric_times_block;
use super::triangle::{Lower, triangle};

/// Largest order for which the dense eigenproblem is solved at once, which takes milliseconds.
const SMALL: usize = 192;
/// Number of extra columns in the first block. They speed up the convergence of the last requested pairs.
const BEYOND: usize = 8;
/// The subspace grows to at most the dimension divided by this number.
const SHARE: usize = 3;
/// Largest acceptable residual ‖Av − λv‖, relative to the largest |λ| in the subspace.
pub(crate) const RESIDUAL: f64 = 1e-13;
/// Maximum number of growth cycles, each of which restarts from the best block of the previous one. Together they take
/// less work than a dense eigenproblem.
const CYCLES: usize = 3;
/// Number of blocks between two checks of the residuals.
const LOOK: usize = 4;
/// Maximum number of blocks for approximate leading directions.
const FEW_BLOCKS: usize = 3;
/// Largest fraction of all dimensions that the subspace for approximate directions may span.
const FEW_SHARE: f64 = 0.6;

/// Number of columns of the full matrix that are computed from products at a time.
const COLUMNS: usize = 64;

/// A function that multiplies a symmetric matrix by a block.
pub(crate) type Times<'a> = dyn Fn(MatRef<'_, f64>) -> Mat<f64> + 'a;

/// Returns the `count` largest eigenvalues in descending order and their eigenvectors (as columns) for a matrix that is
/// specified by its lower triangle, or `None` if no method converges.
pub(crate) fn leading_eigen(lower: Lower<'_, f64>, count: usize) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = lower.order();
    let times = |block: MatRef<'_, f64>| symmetric_times(lower, block);
    leading_of_products(&times, n, count, RESIDUAL).or_else(|| dense_leading(lower, count))
}

/// Returns the `count` largest eigenvalues, descending, and their eigenvectors from a dense eigenproblem.
fn dense_leading(lower: Lower<'_, f64>, count: usize) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = lower.order();
    let (values, vectors) = symmetric_eigen(Mat::from_fn(n, n, |i, j| lower.at(i, j)).as_ref())?;
    let leading = Mat::from_fn(n, count, |i, j| vectors[(i, n - 1 - j)]);
    Some((values.into_iter().rev().take(count).collect(), leading))
}

/// Returns the leading eigenpairs of an n × n matrix that is available only through products, or solves a dense
/// eigenproblem if the Krylov method does not converge. For a flat spectrum, computing all n columns costs less than
/// more cycles.
pub(crate) fn leading_or_dense(
    times: &Times<'_>,
    n: usize,
    count: usize,
    residual: f64,
) -> Option<(Vec<f64>, Mat<f64>)> {
    let dense = || dense_leading(Lower::new(&lower_of_products(times, n), n), count);
    leading_of_products(times, n, count, residual).or_else(dense)
}

/// Computes the packed lower triangle of a symmetric n × n matrix that is available only through products.
fn lower_of_products(times: &Times<'_>, n: usize) -> Vec<f64> {
    let mut lower = vec![0.0; triangle(n)];
    for first in (0..n).step_by(COLUMNS) {
        let columns = first..(first + COLUMNS).min(n);
        let units = Mat::from_fn(n, columns.len(), |i, j| f64::from(u8::from(i == first + j)));
        let product = times(units.as_ref());
        for i in first..n {
            for j in columns.start..columns.end.min(i + 1) {
                lower[triangle(i) + j] = product[(i, j - first)];
            }
        }
    }
    lower
}

/// Returns the leading eigenpairs of an n × n matrix that is available only through products, with residuals of at most
/// `residual` times the largest eigenvalue. Returns `None` if the Krylov method finds no such pairs in a small
/// subspace.
pub(crate) fn leading_of_products(
    times: &Times<'_>,
    n: usize,
    count: usize,
    residual: f64,
) -> Option<(Vec<f64>, Mat<f64>)> {
    if is_worth_it(n, count) { krylov(times, n, count, residual, None) } else { None }
}

/// Returns orthonormal directions that explain nearly as much as the leading eigenvectors of an n × n matrix. They
/// differ from the eigenvectors only if eigenvalues are close to each other. Returns `None` if [`is_nearly_worth_it`]
/// is false.
pub(crate) fn nearly_leading(times: &Times<'_>, n: usize, count: usize) -> Option<Mat<f64>> {
    if !is_nearly_worth_it(n, count) {
        return None;
    }
    krylov(times, n, count, RESIDUAL, Some(FEW_BLOCKS)).map(|(_, vectors)| vectors)
}

/// Whether the Krylov subspace is small compared with all dimensions, so that the method is faster than a dense
/// eigenproblem.
fn is_worth_it(n: usize, count: usize) -> bool {
    n > SMALL && SHARE * (count + BEYOND) * LOOK <= n
}

/// Whether the subspace for approximate directions is small enough to need less memory than a dense eigenproblem.
pub(crate) fn is_nearly_worth_it(n: usize, count: usize) -> bool {
    n > SMALL && (((count + BEYOND) * FEW_BLOCKS) as f64) < FEW_SHARE * n as f64
}

/// Returns eigenpairs within a growing subspace. With `blocks`, it stops after that many blocks whatever the residuals
/// are; otherwise it grows until the residuals are small enough, and returns `None` if they never are.
fn krylov(
    times: &Times<'_>,
    n: usize,
    count: usize,
    residual: f64,
    blocks: Option<usize>,
) -> Option<(Vec<f64>, Mat<f64>)> {
    let width = count + BEYOND;
    let most = blocks.unwrap_or(n / (SHARE * width));
    let (mut basis, mut inner) = (Mat::zeros(n, 0), Mat::zeros(0, 0));
    let mut next = completed(random(n, width, 0, u64::MAX), 0);
    if blocks.is_some() {
        // A random block has no information about the matrix, so a short iteration starts with its product instead.
        next = completed(times(next.as_ref()), 0);
    }
    for cycle in 1..=CYCLES {
        for block in 1..=most {
            let (known, size) = ((block - 1) * width, block * width);
            if size > basis.ncols() {
                // Most matrices need few blocks. Memory is reserved for a few, and doubled whenever they do not
                // suffice.
                let room = (2 * known).max(LOOK * width).min(most * width);
                basis.resize_with(n, room, |_, _| 0.0);
                inner.resize_with(room, room, |_, _| 0.0);
            }
            basis.as_mut().subcols_mut(known, width).copy_from(&next);
            drop(next);
            let mut product = times(basis.as_ref().subcols(known, width));
            let own = basis.as_ref().subcols(0, size);
            let column = transpose_times(own, product.as_ref());
            inner.as_mut().submatrix_mut(0, known, size, width).copy_from(&column);
            let inner = inner.as_ref().submatrix(0, 0, size, size);
            if blocks.is_some() && block == most {
                drop(product);
                return ritz(own, inner, count);
            }
            if block % LOOK == 0 || block == most {
                let (values, vectors) = ritz(own, inner, width)?;
                let leading = vectors.as_ref().subcols(0, count);
                if holds(times, &values[..count], leading, residual) {
                    return Some((values[..count].to_vec(), leading.to_owned()));
                }
                if block == most {
                    if cycle == CYCLES {
                        return None;
                    }
                    next = vectors;
                    break;
                }
            }
            // One orthogonalization leaves rounding errors inside the old subspace, so it is done twice. The whole step
            // is repeated because `completed` replaces dependent directions by random ones, which are not orthogonal to
            // the subspace.
            for _ in 0..2 {
                (0..2).for_each(|_| take_out(product.as_mut(), own));
                product = completed(product, block as u64);
            }
            next = product;
        }
    }
    None
}

/// Returns the product of a symmetric matrix, specified by its lower triangle, and a block, one column at a time.
pub(crate) fn symmetric_times(lower: Lower<'_, f64>, block: MatRef<'_, f64>) -> Mat<f64> {
    let mut product = Mat::zeros(lower.order(), block.ncols());
    symmetric_times_block(lower, block, product.as_mut(), 1);
    product
}

/// Returns the leading Ritz pairs: eigenpairs of VᵀAV, of which only the upper triangle is read, with the eigenvectors
/// mapped back to the whole space.
fn ritz(
    basis: MatRef<'_, f64>,
    inner: MatRef<'_, f64>,
    count: usize,
) -> Option<(Vec<f64>, Mat<f64>)> {
    let order = basis.ncols();
    let inner = Mat::from_fn(order, order, |i, j| inner[(i.min(j), i.max(j))]);
    let (values, turns) = symmetric_eigen(inner.as_ref())?;
    let turn = Mat::from_fn(order, count, |i, j| turns[(i, order - 1 - j)]);
    let vectors = tall_times(basis, turn.as_ref());
    Some((values.into_iter().rev().take(count).collect(), vectors))
}

/// Whether all residuals ‖Av − λv‖ are at most `tolerance` times the largest |λ|.
fn holds(times: &Times<'_>, values: &[f64], vectors: MatRef<'_, f64>, tolerance: f64) -> bool {
    let images = times(vectors);
    let largest = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    values.iter().enumerate().all(|(j, value)| {
        let pairs = images.col(j).iter().zip(vectors.col(j).iter());
        let squares: f64 = pairs.map(|(image, vector)| (image - value * vector).powi(2)).sum();
        squares.sqrt() <= tolerance * largest
    })
}

#[cfg(test)]
mod tests {
    use super::super::orthonormal::completed_basis;
    use super::*;

    /// Builds VΛVᵀ, where V has the eigenvectors of a random matrix.
    fn with_values(values: &[f64]) -> (Vec<f64>, Mat<f64>) {
        let n = values.len();
        let vectors = completed_basis(random(n, n, 5, 1).as_ref(), 5);
        let scaled = Mat::from_fn(n, n, |i, j| vectors[(i, j)] * values[j]);
        let product = tall_times(scaled.as_ref(), vectors.transpose().to_owned().as_ref());
        ((0..n * n).map(|at| product[(at / n, at % n)]).collect(), vectors)
    }

    /// Checks the eigenvalues against the known ones, and that the vectors are orthonormal eigenvectors.
    fn check(known: &[f64], count: usize, by_krylov: bool) {
        let n = known.len();
        let (matrix, _) = with_values(known);
        // Callers have only the lower triangle.
        let lower = Lower::new(&matrix, n).packed(|value| value);
        let lower = Lower::new(&lower, n);
        let times = |block: MatRef<'_, f64>| symmetric_times(lower, block);
        assert_eq!(krylov(&times, n, count, RESIDUAL, None).is_some(), by_krylov);
        let (values, vectors) = leading_eigen(lower, count).unwrap();
        let mut expected = known.to_vec();
        expected.sort_by(|a, b| b.total_cmp(a));
        let largest = known.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        for j in 0..count {
            assert!((values[j] - expected[j]).abs() < 1e-12 * largest, "{j}: {}", values[j]);
            for i in 0..n {
                let image: f64 = (0..n).map(|k| matrix[i * n + k] * vectors[(k, j)]).sum();
                assert!((image - values[j] * vectors[(i, j)]).abs() < 1e-12 * largest);
            }
            for k in 0..=j {
                let inner: f64 = (0..n).map(|i| vectors[(i, j)] * vectors[(i, k)]).sum();
                assert!((inner - if j == k { 1.0 } else { 0.0 }).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn decaying_spectrum_converges_in_a_small_subspace() {
        let values: Vec<f64> = (0..400).map(|j| 0.9_f64.powi(j)).collect();
        check(&values, 6, true);
    }

    #[test]
    fn repeated_eigenvalues_are_found_with_multiplicity() {
        let mut values: Vec<f64> = (0..400).map(|j| 0.5 / f64::from(j + 1)).collect();
        values[100..105].fill(7.0);
        check(&values, 6, true);
    }

    #[test]
    fn low_rank_and_negative_eigenvalues() {
        let mut values = vec![0.0; 400];
        (values[3], values[200], values[399]) = (2.0, 1.0, -3.0);
        check(&values, 4, true);
    }

    #[test]
    fn close_eigenvalues_are_found_after_a_restart() {
        // The subspace of one cycle has 13 blocks. A polynomial of that degree shrinks components with eigenvalues
        // below 1 by 1/T₁₃(1.4), which is about 2e-5.
        let mut values: Vec<f64> = (0..400).map(|j| f64::from(j) / 400.0).collect();
        (values[7], values[300]) = (1.2, 1.25);
        check(&values, 2, true);
    }

    #[test]
    fn flat_spectrum_falls_back_to_the_dense_eigenproblem() {
        let values: Vec<f64> = (0..300).map(|j| 1.0 + 1e-4 * f64::from(j)).collect();
        check(&values, 4, false);
    }

    #[test]
    fn approximate_directions_explain_almost_as_much_variance() {
        for values in [
            (0..300).map(|j| 1.0 + 1e-2 * f64::from(j)).collect::<Vec<f64>>(),
            (0..300).map(|j| 0.8_f64.powi(j)).collect(),
        ] {
            let (matrix, _) = with_values(&values);
            let lower = Lower::new(&matrix, 300).packed(|value| value);
            let half = Lower::new(&lower, 300);
            let found = nearly_leading(&|block| symmetric_times(half, block), 300, 5).unwrap();
            let full = MatRef::from_row_major_slice(&matrix, 300, 300);
            let images = tall_times(full, found.as_ref());
            let held: f64 = (0..5)
                .map(|j| {
                    images.col(j).iter().zip(found.col(j).iter()).map(|(a, b)| a * b).sum::<f64>()
                })
                .sum();
            let mut sorted = values.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let most: f64 = sorted.iter().take(5).sum();
            assert!(held <= most * (1.0 + 1e-12) && held > 0.95 * most, "{held} of {most}");
            let gram = transpose_times(found.as_ref(), found.as_ref());
            for i in 0..5 {
                for j in 0..5 {
                    let expected = if i == j { 1.0 } else { 0.0 };
                    assert!((gram[(i, j)] - expected).abs() < 1e-12);
                }
            }
        }
    }
}
