//! File formats: NumPy arrays and archives, IDX, MATLAB files and delimited tables.
//!
//! Files are not trusted. Every reader compares the declared sizes with the number of bytes in the
//! file before it allocates memory. Every writer replaces its target only when all data are
//! written.

mod array;
mod atomic;
pub mod crash;
mod decode;
mod dtype;
mod error;
mod header;
mod idx;
mod latched;
mod mat;
mod npy;
mod npz;
mod place;
mod rows;
pub(crate) mod source;
pub(crate) mod table;

pub(crate) use self::table::counted;
pub use self::table::{
    Column, CsvOptions, CsvRows, CsvTable, Decimal, Encoding, Header, Missing, Note, Selection,
    TableRows, read_csv, read_csv_from,
};
pub use array::{Array, Stack, Values, ValuesRef};
pub use atomic::{AtomicFile, is_temporary};
pub use error::{FormatError, Remedy};
pub use idx::{idx_rows, read_idx, write_idx_u8};
pub use mat::MatFile;
pub use npy::{npy_rows, read_npy, read_npy_stack, write_npy};
pub use npz::{Npz, NpzWriter};
pub use place::Place;
pub use rows::ArrayRows;

/// The memory that a reader may use for one array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest size of a decoded array or table, in bytes.
    pub bytes: u64,
}

impl Default for Limits {
    /// Returns 16 GiB, which is enough for five dense 20 000 × 20 000 covariances in double
    /// precision.
    fn default() -> Self {
        Self { bytes: 16 << 30 }
    }
}
