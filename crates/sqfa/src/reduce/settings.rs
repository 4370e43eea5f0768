//! The settings of all methods together; each takes what concerns it.

use crate::constraint::Constraint;
use crate::distance::{Distance, Pairs};
use crate::linalg::Mat;
use crate::model::{Learning, Noise, Restarts, Start};
use crate::optimize::{Optimizer, Stopping};

use super::{Choice, LocalScale, PcaSolver, Refinement, Setting};

/// Settings of all reducers; each takes what concerns it.
#[derive(Debug, Clone, Default)]
pub struct ReducerSettings {
    /// The seed of all random numbers.
    pub seed: u64,
    /// The distance to maximise, when not the method's own.
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
    /// Neighbours.
    pub neighbors: Choice,
    /// What distances of points are measured in; otherwise whichever serves held-out points better.
    pub local_scale: Option<LocalScale>,
    /// Sinkhorn regularisation.
    pub regularization: Choice,
    /// Principal components of methods that choose theirs; otherwise their own number.
    pub dimensions: Option<usize>,
    /// Points of every class to look at; otherwise the method's own number.
    pub per_class: Option<usize>,
    /// How eigenvectors are found.
    pub solver: PcaSolver,
    /// Degrees of freedom of methods on t distributions, when not their own.
    pub degrees: Option<f64>,
    /// How refined methods refine, when not in the usual way.
    pub refinement: Option<Refinement>,
}

impl ReducerSettings {
    /// Sets what is chosen on held-out points; whatever is not is left alone.
    pub fn set(&mut self, setting: Setting, choice: Choice) {
        match (setting, choice) {
            (Setting::Noise, Choice::Value(value)) => self.noise = Noise::Value(value),
            (Setting::Noise, Choice::Among(values)) => self.noises = values,
            (Setting::Shrinkage, choice) => self.shrinkage = choice,
            (Setting::Neighbors, choice) => self.neighbors = choice,
            (Setting::Regularization, choice) => self.regularization = choice,
            (Setting::Dimensions, Choice::Value(value)) => self.dimensions = Some(value as usize),
            (Setting::PerClass, Choice::Value(value)) => self.per_class = Some(value as usize),
            (Setting::Degrees, Choice::Value(value)) => self.degrees = Some(value),
            _ => {}
        }
    }
}
