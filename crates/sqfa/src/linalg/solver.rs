//! Cholesky factor of a large positive definite matrix, stored in the memory of its lower triangle, and solutions for
//! thin blocks.
//!
//! Rows are stored in strips of [`TILE`] rows, each as wide as its last row. Each tile is one sequential product of the
//! backend, and tiles are processed in a fixed order, so the bits do not depend on the number of threads. Single
//! precision is enough for preconditioning; eigenproblems use double precision. Factoring costs n³/3 flops and n²/2
//! numbers of memory. Each solution then costs 2n² flops and two reads of the factor per column of a block.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::symmetric::{Element, num::Float};
use super::triangle::Lower;
use crate::parallel;

/// Side of a square tile.
const TILE: usize = 256;

/// The lower triangular factor L of A = LLᵀ.
#[derive(Debug)]
pub(crate) struct CholeskySolver<T> {
    strips: Vec<Strip<T>>,
    order: usize,
    /// The largest entry on the diagonal of A.
    largest: f64,
}

/// Some consecutive rows of a lower triangle, all stored with the width of the last one.
#[derive(Debug)]
struct Strip<T> {
    /// Index of the first row, which is also the number of columns left of the tile on the diagonal.
    first: usize,
    rows: usize,
    values: Vec<T>,
}

impl<T: Element> Strip<T> {
    fn width(&self) -> usize {
        self.first + self.rows
    }

    /// Returns all rows of the strip, restricted to `count` columns.
    fn columns(&self, first: usize, count: usize) -> MatRef<'_, T> {
        rows(&self.values, self.rows, self.width()).subcols(first, count)
    }

    fn columns_mut(&mut self, first: usize, count: usize) -> MatMut<'_, T> {
        let (height, width) = (self.rows, self.width());
        rows_mut(&mut self.values, height, width).subcols_mut(first, count)
    }

    /// Returns the tile on the diagonal.
    fn diagonal(&self) -> MatRef<'_, T> {
        self.columns(self.first, self.rows)
    }

    /// Returns the largest entry on the diagonal.
    fn largest(&self) -> f64 {
        let tile = self.diagonal();
        (0..self.rows).fold(0.0, |most, i| Float::to_f64(tile[(i, i)]).max(most))
    }

    /// Replaces the tile on the diagonal by its Cholesky factor, or returns `None` if it is not positive definite.
    fn factor_diagonal(&mut self) -> Option<()> {
        let (first, width) = (self.first, self.width());
        for j in 0..self.rows {
            let (done, current) = self.values.split_at_mut(j * width);
            let row = &mut current[first..width];
            for k in 0..j {
                let other = &done[k * width + first..][..=k];
                let sum = inner(&other[..k], &row[..k]);
                row[k] = T::from_f64((Float::to_f64(row[k]) - sum) / Float::to_f64(other[k]));
            }
            let pivot = Float::to_f64(row[j]) - inner(&row[..j], &row[..j]);
            if pivot.is_nan() || pivot <= 0.0 {
                return None;
            }
            row[j] = T::from_f64(pivot.sqrt());
        }
        Some(())
    }
}

fn inner<T: Element>(a: &[T], b: &[T]) -> f64 {
    let mut sum = [0.0; 8];
    let (a, rest_a) = a.as_chunks::<8>();
    let (b, rest_b) = b.as_chunks::<8>();
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            sum[lane] += Float::to_f64(a[lane]) * Float::to_f64(b[lane]);
        }
    }
    let rest: f64 =
        rest_a.iter().zip(rest_b).map(|(&a, &b)| Float::to_f64(a) * Float::to_f64(b)).sum();
    rest + sum.iter().sum::<f64>()
}

impl<T: Element> CholeskySolver<T> {
    /// Factors a symmetric matrix, of which `fill` writes each row up to its diagonal. Returns `None` if the matrix is
    /// not positive definite.
    pub(crate) fn new(order: usize, fill: impl Fn(usize, &mut [T]) + Sync) -> Option<Self> {
        // Memory is allocated on this thread and filled by others, because the allocator reuses memory late if it was
        // allocated on another thread.
        let empty = |first: usize| {
            let rows = TILE.min(order - first);
            Strip { first, rows, values: vec![T::ZERO; rows * (first + rows)] }
        };
        let mut strips: Vec<Strip<T>> = (0..order).step_by(TILE).map(empty).collect();
        parallel::for_each(strips.iter_mut(), |strip| {
            let (first, width) = (strip.first, strip.width());
            for (i, row) in strip.values.chunks_mut(width).enumerate() {
                fill(first + i, &mut row[..=first + i]);
            }
        });
        let diagonals = strips.iter().map(Strip::largest);
        let largest = diagonals.fold(0.0_f64, f64::max);
        for at in 0..strips.len() {
            let (known, below) = strips.split_at_mut(at + 1);
            let own = &mut known[at];
            own.factor_diagonal()?;
            let (first, size, end) = (own.first, own.rows, own.width());
            let diagonal = own.diagonal();
            // Panel below the diagonal tile: solve X·L₁₁ᵀ = A₂₁.
            parallel::for_each(below.iter_mut(), |strip| {
                let panel = strip.columns_mut(first, size);
                solve_lower_triangular_in_place(diagonal, panel.transpose_mut(), Par::Seq);
            });
            // Trailing update: A₂₂ −= X·Xᵀ, lower tiles only. The panel is copied so that each strip can be changed by
            // its own task.
            let mut panel = Mat::zeros(order - end, size);
            for strip in below.iter() {
                let target = panel.as_mut().subrows_mut(strip.first - end, strip.rows);
                { target }.copy_from(strip.columns(first, size));
            }
            parallel::for_each(below.iter_mut().rev(), |strip| {
                let (from, height) = (strip.first - end, strip.rows);
                let reach = from + height;
                matmul(
                    strip.columns_mut(end, reach),
                    Accum::Add,
                    panel.as_ref().subrows(from, height),
                    panel.as_ref().subrows(0, reach).transpose(),
                    T::from_f64(-1.0),
                    Par::Seq,
                );
            });
        }
        Some(Self { strips, order, largest })
    }

    /// Factors a symmetric matrix whose lower triangle is in memory. Returns `None` if the matrix is not positive
    /// definite.
    pub(crate) fn of(lower: Lower<'_, T>) -> Option<Self> {
        Self::new(lower.order(), |i, row| row.copy_from_slice(lower.row(i)))
    }

    /// Returns the largest entry on the diagonal of A.
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }

    /// Returns the smallest squared pivot: the smallest diagonal entry of A after elimination of all earlier rows.
    pub(crate) fn smallest_pivot(&self) -> f64 {
        let roots = self.strips.iter().flat_map(|strip| {
            let diagonal = strip.diagonal();
            (0..strip.rows).map(move |i| Float::to_f64(diagonal[(i, i)]))
        });
        roots.fold(f64::INFINITY, |least, root| least.min(root * root))
    }

    /// Returns A⁻¹ · block.
    pub(crate) fn solve(&self, block: MatRef<'_, f64>) -> Mat<f64> {
        let mut x = self.rows_of(block);
        self.forth(&mut x, block.ncols());
        self.back(&mut x, block.ncols());
        self.matrix_of(&x, block.ncols())
    }

    /// Returns L⁻¹ · block.
    pub(crate) fn forward(&self, block: MatRef<'_, f64>) -> Mat<f64> {
        let mut x = self.rows_of(block);
        self.forth(&mut x, block.ncols());
        self.matrix_of(&x, block.ncols())
    }

    /// Returns L⁻ᵀ · block.
    pub(crate) fn backward(&self, block: MatRef<'_, f64>) -> Mat<f64> {
        let mut x = self.rows_of(block);
        self.back(&mut x, block.ncols());
        self.matrix_of(&x, block.ncols())
    }

    fn rows_of(&self, block: MatRef<'_, f64>) -> Vec<T> {
        let width = block.ncols();
        let mut x = vec![T::ZERO; self.order * width];
        for j in 0..width {
            for (i, &value) in block.col(j).iter().enumerate() {
                x[i * width + j] = T::from_f64(value);
            }
        }
        x
    }

    fn matrix_of(&self, x: &[T], width: usize) -> Mat<f64> {
        Mat::from_fn(self.order, width, |i, j| Float::to_f64(x[i * width + j]))
    }

    fn forth(&self, x: &mut [T], width: usize) {
        for (at, strip) in self.strips.iter().enumerate() {
            let (known, rest) = x.split_at_mut(strip.width() * width);
            let own = &mut known[strip.first * width..];
            solve_lower_triangular_in_place(
                strip.diagonal(),
                rows_mut(own, strip.rows, width),
                Par::Seq,
            );
            let own = &known[strip.first * width..];
            let below = self.strips[at + 1..].iter().zip(rest.chunks_mut(TILE * width));
            parallel::for_each(below, |(other, target)| {
                matmul(
                    rows_mut(target, other.rows, width),
                    Accum::Add,
                    other.columns(strip.first, strip.rows),
                    rows(own, strip.rows, width),
                    T::from_f64(-1.0),
                    Par::Seq,
                );
            });
        }
    }

    fn back(&self, x: &mut [T], width: usize) {
        for strip in self.strips.iter().rev() {
            let (rest, known) = x.split_at_mut(strip.first * width);
            let own = &mut known[..strip.rows * width];
            solve_upper_triangular_in_place(
                strip.diagonal().transpose(),
                rows_mut(own, strip.rows, width),
                Par::Seq,
            );
            let own = &known[..strip.rows * width];
            parallel::for_each(rest.chunks_mut(TILE * width).enumerate(), |(index, target)| {
                let height = target.len() / width;
                matmul(
                    rows_mut(target, height, width),
                    Accum::Add,
                    strip.columns(index * TILE, height).transpose(),
                    rows(own, strip.rows, width),
                    T::from_f64(-1.0),
                    Par::Seq,
                );
            });
        }
    }
}

fn rows<T: Element>(values: &[T], height: usize, width: usize) -> MatRef<'_, T> {
    MatRef::from_row_major_slice(&values[..height * width], height, width)
}

fn rows_mut<T: Element>(values: &mut [T], height: usize, width: usize) -> MatMut<'_, T> {
    MatMut::from_row_major_slice_mut(&mut values[..height * width], height, width)
}

#[cfg(test)]
mod tests {
    use super::super::triangle::triangle;
    use super::*;

    /// Entry of a well-conditioned positive definite matrix: a decaying kernel plus a multiple of the identity. Only
    /// the lower triangle is used.
    fn entry(i: usize, j: usize) -> f64 {
        let gap = i.abs_diff(j) as f64;
        (-gap / 7.0).exp() + if gap == 0.0 { 0.5 } else { 0.0 }
    }

    fn solver<T: Element>(n: usize) -> CholeskySolver<T> {
        let fill = |i: usize, row: &mut [T]| {
            row.iter_mut().enumerate().for_each(|(j, value)| *value = T::from_f64(entry(i, j)));
        };
        CholeskySolver::new(n, fill).unwrap()
    }

    fn check<T: Element>(n: usize, rounding: f64) {
        let truth = Mat::from_fn(n, 3, |i, j| ((i * 7 + j * 5) % 13) as f64 / 6.5 - 1.0);
        let image =
            Mat::from_fn(n, 3, |i, j| (0..n).map(|k| entry(i, k) * truth[(k, j)]).sum::<f64>());
        let solver = solver::<T>(n);
        assert!((solver.solve(image.as_ref()) - &truth).norm_max() < rounding, "order {n}");
        // ‖L⁻¹Ax‖² must equal xᵀAx, which tests `forward` alone.
        let half = solver.forward(image.as_ref());
        let gap = half.transpose() * &half - truth.transpose() * &image;
        assert!(gap.norm_max() < rounding * n as f64, "order {n}");
        assert!((solver.backward(half.as_ref()) - &truth).norm_max() < rounding, "order {n}");
    }

    #[test]
    fn solving_inverts_multiplication() {
        for n in [1, 5, 255, 256, 257, 700] {
            // The condition number is about 30, so single precision leaves an error of about 1e-6 · 30.
            check::<f32>(n, 3e-5);
            check::<f64>(n, 1e-12);
        }
    }

    #[test]
    fn the_smallest_pivot_agrees_with_elimination() {
        // The Schur complement of a matrix of two rows: 2 − 3²/5.
        let lower = [5.0, 3.0, 2.0];
        let pivot = CholeskySolver::of(Lower::new(&lower, 2)).unwrap().smallest_pivot();
        assert!((pivot - 0.2).abs() < 1e-15);
    }

    #[test]
    fn an_indefinite_matrix_is_rejected() {
        let mut matrix: Vec<f64> =
            (0..300).flat_map(|i| (0..=i).map(move |j| entry(i, j))).collect();
        matrix[triangle(300) - 1] = -1.0;
        assert!(CholeskySolver::of(Lower::new(&matrix, 300)).is_none());
        matrix[triangle(300) - 1] = f64::NAN;
        assert!(CholeskySolver::of(Lower::new(&matrix, 300)).is_none());
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let solve = || {
            let block = Mat::from_fn(700, 4, |i, j| (i + j) as f64 / 700.0);
            (solver::<f32>(700).solve(block.as_ref()), solver::<f64>(700).solve(block.as_ref()))
        };
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool(1).install(solve), pool(3).install(solve));
    }
}
