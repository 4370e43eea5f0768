//! SQFA models: a recipe ([`Sqfa`]) is fitted to class statistics and gives a result
//! ([`FittedSqfa`]).

mod digits;
mod error;
mod fit;
mod fitted;
mod fixed;
mod inverse_regression;
mod precision;
mod recipe;
mod span;
mod starts;
mod warning;

pub use error::FitError;
pub use fitted::{FittedSqfa, Restart};
pub(crate) use fitted::{with_fixed_signs, with_unit_length};
pub use inverse_regression::InverseRegression;
pub(crate) use recipe::MOST_RESTARTS;
pub use recipe::{Degrees, Learning, Noise, Restarts, Sqfa, Start, VARIANTS, Variant};
pub(crate) use starts::{largest_variance, random};
pub use warning::Warning;
