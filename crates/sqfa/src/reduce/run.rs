//! The record of how filters were found: objective, iterations, initializations and time.

use serde::{Deserialize, Serialize};

use crate::model::{Restart, Warning};
use crate::optimize::{Optimizer, Termination};

/// The record of how filters were found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The final objective or loss of the method; `None` for a closed form.
    #[serde(default)]
    pub objective: Option<f64>,
    /// The reason why the optimization ended; `None` for a closed form.
    #[serde(flatten, with = "crate::optimize::end")]
    pub termination: Option<Termination>,
    /// The number of iterations of the best initialization; 0 for a closed form.
    pub iterations: usize,
    /// The optimization algorithm, if class statistics were optimized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<Optimizer>,
    /// The number of passes over the class covariances, shared by all initializations.
    pub passes: usize,
    /// The total number of evaluations of the objective.
    pub evaluations: usize,
    /// The time of the fit in seconds, without the selection of settings. Numbers of filters that
    /// share one solution all have its time.
    pub seconds: f64,
    /// The time in seconds that the selection of settings took; `None` if there was nothing to
    /// select.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_seconds: Option<f64>,
    /// The results of all initializations in order, if the method optimizes class statistics.
    #[serde(rename = "initializations", alias = "restarts")]
    pub restarts: Vec<Restart>,
    /// The index of the best initialization, whose filters were kept.
    pub best: usize,
    /// The objective after every iteration of the best initialization or, for refined filters, of
    /// the refinement.
    pub trace: Vec<f64>,
    /// The traces of other optimizations that are not in `restarts`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_traces: Vec<Vec<f64>>,
    /// The trace of the best initialization of every group, if filters were learned in groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub group_traces: Vec<Vec<f64>>,
    /// The warnings about the fit.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

impl Run {
    /// Creates the record of a closed form.
    pub(crate) fn closed(seconds: f64) -> Self {
        Self {
            objective: None,
            termination: None,
            iterations: 0,
            optimizer: None,
            passes: 0,
            evaluations: 0,
            seconds,
            search_seconds: None,
            restarts: Vec::new(),
            best: 0,
            trace: Vec::new(),
            other_traces: Vec::new(),
            group_traces: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Returns whether the method reached its optimum; always true for a closed form.
    pub fn converged(&self) -> bool {
        self.termination.is_none_or(Termination::converged)
    }

    /// Returns the traces of all optimizations, beginning with that of the filters that were kept.
    pub fn traces(&self) -> Vec<&[f64]> {
        let mut traces: Vec<&[f64]> = vec![&self.trace];
        let restarts = self.restarts.iter().enumerate();
        let kept = |at: usize, restart: &Restart| at == self.best && restart.trace == self.trace;
        let own = restarts.filter(|(at, restart)| !kept(*at, restart));
        traces.extend(own.map(|(_, restart)| &restart.trace[..]));
        traces.extend(self.other_traces.iter().map(Vec::as_slice));
        traces.retain(|trace| !trace.is_empty());
        traces
    }

    /// Adds a refinement, which continues with another objective.
    pub(crate) fn refined(&mut self, steps: usize, trace: Vec<f64>) {
        self.iterations += steps;
        self.objective = trace.last().copied();
        let before = std::mem::replace(&mut self.trace, trace);
        if self.restarts.is_empty() && !before.is_empty() {
            self.other_traces.insert(0, before);
        }
    }
}
