//! Fits: from class statistics, or from points when the noise is chosen on held-out ones.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyList};
use sqfa::model::Restart;
use sqfa::optimize::{Control, Progress};
use sqfa::{Estimator, FittedSqfa};

use crate::arrays::{PointArray, from_mat_transposed, vector};
use crate::classes::{classes, labels};
use crate::errors::{Failure, Outcome};
use crate::methods::warnings;
use crate::recipe::Recipe;
use crate::running::{Stop, run};
use crate::statistics::Statistics;
use crate::user_distance::FirstError;

/// Fits components to class statistics; the result is a dictionary.
#[pyfunction]
#[pyo3(signature = (statistics, settings, callback, threads))]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    statistics: &Statistics,
    settings: &Bound<'py, PyDict>,
    callback: Option<Py<PyAny>>,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let recipe = Recipe::new(settings)?;
    let fitted = run(py, threads, |stop| {
        let mut watch = Watch::new(stop, &recipe.error, callback.as_ref());
        let fitted = recipe.core.fit_observed(&statistics.core, &mut |step| watch.see(step));
        watch.conclude(fitted.map_err(Into::into))
    })?;
    described(py, &fitted)
}

/// Fits components to labelled points, choosing the noise on held-out ones.
#[pyfunction]
#[pyo3(signature = (points, names, codes, estimator, settings, callback, threads))]
pub(crate) fn fit_points<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    names: &Bound<'py, PyList>,
    codes: PyReadonlyArray1<'py, u32>,
    estimator: &str,
    settings: &Bound<'py, PyDict>,
    callback: Option<Py<PyAny>>,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let recipe = Recipe::new(settings)?;
    let estimator = estimator.parse::<Estimator>()?;
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    let labels = labels(&classes(names)?, &codes)?;
    let fitted = run(py, threads, |stop| {
        let mut watch = Watch::new(stop, &recipe.error, callback.as_ref());
        let fitted =
            recipe.core.fit_points(points, &labels, estimator, &mut |step| watch.see(step));
        watch.conclude(fitted.map_err(Into::into))
    })?;
    described(py, &fitted)
}

/// Sees every iteration: passes it on to the callback and says when to stop.
pub(crate) struct Watch<'a> {
    stop: &'a Stop,
    error: &'a FirstError,
    callback: Option<&'a Py<PyAny>>,
    raised: Option<PyErr>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        stop: &'a Stop,
        error: &'a FirstError,
        callback: Option<&'a Py<PyAny>>,
    ) -> Self {
        Self { stop, error, callback, raised: None }
    }

    pub(crate) fn see(&mut self, progress: &Progress) -> Control {
        if self.stop.asked() || self.raised.is_some() || self.error.is_set() {
            return Control::Cancel;
        }
        let Some(callback) = self.callback else { return Control::Continue };
        let ended = Python::attach(|py| {
            let Progress { active, starts, iteration, passes, objective, frozen } = *progress;
            let arguments = (iteration, objective, active, starts, passes, frozen);
            callback.call1(py, arguments)?.is_truthy(py)
        });
        match ended {
            Ok(false) => Control::Continue,
            Ok(true) => Control::Cancel,
            Err(error) => {
                self.raised = Some(error);
                Control::Cancel
            }
        }
    }

    /// What the fit came to; an exception of the callback or of a user's distance comes first.
    pub(crate) fn conclude<T>(self, outcome: Outcome<T>) -> Outcome<T> {
        match self.raised {
            Some(error) => Err(Failure(error)),
            None => self.error.or(outcome),
        }
    }
}

fn described<'py>(py: Python<'py>, fitted: &FittedSqfa) -> Outcome<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("components", from_mat_transposed(py, fitted.filters().as_ref())?)?;
    result.set_item("distance", fitted.distance())?;
    result.set_item("noise", fitted.noise())?;
    let trials: Vec<(f64, f64)> =
        fitted.noise_trials().iter().map(|trial| (trial.noise, trial.accuracy)).collect();
    result.set_item("noise_trials", trials)?;
    result.set_item("best", fitted.best())?;
    result.set_item("passes", fitted.passes())?;
    result.set_item("evaluations", fitted.evaluations())?;
    result.set_item("seconds", fitted.seconds())?;
    result.set_item("warnings", warnings(fitted.warnings()))?;
    result.set_item("restarts", restarts(py, fitted.restarts())?)?;
    Ok(result)
}

/// How every start ended.
pub(crate) fn restarts<'py>(py: Python<'py>, starts: &[Restart]) -> PyResult<Bound<'py, PyList>> {
    let restarts = PyList::empty(py);
    for restart in starts {
        let entry = PyDict::new(py);
        entry.set_item("objective", restart.objective)?;
        entry.set_item("trace", vector(py, restart.trace.clone()))?;
        entry.set_item("n_iter", restart.iterations)?;
        entry.set_item("passes", restart.passes)?;
        entry.set_item("evaluations", restart.evaluations)?;
        entry.set_item("termination", restart.termination.name())?;
        entry.set_item("converged", restart.termination.converged())?;
        restarts.append(entry)?;
    }
    Ok(restarts)
}
