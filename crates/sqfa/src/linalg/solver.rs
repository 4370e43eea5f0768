//! The inverse of a large positive matrix, applied to thin blocks: blocked Cholesky in single precision.
//!
//! Used only to precondition, where single precision is plenty. Every tile is one sequential product of the
//! backend and tiles have a fixed order, so the bits do not depend on threads.
//! Cost: n³/3 flops once, then 2n² flops and two reads of the factor per block.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, Mat, MatMut, MatRef, Par};

use crate::parallel;

/// Side of the square tiles.
const TILE: usize = 256;

/// The Cholesky factor L of a positive matrix, row-major, lower triangle.
#[derive(Debug)]
pub(crate) struct CholeskySolver {
    factor: Vec<f32>,
    order: usize,
}

impl CholeskySolver {
    /// Factors a row-major symmetric matrix of which the lower triangle is read; `None` when it is not positive.
    pub(crate) fn new(mut lower: Vec<f32>, order: usize) -> Option<Self> {
        let mut first = 0;
        while first < order {
            let size = TILE.min(order - first);
            let end = first + size;
            factor_diagonal(&mut lower, order, first, size)?;
            let (above, below) = lower.split_at_mut(end * order);
            let diagonal = rows(&above[first * order..], size, order).subcols(first, size);
            // Panel: the rows below, X·L₁₁ᵀ = A₂₁.
            parallel::for_each(below.chunks_mut(TILE * order), |strip| {
                let height = strip.len() / order;
                let panel = rows_mut(strip, height, order).subcols_mut(first, size);
                solve_lower_triangular_in_place(diagonal, panel.transpose_mut(), Par::Seq);
            });
            // Trailing update: A₂₂ −= X·Xᵀ, lower tiles only; the panel is copied so that strips own their rows.
            let height = order - end;
            let panel = rows(below, height, order).subcols(first, size).to_owned();
            let strips = below.chunks_mut(TILE * order).enumerate().rev();
            parallel::for_each(strips, |(index, strip)| {
                let height = strip.len() / order;
                let reach = index * TILE + height;
                matmul(
                    rows_mut(strip, height, order).subcols_mut(end, reach),
                    Accum::Add,
                    panel.subrows(index * TILE, height),
                    panel.subrows(0, reach).transpose(),
                    -1.0,
                    Par::Seq,
                );
            });
            first = end;
        }
        Some(Self { factor: lower, order })
    }

    /// M⁻¹ · block.
    pub(crate) fn solve(&self, block: MatRef<'_, f64>) -> Mat<f64> {
        let (order, width) = (self.order, block.ncols());
        let mut x = vec![0.0_f32; order * width];
        for j in 0..width {
            for (i, &value) in block.col(j).iter().enumerate() {
                x[i * width + j] = value as f32;
            }
        }
        let tiles: Vec<usize> = (0..order).step_by(TILE).collect();
        for &first in &tiles {
            let size = TILE.min(order - first);
            let (known, rest) = x.split_at_mut((first + size) * width);
            let own = &mut known[first * width..];
            solve_lower_triangular_in_place(
                self.tile(first, size, first, size),
                rows_mut(own, size, width),
                Par::Seq,
            );
            let own = &known[first * width..];
            parallel::for_each(rest.chunks_mut(TILE * width).enumerate(), |(index, target)| {
                let height = target.len() / width;
                matmul(
                    rows_mut(target, height, width),
                    Accum::Add,
                    self.tile(first + size + index * TILE, height, first, size),
                    rows(own, size, width),
                    -1.0,
                    Par::Seq,
                );
            });
        }
        for &first in tiles.iter().rev() {
            let size = TILE.min(order - first);
            let (rest, known) = x.split_at_mut(first * width);
            let own = &mut known[..size * width];
            solve_upper_triangular_in_place(
                self.tile(first, size, first, size).transpose(),
                rows_mut(own, size, width),
                Par::Seq,
            );
            let own = &known[..size * width];
            parallel::for_each(rest.chunks_mut(TILE * width).enumerate(), |(index, target)| {
                let height = target.len() / width;
                matmul(
                    rows_mut(target, height, width),
                    Accum::Add,
                    self.tile(first, size, index * TILE, height).transpose(),
                    rows(own, size, width),
                    -1.0,
                    Par::Seq,
                );
            });
        }
        Mat::from_fn(order, width, |i, j| f64::from(x[i * width + j]))
    }

    fn tile(&self, row: usize, height: usize, column: usize, width: usize) -> MatRef<'_, f32> {
        rows(&self.factor[row * self.order..], height, self.order).subcols(column, width)
    }
}

fn rows(values: &[f32], height: usize, width: usize) -> MatRef<'_, f32> {
    MatRef::from_row_major_slice(&values[..height * width], height, width)
}

fn rows_mut(values: &mut [f32], height: usize, width: usize) -> MatMut<'_, f32> {
    MatMut::from_row_major_slice_mut(&mut values[..height * width], height, width)
}

/// Factors one diagonal tile in place.
fn factor_diagonal(lower: &mut [f32], order: usize, first: usize, size: usize) -> Option<()> {
    for j in first..first + size {
        let (done, current) = lower.split_at_mut(j * order);
        let row = &mut current[..order];
        for k in first..j {
            let other = &done[k * order + first..k * order + k];
            let sum: f32 = other.iter().zip(&row[first..k]).map(|(a, b)| a * b).sum();
            row[k] = (row[k] - sum) / done[k * order + k];
        }
        let pivot = row[j] - row[first..j].iter().map(|value| value * value).sum::<f32>();
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
        row[j] = pivot.sqrt();
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A well-conditioned positive matrix: a decaying kernel plus a ridge.
    fn example(n: usize) -> Vec<f32> {
        (0..n * n)
            .map(|at| {
                let gap = (at / n).abs_diff(at % n) as f32;
                (-gap / 7.0).exp() + if gap == 0.0 { 0.5 } else { 0.0 }
            })
            .collect()
    }

    #[test]
    fn solving_undoes_multiplying() {
        for n in [1, 5, 255, 256, 257, 700] {
            let matrix = example(n);
            let truth = Mat::from_fn(n, 3, |i, j| ((i * 7 + j * 5) % 13) as f64 / 6.5 - 1.0);
            let image = Mat::from_fn(n, 3, |i, j| {
                (0..n).map(|k| f64::from(matrix[i * n + k]) * truth[(k, j)]).sum::<f64>()
            });
            let solver = CholeskySolver::new(matrix, n).unwrap();
            // Condition about 30, single precision: 1e-6 · 30.
            assert!((solver.solve(image.as_ref()) - &truth).norm_max() < 3e-5, "order {n}");
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_is_refused() {
        let mut matrix = example(300);
        matrix[299 * 300 + 299] = -1.0;
        assert!(CholeskySolver::new(matrix, 300).is_none());
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let solve = || {
            let solver = CholeskySolver::new(example(700), 700).unwrap();
            solver.solve(Mat::from_fn(700, 4, |i, j| (i + j) as f64 / 700.0).as_ref())
        };
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool(1).install(solve), pool(3).install(solve));
    }
}
