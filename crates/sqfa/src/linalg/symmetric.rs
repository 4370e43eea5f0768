//! The pass: a dense symmetric matrix times a thin block, reading only one triangle.
//!
//! An element a_ij below the diagonal serves twice, y_i += a_ij b_j and y_j += a_ij b_i, so half of the
//! bytes of a general product are read. Columns are taken in groups whose b_j and y_j stay in
//! registers; products are summed in the matrix's own precision over at most [`ROWS`] terms and then
//! in f64. The work is cut into panels that depend only on the order, and a column of the block is
//! treated alike whatever stands beside it: the same bits at any thread count and any block width.
//! Cost: n²/2 elements read, 2n²w flops.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};

use crate::parallel;

/// A precision that n-dimensional matrices may have.
pub(crate) trait Element:
    faer::traits::RealField + Copy + Send + Sync + num::Float + 'static
{
}
impl Element for f32 {}
impl Element for f64 {}

/// The little arithmetic the kernel needs, so that one body serves `f32` and `f64`.
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

/// The longest sum down a column that stays in the matrix's precision.
const ROWS: usize = 256;
/// Columns of a flush group: sums over at most this many columns stay in the matrix's precision.
const FLUSH: usize = 128;
/// Columns of one panel on average, the unit of parallel work.
const PANEL: usize = 512;
/// Blocks of filters wider than this go through the backend's general product.
const WIDE: usize = 32;

/// `product = matrix · block` for a row-major symmetric matrix of which the lower triangle is read.
///
/// `group` is how many columns belong together (the filters of one start); it alone decides the kernel.
pub(crate) fn symmetric_times_block<T: Element>(
    matrix: &[T],
    n: usize,
    block: MatRef<'_, f64>,
    product: MatMut<'_, f64>,
    group: usize,
) {
    if group > WIDE {
        return general(matrix, n, block, product);
    }
    let mut product = product;
    let mut column = 0;
    while column < block.ncols() {
        let rest = block.ncols() - column;
        let width = if size_of::<T>() == 4 && rest > 8 { rest.min(16) } else { rest.min(8) };
        let source = block.subcols(column, width);
        let target = product.as_mut().subcols_mut(column, width);
        if width > 8 {
            thin::<T, 16>(matrix, n, source, target);
        } else {
            thin::<T, 8>(matrix, n, source, target);
        }
        column += width;
    }
}

/// One panel's contribution: rows from its first column on.
type Partial<const W: usize> = (usize, Vec<[f64; W]>);

fn thin<T: Element, const W: usize>(
    matrix: &[T],
    n: usize,
    block: MatRef<'_, f64>,
    mut product: MatMut<'_, f64>,
) {
    let mut packed = vec![[T::ZERO; W]; n];
    for j in 0..block.ncols() {
        for (row, &value) in packed.iter_mut().zip(block.col(j).iter()) {
            row[j] = <T as num::Float>::from_f64(value);
        }
    }
    let job = |(first, end): (usize, usize)| -> Partial<W> {
        (first, super::dispatch_with(PanelJob { matrix, n, packed: &packed, first, end }))
    };
    let panels = panels(n);
    let panels: Vec<Partial<W>> = parallel::map(panels, job);
    let mut total = vec![[0.0; W]; n];
    for (first, sums) in panels {
        for (total, part) in total[first..].iter_mut().zip(&sums) {
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

/// Ranges of columns whose parts of the lower triangle hold about equally many elements.
fn panels(n: usize) -> Vec<(usize, usize)> {
    let count = n.div_ceil(PANEL);
    let edge = |part: usize| {
        // Columns before j hold n·j − j²/2 elements.
        let share = part as f64 / count as f64;
        ((n as f64 * (1.0 - (1.0 - share).sqrt())).round() as usize).min(n) / 8 * 8
    };
    (0..count)
        .map(|part| (edge(part), if part + 1 == count { n } else { edge(part + 1) }))
        .filter(|(first, end)| first < end)
        .collect()
}

struct PanelJob<'a, T, const W: usize> {
    matrix: &'a [T],
    n: usize,
    packed: &'a [[T; W]],
    first: usize,
    end: usize,
}

impl<T: Element, const W: usize> pulp::WithSimd for PanelJob<'_, T, W> {
    type Output = Vec<[f64; W]>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        // With 32 vector registers eight columns fit; with 16, four do.
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
        let Self { matrix, n, packed, first, end } = self;
        let mut sums = vec![[0.0; W]; n - first];
        let mut below = vec![[T::ZERO; W]; n - first];
        let mut group = first;
        while group < end {
            let group_end = (group + FLUSH).min(end);
            corner::<T, W, C, FUSED>(matrix, n, packed, group..group_end, first, &mut sums);
            let below = &mut below[..n - group_end];
            below.fill([T::ZERO; W]);
            let mut column = group;
            // Each column is read from top to bottom at a stretch, as prefetchers like it.
            while column < group_end {
                let wide = column + C <= group_end;
                let mut row = group_end;
                while row < n {
                    let rows = ROWS.min(n - row);
                    let own = &packed[row..row + rows];
                    let target = &mut below[row - group_end..][..rows];
                    if wide {
                        let columns: [&[T]; C] =
                            std::array::from_fn(|k| &matrix[(column + k) * n + row..][..rows]);
                        let factors: [[T; W]; C] = std::array::from_fn(|k| packed[column + k]);
                        let dots = strip::<T, W, C, FUSED>(&columns, &factors, own, target);
                        for k in 0..C {
                            add(&mut sums[column + k - first], &dots[k]);
                        }
                    } else {
                        let columns = [&matrix[column * n + row..][..rows]];
                        let dots =
                            strip::<T, W, 1, FUSED>(&columns, &[packed[column]], own, target);
                        add(&mut sums[column - first], &dots[0]);
                    }
                    row += rows;
                }
                column += if wide { C } else { 1 };
            }
            for (sum, part) in sums[group_end - first..].iter_mut().zip(below.iter()) {
                add(sum, part);
            }
            group = group_end;
        }
        sums
    }
}

/// The square on the diagonal of one flush group: strips below C × C squares, which are done entry by entry.
#[inline(always)]
fn corner<T: Element, const W: usize, const C: usize, const FUSED: bool>(
    matrix: &[T],
    n: usize,
    packed: &[[T; W]],
    group: std::ops::Range<usize>,
    first: usize,
    sums: &mut [[f64; W]],
) {
    let mut flush = [[T::ZERO; W]; FLUSH];
    let mut column = group.start;
    while column < group.end {
        let next = (column + C).min(group.end);
        for j in column..next {
            let own = packed[j].map(num::Float::to_f64);
            for i in j..next {
                let a = num::Float::to_f64(matrix[j * n + i]);
                let other = packed[i].map(num::Float::to_f64);
                for lane in 0..W {
                    sums[i - first][lane] += a * own[lane];
                    if i > j {
                        sums[j - first][lane] += a * other[lane];
                    }
                }
            }
        }
        // A short last group ends the square, so nothing lies below it.
        if next - column == C && next < group.end {
            let rows = group.end - next;
            let columns: [&[T]; C] =
                std::array::from_fn(|k| &matrix[(column + k) * n + next..][..rows]);
            let factors: [[T; W]; C] = std::array::from_fn(|k| packed[column + k]);
            let own = &packed[next..group.end];
            let target = &mut flush[next - group.start..][..rows];
            let dots = strip::<T, W, C, FUSED>(&columns, &factors, own, target);
            for k in 0..C {
                add(&mut sums[column + k - first], &dots[k]);
            }
        }
        column = next;
    }
    for (sum, part) in sums[group.start - first..].iter_mut().zip(&flush[..group.len()]) {
        add(sum, part);
    }
}

/// A strip of C columns: y_i += Σ_k a_ik b_k for every row, and returns Σ_i a_ik b_i for every column.
#[inline(always)]
fn strip<T: Element, const W: usize, const C: usize, const FUSED: bool>(
    columns: &[&[T]; C],
    factors: &[[T; W]; C],
    own: &[[T; W]],
    target: &mut [[T; W]],
) -> [[T; W]; C] {
    let mut dots = [[T::ZERO; W]; C];
    let rows = own.len().min(target.len());
    let columns: [&[T]; C] = std::array::from_fn(|k| &columns[k][..rows]);
    for i in 0..rows {
        let b = own[i];
        let mut y = target[i];
        for k in 0..C {
            let a = columns[k][i];
            for lane in 0..W {
                y[lane] = a.fused::<FUSED>(factors[k][lane], y[lane]);
                dots[k][lane] = a.fused::<FUSED>(b[lane], dots[k][lane]);
            }
        }
        target[i] = y;
    }
    dots
}

#[inline(always)]
fn add<T: Element, const W: usize>(sum: &mut [f64; W], part: &[T; W]) {
    for lane in 0..W {
        sum[lane] += num::Float::to_f64(part[lane]);
    }
}

/// Wide blocks: the backend's product over fixed panels of rows, summed in f64 over blocks of columns.
fn general<T: Element>(
    matrix: &[T],
    n: usize,
    block: MatRef<'_, f64>,
    mut product: MatMut<'_, f64>,
) {
    const DEPTH: usize = 1024;
    let width = block.ncols();
    let cast = Mat::from_fn(n, width, |i, j| <T as num::Float>::from_f64(block[(i, j)]));
    let full = MatRef::from_row_major_slice(&matrix[..n * n], n, n);
    let panels = super::block::row_panels(product.as_mut(), PANEL / 2);
    parallel::for_each(panels, |(panel, mut target)| {
        let rows = target.nrows();
        let strip = full.subrows(panel * (PANEL / 2), rows);
        let mut part = Mat::<T>::zeros(rows, width);
        target.fill(0.0);
        let mut depth = 0;
        while depth < n {
            let length = DEPTH.min(n - depth);
            matmul(
                part.as_mut(),
                Accum::Replace,
                strip.subcols(depth, length),
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
                symmetric_times_block(&matrix, n, block.as_ref(), product.as_mut(), width);
                assert!((&product - &expected).norm_max() < 1e-13 * scale, "f64 {n} {width}");
                symmetric_times_block(&single, n, block.as_ref(), product.as_mut(), width);
                assert!((&product - &expected).norm_max() < 3e-6 * scale, "f32 {n} {width}");
            }
        }
    }

    #[test]
    fn a_column_has_the_same_bits_whatever_stands_beside_it() {
        let n = 700;
        let matrix: Vec<f32> = example(n).iter().map(|&value| value as f32 * 1.1).collect();
        let block = Mat::from_fn(n, 24, |i, j| ((i * 31 + j * 17) % 97) as f64 / 9.7 - 5.0);
        let mut wide = Mat::zeros(n, 24);
        symmetric_times_block(&matrix, n, block.as_ref(), wide.as_mut(), 8);
        for j in 0..24 {
            let mut alone = Mat::zeros(n, 1);
            symmetric_times_block(&matrix, n, block.subcols(j, 1), alone.as_mut(), 8);
            assert_eq!(wide.col(j).to_owned(), alone.col(0).to_owned());
        }
    }
}
