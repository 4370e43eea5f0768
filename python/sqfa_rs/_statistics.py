"""Class statistics: counts, means and covariances, in one go or streamed."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import column_or_1d

from . import _core
from ._inputs import loose_points, repetition_counts, row_blocks
from ._labels import check_counts, check_room, class_names, encode, positions
from ._streams import ArrowStream
from ._threads import thread_count


class ClassStatistics:
    """Counts, means and covariances of every class.

    Made by :func:`class_statistics`, by :meth:`ClassAccumulator.finish`, or from given numbers with
    :meth:`from_moments`; every estimator's ``fit_statistics`` takes it.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The class labels, sorted.
    counts : ndarray of shape (n_classes,) or None
        Points of every class, where known.
    means : ndarray of shape (n_classes, n_features)
        Class means.
    covariances : ndarray of shape (n_classes, n_features, n_features)
        Class covariances with divisor N − 1, in the precision of the data.

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
        """Statistics from given numbers; without means the matrices are second moments.

        Parameters
        ----------
        means : array-like of shape (n_classes, n_features) or None
            Class means.
        covariances : array-like of shape (n_classes, n_features, n_features)
            Covariances, or second moments E[xxᵀ] when ``means`` is None.
        counts : array-like of shape (n_classes,), default=None
            Points of every class; equal shares when not known.
        classes : array-like of shape (n_classes,), default=None
            Labels, sorted here together with everything else; 0, 1, … by default.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        ClassStatistics
        """
        matrices = _numbers(covariances, "covariances", 3, [np.float64, np.float32])
        centres = None if means is None else _numbers(means, "means", 2, [np.float64])
        sizes = None if counts is None else _whole(counts)
        labels = np.arange(len(matrices)) if classes is None else column_or_1d(classes)
        order = np.argsort(labels, kind="stable")
        labels = labels[order]
        if len(labels) != len(matrices):
            raise ValueError(f"{len(labels)} classes for {len(matrices)} covariances")
        if np.any(labels[1:] == labels[:-1]):
            raise ValueError("the classes are not distinct: give every class one label")
        if classes is not None and np.any(order[1:] < order[:-1]):
            matrices = np.ascontiguousarray(matrices[order])
            centres = None if centres is None else np.ascontiguousarray(centres[order])
            sizes = None if sizes is None else np.ascontiguousarray(sizes[order])
        core = _core.Statistics.given(
            class_names(labels), centres, matrices, sizes, thread_count(n_jobs)
        )
        return cls(core, labels)

    @property
    def counts(self) -> NDArray[np.uint64] | None:
        """Points of every class, where known."""
        return self._core.counts()

    @property
    def means(self) -> NDArray[np.float64]:
        """Class means, of shape (n_classes, n_features)."""
        return self._core.means()

    @property
    def covariances(self) -> NDArray[Any]:
        """Class covariances, of shape (n_classes, n_features, n_features); every access copies."""
        return self._core.covariances()

    @property
    def n_features(self) -> int:
        """The number of dimensions."""
        return int(self._core.dimension())

    @property
    def noise_scale(self) -> float:
        """The trace of the pooled within-class covariance divided by n: what noise='scale' uses."""
        return float(self._core.noise_scale())

    def project(
        self, components: ArrayLike, noise: float = 0.0, *, n_jobs: int | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Class means and covariances in the feature space of some components.

        μ = Wγ and Σ = WΦWᵀ + σ²I for components W of shape (n_components, n_features).
        """
        filters = _numbers(components, "components", 2, [np.float64])
        return self._core.project(filters, float(noise), thread_count(n_jobs))

    def __repr__(self) -> str:
        return f"ClassStatistics({len(self.classes)} classes, {self.n_features} features)"


def class_statistics(
    X: Any,
    y: Any,
    *,
    sample_weight: ArrayLike | None = None,
    covariance: str | float = "empirical",
    n_jobs: int | None = None,
) -> ClassStatistics:
    """Counts, means and covariances of labelled points.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features), or Arrow stream
        Points.
    y : array-like of shape (n_samples,), or str
        Labels, or the name of the label column of an Arrow stream or frame.
    sample_weight : array-like of shape (n_samples,), default=None
        Whole numbers: how often each point counts.
    covariance : {"empirical", "oas", "ledoit-wolf"} or float, default="empirical"
        The estimator of the class covariances; a number from 0 to 1 is the share s of
        (1 − s)Φ + s(tr Φ/n)I.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    ClassStatistics

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
            raise ValueError("sample_weight cannot be given for a stream")
        return ClassAccumulator(n_jobs=n_jobs).update(X, y).finish(covariance)
    X = loose_points(X)
    weights = repetition_counts(sample_weight, X)
    labels = column_or_1d(y, warn=True)
    if len(labels) != X.shape[0]:
        raise ValueError(f"{len(labels)} labels for {X.shape[0]} points: give one label per point")
    classes, codes = encode(labels, weights)
    return statistics_of(X, classes, codes, weights, covariance, thread_count(n_jobs))


def statistics_of(
    X: Any,
    classes: NDArray[Any],
    codes: NDArray[np.uint32],
    weights: NDArray[np.uint64] | None,
    covariance: str | float,
    threads: int,
    *,
    keep_sparse: bool = False,
) -> ClassStatistics:
    """Statistics of validated points; with ``keep_sparse`` sparse ones may stay as they are."""
    check_counts(classes, codes, weights)
    names, estimator = class_names(classes), estimator_name(covariance)
    if keep_sparse and sparse.issparse(X):
        width = 8 if X.dtype == np.float64 else 4
        count = int(X.shape[0] if weights is None else weights.sum())
        if _core.keeps_sparse(int(X.nnz), count, X.shape[1], len(classes), width):
            core = _sparse_statistics(X, names, codes, weights, estimator, threads)
            return ClassStatistics(core, classes)
    check_room(len(classes), X.shape[1])
    if not sparse.issparse(X):
        core = _core.class_statistics(X, names, codes, weights, estimator, threads)
        return ClassStatistics(core, classes)
    sums = _core.Accumulator(names, X.shape[1])
    for rows, block in row_blocks(X):
        part = None if weights is None else weights[rows]
        sums.update(block, codes[rows], part, threads)
    return ClassStatistics(sums.finish(estimator, threads), classes)


def _sparse_statistics(
    X: Any,
    names: list[Any],
    codes: NDArray[np.uint32],
    weights: NDArray[np.uint64] | None,
    estimator: str,
    threads: int,
) -> _core.Statistics:
    """Statistics kept as the rows of a sparse matrix, each as often as it counts."""
    if weights is not None:
        repeated = np.repeat(np.arange(len(codes)), weights.astype(np.int64))
        X, codes = X[repeated], np.ascontiguousarray(codes[repeated])
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


class ClassAccumulator:
    """Class statistics that stream and merge.

    Per class it keeps a count, a mean and a scatter about the mean; two accumulators merge exactly, so
    that parts of the data may be seen anywhere and joined later.

    Parameters
    ----------
    classes : array-like of shape (n_classes,), default=None
        The labels to come. Without them, classes are added as they appear.
    n_jobs : int, default=None
        Threads.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    counts : ndarray of shape (n_classes,)
        Points seen of every class, as 64-bit numbers.

    References
    ----------
    Chan, Golub & LeVeque, "Algorithms for computing the sample variance", The American Statistician
    37, 1983.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import SQFA, ClassAccumulator
    >>> X, y = load_iris(return_X_y=True)
    >>> here = ClassAccumulator().update(X[::2], y[::2])
    >>> there = ClassAccumulator().update(X[1::2], y[1::2])
    >>> both = here.merge(ClassAccumulator.from_bytes(there.to_bytes()))
    >>> both.counts.tolist()
    [50, 50, 50]
    >>> SQFA(2, random_state=0).fit_statistics(both.finish()).components_.shape
    (2, 4)
    """

    def __init__(self, classes: ArrayLike | None = None, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs
        self._fixed = classes is not None
        self._sums: _core.Accumulator | None = None
        self.classes: NDArray[Any] = np.unique(column_or_1d(classes)) if self._fixed else np.array([])

    @property
    def counts(self) -> NDArray[np.uint64]:
        """Points seen of every class."""
        if self._sums is None:
            return np.zeros(len(self.classes), dtype=np.uint64)
        return self._sums.counts()

    @property
    def n_features(self) -> int | None:
        """The number of dimensions, once points were seen."""
        return None if self._sums is None else int(self._sums.dimension())

    def update(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> ClassAccumulator:
        """Add labelled points; nothing is added when anything is wrong with them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or Arrow stream
            Points.
        y : array-like of shape (n_samples,), or str
            Labels, or the name of the label column of an Arrow stream or frame, all batches of which
            are added.
        sample_weight : array-like of shape (n_samples,), default=None
            Whole numbers: how often each point counts.

        Returns
        -------
        ClassAccumulator
            Itself.
        """
        if isinstance(y, str):
            for block, labels in ArrowStream(X, y):
                self.update(block, labels)
            return self
        X = loose_points(X)
        weights = repetition_counts(sample_weight, X)
        labels = column_or_1d(y, warn=True)
        if len(labels) != X.shape[0]:
            raise ValueError(f"{len(labels)} labels for {X.shape[0]} points: give one label per point")
        sums = self._make_room(labels, X.shape[1])
        codes = positions(labels, self.classes)
        threads = thread_count(self.n_jobs)
        if not sparse.issparse(X):
            sums.update(X, codes, weights, threads)
            return self
        # Apart from the sums so far, so that a failure half-way leaves them as they were.
        part = _core.Accumulator(class_names(self.classes), X.shape[1])
        for rows, block in row_blocks(X):
            part.update(block, codes[rows], None if weights is None else weights[rows], threads)
        sums.merge(part)
        return self

    def merge(self, other: ClassAccumulator) -> ClassAccumulator:
        """Add what another accumulator has seen; returns itself."""
        if other._sums is None:
            return self
        theirs = other._sums
        if self._sums is not None and self._sums.dimension() != theirs.dimension():
            raise ValueError(
                f"points of {theirs.dimension()} dimensions cannot join statistics of "
                f"{self._sums.dimension()} dimensions"
            )
        sums = self._make_room(other.classes, theirs.dimension())
        if len(other.classes) != len(self.classes):
            theirs = _core.Accumulator.from_bytes(theirs.to_bytes())
            theirs.widen(class_names(self.classes))
        sums.merge(theirs)
        return self

    def finish(self, covariance: str | float = "empirical") -> ClassStatistics:
        """The statistics so far; needs at least two classes with at least two points each."""
        if self._sums is None:
            raise ValueError("no points yet: call update first")
        core = self._sums.finish(estimator_name(covariance), thread_count(self.n_jobs))
        return ClassStatistics(core, self.classes)

    def to_bytes(self) -> bytes:
        """The sums as bytes, for another process or machine; labels become whole numbers or text."""
        if self._sums is None:
            raise ValueError("no points yet: call update first")
        return self._sums.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes, *, n_jobs: int | None = None) -> ClassAccumulator:
        """The accumulator in the bytes of :meth:`to_bytes`; damaged bytes raise a ValueError."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(f"from_bytes takes bytes, not {type(data).__name__}")
        self = cls(n_jobs=n_jobs)
        sums = _core.Accumulator.from_bytes(bytes(data))
        self._sums = sums
        self.classes = np.array(sums.classes())
        return self

    def _make_room(self, labels: NDArray[Any], features: int) -> _core.Accumulator:
        """The sums, with a place for every one of the labels."""
        new = np.unique(labels)
        if self._sums is not None and np.isin(new, self.classes).all():
            return self._sums
        if self._fixed:
            positions(labels, self.classes)
        else:
            joined = new if len(self.classes) == 0 else np.unique(np.concatenate([self.classes, new]))
            if len(self.classes) and joined.dtype.kind != self.classes.dtype.kind:
                raise ValueError("labels of another kind than before: keep all text or all numbers")
            self.classes = joined
        check_room(len(self.classes), features)
        names = class_names(self.classes)
        if self._sums is None:
            self._sums = _core.Accumulator(names, features)
        else:
            self._sums.widen(names)
        return self._sums

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state["_sums"] = None if self._sums is None else self._sums.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        sums = state.pop("_sums")
        self.__dict__.update(state)
        self._sums = None if sums is None else _core.Accumulator.from_bytes(sums)

    def __repr__(self) -> str:
        return f"ClassAccumulator({len(self.classes)} classes, {int(self.counts.sum())} points)"


def estimator_name(covariance: str | float) -> str:
    """A covariance estimator as the core takes it: its name, or the number of a fixed shrinkage."""
    if isinstance(covariance, str):
        return covariance
    if not isinstance(covariance, Real) or isinstance(covariance, bool):
        raise TypeError(f"covariance must be a name or a number, not {covariance!r}")
    return repr(float(covariance))


def _numbers(values: ArrayLike, what: str, rank: int, dtypes: list[Any]) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{what} must be real numbers, not {array.dtype}")
    if array.ndim != rank:
        raise ValueError(f"{what} must have {rank} dimensions, not {array.ndim}")
    dtype = array.dtype if array.dtype in dtypes else dtypes[0]
    return np.require(array, dtype=dtype, requirements=["C", "A"])


def _whole(counts: ArrayLike) -> NDArray[np.uint64]:
    array = column_or_1d(counts)
    if array.dtype.kind not in "fiu" or np.any(array != np.floor(array)) or np.any(array < 1):
        raise ValueError("counts must be positive whole numbers")
    return np.ascontiguousarray(array, dtype=np.uint64)
