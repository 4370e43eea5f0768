"""What an engine runs on every part of the data: functions of one part that travel.

Parts and samples are chosen by a seeded number made of every point's own values, so that no partitioning
changes them and a task that runs again gives the same.
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

# A part of the data becomes a result: points, labels, weights and the number of the part's first row.
Work = Callable[[Any, Any, Any, int], Any]
# Filters with their classifier: components, offset, means, covariances, priors.
Candidate = tuple[Any, ...]

# A sample is drawn by other numbers than the parts are.
_SAMPLES = 0x5A3D


@dataclass(frozen=True)
class Sums:
    """The sums of a part."""

    form: Form = "dense"

    def __call__(self, X: Any, y: Any, weight: Any, first: int) -> ClassAccumulator:
        """The sums."""
        # One thread: the engine keeps its workers' processors busy by itself.
        return ClassAccumulator(form=self.form, n_jobs=1).update(X, np.asarray(y), weight)


@dataclass(frozen=True)
class FoldSums:
    """The sums of the points of a part that are held out in turn, and last of those that never are."""

    parts: int
    held: int
    seed: int

    def __call__(self, X: Any, y: Any, weight: Any, first: int) -> list[ClassAccumulator]:
        """The sums, fold by fold."""
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
    """The exact sums of the scores of candidates on points of a part that these did not learn from."""

    folds: list[tuple[int, list[Candidate]]]
    held: list[bool]
    classes: NDArray[Any]
    parts: int
    seed: int

    def __call__(self, X: Any, y: Any, weight: Any, first: int) -> NDArray[np.int64]:
        """The sums, of all folds together."""
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
    """How many points of every class a part has, and how wide they are."""

    def __call__(self, X: Any, y: Any, weight: Any, first: int) -> tuple[Any, Any, int, int]:
        """Classes, counts, columns and bytes of a number."""
        points, labels, weights = _checked(X, y, weight)
        classes, codes = np.unique(labels, return_inverse=True)
        sizes = np.ones(len(labels), dtype=np.uint64) if weights is None else weights
        counts = np.zeros(len(classes), dtype=np.int64)
        np.add.at(counts, codes, sizes.astype(np.int64))
        width = points.shape[1] if len(labels) else 0
        return classes, counts, width, points.dtype.itemsize


@dataclass(frozen=True)
class Sampled:
    """A seeded sample of a part: points as they are, or their features in single precision."""

    classes: NDArray[Any]
    shares: NDArray[np.float64]
    seed: int
    components: NDArray[np.float64] | None = None
    offset: NDArray[np.float64] | None = None

    def __call__(self, X: Any, y: Any, weight: Any, first: int) -> tuple[Any, NDArray[np.uint32]]:
        """Points or features, and positions of their classes."""
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
    """Two neighboring results as one; neither is changed, so that a task may run again."""
    if isinstance(left, ClassAccumulator):
        return left.merge(right)
    if isinstance(left, list):
        return [a.merge(b) for a, b in zip(left, right, strict=True)]
    return left + right


def all_counts(
    parts: Sequence[tuple[Any, Any, int, int]],
) -> tuple[NDArray[Any], NDArray[Any], int, int]:
    """The counts of all parts: classes, points of each, columns, bytes of a number."""
    classes: NDArray[Any] = np.array([])
    for part in parts:
        classes = joined(classes, part[0])
    counts = np.zeros(len(classes), dtype=np.int64)
    for own, sizes, _, _ in parts:
        if len(own):
            counts[positions(own, classes)] += sizes
    widths = [part[2] for part in parts if part[2]]
    if not widths:
        raise ValueError("there are no points in the data")
    if len(set(widths)) > 1:
        raise ValueError(f"partitions have {min(widths)} to {max(widths)} columns: give all the same")
    return classes, counts, widths[0], max(part[3] for part in parts)


def _checked(
    X: Any, y: Any, weight: Any
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.uint64] | None]:
    """Validated points, labels and weights of a part."""
    points, labels = loose_points(X, least=0), column_or_1d(np.asarray(y), warn=True)
    if len(labels) != points.shape[0]:
        raise ValueError(f"{len(labels)} labels for {points.shape[0]} points: give one label per point")
    if not len(labels) or all_zero(weight, labels):
        return points[:0], labels[:0], None
    points = dense(points)
    points, labels, weights = without_zeros(points, labels, repetition_counts(weight, points))
    if not len(labels):
        return points, labels, None
    if points.dtype.kind == "f" and not np.isfinite(points).all():
        # The sums say which value of which row.
        ClassAccumulator(n_jobs=1).update(points, labels)
    return points, labels, weights


def _aligned(array: Any) -> Any:
    """An array that came over a wire, as the core can borrow it."""
    return None if array is None else np.require(array, requirements=["C", "A"])


def _folds(points: NDArray[Any], seed: int, parts: int) -> NDArray[np.int64]:
    keys = _core.row_keys(points, seed, None, 1)
    return (keys % np.uint64(parts)).astype(np.int64)
