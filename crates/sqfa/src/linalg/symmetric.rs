//! The pass: a dense symmetric matrix times a thin block, reading only one triangle.
//!
//! An element a_ij below the diagonal is used twice, for y_i += a_ij b_j and y_j += a_ij b_i, so only half of the bytes
//! of a general product are read. Rows are processed in groups whose b_i and y_i stay in registers. Products are summed
//! in the matrix's own precision over at most [`ROWS`] terms and then in `f64`.
//!
//! The work is divided into panels that depend only on the order of the matrix, and each column of the block is
//! computed independently of the others. The bits are therefore the same for any number of threads and any width of the
//! block. The cost is n²/2 elements read and 2n²w flops for w columns.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::triangle::Lower;
use crate::parallel;

/// Number types of n-dimensional matrices: `f32` and `f64`.
pub(crate) trait Element:
    faer::traits::RealField + Copy + Send + Sync + num::Float + 'static
{
}
impl Element for f32 {}
impl Element for f64 {}

/// The arithmetic that the kernel needs, so that one implementation serves `f32` and `f64`.
pub(crate) mod num {
    /// A floating-point type.
    pub(crate) trait Float: Copy {
        const ZERO: Self;
        fn from_f64(value: f64) -> Self;
        fn to_f64(self) -> f64;
        fn fused<const FUSED: bool>(self, factor: Self, sum: Self) -> Self;
    }
    macro_rules! float {
        ($type:ty) => {
            impl Float for $type {
                const ZERO: Self = 0.0;
                #[inline(always)]
                fn from_f64(value: f64) -> Self {
                    value as $type
                }
                #[inline(always)]
                fn to_f64(self) -> f64 {
                    self as f64
                }
                #[inline(always)]
                fn fused<const FUSED: bool>(self, factor: Self, sum: Self) -> Self {
                    if FUSED { self.mul_add(factor, sum) } else { self * factor + sum }
                }
            }
        };
    }
    float!(f32);
    float!(f64);
}

/// Maximum number of terms along a row that are summed in the matrix's precision.
const ROWS: usize = 256;
/// Number of rows in a flush group. Sums over these rows stay in the matrix's precision and are then added in `f64`.
const FLUSH: usize = 128;
/// Average number of rows in a panel, the unit of parallel work.
const PANEL: usize = 512;
/// Largest group of columns for our own kernel. The backend's general product computes wider ones.
const WIDE: usize = 32;

/// Computes `product = matrix · block` for a symmetric matrix that is specified by its lower triangle.
///
/// `group` is the number of columns that belong together (the filters of one initialization). It alone decides which
/// kernel is used, so that results do not depend on how many initializations share the block.
pub(crate) fn symmetric_times_block<T: Element>(
    matrix: Lower<'_, T>,
    block: MatRef<'_, f64>,
    product: MatMut<'_, f64>,
    group: usize,
) {
    if group > WIDE {
        return general(matrix, block, product);
    }
    let mut product = product;
    let mut column = 0;
    while column < block.ncols() {
        let rest = block.ncols() - column;
        let width = if size_of::<T>() == 4 && rest > 8 { rest.min(16) } else { rest.min(8) };
        let source = block.subcols(column, width);
        let target = product.as_mut().subcols_mut(column, width);
        if width > 8 {
            thin::<T, 16>(matrix, source, target);
        } else {
            thin::<T, 8>(matrix, source, target);
        }
        column += width;
    }
}

fn thin<T: Element, const W: usize>(
    matrix: Lower<'_, T>,
    block: MatRef<'_, f64>,
    mut product: MatMut<'_, f64>,
) {
    let n = matrix.order();
    let mut packed = vec![[T::ZERO; W]; n];
    for j in 0..block.ncols() {
        for (row, &value) in packed.iter_mut().zip(block.col(j).iter()) {
            row[j] = <T as num::Float>::from_f64(value);
        }
    }
    let job = |(first, end): (usize, usize)| {
        super::dispatch_with(PanelJob { matrix, packed: &packed, first, end })
    };
    // Contribution of one panel, which affects the rows up to its own last row.
    let panels: Vec<Vec<[f64; W]>> = parallel::map(panels(n), job);
    let mut total = vec![[0.0; W]; n];
    for sums in panels {
        for (total, part) in total.iter_mut().zip(&sums) {
            for lane in 0..W {
                total[lane] += part[lane];
            }
        }
    }
    for j in 0..block.ncols() {
        for (target, row) in product.as_mut().col_mut(j).iter_mut().zip(&total) {
            *target = row[j];
        }
    }
}

/// Returns ranges of rows whose parts of the lower triangle have about the same number of elements.
fn panels(n: usize) -> Vec<(usize, usize)> {
    let count = n.div_ceil(PANEL);
    let edge = |part: usize| {
        // The rows before row i have about i²/2 elements.
        let share = part as f64 / count as f64;
        ((n as f64 * share.sqrt()).round() as usize).min(n) / 8 * 8
    };
    (0..count)
        .map(|part| (edge(part), if part + 1 == count { n } else { edge(part + 1) }))
        .filter(|(first, end)| first < end)
        .collect()
}

struct PanelJob<'a, T, const W: usize> {
    matrix: Lower<'a, T>,
    packed: &'a [[T; W]],
    first: usize,
    end: usize,
}

impl<T: Element, const W: usize> pulp::WithSimd for PanelJob<'_, T, W> {
    type Output = Vec<[f64; W]>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        // Eight rows fit into 32 vector registers, and four into 16.
        if S::F64_LANES >= 8 {
            self.run::<8, true>()
        } else if S::F64_LANES >= 4 || cfg!(target_arch = "aarch64") {
            self.run::<4, true>()
        } else {
            self.run::<4, false>()
        }
    }
}

impl<T: Element, const W: usize> PanelJob<'_, T, W> {
    #[inline(always)]
    fn run<const C: usize, const FUSED: bool>(self) -> Vec<[f64; W]> {
        let Self { matrix, packed, first, end } = self;
        let mut sums = vec![[0.0; W]; end];
        let mut left = vec![[T::ZERO; W]; end];
        let mut group = first;
        while group < end {
            let group_end = (group + FLUSH).min(end);
            corner::<T, W, C, FUSED>(matrix, packed, group..group_end, &mut sums);
            let left = &mut left[..group];
            left.fill([T::ZERO; W]);
            let mut row = group;
            // Each row is read in one stretch from its first entry, so that hardware prefetching works.
            while row < group_end {
                let wide = row + C <= group_end;
                let mut column = 0;
                while column < group {
                    let columns = ROWS.min(group - column);
                    let own = &packed[column..column + columns];
                    let target = &mut left[column..][..columns];
                    if wide {
                        add_strip::<T, W, C, FUSED>(
                            matrix,
                            packed,
                            (row, column),
                            own,
                            target,
                            &mut sums,
                        );
                    } else {
                        add_strip::<T, W, 1, FUSED>(
                            matrix,
                            packed,
                            (row, column),
                            own,
                            target,
                            &mut sums,
                        );
                    }
                    column += columns;
                }
                row += if wide { C } else { 1 };
            }
            for (sum, part) in sums.iter_mut().zip(left.iter()) {
                add(sum, part);
            }
            group = group_end;
        }
        sums
    }
}

/// Multiplies the square on the diagonal of one flush group. Strips left of C × C squares use vector code; the squares
/// themselves are processed entry by entry.
#[inline(always)]
fn corner<T: Element, const W: usize, const C: usize, const FUSED: bool>(
    matrix: Lower<'_, T>,
    packed: &[[T; W]],
    group: std::ops::Range<usize>,
    sums: &mut [[f64; W]],
) {
    let mut flush = [[T::ZERO; W]; FLUSH];
    let mut row = group.start;
    while row < group.end {
        let next = (row + C).min(group.end);
        for i in row..next {
            let own = packed[i].map(num::Float::to_f64);
            for (j, &entry) in matrix.row(i).iter().enumerate().skip(row) {
                let a = num::Float::to_f64(entry);
                let other = packed[j].map(num::Float::to_f64);
                for lane in 0..W {
                    sums[i][lane] += a * other[lane];
                    if j < i {
                        sums[j][lane] += a * own[lane];
                    }
                }
            }
        }
        let columns = row - group.start;
        if columns > 0 {
            let place = |row: usize| (row, group.start);
            let own = &packed[group.start..row];
            let target = &mut flush[..columns];
            if next - row == C {
                add_strip::<T, W, C, FUSED>(matrix, packed, place(row), own, target, sums);
            } else {
                for row in row..next {
                    add_strip::<T, W, 1, FUSED>(matrix, packed, place(row), own, target, sums);
                }
            }
        }
        row = next;
    }
    for (sum, part) in sums[group.start..].iter_mut().zip(&flush[..group.len()]) {
        add(sum, part);
    }
}

/// Multiplies a strip of C rows with as many columns as `own` has, starting at (row, column). The contributions to the
/// columns are added to `target` and those to the rows to `sums`.
#[inline(always)]
fn add_strip<T: Element, const W: usize, const C: usize, const FUSED: bool>(
    matrix: Lower<'_, T>,
    packed: &[[T; W]],
    (row, column): (usize, usize),
    own: &[[T; W]],
    target: &mut [[T; W]],
    sums: &mut [[f64; W]],
) {
    let rows: [&[T]; C] = std::array::from_fn(|k| &matrix.row(row + k)[column..][..own.len()]);
    let factors: [[T; W]; C] = std::array::from_fn(|k| packed[row + k]);
    let dots = strip::<T, W, C, FUSED>(&rows, &factors, own, target);
    for k in 0..C {
        add(&mut sums[row + k], &dots[k]);
    }
}

/// Multiplies C rows by a block from both sides: computes y_j += Σ_k a_kj b_k for every column, and returns Σ_j a_kj
/// b_j for every row.
#[inline(always)]
fn strip<T: Element, const W: usize, const C: usize, const FUSED: bool>(
    rows: &[&[T]; C],
    factors: &[[T; W]; C],
    own: &[[T; W]],
    target: &mut [[T; W]],
) -> [[T; W]; C] {
    let mut dots = [[T::ZERO; W]; C];
    let columns = own.len().min(target.len());
    let rows: [&[T]; C] = std::array::from_fn(|k| &rows[k][..columns]);
    for j in 0..columns {
        let b = own[j];
        let mut y = target[j];
        for k in 0..C {
            let a = rows[k][j];
            for lane in 0..W {
                y[lane] = a.fused::<FUSED>(factors[k][lane], y[lane]);
                dots[k][lane] = a.fused::<FUSED>(b[lane], dots[k][lane]);
            }
        }
        target[j] = y;
    }
    dots
}

#[inline(always)]
fn add<T: Element, const W: usize>(sum: &mut [f64; W], part: &[T; W]) {
    for lane in 0..W {
        sum[lane] += num::Float::to_f64(part[lane]);
    }
}

/// Multiplies by a wide block with the backend's product, over fixed panels of rows. Sums over blocks of columns are
/// accumulated in `f64`.
fn general<T: Element>(matrix: Lower<'_, T>, block: MatRef<'_, f64>, mut product: MatMut<'_, f64>) {
    const DEPTH: usize = 1024;
    let (n, width) = (matrix.order(), block.ncols());
    let cast = Mat::from_fn(n, width, |i, j| <T as num::Float>::from_f64(block[(i, j)]));
    let panels = super::block::row_panels(product.as_mut(), PANEL / 2);
    parallel::for_each(panels, |(panel, mut target)| {
        let (first, rows) = (panel * (PANEL / 2), target.nrows());
        let mut part = Mat::<T>::zeros(rows, width);
        let mut full = vec![T::ZERO; rows * DEPTH.min(n)];
        target.fill(0.0);
        let mut depth = 0;
        while depth < n {
            let length = DEPTH.min(n - depth);
            let own = &mut full[..rows * length];
            unfold(matrix, first..first + rows, depth..depth + length, own);
            matmul(
                part.as_mut(),
                Accum::Replace,
                MatRef::from_row_major_slice(own, rows, length),
                cast.subrows(depth, length),
                <T as num::Float>::from_f64(1.0),
                Par::Seq,
            );
            for j in 0..width {
                for i in 0..rows {
                    target[(i, j)] += num::Float::to_f64(part[(i, j)]);
                }
            }
            depth += length;
        }
    });
}

/// Writes some rows and columns of the full symmetric matrix to a row-major buffer.
fn unfold<T: Element>(
    matrix: Lower<'_, T>,
    rows: Range<usize>,
    columns: Range<usize>,
    full: &mut [T],
) {
    /// Side of the tiles that are mirrored at a time, so that both sides stay in the cache.
    const TILE: usize = 32;
    let length = columns.len();
    for (i, target) in rows.clone().zip(full.chunks_mut(length)) {
        let source = &matrix.row(i)[columns.start.min(i + 1)..columns.end.min(i + 1)];
        target[..source.len()].copy_from_slice(source);
    }
    for some in rows.clone().step_by(TILE) {
        let some = some..(some + TILE).min(rows.end);
        for j in columns.start.max(some.start + 1)..columns.end {
            let source = &matrix.row(j)[some.start..some.end.min(j)];
            let target = &mut full[(some.start - rows.start) * length + j - columns.start..];
            for (target, &value) in target.iter_mut().step_by(length).zip(source) {
                *target = value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(n: usize) -> Vec<f64> {
        (0..n * n)
            .map(|at| {
                let (i, j) = (at / n, at % n);
                ((i.max(j) * 7 + i.min(j) * 13) % 101) as f64 / 50.0 - 1.0
            })
            .collect()
    }

    fn naive(matrix: &[f64], n: usize, block: MatRef<'_, f64>) -> Mat<f64> {
        Mat::from_fn(n, block.ncols(), |i, j| {
            (0..n).map(|k| matrix[i * n + k] * block[(k, j)]).sum()
        })
    }

    #[test]
    fn agrees_with_the_definition_at_awkward_orders_and_widths() {
        for n in [1, 2, 7, 8, 9, 127, 128, 129, 391, 530, 1100] {
            let matrix = example(n);
            let single: Vec<f32> = matrix.iter().map(|&value| value as f32).collect();
            for width in [1, 3, 8, 9, 16, 17, 40] {
                let block =
                    Mat::from_fn(n, width, |i, j| ((i * 5 + j * 3) % 17) as f64 / 8.0 - 1.0);
                let expected = naive(&matrix, n, block.as_ref());
                let scale = (n as f64).sqrt() * 10.0;
                let mut product = Mat::zeros(n, width);
                let double = Lower::new(&matrix, n);
                symmetric_times_block(double, block.as_ref(), product.as_mut(), width);
                assert!((&product - &expected).norm_max() < 1e-13 * scale, "f64 {n} {width}");
                // A packed triangle gives the same bits, so nothing above the diagonal is read.
                let half = double.packed(|value| value);
                let mut again = Mat::zeros(n, width);
                symmetric_times_block(Lower::new(&half, n), block.as_ref(), again.as_mut(), width);
                assert_eq!(product, again, "{n} {width}");
                let blind: Vec<f64> = (0..n * n)
                    .map(|at| if at % n > at / n { f64::NAN } else { matrix[at] })
                    .collect();
                symmetric_times_block(Lower::new(&blind, n), block.as_ref(), again.as_mut(), width);
                assert_eq!(product, again, "{n} {width}");
                let single = Lower::new(&single, n);
                symmetric_times_block(single, block.as_ref(), product.as_mut(), width);
                assert!((&product - &expected).norm_max() < 3e-6 * scale, "f32 {n} {width}");
            }
        }
    }

    #[test]
    fn bits_of_a_column_do_not_depend_on_other_columns() {
        let n = 700;
        let matrix: Vec<f32> = example(n).iter().map(|&value| value as f32 * 1.1).collect();
        let block = Mat::from_fn(n, 24, |i, j| ((i * 31 + j * 17) % 97) as f64 / 9.7 - 5.0);
        let mut wide = Mat::zeros(n, 24);
        symmetric_times_block(Lower::new(&matrix, n), block.as_ref(), wide.as_mut(), 8);
        for j in 0..24 {
            let mut alone = Mat::zeros(n, 1);
            let one = block.subcols(j, 1);
            symmetric_times_block(Lower::new(&matrix, n), one, alone.as_mut(), 8);
            assert_eq!(wide.col(j).to_owned(), alone.col(0).to_owned());
        }
    }
}
