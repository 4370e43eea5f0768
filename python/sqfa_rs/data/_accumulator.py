"""Class statistics that are accumulated in batches, merged, and sent between processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import column_or_1d

from .. import _core
from .._threads import thread_count
from ..typing import CovarianceEstimator, Form, NamedWithNumber
from ._envelope import open_envelope, sealed
from ._inputs import all_zero, loose_points, repetition_counts, row_blocks, unwrap, without_zeros
from ._labels import check_room, class_names, joined, positions
from ._statistics import ClassStatistics, estimator_name, sketch_size
from ._streams import ArrowStream

# One part of the data, in the form of the engine.
Part = TypeVar("Part")


class ClassAccumulator:
    """Accumulator of class statistics, for data that arrive in batches.

    For each class it stores a count, a mean and a scatter about the mean. Merging two accumulators
    is exact, so parts of the data can be processed anywhere and combined later. Parts may be empty.

    The scatter of each class needs n²/2 numbers. If these do not fit into memory, a sketch
    (frequent directions) stores a few rows instead. A sketch is exact up to rank ``ROWS``, and
    :attr:`ClassStatistics.bounds` bounds its error beyond. Means and counts are exact in both
    forms.

    Parameters
    ----------
    classes : array-like of shape (n_classes,), default=None
        All labels that will be added. None adds classes as they appear.
    form : {"dense", "sketch", "sketch:ROWS"}, default="dense"
        Form of the class scatters: all n²/2 entries ("dense"), or a sketch of at most this many
        rows of n numbers (100 by default).
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels, sorted.
    counts : ndarray of shape (n_classes,)
        Number of samples of each class, as 64-bit integers.

    See Also
    --------
    class_statistics : Computes class statistics of samples in memory.

    References
    ----------
    Chan, Golub & LeVeque, "Algorithms for computing the sample variance", The American Statistician
    37, 1983.

    Ghashami, Liberty, Phillips & Woodruff, "Frequent directions: simple and deterministic matrix
    sketching", SIAM Journal on Computing 45, 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import SQFA, ClassAccumulator
    >>> X, y = load_iris(return_X_y=True)
    >>> here = ClassAccumulator().update(X[::2], y[::2])
    >>> there = ClassAccumulator().update(X[1::2], y[1::2])
    >>> both = here.merge(ClassAccumulator.from_bytes(there.to_bytes()))
    >>> both.counts.tolist(), here.counts.tolist()
    ([50, 50, 50], [25, 25, 25])
    >>> SQFA(2, random_state=0).fit_statistics(both.finish()).components_.shape
    (2, 4)
    """

    def __init__(
        self,
        classes: ArrayLike | None = None,
        *,
        form: Form = "dense",
        n_jobs: int | None = None,
    ) -> None:
        self.n_jobs = n_jobs
        self._sketch = sketch_size(form)
        self._fixed = classes is not None
        self._sums: _core.Accumulator | None = None
        self.classes: NDArray[Any] = np.unique(column_or_1d(classes)) if self._fixed else np.array([])

    @property
    def counts(self) -> NDArray[np.uint64]:
        """Number of samples of each class."""
        if self._sums is None:
            return np.zeros(len(self.classes), dtype=np.uint64)
        return self._sums.counts()

    @property
    def n_features(self) -> int | None:
        """Number of features; available after the first samples were added."""
        return None if self._sums is None else int(self._sums.dimension())

    @property
    def form(self) -> Form:
        """Form of the class scatters: "dense" or "sketch:ROWS"."""
        return "dense" if self._sketch is None else NamedWithNumber(f"sketch:{self._sketch}")

    def update(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> ClassAccumulator:
        """Add labeled samples in place; if an error is raised, nothing is added.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or Arrow stream
            Samples; an empty batch is accepted.
        y : array-like of shape (n_samples,), or str
            Class labels, or the name of the label column of an Arrow stream or frame. All batches
            of a stream are added.
        sample_weight : array-like of shape (n_samples,), default=None
            Repetition count of each sample, a whole number.

        Returns
        -------
        ClassAccumulator
            The accumulator.
        """
        if isinstance(y, str):
            for block, labels in ArrowStream(X, y):
                self.update(block, labels)
            return self
        X = loose_points(X, least=0)
        labels = column_or_1d(unwrap(y), warn=True)
        if len(labels) != X.shape[0]:
            raise ValueError(
                f"there are {len(labels)} labels for {X.shape[0]} samples: give one label per sample"
            )
        self._check_width(X.shape[1])
        if not len(labels) or all_zero(sample_weight, labels):
            return self
        X, labels, weights = without_zeros(X, labels, repetition_counts(sample_weight, X))
        classes = self._classes_with(labels)
        sums = self._room_for(classes, X.shape[1])
        codes, threads = positions(labels, classes), thread_count(self.n_jobs)
        if sparse.issparse(X):
            # The statistics so far are not changed until the update has succeeded.
            part = _core.Accumulator(class_names(classes), X.shape[1], self._sketch)
            for rows, block in row_blocks(X):
                part.update(block, codes[rows], None if weights is None else weights[rows], threads)
            sums.merge(part)
        else:
            sums.update(X, codes, weights, threads)
        self._sums, self.classes = sums, classes
        return self

    def merge(self, other: ClassAccumulator) -> ClassAccumulator:
        """Return a new accumulator with the samples of this one and of another, in this order.

        Neither accumulator is changed, so that a scheduler may run the task again on the same
        parts.

        Parameters
        ----------
        other : ClassAccumulator
            Accumulator to merge with this one.

        Returns
        -------
        ClassAccumulator
            New accumulator with the classes of both. Merging an empty accumulator does not change
            any bit.
        """
        if not isinstance(other, ClassAccumulator):
            raise TypeError(f"merge expects a ClassAccumulator, not {type(other).__name__}")
        if self.form != other.form and self._sums is not None and other._sums is not None:
            raise ValueError(
                f"an accumulator of form {other.form!r} cannot be merged into one of form "
                f"{self.form!r}: use the same form for both"
            )
        form = self.form if other._sums is None else other.form
        merged = ClassAccumulator(form=form, n_jobs=self.n_jobs)
        merged._fixed = self._fixed
        merged.classes, merged._sums = self.classes, self._sums
        if not len(other.classes):
            merged._sums = None if self._sums is None else self._sums.copied()
            return merged
        classes = self._classes_with(other.classes)
        if other._sums is not None:
            self._check_width(other._sums.dimension())
        left, right = _widened(self._sums, classes), _widened(other._sums, classes)
        if left is not None and right is not None:
            left.merge(right)
        merged.classes, merged._sums = classes, right if left is None else left
        return merged

    @classmethod
    def merge_all(cls, accumulators: Iterable[ClassAccumulator]) -> ClassAccumulator:
        """Merge many accumulators in a fixed order.

        Neighbors are merged in pairs until one accumulator is left. The result depends only on the
        parts and their order, not on which part is ready first, and round-off errors grow with the
        logarithm of the number of parts.

        Parameters
        ----------
        accumulators : iterable of ClassAccumulator
            Accumulators in order; none of them is changed.

        Returns
        -------
        ClassAccumulator
            Accumulator with the samples of all of them.

        Examples
        --------
        >>> import numpy as np
        >>> from sqfa_rs import ClassAccumulator
        >>> parts = [ClassAccumulator().update(np.eye(3) * k, [0, 1, 2]) for k in range(5)]
        >>> ClassAccumulator.merge_all(parts).counts.tolist()
        [5, 5, 5]
        """
        # Results of merged subtrees. Each subtree is at least twice as wide as the next one, so
        # only a few are in memory.
        subtrees: list[tuple[int, ClassAccumulator]] = []
        for accumulator in accumulators:
            width, sums = 1, cls(form=accumulator.form, n_jobs=accumulator.n_jobs).merge(accumulator)
            while subtrees and subtrees[-1][0] == width:
                width, sums = 2 * width, subtrees.pop()[1].merge(sums)
            subtrees.append((width, sums))
        if not subtrees:
            return cls()
        total = subtrees.pop()[1]
        while subtrees:
            total = subtrees.pop()[1].merge(total)
        return total

    def finish(self, covariance_estimator: CovarianceEstimator = "empirical") -> ClassStatistics:
        """Return the class statistics so far; each class needs at least two samples.

        Parameters
        ----------
        covariance_estimator : {"empirical", "oas"} or float, default="empirical"
            Estimator of the class covariances.

        Returns
        -------
        ClassStatistics
            Counts, means and covariances of the classes.
        """
        if self._sums is None:
            raise ValueError("the accumulator has no samples: call update first")
        core = self._sums.finish(estimator_name(covariance_estimator), thread_count(self.n_jobs))
        return ClassStatistics(core, self.classes)

    def to_bytes(self) -> bytes:
        """Return the accumulator as bytes, for another process or machine; labels keep their type.

        If the labels are 64-bit integers or text, the bytes are those of a file that ``sqfa stats``
        writes.

        Returns
        -------
        bytes
            The accumulator as bytes.
        """
        sums = b"" if self._sums is None else self._sums.to_bytes()
        return sealed(sums, self.classes, self._fixed)

    @classmethod
    def from_bytes(cls, data: bytes, *, n_jobs: int | None = None) -> ClassAccumulator:
        """Return the accumulator of the bytes of :meth:`to_bytes`; damaged bytes raise a ValueError.

        Parameters
        ----------
        data : bytes
            Bytes that :meth:`to_bytes` returned.
        n_jobs : int, default=None
            Number of threads. None uses all processors. The results do not depend on it.

        Returns
        -------
        ClassAccumulator
            Accumulator.
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(f"from_bytes expects bytes, not {type(data).__name__}")
        sums, classes, fixed = open_envelope(bytes(data))
        self = cls(n_jobs=n_jobs)
        self._sums = _core.Accumulator.from_bytes(sums) if sums else None
        self._fixed = fixed
        if self._sums is not None:
            self._sketch = self._sums.sketch()
            names = self._sums.classes()
            if classes is None:
                classes = np.array(names)
            elif class_names(classes) != names:
                raise ValueError(
                    "these bytes are not class statistics: their labels and "
                    "statistics have different lengths"
                )
        if classes is not None:
            self.classes = classes
        return self

    def _check_width(self, features: int) -> None:
        if self._sums is not None and self._sums.dimension() != features:
            raise ValueError(
                f"samples with {features} features cannot be added to class statistics with "
                f"{self._sums.dimension()} features"
            )

    def _classes_with(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Return the classes after these labels are added."""
        if self._fixed:
            positions(labels, self.classes)
            return self.classes
        return joined(self.classes, labels)

    def _room_for(self, classes: NDArray[Any], features: int) -> _core.Accumulator:
        """Return statistics with a place for each class, as a copy if there are new classes."""
        if self._sums is not None and len(classes) == len(self.classes):
            return self._sums
        check_room(len(classes), features, self._sketch)
        wider = _widened(self._sums, classes)
        if wider is not None:
            return wider
        return _core.Accumulator(class_names(classes), features, self._sketch)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state["_sums"] = None if self._sums is None else self._sums.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        sums = state.pop("_sums")
        self.__dict__.update(state)
        self._sums = None if sums is None else _core.Accumulator.from_bytes(sums)

    def __repr__(self) -> str:
        return f"ClassAccumulator({len(self.classes)} classes, {int(self.counts.sum())} samples)"


def merged_in_pairs(parts: Sequence[Part], merge: Callable[[Part, Part], Part]) -> Part:
    """Merge neighbors in pairs until one is left; parts and merge may be tasks of an engine."""
    level = list(parts)
    while len(level) > 1:
        pairs = [merge(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) - len(level) % 2 :]
    return level[0]


def _widened(sums: _core.Accumulator | None, classes: NDArray[Any]) -> _core.Accumulator | None:
    """Return a copy of statistics with a place for each class."""
    if sums is None:
        return None
    copy, names = sums.copied(), class_names(classes)
    if copy.classes() != names:
        check_room(len(classes), sums.dimension(), sums.sketch())
        copy.widen(names)
    return copy
