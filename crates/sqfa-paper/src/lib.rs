//! The paper's tables and figures by name: ours beside what is printed.
//!
//! Tables of one data set share their fits: [`Protocol`](sqfa_lab::compare::Protocol) says how they are made, a
//! [`Store`](sqfa_lab::compare::Store) keeps them, and every table is a function of the records alone.

mod catalogue;
mod claims;
mod contour;
mod error;
mod figures;
mod folder;
mod memo;
mod printed;
mod scaling;
mod sheet;
mod tables;

pub use catalogue::{ITEMS, Item, Kind, Needs};
pub use claims::{
    Claim, DATA_CLAIMS, GENERAL_CLAIMS, Problem, Verdicts, data_claim, general_claim,
};
pub use error::PaperError;
pub use figures::{
    DRAWS, FILTER_STARTS, calvo_oller_scatter, figure, filter_pictures, filter_spec, sensitivity,
    sensitivity_specs, videos,
};
pub use folder::DataFolder;
pub use memo::Memo;
pub use printed::{PRINTED, Printed};
pub use scaling::{DRAWN, ScalingRow, scaling_row};
pub use sheet::{Pair, Sheet};
pub use tables::{
    Evidence, accuracy, fisher_rao_means, scaling_problems, scaling_sheet, training_time,
    variability,
};
