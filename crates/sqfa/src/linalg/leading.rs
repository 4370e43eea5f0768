//! The leading eigenpairs of a symmetric matrix, by a block Krylov space where few of many are asked for.
//!
//! The space grows from a random block of at least as many columns as eigenpairs, so that repeated eigenvalues are met as often
//! as they are repeated; every new block is the product of the last one, made orthogonal to all before it. Where it has grown to a
//! third of all dimensions it begins again with the best block it holds. It ends when every
//! residual ‖Av − λv‖ is as small as that of a dense eigenproblem, which is also what is solved where it does not end.
//! Cost for a space of w columns: 2n²w + 4nw² flops, some eigenproblems of order w and nw numbers, instead of about 10n³ and 4n².

use faer::{Mat, MatRef};

use super::block::{random, tall_times, transpose_times};
use super::factor::symmetric_eigen;
use super::orthonormal::{completed, take_out};
use super::symmetric::symmetric_times_block;
use super::triangle::{Lower, triangle};

/// Below this order a dense eigenproblem takes milliseconds.
const SMALL: usize = 192;
/// Columns of the first block beyond those asked for.
const BEYOND: usize = 8;
/// The share of all dimensions up to which the space grows.
const SHARE: usize = 3;
/// ‖Av − λv‖ over the largest |λ| of the space that is as good as none.
pub(crate) const RESIDUAL: f64 = 1e-13;
/// How often the space grows, each time from the best block of the one before: together less work than a dense eigenproblem.
const CYCLES: usize = 3;
/// Blocks between two looks at the residuals.
const LOOK: usize = 4;
/// Blocks at most where directions near the leading ones do, and what share of all dimensions they may span.
const FEW_BLOCKS: usize = 3;
const FEW_SHARE: f64 = 0.6;

/// Columns of products that are made at a time.
const COLUMNS: usize = 64;

/// The product of a symmetric matrix and a block.
pub(crate) type Times<'a> = dyn Fn(MatRef<'_, f64>) -> Mat<f64> + 'a;

/// The largest eigenvalues, descending, and their eigenvectors, of a matrix given by its lower triangle.
pub(crate) fn leading_eigen(lower: Lower<'_, f64>, count: usize) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = lower.order();
    let times = |block: MatRef<'_, f64>| symmetric_times(lower, block);
    leading_of_products(&times, n, count, RESIDUAL).or_else(|| dense_leading(lower, count))
}

/// The same by a dense eigenproblem.
fn dense_leading(lower: Lower<'_, f64>, count: usize) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = lower.order();
    let (values, vectors) = symmetric_eigen(Mat::from_fn(n, n, |i, j| lower.at(i, j)).as_ref())?;
    let leading = Mat::from_fn(n, count, |i, j| vectors[(i, n - 1 - j)]);
    Some((values.into_iter().rev().take(count).collect(), leading))
}

/// The same of a matrix that is known by its products: with a flat spectrum all n columns of them cost less than rounds of some.
pub(crate) fn leading_or_dense(
    times: &Times<'_>,
    n: usize,
    count: usize,
    residual: f64,
) -> Option<(Vec<f64>, Mat<f64>)> {
    let dense = || dense_leading(Lower::new(&lower_of_products(times, n), n), count);
    leading_of_products(times, n, count, residual).or_else(dense)
}

/// The packed lower triangle of such a matrix.
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

/// The same of a matrix that is known by its products, to a residual relative to the largest eigenvalue; none where they are not
/// found in a space that is small beside all dimensions.
pub(crate) fn leading_of_products(
    times: &Times<'_>,
    n: usize,
    count: usize,
    residual: f64,
) -> Option<(Vec<f64>, Mat<f64>)> {
    if is_worth_it(n, count) { krylov(times, n, count, residual, None) } else { None }
}

/// Orthonormal directions that hold nearly as much as the leading eigenvectors of a matrix that is known by its products: these
/// themselves but where eigenvalues hardly differ; none where [`is_nearly_worth_it`] says so.
pub(crate) fn nearly_leading(times: &Times<'_>, n: usize, count: usize) -> Option<Mat<f64>> {
    if !is_nearly_worth_it(n, count) {
        return None;
    }
    krylov(times, n, count, RESIDUAL, Some(FEW_BLOCKS)).map(|(_, vectors)| vectors)
}

/// Whether a space of some blocks is small beside all dimensions.
fn is_worth_it(n: usize, count: usize) -> bool {
    n > SMALL && SHARE * (count + BEYOND) * LOOK <= n
}

/// Whether it is smaller than all dimensions, so that it takes less room than a dense eigenproblem.
pub(crate) fn is_nearly_worth_it(n: usize, count: usize) -> bool {
    n > SMALL && (((count + BEYOND) * FEW_BLOCKS) as f64) < FEW_SHARE * n as f64
}

/// The pairs within a space that grows until they are those of the matrix; or those of so many blocks, whatever is left of them.
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
        // What is random says nothing: few blocks begin with its product.
        next = completed(times(next.as_ref()), 0);
    }
    for cycle in 1..=CYCLES {
        for block in 1..=most {
            let (known, size) = ((block - 1) * width, block * width);
            if size > basis.ncols() {
                // Mostly few blocks do: room is made for some, and for twice as many when they do not.
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
            // Twice, so that nothing of the space is left in the new directions; once more because a block that has lost
            // directions is completed by random ones, which know nothing of the space.
            for _ in 0..2 {
                (0..2).for_each(|_| take_out(product.as_mut(), own));
                product = completed(product, block as u64);
            }
            next = product;
        }
    }
    None
}

/// The product of a matrix given by its lower triangle and a block, column by column.
pub(crate) fn symmetric_times(lower: Lower<'_, f64>, block: MatRef<'_, f64>) -> Mat<f64> {
    let mut product = Mat::zeros(lower.order(), block.ncols());
    symmetric_times_block(lower, block, product.as_mut(), 1);
    product
}

/// The leading pairs of VᵀAV, of which the upper triangle is known, as vectors of the whole space.
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

/// Whether pairs are those of the matrix.
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

    /// VΛVᵀ for eigenvectors of a random matrix.
    fn with_values(values: &[f64]) -> (Vec<f64>, Mat<f64>) {
        let n = values.len();
        let vectors = completed_basis(random(n, n, 5, 1).as_ref(), 5);
        let scaled = Mat::from_fn(n, n, |i, j| vectors[(i, j)] * values[j]);
        let product = tall_times(scaled.as_ref(), vectors.transpose().to_owned().as_ref());
        ((0..n * n).map(|at| product[(at / n, at % n)]).collect(), vectors)
    }

    /// Checks values against those known, and that vectors are orthonormal and belong to them.
    fn check(known: &[f64], count: usize, by_krylov: bool) {
        let n = known.len();
        let (matrix, _) = with_values(known);
        // The lower triangle alone is what callers have.
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
    fn a_decaying_spectrum_is_found_in_a_small_space() {
        let values: Vec<f64> = (0..400).map(|j| 0.9_f64.powi(j)).collect();
        check(&values, 6, true);
    }

    #[test]
    fn repeated_eigenvalues_are_found_as_often_as_they_are_repeated() {
        let mut values: Vec<f64> = (0..400).map(|j| 0.5 / f64::from(j + 1)).collect();
        values[100..105].fill(7.0);
        check(&values, 6, true);
    }

    #[test]
    fn low_rank_and_negative_values_are_no_trouble() {
        let mut values = vec![0.0; 400];
        (values[3], values[200], values[399]) = (2.0, 1.0, -3.0);
        check(&values, 4, true);
    }

    #[test]
    fn close_eigenvalues_are_found_when_the_space_begins_again() {
        // The space of one cycle has 13 blocks: a polynomial of that degree shrinks what is below 1 by 1/T₁₃(1.4), about 2e-5.
        let mut values: Vec<f64> = (0..400).map(|j| f64::from(j) / 400.0).collect();
        (values[7], values[300]) = (1.2, 1.25);
        check(&values, 2, true);
    }

    #[test]
    fn a_flat_spectrum_takes_the_dense_eigenproblem() {
        let values: Vec<f64> = (0..300).map(|j| 1.0 + 1e-4 * f64::from(j)).collect();
        check(&values, 4, false);
    }

    #[test]
    fn nearly_leading_directions_hold_nearly_as_much() {
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
