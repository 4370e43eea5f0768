"""Functions that an engine runs on every part of the data, and that can be sent to workers.

Folds and subsamples depend on a seeded hash of the values of each sample. Therefore they do not
depend on the partitions, and a task that runs again gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from .. import _core
from ..data import ClassAccumulator
from ..data._inputs import all_zero, dense, loose_points, repeated, repetition_counts, without_zeros
from ..data._labels import class_names, joined, positions
from ..typing import Form

# Function of one part of the data: samples, labels, weights and the number of the first row of the
# part.
Work = Callable[[Any, Any, Any, int], Any]
# Components with their classifier: components, offset, means, covariances, priors.
Candidate = tuple[Any, ...]

# Subsamples use a different hash than folds.
_SAMPLES = 0x5A3D


@dataclass(frozen=True)
class Sums:
    """Compute the class statistics of a part."""

    form: Form = "dense"

    def __call__(self, X: Any, y: Any, weight: Any, first: int) -> ClassAccumulator:
        """Class statistics."""
        # One thread, because the engine already uses all processors of its workers.
        return ClassAccumulator(form=self.form, n_jobs=1).update(X, np.asarray(y), weight)


@dataclass(frozen=True)
class FoldSums:
    """Compute the class statistics of each fold of a part, and of samples never held out."""

    parts: int
    held: int
    seed: int

    def __call__(self, X: Any, y: Any, weight: Any, first: int) -> list[ClassAccumulator]:
        """Class statistics of each fold."""
        folds = [ClassAccumulator(n_jobs=1) for _ in range(self.held + 1)]
        points, labels, weights = _checked(X, y, weight)
        if not len(labels):
            return folds
        fold = np.minimum(_folds(points, self.seed, self.parts), self.held)
        for at, sums in enumerate(folds):
            rows = fold == at
            if rows.any():
                sums.update(points[rows], labels[rows], None if weights is None else weights[rows])
        return folds


@dataclass(frozen=True)
class Scored:
    """Compute exact sums of the scores of candidates on held-out samples of a part."""

    folds: list[tuple[int, list[Candidate]]]
    held: list[bool]
    classes: NDArray[Any]
    parts: int
    seed: int

    def __call__(self, X: Any, y: Any, weight: Any, first: int) -> NDArray[np.int64]:
        """Sums over all folds."""
        order = 1 + len(self.folds[0][1])
        total = np.zeros((2, order, order), dtype=np.int64)
        points, labels, weights = _checked(X, y, weight)
        if not len(labels):
            return total
        codes, fold = positions(labels, self.classes), _folds(points, self.seed, self.parts)
        held = np.array(self.held)[codes]
        names = class_names(self.classes)
        for at, candidates in self.folds:
            rows = held & (fold == at)
            own = None if weights is None else weights[rows]
            if rows.any():
                scorers: list[Any] = [tuple(map(_aligned, one)) for one in candidates]
                total += _core.tally(scorers, names, points[rows], codes[rows], own, 1)
        return total


@dataclass(frozen=True)
class Counted:
    """Count the samples of each class in a part, its columns and the size of a number."""

    def __call__(self, X: Any, y: Any, weight: Any, first: int) -> tuple[Any, Any, int, int]:
        """Classes, counts, number of columns and bytes per number."""
        points, labels, weights = _checked(X, y, weight)
        classes, codes = np.unique(labels, return_inverse=True)
        sizes = np.ones(len(labels), dtype=np.uint64) if weights is None else weights
        counts = np.zeros(len(classes), dtype=np.int64)
        np.add.at(counts, codes, sizes.astype(np.int64))
        width = points.shape[1] if len(labels) else 0
        return classes, counts, width, points.dtype.itemsize


@dataclass(frozen=True)
class Sampled:
    """Draw a random subsample of a part: samples, or their features in single precision."""

    classes: NDArray[Any]
    shares: NDArray[np.float64]
    seed: int
    components: NDArray[np.float64] | None = None
    offset: NDArray[np.float64] | None = None

    def __call__(self, X: Any, y: Any, weight: Any, first: int) -> tuple[Any, NDArray[np.uint32]]:
        """Samples or features, and the indices of their classes."""
        points, labels, weights = _checked(X, y, weight)
        if not len(labels):
            return None, np.zeros(0, dtype=np.uint32)
        codes = positions(labels, self.classes)
        keys = _core.row_keys(points, self.seed ^ _SAMPLES, first, 1)
        rows = keys.astype(np.float64) / 2.0**64 < self.shares[codes]
        own = None if weights is None else weights[rows]
        points, codes = repeated(points[rows], codes[rows], own)
        if self.components is None:
            return points, codes
        if not len(codes):
            return np.zeros((0, len(self.components)), dtype=np.float32), codes
        components, offset = _aligned(self.components), _aligned(self.offset)
        features = _core.transform(np.ascontiguousarray(points), components, offset, 1)
        return features.astype(np.float32), codes


def added(left: Any, right: Any) -> Any:
    """Merge two neighboring results; neither is changed, so that a task may run again."""
    if isinstance(left, ClassAccumulator):
        return left.merge(right)
    if isinstance(left, list):
        return [a.merge(b) for a, b in zip(left, right, strict=True)]
    return left + right


def all_counts(
    parts: Sequence[tuple[Any, Any, int, int]],
) -> tuple[NDArray[Any], NDArray[Any], int, int]:
    """Counts of all parts: classes, samples per class, columns and bytes per number."""
    classes: NDArray[Any] = np.array([])
    for part in parts:
        classes = joined(classes, part[0])
    counts = np.zeros(len(classes), dtype=np.int64)
    for own, sizes, _, _ in parts:
        if len(own):
            counts[positions(own, classes)] += sizes
    widths = [part[2] for part in parts if part[2]]
    if not widths:
        raise ValueError("the data have no samples")
    if len(set(widths)) > 1:
        raise ValueError(
            f"partitions have {min(widths)} to {max(widths)} columns: use "
            "the same columns in all partitions"
        )
    return classes, counts, widths[0], max(part[3] for part in parts)


def _checked(
    X: Any, y: Any, weight: Any
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.uint64] | None]:
    """Return validated samples, labels and weights of a part."""
    points, labels = loose_points(X, least=0), column_or_1d(np.asarray(y), warn=True)
    if len(labels) != points.shape[0]:
        raise ValueError(
            f"there are {len(labels)} labels for {points.shape[0]} samples: give one label per sample"
        )
    if not len(labels) or all_zero(weight, labels):
        return points[:0], labels[:0], None
    points = dense(points)
    points, labels, weights = without_zeros(points, labels, repetition_counts(weight, points))
    if not len(labels):
        return points, labels, None
    if points.dtype.kind == "f" and not np.isfinite(points).all():
        # The accumulator reports the row and the value.
        ClassAccumulator(n_jobs=1).update(points, labels)
    return points, labels, weights


def _aligned(array: Any) -> Any:
    """Return an array from another process in a form that the core can read."""
    return None if array is None else np.require(array, requirements=["C", "A"])


def _folds(points: NDArray[Any], seed: int, parts: int) -> NDArray[np.int64]:
    keys = _core.row_keys(points, seed, None, 1)
    return (keys % np.uint64(parts)).astype(np.int64)
