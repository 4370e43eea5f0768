//! The settings of all methods by name, and what a method says about each it takes.

use std::fmt;
use std::str::FromStr;

use crate::names::Unknown;

use super::{Choice, Training};

/// A setting of a method, or a number that its fit reports beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Setting {
    /// The distance to maximise.
    Distance,
    /// The feature noise σ².
    Noise,
    /// The constraint on the filters.
    Constraint,
    /// Where the filters start.
    Start,
    /// How many starts.
    Restarts,
    /// Filters learned at a time.
    Sequential,
    /// How filters are climbed.
    Optimizer,
    /// Which pairs of classes climbs look at.
    Pairs,
    /// Iterations of one start at most.
    MaxIterations,
    /// The relative change at which a start has converged.
    Tolerance,
    /// The shrinkage of scatters.
    Shrinkage,
    /// Neighbours of a point.
    Neighbors,
    /// What distances of points are measured in; reported as 1 for the anchor's own scale.
    LocalScale,
    /// Sinkhorn regularisation.
    Regularization,
    /// Principal components to work in.
    Dimensions,
    /// Points of every class to look at.
    PerClass,
    /// How eigenvectors are found.
    Solver,
    /// Degrees of freedom ν of t distributions.
    Degrees,
    /// Steps that the refinement took.
    RefinementSteps,
    /// The noise of the refinement, as a share of the noise scale.
    RefinementNoise,
    /// Held-out accuracy before the refinement.
    AccuracyBefore,
    /// Held-out accuracy after the refinement.
    AccuracyAfter,
}

impl Setting {
    /// All of them.
    pub const ALL: [Self; 22] = [
        Self::Distance,
        Self::Noise,
        Self::Constraint,
        Self::Start,
        Self::Restarts,
        Self::Sequential,
        Self::Optimizer,
        Self::Pairs,
        Self::MaxIterations,
        Self::Tolerance,
        Self::Shrinkage,
        Self::Neighbors,
        Self::LocalScale,
        Self::Regularization,
        Self::Dimensions,
        Self::PerClass,
        Self::Solver,
        Self::Degrees,
        Self::RefinementSteps,
        Self::RefinementNoise,
        Self::AccuracyBefore,
        Self::AccuracyAfter,
    ];

    /// Its name in files, records and reports; it stays the same.
    pub fn name(self) -> &'static str {
        match self {
            Self::Distance => "distance",
            Self::Noise => "noise",
            Self::Constraint => "constraint",
            Self::Start => "start",
            Self::Restarts => "restarts",
            Self::Sequential => "sequential",
            Self::Optimizer => "optimizer",
            Self::Pairs => "pairs",
            Self::MaxIterations => "max iterations",
            Self::Tolerance => "tolerance",
            Self::Shrinkage => "shrinkage",
            Self::Neighbors => "neighbors",
            Self::LocalScale => "anchored scale",
            Self::Regularization => "regularization",
            Self::Dimensions => "dimensions",
            Self::PerClass => "per class",
            Self::Solver => "solver",
            Self::Degrees => "nu",
            Self::RefinementSteps => "refinement steps",
            Self::RefinementNoise => "refinement noise",
            Self::AccuracyBefore => "held-out accuracy before",
            Self::AccuracyAfter => "held-out accuracy after",
        }
    }

    /// Its name as an identifier, which some files hold instead.
    pub fn identifier(self) -> String {
        self.name().replace([' ', '-'], "_")
    }

    /// Whether its numbers are whole.
    pub fn is_whole(self) -> bool {
        matches!(
            self,
            Self::Restarts
                | Self::Sequential
                | Self::MaxIterations
                | Self::Neighbors
                | Self::Dimensions
                | Self::PerClass
                | Self::RefinementSteps
        )
    }

    /// Whether it is searched on held-out points by more than one kind of method.
    pub fn is_chosen(self) -> bool {
        matches!(self, Self::Shrinkage | Self::Neighbors | Self::Regularization)
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Setting {
    type Err = Unknown;
    fn from_str(name: &str) -> Result<Self, Unknown> {
        let known = Self::ALL.into_iter().find(|s| s.name() == name || s.identifier() == name);
        known.ok_or_else(|| Unknown::new("setting", name, Self::ALL.map(Self::name)))
    }
}

/// What a setting is unless given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Usual {
    /// What it is for every method.
    Common,
    /// The best of the grid on held-out points.
    Best {
        /// Where nothing can be held out.
        otherwise: f64,
    },
    /// This number.
    Number(f64),
}

/// A setting that a method takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Which.
    pub setting: Setting,
    /// What it is unless given.
    pub usual: Usual,
    /// What `auto` chooses among on held-out points.
    pub grid: &'static [f64],
    /// What it does, for help texts.
    pub help: &'static str,
}

impl Parameter {
    /// A setting that means the same to every method that takes it.
    pub(super) const fn common(setting: Setting) -> Self {
        Self { setting, usual: Usual::Common, grid: &[], help: "" }
    }

    /// A whole number unless given.
    pub(super) const fn count(setting: Setting, count: usize, help: &'static str) -> Self {
        Self { setting, usual: Usual::Number(count as f64), grid: &[], help }
    }

    /// The usual number; 0 when there is none.
    pub fn number(&self) -> f64 {
        match self.usual {
            Usual::Number(value) | Usual::Best { otherwise: value } => value,
            Usual::Common => 0.0,
        }
    }

    /// The values to choose among, with the grid in multiples of `scale`: one when there is nothing to choose.
    pub(super) fn values(&self, choice: &Choice, scale: f64, training: &Training<'_>) -> Vec<f64> {
        let grid: Vec<f64> = self.grid.iter().map(|multiple| multiple * scale).collect();
        match (choice, self.usual) {
            (Choice::Usual, Usual::Number(value)) => vec![value],
            (choice, _) => choice.values(&grid, self.number() * scale, training),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_both_spellings_are_read() {
        for setting in Setting::ALL {
            assert_eq!(setting.name().parse(), Ok(setting));
            assert_eq!(setting.identifier().parse(), Ok(setting));
            let same = Setting::ALL.iter().filter(|other| other.name() == setting.name());
            assert_eq!(same.count(), 1, "{setting}");
        }
        assert_eq!("refinement_steps".parse(), Ok(Setting::RefinementSteps));
        assert!("nois".parse::<Setting>().unwrap_err().to_string().contains("'noise'"));
    }
}
