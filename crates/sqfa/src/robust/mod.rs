//! Statistics that outliers do not move: location and scatter by the t distribution or Tyler's fixed point, the minimum
//! covariance determinant, and the cleaning of trials made of it.

mod chi_squared;
mod clean;
mod elliptical;
mod gamma;
mod mcd;
mod shrinkage;
mod standard;

use thiserror::Error;

pub use clean::{Cleaned, Cleaning, Removed, clean};
pub(crate) use elliptical::{Estimate, Law, estimate};
pub use mcd::{Mcd, McdEstimate, McdOptions, mcd};
pub(crate) use shrinkage::{oracle_approximating, squared_norm};
pub(crate) use standard::Members;

/// Why robust statistics cannot be had.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RobustError {
    /// A share of points that is none, or that leaves more outliers than inliers.
    #[error(
        "a support of {share}: give the share of points that are no outliers, above 0.5 and at most 1"
    )]
    Support {
        /// The share.
        share: f64,
    },
    /// Too few points for a covariance of so many dimensions.
    #[error(
        "{points} points, {support} of them in the support, in {dimension} dimensions: a covariance needs more than \
         {dimension} in the support; add points or reduce the dimension first"
    )]
    TooFewPoints {
        /// Points given.
        points: usize,
        /// Points of the support.
        support: usize,
        /// Their dimension.
        dimension: usize,
    },
    /// No more points than dimensions: every point is as far from the others as any.
    #[error(
        "{points} points in {dimension} dimensions that vary: telling outliers takes more points than dimensions; reduce \
         the dimension first (as pca does), or use oas or ledoit-wolf"
    )]
    TooFewForScatter {
        /// Points given.
        points: usize,
        /// Dimensions that vary.
        dimension: usize,
    },
    /// Points without any scatter.
    #[error("all {points} points are the same: they have no scatter; drop the class or add points")]
    Identical {
        /// Points given.
        points: usize,
    },
    /// Degrees of freedom that no distance is bounded for.
    #[error(
        "{degrees} degrees of freedom: give a finite number from 1 on (1 is Cauchy's distribution)"
    )]
    Degrees {
        /// ν.
        degrees: f64,
    },
    /// So many points lie on a hyperplane that their covariance has no determinant to compare.
    #[error(
        "at least {support} of {points} points lie on a hyperplane: leave out dimensions that depend on others, or \
         reduce the dimension first"
    )]
    ExactFit {
        /// Points of the support.
        support: usize,
        /// Points given.
        points: usize,
    },
    /// A number that is not finite.
    #[error(
        "{value} at point {row}, dimension {column}: remove or replace non-finite values first"
    )]
    NotFinite {
        /// The point.
        row: usize,
        /// The dimension.
        column: usize,
        /// The number.
        value: f64,
    },
    /// Points and labels that do not match.
    #[error("{labels} labels for {points} points: give one label per point")]
    LabelCount {
        /// Labels given.
        labels: usize,
        /// Points given.
        points: usize,
    },
    /// A count that is none.
    #[error(
        "{value} at trial {row}, neuron {column}: counts are whole numbers from 0 on; say that these are rates instead"
    )]
    NotACount {
        /// The trial.
        row: usize,
        /// The neuron.
        column: usize,
        /// The number.
        value: f64,
    },
    /// A threshold that cannot be meant.
    #[error("{name} is {value}: give {wanted}")]
    Threshold {
        /// The threshold.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        wanted: &'static str,
    },
    /// No neuron left.
    #[error(
        "none of {neurons} neurons fires more than {rate} a second: lower the threshold, or check the window"
    )]
    Silent {
        /// Neurons given.
        neurons: usize,
        /// The threshold.
        rate: f64,
    },
    /// A class that cannot be cleaned.
    #[error("class '{class}': {source}")]
    InClass {
        /// The class.
        class: String,
        /// Why.
        source: Box<RobustError>,
    },
    /// A class that cleaning would remove.
    #[error(
        "class '{class}' would keep {kept} of its {trials} trials: raise the threshold for outliers or drop the class"
    )]
    ClassLost {
        /// The class.
        class: String,
        /// Trials it would keep.
        kept: usize,
        /// Trials it had.
        trials: usize,
    },
}
