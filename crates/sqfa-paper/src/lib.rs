//! The paper's tables, figures and claims by name: ours beside what is printed.
//!
//! Every [`Item`] says what it needs and makes itself in a [`Context`], which holds the data sets, the folder of
//! results and who watches. Tables of one data set share their fits: [`Protocol`](sqfa_lab::compare::Protocol)
//! says how they are made, a [`Store`](sqfa_lab::compare::Store) keeps them, and every table is a function of the
//! records alone.

mod error;
mod recordings;
mod data;
mod options;
mod observer;
mod printed;
mod table;
mod item;
mod cache;
mod output;
mod context;
mod fits;
mod scaling;
mod tables;
mod contour;
mod figures;
mod claims;
mod catalogue;

pub use cache::ResultCache;
pub use catalogue::{ITEMS, named};
pub use claims::{Claim, ClaimResults};
pub use context::Context;
pub use data::DataFolder;
pub use error::PaperError;
pub use fits::Fits;
pub use item::{About, Item, ItemKind, Made, Needs};
pub use observer::{Ending, Observer, Work};
pub use options::Options;
pub use output::Output;
pub use printed::Printed;
pub use scaling::{Climb, DRAWN, ScalingRow, scaling_row};
pub use table::{OursAndPrinted, Table};
