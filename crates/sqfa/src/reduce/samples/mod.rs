//! Reducers that look at single samples rather than class statistics.

mod error;
mod fit;
mod gathered;
mod lfda;
mod lmnn;
mod nca;
mod wda;

pub use error::SampleError;
pub use fit::SampleFit;
pub use gathered::balanced_rows;
pub(super) use lfda::lfda_of_each;
pub use lfda::{LOCAL_SCALES, Lfda, LocalScale, lfda};
pub use lmnn::Lmnn;
pub use nca::Nca;
pub use wda::Wda;

#[cfg(test)]
mod testing;
