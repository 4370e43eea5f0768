"""Class statistics: counts, means and covariances, computed from samples or specified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import column_or_1d

from .. import _core
from .._threads import thread_count
from ..typing import CovarianceEstimator, Form
from ._inputs import loose_points, repeated, repetition_counts, row_blocks, unwrap
from ._labels import check_counts, check_room, class_names, encode

_KEYS = ("classes", "counts", "means", "covariances", "second_moments")


class ClassStatistics(Mapping[str, Any]):
    """Counts, means and covariances of all classes.

    Returned by :func:`class_statistics` and by :meth:`ClassAccumulator.finish`, or created from
    known values with :meth:`from_moments`. The ``fit_statistics`` method of every estimator accepts
    it. It is a mapping from the names of its arrays to the arrays, so ``statistics["means"]`` and
    ``dict(statistics)`` work.

    Parameters
    ----------
    core : object
        Statistics of the core. Use :func:`class_statistics` or :meth:`from_moments` to create the
        object.
    classes : ndarray of shape (n_classes,)
        Class labels, sorted.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels, sorted.
    counts : ndarray of shape (n_classes,) or None
        Number of samples of each class, if known.
    means : ndarray of shape (n_classes, n_features)
        Class means.
    covariances : ndarray of shape (n_classes, n_features, n_features)
        Class covariances with divisor N − 1, with the data type of the samples.
    second_moments : ndarray of shape (n_classes, n_features, n_features)
        Class covariances plus the outer product of the mean with itself.
    bounds : ndarray of shape (n_classes,) or None
        Bound of the error of each covariance in spectral norm if it is a sketch; None if the
        covariances are exact.

    See Also
    --------
    class_statistics : Computes class statistics of samples.
    ClassAccumulator : Accumulates class statistics of samples that arrive in batches.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs import ClassStatistics
    >>> given = ClassStatistics.from_moments(np.zeros((2, 3)), np.stack([np.eye(3), 2 * np.eye(3)]))
    >>> given.noise_scale
    1.5
    """

    def __init__(self, core: _core.Statistics, classes: NDArray[Any]) -> None:
        self._core = core
        self.classes = classes

    @classmethod
    def from_moments(
        cls,
        means: ArrayLike | None,
        covariances: ArrayLike,
        counts: ArrayLike | None = None,
        *,
        classes: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> ClassStatistics:
        """Create class statistics from known moments; without means the matrices are second moments.

        Parameters
        ----------
        means : array-like of shape (n_classes, n_features) or None
            Class means.
        covariances : array-like of shape (n_classes, n_features, n_features)
            Class covariances, or second moments E[xxᵀ] if ``means`` is None.
        counts : array-like of shape (n_classes,), default=None
            Number of samples of each class. None means that all classes have the same size.
        classes : array-like of shape (n_classes,), default=None
            Class labels, which are sorted together with the other arrays; 0, 1, … by default.
        n_jobs : int, default=None
            Number of threads. None uses all processors. The results do not depend on it.

        Returns
        -------
        ClassStatistics
            Class statistics.
        """
        matrices = numbers(covariances, "covariances", 3, [np.float64, np.float32])
        centers = None if means is None else numbers(means, "means", 2, [np.float64])
        sizes = None if counts is None else _whole(counts)
        labels = np.arange(len(matrices)) if classes is None else column_or_1d(classes)
        order = np.argsort(labels, kind="stable")
        labels = labels[order]
        if len(labels) != len(matrices):
            raise ValueError(
                f"there are {len(labels)} class labels for {len(matrices)} "
                "covariances: give one label per class"
            )
        if np.any(labels[1:] == labels[:-1]):
            raise ValueError("the class labels are not unique: give each class its own label")
        if classes is not None and np.any(order[1:] < order[:-1]):
            matrices = np.ascontiguousarray(matrices[order])
            centers = None if centers is None else np.ascontiguousarray(centers[order])
            sizes = None if sizes is None else np.ascontiguousarray(sizes[order])
        core = _core.Statistics.given(
            class_names(labels), centers, matrices, sizes, thread_count(n_jobs)
        )
        return cls(core, labels)

    # Mappings compare their values, but comparisons of arrays have no single result, so objects are
    # equal only to themselves.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __getitem__(self, name: str) -> Any:
        if name not in _KEYS:
            raise KeyError(f"there is no array {name!r}: class statistics have {', '.join(_KEYS)}")
        return getattr(self, name)

    def __contains__(self, name: object) -> bool:
        # Computing the arrays is not necessary.
        return name in _KEYS

    def __iter__(self) -> Iterator[str]:
        return iter(_KEYS)

    def __len__(self) -> int:
        return len(_KEYS)

    @property
    def counts(self) -> NDArray[np.uint64] | None:
        """Number of samples of each class, if known."""
        return self._core.counts()

    @property
    def means(self) -> NDArray[np.float64]:
        """Class means, of shape (n_classes, n_features)."""
        return self._core.means()

    @property
    def covariances(self) -> NDArray[Any]:
        """Class covariances, of shape (n_classes, n_features, n_features), as a copy."""
        return self._core.covariances()

    @property
    def bounds(self) -> NDArray[np.float64] | None:
        """Bound of the error of each covariance in spectral norm; None if the covariances are exact."""
        return self._core.bounds()

    @property
    def second_moments(self) -> NDArray[Any]:
        """Second moments Φ + γγᵀ of the classes."""
        matrices = self.covariances
        if self._core.second_moments():
            return matrices
        means = self.means.astype(matrices.dtype)
        return np.asarray(matrices + means[:, :, None] * means[:, None, :])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self._core.dimension())

    @property
    def noise_scale(self) -> float:
        """Trace of the pooled within-class covariance divided by n: ``noise="scale"``."""
        return float(self._core.noise_scale())

    def project(
        self, components: ArrayLike, noise: float = 0.0, *, n_jobs: int | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Compute class means and covariances in the feature space of some components.

        They are μ = Wγ and Σ = WΦWᵀ + σ²I for components W.

        Parameters
        ----------
        components : array-like of shape (n_components, n_features)
            Components W.
        noise : float, default=0
            Variance σ² added to every feature.
        n_jobs : int, default=None
            Number of threads. None uses all processors. The results do not depend on it.

        Returns
        -------
        means : ndarray of shape (n_classes, n_components)
            Class means μ.
        covariances : ndarray of shape (n_classes, n_components, n_components)
            Class covariances Σ.
        """
        filters = numbers(components, "components", 2, [np.float64])
        return self._core.project(filters, float(noise), thread_count(n_jobs))

    def __repr__(self) -> str:
        return f"ClassStatistics({len(self.classes)} classes, {self.n_features} features)"


def given_statistics(
    means: ArrayLike | ClassStatistics | Mapping[str, Any] | None,
    covariances: ArrayLike | None,
    counts: ArrayLike | None,
    classes: ArrayLike | None,
    n_jobs: int | None,
) -> ClassStatistics:
    """Return class statistics from the arguments of ``fit_statistics``."""
    if not isinstance(means, Mapping):
        if means is not None and covariances is None and np.ndim(means) == 3:
            # A single array of matrices contains second moments.
            means, covariances = None, means
        if covariances is None:
            raise ValueError("covariances are missing: pass them, or pass ClassStatistics")
        return ClassStatistics.from_moments(means, covariances, counts, classes=classes, n_jobs=n_jobs)
    if any(extra is not None for extra in (covariances, counts, classes)):
        raise ValueError(
            "the first argument contains all class statistics: leave out the other arguments"
        )
    if isinstance(means, ClassStatistics):
        return means
    return _from_mapping(means, n_jobs)


def _from_mapping(given: Mapping[str, Any], n_jobs: int | None) -> ClassStatistics:
    """Return statistics from a mapping; second moments are used only if there are no covariances."""
    matrices, means = given.get("covariances"), given.get("means")
    if matrices is not None and means is None:
        raise ValueError("the class statistics have 'covariances' but no 'means': add the means")
    if matrices is None:
        matrices, means = given.get("second_moments"), None
    if matrices is None:
        known = ", ".join(map(str, given)) or "nothing"
        raise ValueError(
            f"the class statistics have neither 'covariances' nor 'second_moments', only: {known}"
        )
    counts, classes = given.get("counts"), given.get("classes")
    return ClassStatistics.from_moments(means, matrices, counts, classes=classes, n_jobs=n_jobs)


def class_statistics(
    X: Any,
    y: Any,
    *,
    sample_weight: ArrayLike | None = None,
    covariance_estimator: CovarianceEstimator = "empirical",
    form: Form = "dense",
    n_jobs: int | None = None,
) -> ClassStatistics:
    """Compute counts, means and covariances of labeled samples.

    The data may consist of a single class, although fits need at least two.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features), or Arrow stream
        Samples.
    y : array-like of shape (n_samples,), or str
        Class labels, or the name of the label column of an Arrow stream or frame.
    sample_weight : array-like of shape (n_samples,), default=None
        Repetition count of each sample, a whole number.
    covariance_estimator : {"empirical", "oas", "ledoit-wolf"} or float, default="empirical"
        Estimator of the class covariances. A number s from 0 to 1 gives (1 − s)Φ + s(tr Φ/n)I.
        "ledoit-wolf" is not available for sketches and streams.
    form : {"dense", "sketch", "sketch:ROWS"}, default="dense"
        Form of the class covariances: all entries ("dense"), or a sketch with a number of rows (100
        by default) and a bound of its error, for data whose n² entries do not fit into memory. For
        sketches, only "empirical" and a number are available as ``covariance_estimator``.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.

    Returns
    -------
    ClassStatistics
        Counts, means and covariances of the classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import class_statistics
    >>> X, y = load_iris(return_X_y=True)
    >>> class_statistics(X, y).means.round(1)[0].tolist()
    [5.0, 3.4, 1.5, 0.2]
    """
    if isinstance(y, str):
        if sample_weight is not None:
            raise ValueError("sample_weight is not supported for a stream: leave it out")
        from ._accumulator import ClassAccumulator

        return ClassAccumulator(form=form, n_jobs=n_jobs).update(X, y).finish(covariance_estimator)
    if sketch_size(form) is not None:
        from ._accumulator import ClassAccumulator

        sums = ClassAccumulator(form=form, n_jobs=n_jobs)
        return sums.update(X, y, sample_weight).finish(covariance_estimator)
    X = loose_points(X)
    weights = repetition_counts(sample_weight, X)
    labels = column_or_1d(unwrap(y), warn=True)
    if len(labels) != X.shape[0]:
        raise ValueError(
            f"there are {len(labels)} labels for {X.shape[0]} samples: give one label per sample"
        )
    classes, codes = encode(labels, weights)
    return statistics_of(X, classes, codes, weights, covariance_estimator, thread_count(n_jobs))


def statistics_of(
    X: Any,
    classes: NDArray[Any],
    codes: NDArray[np.uint32],
    weights: NDArray[np.uint64] | None,
    covariance_estimator: str | float,
    threads: int,
    *,
    keep_samples: bool = False,
) -> ClassStatistics:
    """Return statistics of validated samples; ``keep_samples`` stores samples for covariances."""
    check_counts(classes, codes, weights)
    names, estimator = class_names(classes), estimator_name(covariance_estimator)
    if keep_samples:
        X, codes = repeated(X, codes, weights)
        make = _sparse_statistics if sparse.issparse(X) else _core.sample_statistics
        return ClassStatistics(make(X, names, codes, estimator, threads), classes)
    check_room(len(classes), X.shape[1])
    if not sparse.issparse(X):
        core = _core.class_statistics(X, names, codes, weights, estimator, threads)
        return ClassStatistics(core, classes)
    sums = _core.Accumulator(names, X.shape[1])
    for block in _blocks(X, codes, weights):
        sums.update(*block, threads)
    if estimator != "ledoit-wolf":
        return ClassStatistics(sums.finish(estimator, threads), classes)
    # The shrinkage depends on the distances of single samples from their mean, which needs a second
    # pass.
    plain = sums.finish("empirical", threads)
    fourth = np.zeros(len(classes))
    for block in _blocks(X, codes, weights):
        fourth += plain.fourth_moments(*block, threads)
    return ClassStatistics(plain.ledoit_wolf(fourth), classes)


def _blocks(
    X: Any, codes: NDArray[np.uint32], weights: NDArray[np.uint64] | None
) -> Iterator[tuple[NDArray[Any], NDArray[np.uint32], NDArray[np.uint64] | None]]:
    """Yield dense blocks of a sparse matrix with their classes and weights."""
    for rows, block in row_blocks(X):
        yield block, codes[rows], None if weights is None else weights[rows]


def sparse_statistics(
    X: Any,
    classes: NDArray[Any],
    codes: NDArray[np.uint32],
    weights: NDArray[np.uint64] | None,
    threads: int,
) -> ClassStatistics:
    """Return statistics of a large sparse matrix in the form that needs less memory."""
    count = int(X.shape[0] if weights is None else weights.sum())
    width = 8 if X.dtype == np.float64 else 4
    keep = _core.keeps_sparse(int(X.nnz), count, X.shape[1], len(classes), width)
    return statistics_of(X, classes, codes, weights, "empirical", threads, keep_samples=keep)


def _sparse_statistics(
    X: Any,
    names: list[Any],
    codes: NDArray[np.uint32],
    estimator: str,
    threads: int,
) -> _core.Statistics:
    """Return statistics that are stored as the rows of a sparse matrix."""
    values = X.data if X.dtype in (np.float64, np.float32) else X.data.astype(np.float32)
    return _core.sparse_statistics(
        X.shape[1],
        X.indptr.astype(np.uint64),
        X.indices.astype(np.uint32),
        np.ascontiguousarray(values),
        names,
        codes,
        estimator,
        threads,
    )


def estimator_name(covariance: str | float) -> str:
    """Return a covariance estimator in the core's form: its name, or a fixed shrinkage."""
    if isinstance(covariance, str):
        return covariance
    if not isinstance(covariance, Real) or isinstance(covariance, bool):
        raise TypeError(f"covariance_estimator must be a name or a number, not {covariance!r}")
    return repr(float(covariance))


def sketch_size(form: str) -> int | None:
    """Return the number of rows of a sketch, or None if all entries are kept."""
    if not isinstance(form, str):
        raise TypeError(f"form must be 'dense', 'sketch' or 'sketch:ROWS', not {form!r}")
    kind, _, rows = form.partition(":")
    if form == "dense":
        return None
    if kind != "sketch" or (":" in form and not rows.isdecimal()):
        raise ValueError(f"form must be 'dense', 'sketch' or 'sketch:ROWS', not {form!r}")
    size = int(rows) if rows else _core.SKETCH_SIZE
    if not 1 <= size <= _core.LARGEST_SKETCH:
        raise ValueError(f"form is a sketch of {size} rows: give 1 to {_core.LARGEST_SKETCH} rows")
    return size


def needs_points(covariance: str | float) -> bool:
    """Return whether a covariance estimator needs samples, not only class statistics."""
    return isinstance(covariance, str) and covariance.split(":")[0] in ("t", "tyler", "mcd")


def numbers(values: ArrayLike, what: str, rank: int, dtypes: list[Any]) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{what} must contain real numbers, but its type is {array.dtype}")
    if array.ndim != rank:
        raise ValueError(f"{what} must have {rank} dimensions, not {array.ndim}")
    dtype = array.dtype if array.dtype in dtypes else dtypes[0]
    return np.require(array, dtype=dtype, requirements=["C", "A"])


def _whole(counts: ArrayLike) -> NDArray[np.uint64]:
    array = column_or_1d(counts)
    if array.dtype.kind not in "fiu" or np.any(array != np.floor(array)) or np.any(array < 1):
        raise ValueError("counts must be positive whole numbers")
    return np.ascontiguousarray(array, dtype=np.uint64)
