//! Filters that maximise information-geometric distances between classes.

mod labels;
mod points;

pub use labels::{Classes, Label, LabelError, Labels};
pub use points::{Points, Scalar, Table};
