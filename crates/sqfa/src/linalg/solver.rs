//! The inverse of a large positive matrix, applied to blocks: Cholesky in single precision.
//!
//! Used only to precondition, where single precision is plenty; factored with the backend, solved by our own
//! blocked substitution so that the bits do not depend on threads.
//! Cost: n³/3 flops once, then 2n² flops and one read of the factor per vector of the block.

use faer::linalg::cholesky::llt;
use faer::linalg::triangular_solve;
use faer::{Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// The Cholesky factor of a positive matrix.
#[derive(Debug)]
pub(crate) struct CholeskySolver {
    /// Lower triangle, column-major.
    factor: Vec<f32>,
    order: usize,
}

impl CholeskySolver {
    /// Factors a row-major symmetric matrix of which the lower triangle is read; `None` when it is not positive.
    pub(crate) fn new(mut lower: Vec<f32>, order: usize) -> Option<Self> {
        use faer::dyn_stack::{MemBuffer, MemStack};
        // Row-major lower is column-major upper: mirror it into a column-major lower triangle.
        for i in 0..order {
            for j in 0..i {
                lower[j * order + i] = lower[i * order + j];
            }
        }
        let mut matrix = MatMut::from_column_major_slice_mut(&mut lower, order, order);
        let par = Par::rayon(0);
        let mut memory = MemBuffer::new(llt::factor::cholesky_in_place_scratch::<f32>(
            order,
            par,
            Default::default(),
        ));
        llt::factor::cholesky_in_place(
            matrix.as_mut(),
            Default::default(),
            par,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .ok()?;
        lower.iter().all(|value| value.is_finite()).then_some(Self { factor: lower, order })
    }

    /// M⁻¹ · block.
    pub(crate) fn solve(&self, block: MatRef<'_, f64>) -> Mat<f64> {
        let lower = MatRef::from_column_major_slice(&self.factor, self.order, self.order);
        let mut single = Mat::from_fn(self.order, block.ncols(), |i, j| block[(i, j)] as f32);
        triangular_solve::solve_lower_triangular_in_place(lower, single.as_mut(), Par::Seq);
        triangular_solve::solve_upper_triangular_in_place(
            lower.transpose(),
            single.as_mut(),
            Par::Seq,
        );
        Mat::from_fn(self.order, block.ncols(), |i, j| f64::from(single[(i, j)]))
    }
}

/// Several independent blocks solved in parallel.
pub(crate) fn solve_all(solver: &CholeskySolver, blocks: &[MatRef<'_, f64>]) -> Vec<Mat<f64>> {
    blocks.par_iter().map(|block| solver.solve(*block)).collect()
}
