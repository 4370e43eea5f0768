//! The paper's tables and figures by name: ours beside what is printed.
//!
//! Tables of one data set share their fits: [`Protocol`](crate::compare::Protocol) says how they are made, a
//! [`Store`](crate::compare::Store) keeps them, and every table is a function of the records alone.

mod catalogue;
mod contour;
mod error;
mod figures;
mod folder;
mod printed;
mod sheet;
mod tables;

pub use catalogue::{ITEMS, Item, Kind, Needs};
pub use error::PaperError;
pub use figures::{calvo_oller_scatter, figure};
pub use folder::DataFolder;
pub use printed::{PRINTED, Printed};
pub use sheet::{Pair, Sheet};
pub use tables::{Evidence, accuracy, fisher_rao_means, training_time, variability};
