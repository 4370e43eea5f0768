//! Linear algebra: the only module that names the matrix backend, and our own kernels for small eigenproblems, passes
//! over matrices, and products with samples.

mod block;
mod exponential;
mod factor;
mod gram;
mod jacobi;
mod leading;
mod one_sided;
mod orthonormal;
mod pencil;
mod real;
mod rounded;
mod small;
mod solver;
mod stacked;
mod symmetric;
mod thin;
mod through;
mod triangle;
mod tridiagonal;

pub(crate) use block::{
    add_inner_products, add_products, add_rows_inner, add_rows_product, add_scaled,
    add_weighted_scatter, beside, column_inner, inner, random, rows_times, rows_times_rows,
    rows_transposed_times, tall_times, transpose_times,
};
pub(crate) use exponential::exponential;
pub(crate) use factor::{MAX_ORDER, is_positive_semidefinite, symmetric_eigen};
pub use faer::{Mat, MatMut, MatRef};
pub(crate) use gram::{add_scatter, add_scatter_of, runs_of, scratch_room};
pub(crate) use leading::{
    RESIDUAL, is_nearly_worth_it, leading_eigen, leading_of_products, leading_or_dense,
    nearly_leading, symmetric_times,
};
pub(crate) use orthonormal::{completed_basis, orthonormal_span, orthonormalize, take_out};
pub(crate) use pencil::{Pencil, leading_pencil, pencil};
pub(crate) use real::{LANES, Lanes, Real};
pub(crate) use rounded::{add_rounded_products, rounded_transpose_times};
pub(crate) use solver::CholeskySolver;
pub(crate) use stacked::{Below, combine, stacked_gram};
pub(crate) use symmetric::{Element, num::Float, symmetric_times_block};
pub(crate) use thin::{add_table_transpose_times, table_times};
pub(crate) use through::{Lines, Packed};
pub use triangle::Lower;
pub(crate) use triangle::{is_lower, lower_panels, lower_rows, triangle};

/// Number of flops from which work is divided among threads. Smaller work takes less time than waking the threads.
pub(crate) const WORTH_THREADS: f64 = 1e6;

/// Runs a closure compiled for the widest vector instructions of this processor.
///
/// The closure and everything it calls must be `#[inline(always)]`; otherwise they are compiled for the portable
/// baseline.
#[inline(always)]
pub(crate) fn dispatch<Output>(work: impl FnOnce() -> Output) -> Output {
    struct Job<F>(F);
    impl<Output, F: FnOnce() -> Output> pulp::WithSimd for Job<F> {
        type Output = Output;
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _: S) -> Output {
            (self.0)()
        }
    }
    dispatch_with(Job(work))
}

/// Runs a job that selects its code by the vector instructions it is compiled for.
#[inline(always)]
pub(crate) fn dispatch_with<Job: pulp::WithSimd>(job: Job) -> Job::Output {
    pulp::Arch::new().dispatch(job)
}
