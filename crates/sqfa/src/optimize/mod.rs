//! Optimization of filters: by L-BFGS along lines, or within a subspace for every pass.
//!
//! Several initializations are optimized at once and share one pass per iteration. [`Optimizer`]
//! selects the algorithm, [`Stopping`] the criterion of convergence and [`Preconditioning`] the
//! metric of the steps. [`Progress`] is reported after every iteration.

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

/// The criterion of convergence and the limit on iterations.
///
/// # Examples
///
/// ```
/// use sqfa::optimize::Stopping;
///
/// // More accurate than the default tolerance of 1e-6.
/// let stopping = Stopping { tolerance: 1e-8, ..Stopping::default() };
/// assert_eq!(stopping.max_iterations, 1000);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopping {
    /// The largest number of iterations per initialization (default 1000).
    pub max_iterations: usize,
    /// The relative change of the objective that counts as converged (default 1e-6).
    ///
    /// An optimization has converged if the objective changes by less than tolerance · max(u,
    /// |objective|) in five consecutive iterations, or three with [`Optimizer::Subspace`]. These
    /// changes must not grow, and the steps must not be much longer than predicted. u is 1 or, for
    /// distances with the units of the data, the root mean within-class variance including noise.
    pub tolerance: f64,
}

impl Default for Stopping {
    fn default() -> Self {
        Self { max_iterations: 1000, tolerance: 1e-6 }
    }
}

/// The optimization algorithm.
///
/// # Examples
///
/// ```
/// use sqfa::optimize::Optimizer;
///
/// assert_eq!("lbfgs".parse(), Ok(Optimizer::Lbfgs));
/// assert_eq!(Optimizer::default().name(), "auto");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Optimizer {
    /// The algorithm with the lower estimated cost, computed from the flops of a pass and of an
    /// evaluation.
    #[default]
    Auto,
    /// Optimization within a whole subspace for every pass: fewer passes, more evaluations.
    Subspace,
    /// L-BFGS with a search along one line for every pass.
    Lbfgs,
}

/// All optimizers with their names.
pub const OPTIMIZERS: [(&str, Optimizer); 3] =
    [("auto", Optimizer::Auto), ("subspace", Optimizer::Subspace), ("lbfgs", Optimizer::Lbfgs)];

impl Optimizer {
    /// Returns the name in flags, files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Subspace => "subspace",
            Self::Lbfgs => "lbfgs",
        }
    }

    /// Returns the algorithm that is used for a problem with this cost.
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

/// The reason why an optimization ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Termination {
    /// The objective no longer changed by more than the tolerance.
    SmallChange,
    /// The gradient was too small to change the objective.
    SmallGradient,
    /// No step along the search direction increased the objective by more than round-off.
    NoProgress,
    /// The maximum number of iterations was reached.
    MaxIterations,
    /// The observer canceled the optimization.
    Cancelled,
}

impl Termination {
    /// All reasons.
    pub const ALL: [Self; 5] = [
        Self::SmallChange,
        Self::SmallGradient,
        Self::NoProgress,
        Self::MaxIterations,
        Self::Cancelled,
    ];

    /// Returns the name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::SmallChange => "small-change",
            Self::SmallGradient => "small-gradient",
            Self::NoProgress => "no-progress",
            Self::MaxIterations => "max-iterations",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns whether the result is an optimum up to the tolerance.
    pub fn converged(self) -> bool {
        matches!(self, Self::SmallChange | Self::SmallGradient)
    }

    /// Returns the name of the reason, or `closed-form` if the fit did not optimize.
    pub fn name_of(end: Option<Self>) -> &'static str {
        end.map_or(CLOSED_FORM, Self::name)
    }
}

/// The name that files contain for fits that solve an eigenproblem instead of optimizing.
const CLOSED_FORM: &str = "closed-form";

/// The reason in files, as in `{"termination": "small-change", "converged": true}`.
#[derive(Serialize, Deserialize)]
struct Ended {
    termination: String,
    #[serde(default)]
    converged: bool,
}

/// Serialization of the reason, or of a closed form, for `#[serde(flatten, with = "…")]`.
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

/// Serialization of the reason of an optimization, for `#[serde(flatten, with = "…")]`.
pub(crate) mod optimized {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(own: &Termination, to: S) -> Result<S::Ok, S::Error> {
        end::serialize(&Some(*own), to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Termination, D::Error> {
        end::deserialize(from)?.ok_or_else(|| {
            D::Error::custom(
                "expected the reason why an optimization ended, but found 'closed-form'",
            )
        })
    }
}

/// The progress of a fit, which an observer receives after every iteration.
///
/// With [`Optimizer::Subspace`], it also receives the progress at every step within a subspace.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The number of initializations that have not stopped.
    pub active: usize,
    /// The number of initializations.
    pub starts: usize,
    /// The number of iterations, including the current one.
    pub iteration: usize,
    /// The number of passes over the class covariances.
    pub passes: usize,
    /// The highest objective of all initializations.
    pub objective: f64,
    /// The number of filters that were learned before and no longer change (sequential learning).
    pub frozen: usize,
}

impl Progress {
    /// Returns the progress of an optimization from a single initialization, whose evaluations
    /// count as passes.
    pub(crate) fn of_one(iteration: usize, passes: usize, objective: f64) -> Self {
        Self { active: 1, starts: 1, iteration, passes, objective, frozen: 0 }
    }
}

/// A function that receives the [`Progress`] of a fit and decides whether the fit continues.
pub type Observer<'a> = dyn FnMut(&Progress) -> Control + 'a;

/// The decision of an [`Observer`].
///
/// # Examples
///
/// An observer that cancels after 100 passes:
///
/// ```
/// use sqfa::optimize::{Control, Progress};
///
/// let mut observer = |progress: &Progress| {
///     if progress.passes < 100 { Control::Continue } else { Control::Cancel }
/// };
/// # let progress = Progress {
/// #     active: 1, starts: 1, iteration: 1, passes: 2, objective: 0.5, frozen: 0,
/// # };
/// # assert_eq!(observer(&progress), Control::Continue);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// The fit continues.
    Continue,
    /// The fit stops and returns its result so far.
    Cancel,
}
