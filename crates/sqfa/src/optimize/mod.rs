//! Climbing: L-BFGS over the free matrix, or over whatever subspace the passes so far have paid for; several starts side by
//! side, one shared pass an iteration.

mod basis;
mod batches;
mod climb;
mod descend;
mod lbfgs;
mod line_search;
mod settling;
mod subspace;

pub(crate) use crate::preconditioner::Preconditioner;
pub use crate::preconditioner::Preconditioning;
pub(crate) use batches::{Best, best_of};
pub(crate) use climb::climb;
pub(crate) use descend::{Descended, descend};
pub(crate) use subspace::climb_in_subspaces;

use std::str::FromStr;

use crate::names::chosen;
use crate::objective::Effort;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopping {
    /// Iterations of one start at most.
    pub max_iterations: usize,
    /// Converged when the objective changes by less than this times max(u, |objective|) five times in a row (three, where every
    /// iteration climbs a whole subspace), by changes that do not grow and steps that are not longer than predicted. u is 1, or for a distance with units the root mean
    /// variance within classes, noise included.
    pub tolerance: f64,
}

impl Default for Stopping {
    fn default() -> Self {
        Self { max_iterations: 1000, tolerance: 1e-6 }
    }
}

/// How filters are climbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Optimizer {
    /// Whichever costs less, from the counted work of a pass and of an evaluation.
    #[default]
    Auto,
    /// A whole subspace for every pass: fewer passes, more evaluations.
    Subspace,
    /// A line for every pass: L-BFGS.
    Lbfgs,
}

/// The optimisers by name.
pub const OPTIMIZERS: [(&str, Optimizer); 3] =
    [("auto", Optimizer::Auto), ("subspace", Optimizer::Subspace), ("lbfgs", Optimizer::Lbfgs)];

impl Optimizer {
    /// Its name in flags, files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Subspace => "subspace",
            Self::Lbfgs => "lbfgs",
        }
    }

    /// The one that runs.
    pub(crate) fn chosen(self, effort: Effort) -> Self {
        match self {
            Self::Auto if subspace::pays(effort) => Self::Subspace,
            Self::Auto => Self::Lbfgs,
            forced => forced,
        }
    }
}

impl FromStr for Optimizer {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Ok(chosen("optimizer", name, &OPTIMIZERS)?)
    }
}

/// Why an optimisation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Termination {
    /// The objective stopped changing.
    SmallChange,
    /// The gradient vanished.
    SmallGradient,
    /// No step along the best direction raises the objective by more than round-off.
    NoProgress,
    /// The iterations ran out.
    MaxIterations,
    /// The observer asked to stop.
    Cancelled,
}

impl Termination {
    /// Its name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::SmallChange => "small-change",
            Self::SmallGradient => "small-gradient",
            Self::NoProgress => "no-progress",
            Self::MaxIterations => "max-iterations",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the result is an optimum to the tolerance asked for.
    pub fn converged(self) -> bool {
        matches!(self, Self::SmallChange | Self::SmallGradient)
    }
}

/// What an observer is told after every iteration and, where an iteration climbs within a subspace, at every step of that climb.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Starts that are still climbing.
    pub active: usize,
    /// Starts in all.
    pub starts: usize,
    /// Iterations so far, the one under way included.
    pub iteration: usize,
    /// Passes over the class covariances so far.
    pub passes: usize,
    /// The best objective so far.
    pub objective: f64,
    /// Filters already learned and frozen (sequential learning).
    pub frozen: usize,
}

impl Progress {
    /// Of a descent from a single start; what it evaluates counts as passes.
    pub(crate) fn of_one(iteration: usize, passes: usize, objective: f64) -> Self {
        Self { active: 1, starts: 1, iteration, passes, objective, frozen: 0 }
    }
}

/// A function that is called with the [`Progress`] of a fit and decides whether the fit continues.
pub type Observer<'a> = dyn FnMut(&Progress) -> Control + 'a;

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// Stop here and return what there is.
    Cancel,
}
