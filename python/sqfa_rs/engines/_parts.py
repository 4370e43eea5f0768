"""One part of the data becomes sums, sums merge in a fixed order: all that an engine has to run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import ClassAccumulator
from ..data._labels import joined, positions


def part_sums(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    part: int = 0,
    columns: Sequence[str] | None = None,
) -> ClassAccumulator:
    """The sums of one part of the data; whatever is wrong with it is said with the part's number.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        Points; there may be none.
    y : array-like of shape (n_samples,)
        Labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Whole numbers: how often each point counts.
    part : int, default=0
        The number of the part among all.
    columns : sequence of str, default=None
        The columns that a frame must have, in this order.

    Returns
    -------
    ClassAccumulator
    """
    try:
        return _summed(X, y, sample_weight, columns)
    except (ValueError, TypeError) as error:
        raise type(error)(f"partition {part}: {error}") from error


def _summed(X: Any, y: Any, sample_weight: Any, columns: Sequence[str] | None) -> ClassAccumulator:
    found = [str(name) for name in getattr(X, "columns", [])]
    if columns is not None and found and found != list(columns):
        raise ValueError(f"its columns are not those of the first: {_difference(columns, found)}")
    # One thread: the engine keeps its workers' processors busy by itself.
    return ClassAccumulator(n_jobs=1).update(X, np.asarray(y), sample_weight)


def _difference(expected: Sequence[str], found: Sequence[str]) -> str:
    missing = [name for name in expected if name not in found]
    extra = [name for name in found if name not in expected]
    if missing:
        return f"'{missing[0]}' is missing" + (f", '{extra[0]}' is new" if extra else "")
    return f"'{extra[0]}' is new" if extra else "they are in another order"


def part_bytes(X: Any, y: Any, sample_weight: Any = None) -> tuple[bytes, str]:
    """The sums of one part as bytes, or what is wrong with it: engines wrap errors beyond reading."""
    try:
        return _summed(X, y, sample_weight, None).to_bytes(), ""
    except (ValueError, TypeError) as error:
        return b"", str(error)


def sums_of(parts: Iterable[tuple[bytes, str]]) -> ClassAccumulator:
    """All parts as one, in their order; the first problem is raised here, where the user is."""
    total = ClassAccumulator.merge_all(_opened(parts))
    if not total.counts.sum():
        raise ValueError("there are no points in the data")
    return total


def _opened(parts: Iterable[tuple[bytes, str]]) -> Iterator[ClassAccumulator]:
    for part, (state, problem) in enumerate(parts):
        if problem:
            raise ValueError(f"partition {part}: {problem}")
        yield ClassAccumulator.from_bytes(state)


def merged(left: ClassAccumulator, right: ClassAccumulator) -> ClassAccumulator:
    """Two neighbouring parts as one; neither is changed, so that a task may run again."""
    return left.merge(right)


def confusion(
    predicted: NDArray[Any], y: Any, classes: NDArray[Any], part: int = 0
) -> NDArray[np.int64]:
    """How often each class (rows) was taken for each other (columns), in whole numbers."""
    labels = np.asarray(y)
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    if len(labels) != len(predicted):
        raise ValueError(f"partition {part}: {len(labels)} labels for {len(predicted)} points")
    if len(labels):
        joined(classes, labels)
        try:
            true = positions(labels, classes)
        except ValueError as error:
            raise ValueError(f"partition {part}: {error}") from error
        np.add.at(counts, (true, positions(predicted, classes)), 1)
    return counts


def accuracy(counts: NDArray[np.int64]) -> float:
    """The share of the diagonal."""
    total = int(counts.sum())
    if not total:
        raise ValueError("there are no points to score")
    return float(np.trace(counts)) / total
