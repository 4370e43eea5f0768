//! The typed settings of all methods. Each method uses those that its catalogue entry lists.

use crate::constraint::Constraint;
use crate::distance::{Distance, Pairs};
use crate::linalg::Mat;
use crate::model::{Learning, Noise, Restarts, Start};
use crate::optimize::{Optimizer, Stopping};

use super::{Choice, LocalScale, PcaSolver, Setting};

/// The settings of all methods.
///
/// Only the rows of [`ROWS`](super::ROWS) convert between text and fields.
///
/// # Examples
///
/// ```
/// use sqfa::Noise;
/// use sqfa::reduce::ReducerSettings;
///
/// let settings =
///     ReducerSettings { noise: Noise::Fraction(0.3), seed: 1, ..ReducerSettings::default() };
/// ```
#[derive(Debug, Clone, Default)]
pub struct ReducerSettings {
    /// The seed of all random numbers.
    pub seed: u64,
    /// The distance to maximize; `None` for the default of the method.
    pub distance: Option<Distance>,
    /// The regularization noise.
    pub noise: Noise,
    /// The noises σ² from which `auto` selects on held-out samples. If empty, a reducer uses the mean
    /// within-class variance for `auto`.
    pub noises: Vec<f64>,
    /// The initial filters.
    pub start: Start,
    /// Filters that are not changed, for methods that optimize an objective of class statistics;
    /// see [`crate::Sqfa::fixed`].
    pub fixed: Option<Mat<f64>>,
    /// The number of initializations.
    pub restarts: Restarts,
    /// Whether filters are learned all at once or in groups; `None` for the default of the method.
    pub learning: Option<Learning>,
    /// The optimization algorithm.
    pub optimizer: Optimizer,
    /// The class pairs that the objective uses during optimization.
    pub pairs: Pairs,
    /// The criterion of convergence.
    pub stopping: Stopping,
    /// The constraint on the filters; `None` for the default of the method.
    pub constraint: Option<Constraint>,
    /// The weight of each pair of classes; see [`crate::Sqfa::weights`].
    pub weights: Option<Vec<f64>>,
    /// The shrinkage of scatter matrices.
    pub shrinkage: Choice,
    /// Whether LDA shrinks the total scatter as well; see [`super::Lda::shrinks_total`].
    pub shrinks_total: bool,
    /// The number of neighbors.
    pub neighbors: Choice,
    /// The distance that scales the neighborhood of every sample in LFDA.
    pub local_scale: LocalScale,
    /// The Sinkhorn regularization.
    pub regularization: Choice,
    /// The number of principal components to which a fit is restricted; `None` for the default of
    /// the method.
    pub dimensions: Option<usize>,
    /// The number of samples per class that are used; `None` for the default of the method.
    pub per_class: Option<usize>,
    /// The eigensolver of principal component analysis.
    pub solver: PcaSolver,
    /// The degrees of freedom of methods for t distributions; `None` for the default of the method.
    pub degrees: Option<f64>,
}

impl ReducerSettings {
    /// Sets a numeric setting to a number, or to numbers to select from on held-out samples.
    /// Settings that are not numeric are not changed.
    pub fn set(&mut self, setting: Setting, choice: Choice) {
        let value = match choice {
            Choice::Value(value) => Some(value),
            Choice::Usual | Choice::Auto | Choice::Among(_) => None,
        };
        match setting {
            Setting::Noise => match choice {
                Choice::Value(value) => self.noise = Noise::Value(value),
                Choice::Among(values) => self.noises = values,
                Choice::Usual | Choice::Auto => {}
            },
            Setting::Shrinkage => self.shrinkage = choice,
            Setting::Neighbors => self.neighbors = choice,
            Setting::Regularization => self.regularization = choice,
            Setting::Dimensions => self.dimensions = value.map(|value| value as usize),
            Setting::PerClass => self.per_class = value.map(|value| value as usize),
            Setting::Degrees => self.degrees = value,
            Setting::Distance
            | Setting::LocalScale
            | Setting::Solver
            | Setting::Constraint
            | Setting::Start
            | Setting::Restarts
            | Setting::Sequential
            | Setting::Optimizer
            | Setting::Pairs
            | Setting::MaxIterations
            | Setting::Tolerance => {}
        }
    }
}
