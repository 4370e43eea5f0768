//! The streaming class statistics as Python holds them.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes, PyList, PyType};
use sqfa::Estimator;
use sqfa::statistics::ClassAccumulator;

use crate::arrays::{PointArray, slice, vector};
use crate::classes::{classes, labels, names};
use crate::errors::{Outcome, invalid};
use crate::running::run;
use crate::statistics::Statistics;

/// Running sums of labeled points.
#[pyclass(module = "sqfa_rs._core", frozen)]
pub(crate) struct Accumulator {
    sums: std::sync::Mutex<ClassAccumulator>,
}

impl Accumulator {
    fn holding(sums: ClassAccumulator) -> Self {
        Self { sums: std::sync::Mutex::new(sums) }
    }

    /// A copy of the sums; the lock is never held while Python could run.
    pub(crate) fn copy(&self) -> Outcome<ClassAccumulator> {
        Ok(self.locked()?.clone())
    }

    fn locked(&self) -> Outcome<std::sync::MutexGuard<'_, ClassAccumulator>> {
        self.sums.lock().map_err(|_| invalid("the accumulator was damaged by an earlier failure"))
    }
}

#[pymethods]
impl Accumulator {
    /// Sums of all entries, or sketches of so many rows.
    #[new]
    #[pyo3(signature = (names, dimension, sketch = None))]
    fn new(names: &Bound<'_, PyList>, dimension: usize, sketch: Option<usize>) -> Outcome<Self> {
        if dimension == 0 {
            return Err(invalid("an accumulator needs at least 1 dimension"));
        }
        let classes = classes(names)?;
        Ok(Self::holding(match sketch {
            None => ClassAccumulator::new(classes, dimension),
            Some(size) => ClassAccumulator::sketched(classes, dimension, size)?,
        }))
    }

    /// Adds points whose classes are given as positions; a failed or stopped update adds nothing.
    #[pyo3(signature = (points, codes, weights, threads))]
    fn update(
        &self,
        py: Python<'_>,
        points: &Bound<'_, PyAny>,
        codes: PyReadonlyArray1<'_, u32>,
        weights: Option<PyReadonlyArray1<'_, u64>>,
        threads: usize,
    ) -> Outcome<()> {
        let array = PointArray::borrow(points)?;
        let points = array.points()?;
        let (known, before, mut batch) = {
            let sums = self.locked()?;
            let (classes, counts) = (sums.classes().clone(), sums.counts());
            // Points of a sketch wait for others: a copy goes on where the sums are.
            let batch = match sums.sketch() {
                Some(_) => sums.clone(),
                None => sums.alike(classes.clone()),
            };
            (classes, counts, batch)
        };
        let labels = labels(&known, &codes)?;
        let weights = weights.as_ref().map(|weights| slice(weights, "weights")).transpose()?;
        run(py, threads, |stop| {
            // Apart from the sums so far, so that a stop half-way leaves them as they were.
            if batch.update_while(points, &labels, weights, &mut || !stop.asked())? {
                let mut sums = self.locked()?;
                let sketched = sums.sketch().is_some();
                if sketched && sums.counts() != before {
                    return Err(invalid("points came from two threads at once: update from one"));
                }
                if sketched || sums.counts().iter().all(|&count| count == 0) {
                    *sums = batch;
                } else {
                    sums.merge(&batch)?;
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// A copy that shares nothing with it.
    fn copied(&self) -> Outcome<Self> {
        Ok(Self::holding(self.copy()?))
    }

    /// Adds what another accumulator has seen.
    fn merge(&self, other: &Self) -> Outcome<()> {
        let other = other.copy()?;
        Ok(self.locked()?.merge(&other)?)
    }

    /// Makes room for more classes.
    fn widen(&self, names: &Bound<'_, PyList>) -> Outcome<()> {
        Ok(self.locked()?.widen(classes(names)?)?)
    }

    /// The class statistics so far.
    #[pyo3(signature = (estimator, threads))]
    fn finish(&self, py: Python<'_>, estimator: &str, threads: usize) -> Outcome<Statistics> {
        let estimator: Estimator = estimator.parse::<Estimator>()?;
        let sums = self.copy()?;
        Ok(run(py, threads, |_| Ok(Statistics { core: sums.finish(estimator)? }))?)
    }

    /// The classes, in their fixed order.
    fn classes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyList>> {
        let classes = self.locked()?.classes().clone();
        Ok(names(py, &classes)?)
    }

    /// The number of points of every class.
    fn counts<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyArray1<u64>>> {
        let counts = self.locked()?.counts();
        Ok(vector(py, counts))
    }

    /// The rows of its sketches; `None` for sums of all entries.
    fn sketch(&self) -> Outcome<Option<usize>> {
        Ok(self.locked()?.sketch())
    }

    /// The number of dimensions.
    fn dimension(&self) -> Outcome<usize> {
        Ok(self.locked()?.dimension())
    }

    /// The sums as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyBytes>> {
        let sums = self.copy()?;
        Ok(PyBytes::new(py, &py.detach(|| sums.to_bytes())))
    }

    /// The sums in bytes.
    #[classmethod]
    fn from_bytes(_: &Bound<'_, PyType>, bytes: &[u8]) -> Outcome<Self> {
        Ok(Self::holding(ClassAccumulator::from_bytes(bytes)?))
    }
}
