"""Class labels: any sortable values in Python, integers or text in the core."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from .. import _core

# Largest floating-point label that is an exact integer.
_EXACT = 2.0**53
# NumPy's type codes of booleans, integers and floating-point numbers.
_NUMBERS = "biuf"


def class_names(classes: NDArray[Any]) -> list[int] | list[str]:
    """Return the names of the classes in the core and in model files."""
    kind = classes.dtype.kind
    if kind in "iub" and (classes.size == 0 or int(classes.max()) < 2**63):
        return [int(label) for label in classes]
    if kind == "f" and np.all(classes == np.floor(classes)) and np.all(abs(classes) < _EXACT):
        return [int(label) for label in classes]
    names = [str(label) for label in classes]
    if len(set(names)) != len(names):
        raise ValueError("two classes have the same name: make all labels text or all labels numbers")
    return names


def is_fractional(classes: NDArray[Any]) -> bool:
    """Return whether classes are numbers that the core stores as text, such as 0.25."""
    return classes.dtype.kind == "f" and isinstance(class_names(classes)[0], str)


def class_type(classes: NDArray[Any]) -> str | None:
    """Return the type of classes as text, or None if it follows from their names in files."""
    found = np.array(class_names(classes)).dtype
    if classes.dtype == found or (classes.dtype.kind == found.kind == "U"):
        return None
    kind = classes.dtype.kind
    if kind in "biufMU" or (kind == "O" and all(isinstance(one, str) for one in classes)):
        return str(classes.dtype)
    raise TypeError(f"labels of type {classes.dtype} cannot be saved: use numbers, text or dates")


def typed(names: list[int] | list[str], kind: str | None) -> NDArray[Any]:
    """Return classes from their names in a file, with the type that :func:`class_type` returned."""
    found = np.array(names)
    if kind is None:
        return found
    try:
        dtype = np.dtype(kind)
        if dtype.kind not in "biufMUO":
            raise TypeError(f"labels cannot have the type {kind}")
        return found.astype(dtype)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the classes of the file cannot be read as {kind}: {error}") from error


def encode(
    y: ArrayLike, weights: NDArray[np.uint64] | None = None
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Return the sorted classes of labels, and the index of the class of each label.

    Classes whose samples all have weight 0 are left out; the indices of their samples are 0 and are
    not used.
    """
    labels = column_or_1d(y, warn=True)
    refuse_missing(labels)
    if not _are_repeated_numbers(labels):
        check_classification_targets(labels)
    if weights is None or weights.all():
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, codes.astype(np.uint32)
    seen = weights > 0
    used = np.zeros(len(labels), dtype=np.uint32)
    classes, used[seen] = np.unique(labels[seen], return_inverse=True)
    return classes, used


def _are_repeated_numbers(labels: NDArray[Any]) -> bool:
    """Return whether fractional labels such as 22.5 are classes, because they occur repeatedly."""
    if labels.dtype.kind != "f" or not len(labels) or not np.isfinite(labels).all():
        return False
    return bool(np.unique(labels, return_counts=True)[1].min() > 1)


def refuse_missing(y: ArrayLike, what: str = "labels") -> None:
    """Reject missing labels; converted to text such as 'nan', they would look like a class."""
    labels = np.asarray(y)
    if labels.dtype.kind != "O" or labels.ndim != 1:
        return
    rows = [row for row, label in enumerate(labels) if _is_missing(label)]
    if rows:
        raise ValueError(
            f"{len(rows)} of {len(labels)} {what} are missing ({labels[rows[0]]!r} at row "
            f"{rows[0]}): remove these samples"
        )


def refuse_name(y: Any) -> None:
    """Reject the name of a column that is passed instead of labels.

    Later steps of a pipeline would still receive the label column.
    """
    if isinstance(y, str):
        raise ValueError(
            f"y is the text {y!r}: pass the labels themselves, such as "
            f"fit(table.drop(columns={y!r}), table[{y!r}])"
        )


def _is_missing(label: Any) -> bool:
    """Return whether a label is None, a floating-point NaN, or pandas' NA or NaT."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, float) and label != label


def positions(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the index of each label among known classes, which must include all of them."""
    try:
        found = np.searchsorted(classes, labels)
    except TypeError as error:
        raise ValueError(f"labels cannot be compared with the classes: {error}") from error
    found = np.minimum(found, max(len(classes) - 1, 0))
    known = classes[found] == labels if len(classes) else np.zeros(len(labels), dtype=bool)
    if not np.all(known):
        row = int(np.flatnonzero(~np.asarray(known))[0])
        raise ValueError(
            f"label {labels[row]!r} at row {row} is not one of the {len(classes)} known classes"
        )
    return found.astype(np.uint32)


def joined(classes: NDArray[Any], labels: NDArray[Any]) -> NDArray[Any]:
    """Return the sorted classes after labels are added; numbers and text cannot be mixed."""
    new = np.unique(labels)
    if not len(classes) or not len(new):
        return new if len(new) else classes
    if (classes.dtype.kind in _NUMBERS) != (new.dtype.kind in _NUMBERS):
        raise ValueError(
            f"the new labels have type {new.dtype}, but earlier labels have type {classes.dtype}: "
            "use only text or only numbers"
        )
    try:
        return classes if np.isin(new, classes).all() else np.unique(np.concatenate([classes, new]))
    except TypeError as error:
        # The type of object arrays does not distinguish numbers and text, which cannot be sorted
        # together.
        raise ValueError(
            f"the new label {new[0]!r} and the earlier label {classes[0]!r} have different types: "
            "use only text or only numbers"
        ) from error


def has_room(classes: int, features: int) -> bool:
    """Return whether the entries of all class covariances fit into the memory of this machine."""
    return _entry_bytes(classes, features) <= _memory()


def _entry_bytes(classes: int, features: int) -> float:
    # One triangle per class.
    return 8.0 * classes * features * (features + 1) / 2


def _memory() -> float:
    """Return the bytes of memory, infinite if the system does not report it."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def check_room(classes: int, features: int, sketch: int | None = None) -> None:
    """Reject covariances that do not fit into the memory of this machine before allocating them."""
    needed, present = _entry_bytes(classes, features), _memory()
    if sketch is not None:
        # Rows, buffered samples and a copy of both.
        needed = 8 * classes * features * (3 * sketch + 4)
    if needed > present:
        remedy = "a smaller sketch" if sketch else "sketches (form='sketch')"
        raise ValueError(
            f"{classes} classes with {features} features need {needed / 1e9:.0f} GB for their "
            f"covariances, but this machine has {present / 1e9:.0f} GB: check that the labels are "
            f"classes, use {remedy}, or reduce the number of features first (for example with PCA)"
        )


def check_counts(classes: NDArray[Any], codes: NDArray[np.uint32], weights: Any) -> None:
    """Reject classes with too few samples for a covariance before memory is allocated."""
    if len(codes) == 1:
        raise ValueError("y has 1 sample of 1 class: at least 2 classes are needed")
    if len(classes) < 2:
        return
    if weights is None:
        _core.check_labels(class_names(classes), codes)
    if len(classes) == len(codes) > 2:
        raise ValueError(
            f"all {len(codes)} labels are different, as in an ID column: pass class labels, with "
            "several samples per class"
        )
    counts = np.bincount(codes, weights=weights, minlength=len(classes))
    if counts.min() < 2:
        worst = int(counts.argmin())
        raise ValueError(
            f"class '{classes[worst]}' has {int(counts[worst])} sample(s), but a covariance needs "
            "at least 2: remove the class or add samples"
        )
