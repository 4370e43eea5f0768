//! How filters were found: objective, iterations, initializations and time.

use serde::{Deserialize, Serialize};

use crate::model::{Restart, Warning};
use crate::optimize::{Optimizer, Termination};

/// How filters were found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What was optimized, in the method's own terms; `None` for a closed form.
    #[serde(default)]
    pub objective: Option<f64>,
    /// Why the iterations ended; `None` for a closed form.
    #[serde(flatten, with = "crate::optimize::end")]
    pub termination: Option<Termination>,
    /// Iterations of the initialization that was kept; 0 for a closed form.
    pub iterations: usize,
    /// The optimization algorithm, if class statistics were optimized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<Optimizer>,
    /// Passes over the class covariances, shared by all initializations.
    pub passes: usize,
    /// Evaluations of the objective in all.
    pub evaluations: usize,
    /// Seconds of computing; of one joint solution when several counts share it. Searches are not counted.
    pub seconds: f64,
    /// Seconds spent on choosing settings; `None` if there was nothing to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_seconds: Option<f64>,
    /// Every initialization in order, if the method optimizes class statistics.
    #[serde(rename = "initializations", alias = "restarts")]
    pub restarts: Vec<Restart>,
    /// Which of them was kept.
    pub best: usize,
    /// The objective after every iteration of the initialization that was kept, or of the refinement once refined.
    pub trace: Vec<f64>,
    /// The traces of other optimizations, unless they are those of `restarts`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_traces: Vec<Vec<f64>>,
    /// The trace of every group of filters, of its best initialization, if filters are learned in groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub group_traces: Vec<Vec<f64>>,
    /// What a user should know.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

impl Run {
    /// The run of a closed form.
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

    /// Whether the method reached its optimum; always, for a closed form.
    pub fn converged(&self) -> bool {
        self.termination.is_none_or(Termination::converged)
    }

    /// The traces of all optimizations, the one that was kept first.
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

    /// Adds a refinement, which goes on with another objective.
    pub(crate) fn refined(&mut self, steps: usize, trace: Vec<f64>) {
        self.iterations += steps;
        self.objective = trace.last().copied();
        let before = std::mem::replace(&mut self.trace, trace);
        if self.restarts.is_empty() && !before.is_empty() {
            self.other_traces.insert(0, before);
        }
    }
}
