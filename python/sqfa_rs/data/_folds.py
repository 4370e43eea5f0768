"""Samples that a fit holds out together: groups, and folds in scikit-learn's forms."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from ._labels import refuse_missing

# Index of samples that are in no test set, and are always used for training.
NEVER = np.iinfo(np.uint16).max


def group_codes(groups: ArrayLike | None, count: int) -> NDArray[np.uint32] | None:
    """Return the index of the group of each sample, or ``None`` without groups."""
    if groups is None:
        return None
    names = column_or_1d(groups)
    if len(names) != count:
        raise ValueError(
            f"groups has {len(names)} values for {count} samples: give one group per sample"
        )
    refuse_missing(names, "groups")
    if names.dtype.kind == "f" and np.isnan(names).any():
        row = int(np.flatnonzero(np.isnan(names))[0])
        raise ValueError(f"groups is NaN at row {row}: give a group for each sample")
    if names.dtype.kind == "O":
        names = np.array([str(name) for name in names])
    return np.unique(names, return_inverse=True)[1].astype(np.uint32)


def predefined_folds(
    cv: Any, X: Any, y: Any, groups: ArrayLike | None, kept: NDArray[np.intp] | None
) -> NDArray[np.uint16] | int | None:
    """Return the test fold of each sample in ``kept``, or the number of folds.

    ``cv`` has the same meaning as in scikit-learn: None, a number of folds, a splitter, or pairs of
    train and test indices. ``kept`` are the samples with positive weight, and a splitter receives
    only these.
    """
    if cv is None:
        return None
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        if cv < 2:
            raise ValueError(f"cv is {cv}: at least 2 folds are needed")
        return int(cv)
    rows = np.arange(len(y)) if kept is None else kept
    if hasattr(cv, "split") and not isinstance(cv, str):
        own = None if groups is None else np.asarray(groups)[rows]
        splits = cv.split(X if kept is None else X[rows], np.asarray(y)[rows], own)
        return _fold_of_each(splits, len(rows))
    if isinstance(cv, str) or not isinstance(cv, Iterable):
        raise TypeError(
            f"cv is {cv!r}: give None, a number of folds, a splitter, or pairs of train and test indices"
        )
    return _fold_of_each(cv, len(y))[rows]


def _fold_of_each(splits: Iterable[Any], count: int) -> NDArray[np.uint16]:
    """Return the test fold of each sample."""
    fold_of = np.full(count, NEVER, dtype=np.uint16)
    for fold, (train, test) in enumerate(splits):
        train, test = _marked(train, count), _marked(test, count)
        if fold >= NEVER:
            raise ValueError(f"cv has more than {NEVER} folds: use fewer")
        if np.any(train & test):
            row = int(np.flatnonzero(train & test)[0])
            raise ValueError(f"cv: split {fold} both trains on and tests sample {row}")
        if not np.all(train | test):
            row = int(np.flatnonzero(~(train | test))[0])
            raise ValueError(
                f"cv: split {fold} neither trains on nor tests sample {row}; every split must train on "
                "all samples that it does not test, as KFold and GroupKFold do"
            )
        if np.any(test & (fold_of != NEVER)):
            row = int(np.flatnonzero(test & (fold_of != NEVER))[0])
            raise ValueError(
                f"cv: sample {row} is in the test sets of splits {fold_of[row]} and {fold}; use splits "
                "whose test sets do not overlap, as KFold and GroupKFold do"
            )
        fold_of[test] = fold
    return fold_of


def _marked(indices: Any, count: int) -> NDArray[np.bool_]:
    """Return whether every sample is among some indices, which may be a mask already."""
    indices = np.asarray(indices)
    marked = np.zeros(count, dtype=bool)
    try:
        marked[indices if indices.size else indices.astype(np.intp)] = True
    except IndexError as error:
        raise ValueError(f"cv has an index that is not valid for {count} samples: {error}") from error
    return marked
