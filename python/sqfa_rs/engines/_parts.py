"""One part of the data becomes sums, sums merge in a fixed order: all that an engine has to run."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data._labels import joined, positions
from ._work import Work


def run_part(
    work: Work,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    part: int = 0,
    columns: Sequence[str] | None = None,
) -> Any:
    """Some work on one part of the data; whatever is wrong with it is said with the part's number.

    Parameters
    ----------
    work : callable
        A function of points, labels, weights and the number of the first row.
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
    What the work gives.
    """
    try:
        found = [str(name) for name in getattr(X, "columns", [])]
        if columns is not None and found and found != list(columns):
            raise ValueError(f"its columns are not those of the first: {_difference(columns, found)}")
        return work(X, y, sample_weight, 0)
    except (ValueError, TypeError) as error:
        raise type(error)(f"partition {part}: {error}") from error


def _difference(expected: Sequence[str], found: Sequence[str]) -> str:
    missing = [name for name in expected if name not in found]
    extra = [name for name in found if name not in expected]
    if missing:
        return f"'{missing[0]}' is missing" + (f", '{extra[0]}' is new" if extra else "")
    return f"'{extra[0]}' is new" if extra else "they are in another order"


def part_state(
    work: Work, X: Any, y: Any, sample_weight: Any = None, first: int = 0
) -> tuple[bytes, str]:
    """Work on one part as bytes, or what is wrong with the part: engines wrap errors beyond reading."""
    try:
        return pickle.dumps(work(X, y, sample_weight, first)), ""
    except (ValueError, TypeError) as error:
        return b"", str(error)


def opened(parts: Iterable[tuple[int, bytes, str]]) -> Iterator[tuple[int, Any]]:
    """What the parts became, numbered and in order; the first problem is raised here, where the user is.

    A problem of several parts says which by itself, and its number is negative.
    """
    for part, state, problem in parts:
        if problem:
            raise ValueError(f"partition {part}: {problem}" if part >= 0 else problem)
        yield part, pickle.loads(state)


# Neighboring parts as one: the numbers of the first and of the last, and their result.
Run = tuple[int, int, Any]


def joined_runs(merge: Callable[[Any, Any], Any], left: Run, right: Run) -> Any:
    """The results of two neighboring runs as one; which do not fit together is said."""
    try:
        return merge(left[2], right[2])
    except (ValueError, TypeError) as error:
        names = " and ".join(
            f"partition {first}" if first == last else f"partitions {first} to {last}"
            for first, last, _ in (left, right)
        )
        raise type(error)(f"{names} do not fit together: {error}") from error


def merged_in_order(parts: Iterable[tuple[int, Any]], merge: Callable[[Any, Any], Any]) -> Any:
    """Numbered results merged by the fixed tree of neighbors, of which few are held at a time."""
    runs: list[tuple[int, Run]] = []

    def join() -> None:
        (wide, right), (width, left) = runs.pop(), runs.pop()
        runs.append((width + wide, (left[0], right[1], joined_runs(merge, left, right))))

    for part, result in parts:
        runs.append((1, (part, part, result)))
        while len(runs) > 1 and runs[-1][0] == runs[-2][0]:
            join()
    if not runs:
        raise ValueError("there are no points in the data")
    while len(runs) > 1:
        join()
    return runs[0][1][2]


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
