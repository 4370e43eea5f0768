"""Work on parts of the data and merges in a fixed order, which is all that an engine must run."""

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
    """Run a function on one part of the data; errors name the number of the part.

    Parameters
    ----------
    work : callable
        Function of samples, labels, weights and the number of the first row.
    X : array-like or frame of shape (n_samples, n_features)
        Samples; an empty batch is accepted.
    y : array-like of shape (n_samples,)
        Class labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Repetition count of each sample, a whole number.
    part : int, default=0
        Number of the part.
    columns : sequence of str, default=None
        Columns that a frame must have, in this order.

    Returns
    -------
    Result of ``work``.
    """
    try:
        found = [str(name) for name in getattr(X, "columns", [])]
        if columns is not None and found and found != list(columns):
            raise ValueError(
                f"its columns differ from those of the first partition: {_difference(columns, found)}"
            )
        return work(X, y, sample_weight, 0)
    except (ValueError, TypeError) as error:
        raise type(error)(f"partition {part}: {error}") from error


def _difference(expected: Sequence[str], found: Sequence[str]) -> str:
    missing = [name for name in expected if name not in found]
    extra = [name for name in found if name not in expected]
    if missing:
        return f"'{missing[0]}' is missing" + (f", '{extra[0]}' is additional" if extra else "")
    return f"'{extra[0]}' is new" if extra else "the order is different"


def part_state(
    work: Work, X: Any, y: Any, sample_weight: Any = None, first: int = 0
) -> tuple[bytes, str]:
    """Return the result of one part as bytes, or its problem as text."""
    try:
        return pickle.dumps(work(X, y, sample_weight, first)), ""
    except (ValueError, TypeError) as error:
        return b"", str(error)


def opened(parts: Iterable[tuple[int, bytes, str]]) -> Iterator[tuple[int, Any]]:
    """Return the results of the parts in order; the first problem raises an error on the driver.

    A problem of several parts has a negative number and names the parts itself.
    """
    for part, state, problem in parts:
        if problem:
            raise ValueError(f"partition {part}: {problem}" if part >= 0 else problem)
        yield part, pickle.loads(state)


# Neighboring parts that are merged: the numbers of the first and last part, and the result.
Run = tuple[int, int, Any]


def joined_runs(merge: Callable[[Any, Any], Any], left: Run, right: Run) -> Any:
    """Merge the results of two neighboring ranges of parts; errors name the ranges."""
    try:
        return merge(left[2], right[2])
    except (ValueError, TypeError) as error:
        names = " and ".join(
            f"partition {first}" if first == last else f"partitions {first} to {last}"
            for first, last, _ in (left, right)
        )
        raise type(error)(f"{names} cannot be merged: {error}") from error


def merged_in_order(parts: Iterable[tuple[int, Any]], merge: Callable[[Any, Any], Any]) -> Any:
    """Merge numbered results in a fixed order, with only a few results in memory at a time."""
    runs: list[tuple[int, Run]] = []

    def join() -> None:
        (wide, right), (width, left) = runs.pop(), runs.pop()
        runs.append((width + wide, (left[0], right[1], joined_runs(merge, left, right))))

    for part, result in parts:
        runs.append((1, (part, part, result)))
        while len(runs) > 1 and runs[-1][0] == runs[-2][0]:
            join()
    if not runs:
        raise ValueError("the data have no samples")
    while len(runs) > 1:
        join()
    return runs[0][1][2]


def confusion(
    predicted: NDArray[Any], y: Any, classes: NDArray[Any], part: int = 0
) -> NDArray[np.int64]:
    """Return the confusion matrix in integers: true classes in rows, predicted classes in columns."""
    labels = np.asarray(y)
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    if len(labels) != len(predicted):
        raise ValueError(f"partition {part}: {len(labels)} labels for {len(predicted)} samples")
    if len(labels):
        joined(classes, labels)
        try:
            true = positions(labels, classes)
        except ValueError as error:
            raise ValueError(f"partition {part}: {error}") from error
        np.add.at(counts, (true, positions(predicted, classes)), 1)
    return counts


def accuracy(counts: NDArray[np.int64]) -> float:
    """Return the accuracy of a confusion matrix."""
    total = int(counts.sum())
    if not total:
        raise ValueError("there are no samples to score")
    return float(np.trace(counts)) / total
