//! Class statistics as a Python class.

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use numpy::{PyArray3, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyList, PyType};
use sqfa::ClassStatistics;
use sqfa::statistics::{Entries, GivenMatrices, Moments, project};

use crate::arrays::{PointArray, filters, from_mat_transposed, matrix, slice, stack, vector};
use crate::classes::{classes, labels, names};
use crate::errors::{Outcome, invalid};
use crate::running::run;

type MeansAndCovariances<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray3<f64>>);

/// The counts, means and covariances of all classes.
#[pyclass(module = "sqfa_rs._core", frozen)]
pub(crate) struct Statistics {
    pub(crate) core: ClassStatistics,
}

#[pymethods]
impl Statistics {
    /// Creates class statistics from means and covariances, or from second moments if there are no
    /// means.
    #[classmethod]
    #[pyo3(signature = (labels, means, matrices, counts, threads))]
    fn given(
        _: &Bound<'_, PyType>,
        py: Python<'_>,
        labels: &Bound<'_, PyList>,
        means: Option<PyReadonlyArray2<'_, f64>>,
        matrices: &Bound<'_, PyAny>,
        counts: Option<PyReadonlyArray1<'_, u64>>,
        threads: usize,
    ) -> Outcome<Self> {
        let classes = classes(labels)?;
        let held = Matrices::new(matrices)?;
        let [count, n, width] = held.shape();
        let matrices = held.given()?;
        if n != width || count != classes.len() || n == 0 {
            return Err(invalid(format!(
                "covariances have shape ({count}, {n}, {width}); expected ({}, n, n)",
                classes.len()
            )));
        }
        let counts = counts.as_ref().map(|counts| slice(counts, "counts")).transpose()?;
        let counts = counts.map(<[u64]>::to_vec);
        let means = match &means {
            Some(means) if means.shape() != [count, n] => {
                return Err(invalid(format!(
                    "means have shape {:?}; expected ({count}, {n})",
                    means.shape()
                )));
            }
            Some(means) => Some(slice(means, "means")?),
            None => None,
        };
        Ok(run(py, threads, |_| {
            let core = match means {
                Some(means) => ClassStatistics::from_moments(classes, counts, means, matrices)?,
                None => ClassStatistics::from_second_moments(classes, counts, n, matrices)?,
            };
            Ok(Self { core })
        })?)
    }

    /// Returns the classes in sorted order.
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        names(py, self.core.classes())
    }

    /// Returns the number of samples per class, or `None` if it is unknown.
    fn counts<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u64>>> {
        self.core.counts().map(|counts| vector(py, counts.to_vec()))
    }

    /// Returns the class means as a classes × features array.
    fn means<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        from_mat_transposed(py, self.core.means().as_ref())
    }

    /// Returns the class covariances as a classes × features × features array, in their own
    /// precision.
    fn covariances<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        let n = self.core.dimension();
        let shape = [self.core.classes().len(), n, n];
        let entries: Option<Vec<Entries<'_>>> =
            self.core.covariances().iter().map(|covariance| covariance.entries()).collect();
        let entries = entries
            .ok_or_else(|| invalid("these covariances are not kept entry by entry: see project"))?;
        let single = entries.iter().all(|entries| matches!(entries, Entries::F32(_)));
        if single {
            let mut values = Vec::with_capacity(shape.iter().product());
            for entries in entries {
                if let Entries::F32(entries) = entries {
                    values.extend(entries.full(|value| value));
                }
            }
            return Ok(stack(py, values, shape)?.into_any());
        }
        let mut values = Vec::with_capacity(shape.iter().product());
        for entries in entries {
            values.extend(entries.to_full());
        }
        Ok(stack(py, values, shape)?.into_any())
    }

    /// Returns Σ|y|⁴ per class over some samples, where y is the difference between a sample and
    /// its class mean.
    #[pyo3(signature = (points, codes, weights, threads))]
    fn fourth_moments<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'_, PyAny>,
        codes: PyReadonlyArray1<'_, u32>,
        weights: Option<PyReadonlyArray1<'_, u64>>,
        threads: usize,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let array = PointArray::borrow(points)?;
        let points = array.points()?;
        let labels = labels(self.core.classes(), &codes)?;
        let weights = weights.as_ref().map(|weights| slice(weights, "weights")).transpose()?;
        let sums = run(py, threads, |_| Ok(self.core.fourth_moments(points, &labels, weights)?))?;
        Ok(vector(py, sums))
    }

    /// Returns the statistics with covariances shrunk by the fraction of Ledoit and Wolf, which
    /// follows from the sums of fourth moments over all samples.
    fn ledoit_wolf(&self, fourth: PyReadonlyArray1<'_, f64>) -> Outcome<Self> {
        Ok(Self { core: self.core.ledoit_wolf(slice(&fourth, "fourth")?)? })
    }

    /// Returns a bound on the error of every covariance, or `None` if no covariance is a sketch.
    fn bounds<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.core.bounds().map(|bounds| vector(py, bounds))
    }

    /// Whether these are second moments without means.
    fn second_moments(&self) -> bool {
        self.core.moments() == Moments::Second
    }

    /// Returns the number of features.
    fn dimension(&self) -> usize {
        self.core.dimension()
    }

    /// Returns the trace of the pooled within-class covariance, divided by the number of features.
    fn noise_scale(&self) -> f64 {
        self.core.noise_scale()
    }

    /// Returns the means and covariances in the feature space of some components. The noise is
    /// added to the diagonals.
    #[pyo3(signature = (components, noise, threads))]
    fn project<'py>(
        &self,
        py: Python<'py>,
        components: PyReadonlyArray2<'py, f64>,
        noise: f64,
        threads: usize,
    ) -> Outcome<MeansAndCovariances<'py>> {
        let filters = filters(&components)?;
        if filters.nrows() != self.core.dimension() {
            return Err(invalid(format!(
                "components have {} dimensions, the statistics {}",
                filters.nrows(),
                self.core.dimension()
            )));
        }
        let gaussians = run(py, threads, |_| Ok(project(&self.core, filters.as_ref(), noise)))?;
        let (c, m) = (gaussians.len(), gaussians.order());
        let means = (0..c).flat_map(|class| gaussians.mean(class).to_vec()).collect();
        let covariances = (0..c).flat_map(|class| gaussians.covariance(class).to_vec()).collect();
        Ok((matrix(py, means, c, m)?, stack(py, covariances, [c, m, m])?))
    }
}

/// An array of matrices in single or double precision, which is borrowed while it is read.
enum Matrices<'py> {
    F32(PyReadonlyArray3<'py, f32>),
    F64(PyReadonlyArray3<'py, f64>),
}

impl<'py> Matrices<'py> {
    fn new(array: &Bound<'py, PyAny>) -> Outcome<Self> {
        if let Ok(array) = array.cast::<PyArray3<f32>>() {
            return Ok(Self::F32(array.try_readonly().map_err(PyErr::from)?));
        }
        if let Ok(array) = array.cast::<PyArray3<f64>>() {
            return Ok(Self::F64(array.try_readonly().map_err(PyErr::from)?));
        }
        let message = "covariances must be a three-dimensional array of float64 or float32";
        Err(PyTypeError::new_err(message).into())
    }

    fn shape(&self) -> [usize; 3] {
        let shape = match self {
            Self::F32(array) => array.shape(),
            Self::F64(array) => array.shape(),
        };
        [shape[0], shape[1], shape[2]]
    }

    /// Returns the matrices without a copy, one per class.
    fn given(&self) -> Outcome<GivenMatrices<'_>> {
        let [_, rows, columns] = self.shape();
        let size = (rows * columns).max(1);
        Ok(match self {
            Self::F32(array) => {
                GivenMatrices::BorrowedF32(slice(array, "covariances")?.chunks(size).collect())
            }
            Self::F64(array) => {
                GivenMatrices::BorrowedF64(slice(array, "covariances")?.chunks(size).collect())
            }
        })
    }
}
