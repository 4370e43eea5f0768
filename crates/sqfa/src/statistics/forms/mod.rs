//! Covariances that are not stored entry by entry: factors, sparse factors, low rank plus a diagonal, and sketches.

mod choice;
mod diagonal;
mod factor;
mod low_rank;
mod sketched;
mod spanning;
mod sparse;
mod sparse_gram;

pub use choice::Form;
pub use factor::{Factor, Precision};
pub use low_rank::LowRank;
pub use sketched::Sketched;
pub use spanning::Spanning;
pub(super) use spanning::{combination, gram};
pub use sparse::{Csr, SparseFactor};
pub use sparse_gram::SparseVectors;
