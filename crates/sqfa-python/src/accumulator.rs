//! Accumulated class statistics as a Python class.

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

/// Accumulated class statistics of labeled samples.
#[pyclass(module = "sqfa_rs._core", frozen)]
pub(crate) struct Accumulator {
    sums: std::sync::Mutex<ClassAccumulator>,
}

impl Accumulator {
    fn holding(sums: ClassAccumulator) -> Self {
        Self { sums: std::sync::Mutex::new(sums) }
    }

    /// Returns a copy of the class statistics. The lock is never held while Python could run.
    pub(crate) fn copy(&self) -> Outcome<ClassAccumulator> {
        Ok(self.locked()?.clone())
    }

    fn locked(&self) -> Outcome<std::sync::MutexGuard<'_, ClassAccumulator>> {
        self.sums.lock().map_err(|_| invalid("the accumulator was damaged by an earlier failure"))
    }
}

#[pymethods]
impl Accumulator {
    /// Creates empty statistics with all covariance entries, or sketches with a number of rows.
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

    /// Adds samples whose classes are specified by index. An update that fails or is stopped adds
    /// nothing.
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
            // Rows of a sketch wait for further ones, so a copy continues at the current state.
            let batch = match sums.sketch() {
                Some(_) => sums.clone(),
                None => sums.alike(classes.clone()),
            };
            (classes, counts, batch)
        };
        let labels = labels(&known, &codes)?;
        let weights = weights.as_ref().map(|weights| slice(weights, "weights")).transpose()?;
        run(py, threads, |stop| {
            // The batch is accumulated separately, so that a stop does not change the previous
            // statistics.
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

    /// Returns an independent copy.
    fn copied(&self) -> Outcome<Self> {
        Ok(Self::holding(self.copy()?))
    }

    /// Adds the samples of another accumulator.
    fn merge(&self, other: &Self) -> Outcome<()> {
        let other = other.copy()?;
        Ok(self.locked()?.merge(&other)?)
    }

    /// Adds classes without samples.
    fn widen(&self, names: &Bound<'_, PyList>) -> Outcome<()> {
        Ok(self.locked()?.widen(classes(names)?)?)
    }

    /// Returns the class statistics of all samples so far.
    #[pyo3(signature = (estimator, threads))]
    fn finish(&self, py: Python<'_>, estimator: &str, threads: usize) -> Outcome<Statistics> {
        let estimator: Estimator = estimator.parse::<Estimator>()?;
        let sums = self.copy()?;
        Ok(run(py, threads, |_| Ok(Statistics { core: sums.finish(estimator)? }))?)
    }

    /// Returns the classes in sorted order.
    fn classes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyList>> {
        let classes = self.locked()?.classes().clone();
        Ok(names(py, &classes)?)
    }

    /// Returns the number of samples per class.
    fn counts<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyArray1<u64>>> {
        let counts = self.locked()?.counts();
        Ok(vector(py, counts))
    }

    /// Returns the number of rows of sketches, or `None` for covariances with all entries.
    fn sketch(&self) -> Outcome<Option<usize>> {
        Ok(self.locked()?.sketch())
    }

    /// Returns the number of features.
    fn dimension(&self) -> Outcome<usize> {
        Ok(self.locked()?.dimension())
    }

    /// Returns the accumulated statistics as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyBytes>> {
        let sums = self.copy()?;
        Ok(PyBytes::new(py, &py.detach(|| sums.to_bytes())))
    }

    /// Creates accumulated statistics from bytes.
    #[classmethod]
    fn from_bytes(_: &Bound<'_, PyType>, bytes: &[u8]) -> Outcome<Self> {
        Ok(Self::holding(ClassAccumulator::from_bytes(bytes)?))
    }
}
