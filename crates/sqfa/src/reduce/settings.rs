//! The typed settings of all methods; each method uses those that its catalogue entry lists.

use crate::constraint::Constraint;
use crate::distance::{Distance, Pairs};
use crate::linalg::Mat;
use crate::model::{Learning, Noise, Restarts, Start};
use crate::optimize::{Optimizer, Stopping};

use super::{Choice, LocalScale, PcaSolver, Setting};

/// The settings of all methods. Text becomes a field, and a field text, by the rows of [`super::ROWS`] only.
#[derive(Debug, Clone, Default)]
pub struct ReducerSettings {
    /// The seed of all random numbers.
    pub seed: u64,
    /// The distance to maximize, when not the method's own.
    pub distance: Option<Distance>,
    /// The feature noise.
    pub noise: Noise,
    /// The noises that `auto` chooses among on held-out points; otherwise multiples of the scale.
    pub noises: Vec<f64>,
    /// Where the filters start.
    pub start: Start,
    /// Filters that stay, for methods that climb class statistics, as in [`crate::Sqfa::fixed`].
    pub fixed: Option<Mat<f64>>,
    /// How many starts.
    pub restarts: Restarts,
    /// Whether filters are learned together, when not in the method's own way.
    pub learning: Option<Learning>,
    /// How filters are climbed.
    pub optimizer: Optimizer,
    /// Which pairs of classes climbs look at.
    pub pairs: Pairs,
    /// When to stop.
    pub stopping: Stopping,
    /// The constraint, when not the method's own.
    pub constraint: Option<Constraint>,
    /// How much each pair of classes counts, as in [`crate::Sqfa::weights`].
    pub weights: Option<Vec<f64>>,
    /// The shrinkage of scatters.
    pub shrinkage: Choice,
    /// Whether LDA shrinks the total scatter as well, as in [`super::Lda::shrinks_total`].
    pub shrinks_total: bool,
    /// Neighbors.
    pub neighbors: Choice,
    /// The distance that scales the neighborhood of every sample in LFDA.
    pub local_scale: LocalScale,
    /// Sinkhorn regularization.
    pub regularization: Choice,
    /// Principal components of methods that choose theirs; otherwise their own number.
    pub dimensions: Option<usize>,
    /// Points of every class to look at; otherwise the method's own number.
    pub per_class: Option<usize>,
    /// How eigenvectors are found.
    pub solver: PcaSolver,
    /// Degrees of freedom of methods on t distributions, when not their own.
    pub degrees: Option<f64>,
}

impl ReducerSettings {
    /// Sets a number, or numbers to select from on held-out samples; settings that are neither are left alone.
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
