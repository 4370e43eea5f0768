//! Reducers that look at single samples rather than class statistics.

mod error;
mod gathered;
mod lfda;

pub use error::SampleError;
pub use gathered::balanced_rows;
pub use lfda::{EMBEDDINGS, Embedding, Lfda, lfda};

#[cfg(test)]
mod testing;
