//! The only room that knows the matrix backend; small batched eigenproblems live here too.

mod factor;
mod jacobi;
mod real;
mod small;

pub use faer::{Mat, MatMut, MatRef};
pub(crate) use real::{LANES, Lanes, Real};

/// Runs a closure compiled for the widest vector instructions this processor has.
///
/// The closure and what it calls must be `#[inline(always)]`, else they keep the portable instructions.
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
    pulp::Arch::new().dispatch(Job(work))
}
