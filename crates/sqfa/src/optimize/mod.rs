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

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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

/// The optimizers by name.
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

crate::names::text_in_files!(Optimizer, name);

impl FromStr for Optimizer {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Ok(chosen("optimizer", name, &OPTIMIZERS)?)
    }
}

/// Why an optimization ended.
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
    /// Every reason.
    pub const ALL: [Self; 5] = [
        Self::SmallChange,
        Self::SmallGradient,
        Self::NoProgress,
        Self::MaxIterations,
        Self::Cancelled,
    ];

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

    /// Why an optimization ended, by name; `closed-form` if there was none.
    pub fn name_of(end: Option<Self>) -> &'static str {
        end.map_or(CLOSED_FORM, Self::name)
    }
}

/// The name of the end of a fit that solves an eigenproblem instead of optimizing.
const CLOSED_FORM: &str = "closed-form";

/// The end of an optimization as files hold it: `{"termination": "small-change", "converged": true}`.
#[derive(Serialize, Deserialize)]
struct Ended {
    termination: String,
    #[serde(default)]
    converged: bool,
}

/// The end of an optimization, or of a closed form, for `#[serde(flatten, with = "…")]`.
pub(crate) mod end {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        end: &Option<Termination>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let converged = end.is_none_or(Termination::converged);
        Ended { termination: Termination::name_of(*end).to_owned(), converged }.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Termination>, D::Error> {
        let name = Ended::deserialize(from)?.termination;
        let known = Termination::ALL.into_iter().find(|own| own.name() == name);
        if known.is_none() && name != CLOSED_FORM {
            return Err(D::Error::custom(format!("unknown termination '{name}'")));
        }
        Ok(known)
    }
}

/// The end of an optimization for `#[serde(flatten, with = "…")]`.
pub(crate) mod optimized {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(own: &Termination, to: S) -> Result<S::Ok, S::Error> {
        end::serialize(&Some(*own), to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Termination, D::Error> {
        end::deserialize(from)?.ok_or_else(|| D::Error::custom("an optimization is no closed form"))
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
