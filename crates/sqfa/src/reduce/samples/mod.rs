//! Methods that learn from single samples instead of class statistics.

mod error;
mod fit;
mod gathered;
mod lfda;
mod lmnn;
mod nca;
mod wda;

pub use error::SampleError;
pub(super) use fit::SampleFit;
pub use gathered::balanced_rows;
pub use lfda::LocalScale;
pub(super) use lfda::{LOCAL_SCALES, lfda_of_each};
pub(super) use lmnn::Lmnn;
pub(super) use nca::Nca;
pub(super) use wda::Wda;

#[cfg(test)]
mod testing;
