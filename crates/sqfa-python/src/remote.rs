//! Fits of samples in a distributed engine. Candidates are sent as arrays, and exact sums of their
//! scores are received.

use std::sync::{Mutex, MutexGuard};

use numpy::{
    PyArray1, PyArray3, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyList, PyTuple};
use sqfa::pipeline::{self, Question, RefinementSpace, Scorer, Tally};

use crate::accumulator::Accumulator;
use crate::arrays::{
    PointArray, filters, from_mat_transposed, gaussians, matrix, slice, stack, vector,
};
use crate::classes::{classes, labels, names};
use crate::errors::{Outcome, invalid};
use crate::fit::pipeline;
use crate::outcome::described;
use crate::running::run;
use crate::user_distance::FirstError;
use crate::watch::Watch;

/// Whether a method with these settings selects anything on held-out samples, apart from a
/// refinement.
#[pyfunction]
pub(crate) fn chooses(method: &str, settings: &Bound<'_, PyDict>) -> Outcome<bool> {
    Ok(pipeline(method, None, settings)?.0.chooses())
}

/// Returns a seeded key per row. Equal rows have equal keys, unless the number of the first row is
/// specified.
#[pyfunction]
#[pyo3(signature = (points, seed, first, threads))]
pub(crate) fn row_keys<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    seed: u64,
    first: Option<u64>,
    threads: usize,
) -> Outcome<Bound<'py, PyArray1<u64>>> {
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    Ok(vector(py, run(py, threads, |_| Ok(pipeline::row_keys(points, seed, first)))?))
}

/// Returns the scores of candidates (components, offset, means, covariances, priors) on samples, as
/// two tables of exact sums.
#[pyfunction]
#[pyo3(signature = (scorers, names, points, codes, weights, threads))]
pub(crate) fn tally<'py>(
    py: Python<'py>,
    scorers: &Bound<'py, PyList>,
    names: &Bound<'py, PyList>,
    points: &Bound<'py, PyAny>,
    codes: PyReadonlyArray1<'py, u32>,
    weights: Option<PyReadonlyArray1<'py, u64>>,
    threads: usize,
) -> Outcome<Bound<'py, PyArray3<i64>>> {
    let scorers = scorers.iter().map(|one| candidate(&one)).collect::<Outcome<Vec<_>>>()?;
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    let labels = labels(&classes(names)?, &codes)?;
    let weights = weights.as_ref().map(|weights| slice(weights, "weights")).transpose()?;
    let fits = scorers.iter().all(|scorer| scorer.filters.nrows() == points.columns());
    if !fits || labels.len() != points.rows() || weights.is_some_and(|w| w.len() != points.rows()) {
        return Err(invalid("points, labels, weights and candidates do not belong together"));
    }
    let rows: Vec<usize> = (0..points.rows()).collect();
    let sums = run(py, threads, |_| {
        let mut tally = Tally::new(scorers.len());
        tally.add(&scorers, points, &labels, &rows, weights)?;
        Ok(tally.sums())
    })?;
    let order = scorers.len() + 1;
    Ok(stack(py, sums, [2, order, order])?)
}

fn candidate(given: &Bound<'_, PyAny>) -> Outcome<Scorer> {
    type Given<'py> = (
        PyReadonlyArray2<'py, f64>,
        Option<PyReadonlyArray1<'py, f64>>,
        PyReadonlyArray2<'py, f64>,
        PyReadonlyArray3<'py, f64>,
        PyReadonlyArray1<'py, f64>,
    );
    let (components, offset, means, covariances, priors): Given<'_> = given.extract()?;
    let offset = offset.as_ref().map(|offset| slice(offset, "offset")).transpose()?;
    Ok(Scorer {
        filters: filters(&components)?,
        offset: offset.map(<[f64]>::to_vec),
        features: gaussians(&means, &covariances)?,
        priors: slice(&priors, "priors")?.to_vec(),
        // Robust statistics need samples in memory, so there are no t densities.
        degrees: None,
    })
}

/// A fit that requests scores. Call `ask` and `answer` until `ask` returns nothing, then `fit`, and
/// optionally `refine`.
#[pyclass(module = "sqfa_rs._core", frozen)]
pub(crate) struct Remote {
    state: Mutex<State>,
    error: FirstError,
}

struct State {
    core: pipeline::Remote,
    candidates: usize,
    space: Option<RefinementSpace>,
}

impl Remote {
    fn locked(&self) -> Outcome<MutexGuard<'_, State>> {
        self.state.lock().map_err(|_| invalid("the fit was damaged by an earlier failure"))
    }
}

#[pymethods]
impl Remote {
    /// Starts a fit from the class statistics of every part, and of the samples in no part.
    #[new]
    #[pyo3(signature = (method, parts, rest, estimator, settings))]
    fn new(
        method: &str,
        parts: Vec<PyRef<'_, Accumulator>>,
        rest: &Accumulator,
        estimator: Option<&str>,
        settings: &Bound<'_, PyDict>,
    ) -> Outcome<Self> {
        let (recipe, error) = pipeline(method, estimator, settings)?;
        let parts = parts.iter().map(|part| part.copy()).collect::<Outcome<Vec<_>>>()?;
        let core = pipeline::Remote::new(recipe, &parts, &rest.copy()?)?;
        Ok(Self { state: Mutex::new(State { core, candidates: 0, space: None }), error })
    }

    /// Returns the held-out parts with their candidates and the classes that are scored, or `None`
    /// when everything is selected.
    #[pyo3(signature = (callback, threads))]
    fn ask<'py>(
        &self,
        py: Python<'py>,
        callback: Option<Py<PyAny>>,
        threads: usize,
    ) -> Outcome<Option<(Bound<'py, PyList>, Vec<bool>)>> {
        let question = run(py, threads, |stop| {
            let mut watch = Watch::new(stop, &self.error, callback.as_ref());
            let mut state = self.locked()?;
            let asked = state.core.ask(&mut |step| watch.see(step));
            let asked = watch.conclude(asked.map_err(Into::into))?;
            state.candidates = asked.as_ref().map_or(0, |question| question.candidates);
            Ok(asked)
        })?;
        let Some(Question { folds, held, .. }) = question else { return Ok(None) };
        let asked = PyList::empty(py);
        for (part, scorers) in folds {
            let arrays = PyList::empty(py);
            for scorer in scorers {
                arrays.append(as_arrays(py, &scorer)?)?;
            }
            asked.append((part, arrays))?;
        }
        Ok(Some((asked, held)))
    }

    /// Receives the sums of the scores of the last candidates.
    fn answer(&self, sums: PyReadonlyArray3<'_, i64>) -> Outcome<()> {
        let mut state = self.locked()?;
        let tally = Tally::from_sums(state.candidates, slice(&sums, "sums")?).ok_or_else(|| {
            invalid(format!("sums of shape {:?} are not those of the candidates", sums.shape()))
        })?;
        Ok(state.core.answer(&tally)?)
    }

    /// Learns filters on all samples with the selected settings.
    #[pyo3(signature = (callback, threads))]
    fn fit<'py>(
        &self,
        py: Python<'py>,
        callback: Option<Py<PyAny>>,
        threads: usize,
    ) -> Outcome<Bound<'py, PyDict>> {
        run(py, threads, |stop| {
            let mut watch = Watch::new(stop, &self.error, callback.as_ref());
            let mut state = self.locked()?;
            let fitted = state.core.fit(&mut |step| watch.see(step)).map(|_| ());
            watch.conclude(fitted.map_err(Into::into))
        })?;
        self.described(py)
    }

    /// Returns the components and the offset that transform samples to the coordinates of the
    /// refinement.
    #[pyo3(signature = (threads))]
    fn coordinates<'py>(&self, py: Python<'py>, threads: usize) -> Outcome<Bound<'py, PyTuple>> {
        run(py, threads, |_| {
            let mut state = self.locked()?;
            state.space = state.core.refinement_space()?;
            Ok(())
        })?;
        let state = self.locked()?;
        let Some(space) = &state.space else { return Err(invalid("fit first")) };
        let components = from_mat_transposed(py, space.filters.as_ref())?;
        let offset = space.offset.as_ref().map(|offset| vector(py, offset.clone()));
        Ok((components, offset).into_pyobject(py)?)
    }

    /// Refines the filters on samples in the coordinates of the refinement.
    #[pyo3(signature = (coordinates, codes, callback, threads))]
    fn refine<'py>(
        &self,
        py: Python<'py>,
        coordinates: &Bound<'py, PyAny>,
        codes: PyReadonlyArray1<'py, u32>,
        callback: Option<Py<PyAny>>,
        threads: usize,
    ) -> Outcome<Bound<'py, PyDict>> {
        let array = PointArray::borrow(coordinates)?;
        let points = array.points()?;
        let labels = labels(self.locked()?.core.classes(), &codes)?;
        run(py, threads, |stop| {
            let mut watch = Watch::new(stop, &self.error, callback.as_ref());
            let mut state = self.locked()?;
            let State { core, space, .. } = &mut *state;
            let Some(space) = space else {
                return Err(invalid("ask for the coordinates first"));
            };
            if points.columns() != space.filters.ncols() || points.rows() != labels.len() {
                return Err(invalid("coordinates and labels do not belong together"));
            }
            let done = core.refine(space, points, &labels, &mut |step| watch.see(step));
            watch.conclude(done.map_err(Into::into))
        })?;
        self.described(py)
    }

    /// Returns the classes, in the order of all class statistics.
    fn classes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyList>> {
        Ok(names(py, self.locked()?.core.classes())?)
    }
}

impl Remote {
    fn described<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let state = self.locked()?;
        let Some(fitted) = state.core.fitted() else { return Err(invalid("fit first")) };
        described(py, fitted)
    }
}

fn as_arrays<'py>(py: Python<'py>, scorer: &Scorer) -> PyResult<Bound<'py, PyTuple>> {
    let (c, m) = (scorer.features.len(), scorer.features.order());
    let means = (0..c).flat_map(|class| scorer.features.mean(class).to_vec()).collect();
    let covariances = (0..c).flat_map(|class| scorer.features.covariance(class).to_vec()).collect();
    (
        from_mat_transposed(py, scorer.filters.as_ref())?,
        scorer.offset.as_ref().map(|offset| vector(py, offset.clone())),
        matrix(py, means, c, m)?,
        stack(py, covariances, [c, m, m])?,
        vector(py, scorer.priors.clone()),
    )
        .into_pyobject(py)
}
