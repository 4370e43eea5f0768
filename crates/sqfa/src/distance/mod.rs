//! Distances between Gaussians, with analytic gradients.
//!
//! [`Distance::named`] builds a distance from a name such as `calvo-oller`. [`registry`] lists the
//! available distances, and [`Dissimilarity`] is the trait for distances of your own. [`pairwise`]
//! computes all distances within a set of Gaussians.
//!
//! Each distance has one file in `registry/` with its formula, its gradient, its cost and a
//! reference.

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

/// The derivatives of one distance with respect to the means and covariances of both Gaussians.
///
/// The derivatives with respect to covariances are symmetric matrices.
pub type PairGradient = formula::Slopes<f64>;

/// An error in the name of a distance or in its parameter.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DistanceError {
    /// No distance of the registry has this name.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// The text after the colon is not a valid parameter of this distance.
    #[error("distance '{name}' expects {expected}, but got '{parameter}'")]
    Parameter {
        /// The name of the distance, without the parameter.
        name: String,
        /// The text after the colon; empty if there is none.
        parameter: String,
        /// A description of the parameters that this distance accepts.
        expected: &'static str,
    },
}

/// A distance that is defined by the user instead of the registry.
///
/// # Examples
///
/// The distance between the means, which ignores the covariances:
///
/// ```
/// use sqfa::Distance;
/// use sqfa::distance::{Dissimilarity, PairGradient};
/// use sqfa::features::Gaussian;
///
/// struct BetweenMeans;
///
/// impl Dissimilarity for BetweenMeans {
///     fn name(&self) -> String {
///         "between-means".to_owned()
///     }
///
///     fn evaluate(
///         &self,
///         a: Gaussian<'_>,
///         b: Gaussian<'_>,
///         gradient: Option<&mut PairGradient>,
///     ) -> f64 {
///         let difference: Vec<f64> = b.mean.iter().zip(a.mean).map(|(b, a)| b - a).collect();
///         let distance = difference.iter().map(|x| x * x).sum::<f64>().sqrt();
///         if let Some(gradient) = gradient {
///             *gradient = PairGradient::zeros(a.order);
///             if distance > 0.0 {
///                 for (i, x) in difference.iter().enumerate() {
///                     gradient.mean_a[i] = -x / distance;
///                     gradient.mean_b[i] = x / distance;
///                 }
///             }
///         }
///         distance
///     }
/// }
///
/// let distance = Distance::custom(BetweenMeans);
/// assert_eq!(distance.name(), "between-means");
/// ```
pub trait Dissimilarity: Send + Sync {
    /// Returns the name of the distance in reports and model files.
    fn name(&self) -> String;
    /// Returns the distance from `a` to `b` and, if `gradient` is given, replaces its values by the
    /// derivatives.
    ///
    /// The covariances already contain the regularization noise. Return 0 and zero derivatives if
    /// the two Gaussians are equal. Return NaN if there is no distance, for example because a
    /// covariance is not positive definite; the fit then tries a shorter step or reports the class.
    fn evaluate(
        &self,
        a: Gaussian<'_>,
        b: Gaussian<'_>,
        gradient: Option<&mut PairGradient>,
    ) -> f64;
}

/// A distance between Gaussians that is ready to be evaluated: one of the registry or a
/// user-defined one.
///
/// # Examples
///
/// ```
/// use sqfa::features::Gaussian;
/// use sqfa::{Distance, distance};
///
/// // Two Gaussians in two dimensions; covariances are row-major.
/// let identity = [1.0, 0.0, 0.0, 1.0];
/// let a = Gaussian { order: 2, mean: &[0.0, 0.0], covariance: &identity };
/// let b = Gaussian { order: 2, mean: &[2.0, 0.0], covariance: &identity };
///
/// let bhattacharyya = Distance::named("bhattacharyya")?;
/// assert!((bhattacharyya.evaluate(a, b, None) - 0.5).abs() < 1e-12);
///
/// // The gradient is optional.
/// let mut gradient = distance::PairGradient::zeros(2);
/// bhattacharyya.evaluate(a, b, Some(&mut gradient));
/// assert!((gradient.mean_b[0] - 0.5).abs() < 1e-12);
///
/// // A parameter follows after a colon.
/// let chernoff = Distance::named("chernoff:0.3")?;
/// assert_eq!(chernoff.name(), "chernoff:0.3");
/// # Ok::<(), sqfa::distance::DistanceError>(())
/// ```
#[derive(Clone)]
pub struct Distance {
    name: String,
    kernel: Arc<dyn Kernel>,
    /// The properties of the distance; `None` for a user-defined one.
    claims: Option<Claims>,
}

impl Distance {
    /// Builds a distance of the registry from its name.
    ///
    /// A parameter follows the name after a colon, as in `chernoff:0.3` and
    /// `affine-invariant:covariances`. [`registry`] lists the names and [`Parameter`] the
    /// parameters.
    ///
    /// # Errors
    ///
    /// Returns [`DistanceError::Unknown`] for a name that is not in the registry, and
    /// [`DistanceError::Parameter`] if the parameter is missing, superfluous or not valid.
    pub fn named(name: &str) -> Result<Self, DistanceError> {
        let (base, parameter) = match name.split_once(':') {
            Some((base, parameter)) => (base, Some(parameter)),
            None => (name, None),
        };
        let entry = registry().iter().find(|entry| entry.name == base).ok_or_else(|| {
            let near = nearest(base, registry().iter().map(|entry| entry.name)).map(str::to_owned);
            let choices = registry().iter().map(Entry::spelling);
            // The message shows the whole text, but only the part before the colon can be a
            // misspelled name, so the suggestion is based on that part.
            Unknown { nearest: near, ..Unknown::new("distance", name, choices) }
        })?;
        let (kernel, claims) = entry.build(parameter)?;
        Ok(Self { name: name.to_owned(), kernel, claims: Some(claims) })
    }

    /// Wraps a user-defined distance.
    pub fn custom(distance: impl Dissimilarity + 'static) -> Self {
        let name = distance.name();
        Self { name, kernel: Arc::new(kernel::Custom(Arc::new(distance))), claims: None }
    }

    /// Returns the name, including the parameter if there is one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the properties of the distance with its parameter, or `None` for a user-defined
    /// distance.
    pub fn claims(&self) -> Option<Claims> {
        self.claims
    }

    /// Returns the distance from `a` to `b` and, if `gradient` is given, replaces its values by the
    /// derivatives.
    ///
    /// The covariances must already contain the regularization noise. The result is NaN or infinite
    /// if a covariance is not positive definite.
    ///
    /// # Panics
    ///
    /// Panics if the means, covariances or gradient do not have the dimension `a.order`.
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
