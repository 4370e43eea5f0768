//! Distances between Gaussians with analytic gradients: one file each, one registry.

mod affine_invariant;
mod calvo_oller;
mod chernoff;
mod fisher_rao;
mod formula;
mod jeffreys;
mod kernel;
mod link;
mod log_euclidean;
mod mahalanobis;
mod pairs;
mod pairwise;
mod registry;
mod sample;
mod wasserstein;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use crate::features::Gaussian;
use crate::names::nearest;
use kernel::Kernel;

pub(crate) use kernel::Hint;
pub use pairs::PairError;
pub(crate) use pairs::{PairPlan, PairSums};
pub use pairwise::{MeanPairDistance, mean_distance, pairwise, pairwise_between};
pub use registry::{Claims, Entry, Parameter, registry};
pub use sample::Pairs;

/// Derivatives of one distance with respect to both Gaussians; those of covariances are symmetric.
pub type PairGradient = formula::Slopes<f64>;

/// What is wrong with a distance's name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DistanceError {
    /// No such distance.
    #[error("unknown distance '{name}'{}: choose one of {choices}", suggestion(.nearest))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What may have been meant.
        nearest: Option<String>,
        /// What there is.
        choices: String,
    },
    /// What follows the colon does not fit.
    #[error("distance '{name}' takes {expected}, not '{parameter}'")]
    Parameter {
        /// The distance.
        name: String,
        /// What followed the colon.
        parameter: String,
        /// What should have.
        expected: &'static str,
    },
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!(" (did you mean '{name}'?)")).unwrap_or_default()
}

/// Which matrices a distance of positive matrices compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moments {
    /// Second moments Σ + μμᵀ.
    Second,
    /// Covariances Σ.
    Central,
}

/// A distance of the user's own.
pub trait Dissimilarity: Send + Sync {
    /// Its name in reports.
    fn name(&self) -> String;
    /// The distance and, when asked, its derivatives, which replace what `gradient` holds.
    ///
    /// The covariances already contain the feature noise. At p = q return 0 and zero derivatives.
    fn evaluate(
        &self,
        p: Gaussian<'_>,
        q: Gaussian<'_>,
        gradient: Option<&mut PairGradient>,
    ) -> f64;
}

/// A distance ready to use: one of the registry, or the user's own.
#[derive(Clone)]
pub struct Distance {
    name: String,
    kernel: Arc<dyn Kernel>,
}

impl Distance {
    /// A distance of the registry, with its parameter after a colon: `hellinger`, `chernoff:0.3`,
    /// `affine-invariant:covariances`.
    pub fn named(name: &str) -> Result<Self, DistanceError> {
        let (base, parameter) = match name.split_once(':') {
            Some((base, parameter)) => (base, Some(parameter)),
            None => (name, None),
        };
        let entry = registry().iter().find(|entry| entry.name == base).ok_or_else(|| {
            DistanceError::Unknown {
                name: name.to_owned(),
                nearest: nearest(base, registry().iter().map(|entry| entry.name))
                    .map(str::to_owned),
                choices: registry().iter().map(Entry::spelling).collect::<Vec<_>>().join(", "),
            }
        })?;
        Ok(Self { name: name.to_owned(), kernel: entry.build(parameter)? })
    }

    /// A distance of the user's own.
    pub fn custom(distance: impl Dissimilarity + 'static) -> Self {
        let name = distance.name();
        Self { name, kernel: Arc::new(kernel::Custom(Arc::new(distance))) }
    }

    /// Its name, with the parameter if it has one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it promises; `None` for a user's own.
    pub fn claims(&self) -> Option<Claims> {
        let base = self.name.split(':').next()?;
        registry().iter().find(|entry| entry.name == base).map(|entry| entry.claims)
    }

    /// The distance between two Gaussians and, when asked, its derivatives.
    pub fn evaluate(
        &self,
        p: Gaussian<'_>,
        q: Gaussian<'_>,
        gradient: Option<&mut PairGradient>,
    ) -> f64 {
        let pair = formula::Pair {
            order: p.order,
            mean_a: p.mean,
            cov_a: p.covariance,
            mean_b: q.mean,
            cov_b: q.covariance,
        };
        self.kernel.one(&pair, &mut formula::Work::new(p.order), gradient)
    }
}

impl FromStr for Distance {
    type Err = DistanceError;
    fn from_str(name: &str) -> Result<Self, DistanceError> {
        Self::named(name)
    }
}

impl fmt::Debug for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Distance({})", self.name)
    }
}
