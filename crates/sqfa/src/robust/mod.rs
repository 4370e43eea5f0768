//! Robust statistics: location and scatter by the t distribution, Tyler's fixed point or the minimum covariance
//! determinant, and the cleaning of neural recordings based on them.

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

/// An error of a robust estimator or of [`clean`].
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RobustError {
    /// A support fraction outside (0.5, 1].
    #[error(
        "the support is {share}: specify the fraction of samples that are not outliers, above 0.5 and at most 1"
    )]
    Support {
        /// The specified fraction.
        share: f64,
    },
    /// Too few samples for a covariance of this many columns.
    #[error(
        "{points} samples with {dimension} columns, of which {support} are in the support: a covariance needs more than \
         {dimension} samples in the support; add samples or reduce the dimension first"
    )]
    TooFewPoints {
        /// Number of samples.
        points: usize,
        /// Number of samples in the support.
        support: usize,
        /// Number of columns.
        dimension: usize,
    },
    /// At most as many samples as varying columns, so that all samples are equally far from the others.
    #[error(
        "{points} samples in {dimension} varying columns: robust estimators need more samples than columns; reduce the \
         dimension first (for example with pca), or use oas or ledoit-wolf"
    )]
    TooFewForScatter {
        /// Number of samples.
        points: usize,
        /// Number of columns that vary.
        dimension: usize,
    },
    /// Samples that are all equal.
    #[error(
        "all {points} samples are equal, so they have no scatter: drop the class or add samples"
    )]
    Identical {
        /// Number of samples.
        points: usize,
    },
    /// Degrees of freedom below 1 or not finite.
    #[error(
        "the degrees of freedom are {degrees}: specify a finite number of at least 1 (1 is the Cauchy distribution)"
    )]
    Degrees {
        /// The specified degrees of freedom ν.
        degrees: f64,
    },
    /// A subset of h samples that lie on a hyperplane, so that their covariance is singular.
    #[error(
        "at least {support} of {points} samples lie on a hyperplane: drop columns that depend on others, or reduce the \
         dimension first"
    )]
    ExactFit {
        /// Number of samples in the support.
        support: usize,
        /// Number of samples.
        points: usize,
    },
    /// A value that is NaN or infinite.
    #[error(
        "the value in row {row}, column {column} (counted from 0) is {value}: remove or replace non-finite values first"
    )]
    NotFinite {
        /// Row index of the sample.
        row: usize,
        /// Column index.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A number of labels that differs from the number of samples.
    #[error("{labels} labels for {points} samples: pass one label per sample")]
    LabelCount {
        /// Number of labels.
        labels: usize,
        /// Number of samples.
        points: usize,
    },
    /// A value that is not a spike count.
    #[error(
        "the value of trial {row}, neuron {column} (counted from 0) is {value}: spike counts are whole numbers of at least 0; omit the window if the data are rates"
    )]
    NotACount {
        /// Index of the trial.
        row: usize,
        /// Index of the neuron.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A threshold outside its range.
    #[error("{name} is {value}: specify {wanted}")]
    Threshold {
        /// Name of the threshold.
        name: &'static str,
        /// The specified value.
        value: f64,
        /// Description of the allowed values.
        wanted: &'static str,
    },
    /// Data in which no neuron exceeds the minimum rate.
    #[error(
        "none of {neurons} neurons has a mean rate above {rate} spikes per second: lower the threshold, or check the window"
    )]
    Silent {
        /// Number of neurons.
        neurons: usize,
        /// The minimum rate.
        rate: f64,
    },
    /// An error in one class.
    #[error("class '{class}': {source}")]
    InClass {
        /// Name of the class.
        class: String,
        /// The reason.
        source: Box<RobustError>,
    },
    /// A class that would keep fewer than two trials.
    #[error(
        "class '{class}' would keep {kept} of its {trials} trials: raise the threshold for outliers or drop the class"
    )]
    ClassLost {
        /// Name of the class.
        class: String,
        /// Number of trials that would be kept.
        kept: usize,
        /// Number of trials before cleaning.
        trials: usize,
    },
}
