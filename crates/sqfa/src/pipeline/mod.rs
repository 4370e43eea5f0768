//! Preprocessing → class statistics → units of the fit → method → features → classifier, as one recipe.
//!
//! A [`Pipeline`] drops constant columns, centers, chooses units and noise on held-out points where there are any
//! (`search`), fits the method, refines its filters where asked for and gives a [`Fitted`] that says all it chose.
//! In more than [`WIDE`] columns the search runs on the leading principal components.

mod arms;
mod choose;
mod closed_form;
mod count;
mod distinct;
mod error;
mod fit;
mod fitted;
mod folds;
mod scorer;
mod keys;
mod learn;
mod nested;
mod refine;
mod remote;
mod score;
mod search;
mod selection;
mod side;
mod space;
mod summed;
mod tally;
mod wide;

use crate::reduce::{REFINED, ReducerSettings, reducer_entry};
use crate::statistics::{Estimator, Scaling};

pub(crate) use closed_form::alike;
pub use count::{Curve, CurvePoint};
pub use error::{NoChoice, PipelineError};
pub use fitted::Fitted;
pub use folds::{Parts, Plan, Weighted};
pub use keys::row_keys;
pub use refine::{RefinementChoice, RefinementSpace, RefinementTrial};
pub use remote::{Question, Remote};
pub use scorer::Scorer;
pub use selection::{COMMON_SHARE, Candidate, DEFAULT_SHARE, Reason, Selection, Tried};
pub use space::Units;
pub use summed::Summed;
pub use tally::Tally;

/// Columns beyond which units and noise are searched on principal components.
pub const WIDE: usize = 256;
/// Principal components of such a search, of few filters.
const COMPONENTS: usize = 128;

/// How many filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filters {
    /// So many.
    Count(usize),
    /// The fewest within one standard error of the best, up to so many.
    Auto {
        /// The most.
        max: usize,
    },
}

/// How the noise is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NoiseRule {
    /// On held-out points where there are any, else the closed form.
    #[default]
    Auto,
    /// The closed form.
    ClosedForm,
    /// As the settings say.
    Settings,
}

/// A recipe from labelled points to filters.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// The method by name, refined when it ends with [`REFINED`].
    pub method: String,
    /// Its settings; the noise counts only with [`NoiseRule::Settings`]. Starting filters are of the columns as they came.
    pub settings: ReducerSettings,
    /// How many filters.
    pub filters: Filters,
    /// How the noise is found, for methods that have one.
    pub noise: NoiseRule,
    /// How columns are scaled; otherwise chosen with the noise, and none where the noise is given.
    pub scaling: Option<Scaling>,
    /// Whether columns are centred; otherwise wherever the noise is not given.
    pub center: Option<bool>,
    /// How covariances are estimated, when not in the method's own way.
    pub estimator: Option<Estimator>,
}

impl Pipeline {
    /// A method with its defaults.
    pub fn new(method: &str, filters: usize) -> Self {
        Self {
            method: method.to_owned(),
            settings: ReducerSettings::default(),
            filters: Filters::Count(filters),
            noise: NoiseRule::Auto,
            scaling: None,
            center: None,
            estimator: None,
        }
    }

    /// The method without its refinement.
    fn base(&self) -> &str {
        self.method.strip_suffix(REFINED).unwrap_or(&self.method)
    }

    /// How covariances are estimated.
    fn estimator(&self) -> Estimator {
        let own = || reducer_entry(self.base()).map(|entry| entry.estimator(self.settings.degrees));
        self.estimator.or_else(|| own().ok()).unwrap_or_default()
    }

    /// Principal components that stand for many columns: twice as many as filters where these are many.
    fn components(&self) -> usize {
        match self.filters {
            Filters::Count(filters) => COMPONENTS.max(filters.saturating_mul(2)),
            Filters::Auto { .. } => COMPONENTS,
        }
    }

    fn is_refined(&self) -> bool {
        self.method.ends_with(REFINED)
    }
}
