//! Files in and out: NumPy arrays and archives, IDX and delimited tables, none of them trusted.
//!
//! Every reader compares what a header claims with the bytes that are really there before it
//! allocates, and every writer replaces its target only once everything is written.

mod array;
mod atomic;
mod csv;
mod decode;
mod dtype;
mod error;
mod header;
mod idx;
mod npy;
mod npz;
mod source;

pub use self::csv::{Column, CsvOptions, CsvTable, Header, read_csv, read_csv_from};
pub use array::{Array, Stack, Values, ValuesRef};
pub use atomic::AtomicFile;
pub use error::FormatError;
pub use idx::{read_idx, write_idx_u8};
pub use npy::{read_npy, read_npy_stack, write_npy};
pub use npz::{Npz, NpzWriter};

/// How much a reader may hold in memory for one array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest decoded array or table, in bytes.
    pub bytes: u64,
}

impl Default for Limits {
    /// Sixteen GiB: five dense 20 000 × 20 000 covariances in double precision just fit.
    fn default() -> Self {
        Self { bytes: 16 << 30 }
    }
}
