//! From labeled data to filters: the one entry point of every fit.
//!
//! [`Pipeline::fit`] validates the data, drops constant columns, selects on held-out samples whatever was not specified
//! (`search`), learns the filters on all samples, refines them if asked to, and returns a [`Fitted`] that describes all of it:
//!
//! 1. Constant columns are dropped.
//! 2. Filters have length 1 and noise is equal in all directions in one of three scalings: by the within-class covariance, by
//!    each column's standard deviation, or by one factor for all columns.
//! 3. Cross-validation tries each scaling with 0.03, 0.3 and 3 times the mean within-class variance as noise, extends the
//!    grid while its edge is best, and then tries neighbors of the best.
//! 4. Among all candidates within one standard error of the best, the one nearest to 0.3 with within-class scaling is selected.
//! 5. With more than [`WIDE`] columns, candidates are scored within the principal components of the training samples; if nothing
//!    can be held out, the default is used and reported.

mod choose;
mod climb;
mod compact;
mod coordinates;
mod count;
mod data;
mod defaults;
mod distinct;
mod error;
mod fit;
mod fitted;
mod folds;
mod in_memory;
mod keys;
mod learn;
mod nested;
mod record;
mod reference;
mod refine;
mod remote;
mod rule;
mod score;
mod scorer;
mod search;
mod selection;
mod serial;
mod side;
mod space;
mod summed;
mod tally;
mod wide;

use crate::names::Unknown;
use crate::reduce::{Method, ReducerSettings};
use crate::statistics::{Estimator, Scaling};

use rule::COMPONENTS;

pub use crate::deal::HoldOut;
pub use count::{Curve, CurvePoint};
pub use data::{Data, Labeled};
pub(crate) use defaults::alike;
pub use error::{NoChoice, PipelineError};
pub use fitted::Fitted;
pub use folds::Parts;
pub use keys::row_keys;
pub use record::{FitRecord, Precision, Specified, quantities};
pub use reference::Reference;
pub use refine::{Gain, RefinementChoice, RefinementSpace, RefinementTrial};
pub use remote::{Question, Remote};
pub use rule::{DEFAULT_FRACTION, Plan, WIDE};
pub use scorer::Scorer;
pub use selection::{Candidate, Reason, Selection, Tried};
pub use summed::Summed;
pub use tally::Tally;

/// The number of filters to learn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filters {
    /// A specified number of filters.
    Count(usize),
    /// The smallest number whose held-out accuracy is within one standard error of the best.
    Auto {
        /// The largest number to try.
        max: usize,
    },
}

/// The recipe of a fit: the method, its settings, the number of filters, the scaling and the
/// estimator. Settings that are not specified are selected on held-out samples or have their
/// default.
///
/// # Examples
///
/// ```
/// use sqfa::pipeline::{Labeled, Pipeline};
/// use sqfa::{Labels, Points, points::Table};
///
/// let values: Vec<f64> = (0..120).map(|at| f64::from(at * at % 37 + at % 2 * 9)).collect();
/// let points = Points::F64(Table::row_major(&values, 60, 2).unwrap());
/// let labels = Labels::from_integers(&(0..60).map(|row| row % 3).collect::<Vec<_>>());
/// let data = Labeled::new(points, &labels);
/// let fitted = Pipeline::named("sqfa", 1)?.fit(data, &mut |_| sqfa::optimize::Control::Continue)?;
/// assert_eq!(fitted.filters().ncols(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// The method, with or without refinement.
    pub method: Method,
    /// The settings of the method. Initial and fixed filters are specified for the columns of the
    /// raw data.
    pub settings: ReducerSettings,
    /// The number of filters.
    pub filters: Filters,
    /// The scaling, or `None` to select it on held-out samples.
    pub scaling: Option<Scaling>,
    /// The estimator of class covariances, or `None` for the default of the method.
    pub estimator: Option<Estimator>,
}

impl Pipeline {
    /// Returns a recipe for a method and a number of filters. All other settings are selected or
    /// have their default.
    pub fn new(method: Method, filters: usize) -> Self {
        Self {
            method,
            settings: ReducerSettings::default(),
            filters: Filters::Count(filters),
            scaling: None,
            estimator: None,
        }
    }

    /// Returns a recipe for the name of a method, such as `sqfa-h` or `sqfa-h+refine`, and a number
    /// of filters. All other settings are selected or have their default.
    ///
    /// # Errors
    ///
    /// If no method has this name. The error suggests the most similar name.
    pub fn named(method: &str, filters: usize) -> Result<Self, Unknown> {
        Ok(Self::new(method.parse()?, filters))
    }

    /// Returns the estimator of class covariances: the specified one, or the default of the method.
    pub fn estimator(&self) -> Estimator {
        self.estimator.unwrap_or_else(|| self.method.entry.estimator(self.settings.degrees))
    }

    /// Returns the number of principal components that the fit is restricted to, or `None` without
    /// restriction. Methods that work in principal components anyway interpret the setting
    /// themselves.
    fn restricted_to(&self) -> Option<usize> {
        self.settings.dimensions.filter(|_| !self.method.entry.has_own_components())
    }

    /// Returns the number of principal components that represent a large number of columns: the
    /// specified number, or else the larger of [`COMPONENTS`] and twice the number of filters.
    fn components(&self) -> usize {
        match (self.restricted_to(), self.filters) {
            (Some(dimensions), _) => dimensions,
            (None, Filters::Count(filters)) => COMPONENTS.max(filters.saturating_mul(2)),
            (None, Filters::Auto { .. }) => COMPONENTS,
        }
    }
}
