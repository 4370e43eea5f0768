//! Distances between Gaussians with analytic gradients: one file each, one registry.

mod formula;
mod kernel;
mod link;
mod pairs;
mod pairwise;
mod registry;
mod sample;
mod separation;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use crate::features::Gaussian;
use crate::names::{Unknown, nearest};
use kernel::Kernel;

pub(crate) use kernel::Hint;
pub use pairs::PairError;
pub(crate) use pairs::{PairPlan, PairSums};
pub use pairwise::{
    MeanPairDistance, mean_distance, pairwise, pairwise_between, sound_weights,
    weighted_mean_distance,
};
pub use registry::{Claims, Entry, Parameter, registry};
pub use sample::Pairs;
pub use separation::{Separation, separation};

/// Derivatives of one distance with respect to both Gaussians; those of covariances are symmetric.
pub type PairGradient = formula::Slopes<f64>;

/// What is wrong with a distance's name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DistanceError {
    /// No such distance.
    #[error(transparent)]
    Unknown(#[from] Unknown),
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

/// A distance of the user's own.
pub trait Dissimilarity: Send + Sync {
    /// Its name in reports.
    fn name(&self) -> String;
    /// The distance and, when asked, its derivatives, which replace what `gradient` holds.
    ///
    /// The covariances already contain the feature noise. At a = b return 0 and zero derivatives; where there is no
    /// distance, as for a covariance that is not positive definite, return NaN.
    fn evaluate(
        &self,
        a: Gaussian<'_>,
        b: Gaussian<'_>,
        gradient: Option<&mut PairGradient>,
    ) -> f64;
}

/// A distance ready to use: one of the registry, or the user's own.
#[derive(Clone)]
pub struct Distance {
    name: String,
    kernel: Arc<dyn Kernel>,
    /// None for a user's own.
    claims: Option<Claims>,
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
            let near = nearest(base, registry().iter().map(|entry| entry.name)).map(str::to_owned);
            let choices = registry().iter().map(Entry::spelling);
            // The name as given is shown; what stands before the colon is what was misspelt.
            Unknown { nearest: near, ..Unknown::new("distance", name, choices) }
        })?;
        let (kernel, claims) = entry.build(parameter)?;
        Ok(Self { name: name.to_owned(), kernel, claims: Some(claims) })
    }

    /// A distance of the user's own.
    pub fn custom(distance: impl Dissimilarity + 'static) -> Self {
        let name = distance.name();
        Self { name, kernel: Arc::new(kernel::Custom(Arc::new(distance))), claims: None }
    }

    /// Its name, with the parameter if it has one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it promises in this form; `None` for a user's own.
    pub fn claims(&self) -> Option<Claims> {
        self.claims
    }

    /// The distance between two Gaussians and, when asked, its derivatives.
    pub fn evaluate(
        &self,
        a: Gaussian<'_>,
        b: Gaussian<'_>,
        gradient: Option<&mut PairGradient>,
    ) -> f64 {
        let pair = formula::Pair {
            order: a.order,
            mean_a: a.mean,
            cov_a: a.covariance,
            mean_b: b.mean,
            cov_b: b.covariance,
        };
        self.kernel.one(&pair, &mut formula::Work::new(a.order), gradient)
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
