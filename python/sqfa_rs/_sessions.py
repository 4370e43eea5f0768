"""Sessions of a comparison: data sets with the same classes, each with its own components."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d

from .data._inputs import dense, loose_points
from .data._labels import encode, positions


class Session(NamedTuple):
    """One session, in the form that the core accepts."""

    name: str
    points: Any
    codes: NDArray[np.uint32]
    groups: NDArray[np.uint32] | None
    features: list[str]


def as_sessions(
    name: str, X: Any, y: Any, sessions: Any, groups: Any
) -> tuple[NDArray[Any], list[Session]]:
    """Return the classes of all samples, and the sessions of a list or of a single table."""
    taken = _listed if _is_list(X) else _named
    classes, every = taken(name, X, y, sessions, groups)
    for session in every if len(every) > 1 else ():
        missing = np.setdiff1d(np.arange(len(classes)), session.codes)
        if missing.size:
            raise ValueError(
                f"session {session.name!r} has no sample of class {classes[missing[0]]!r}"
                f"{f' and of {missing.size - 1} more' if missing.size > 1 else ''}: "
                "sessions must have the same classes, so leave out the class or the session"
            )
    return classes, every


def _named(name: str, X: Any, y: Any, sessions: Any, groups: Any) -> tuple[NDArray[Any], list[Session]]:
    """Return the sessions of one table, from the session of each sample."""
    classes, codes = _encode(y)
    points = dense(loose_points(X))
    check_consistent_length(points, codes)
    features = [str(column) for column in getattr(X, "columns", ())]
    own = None if groups is None else _codes("groups", groups, len(codes))
    if sessions is None:
        return classes, [Session(name, points, codes, own, features)]
    names = column_or_1d(np.asarray(sessions))
    _one_each("sessions", names, len(codes))
    every = []
    for known in np.unique(names):
        rows = np.flatnonzero(names == known)
        part = None if own is None else np.ascontiguousarray(own[rows])
        every.append(
            Session(str(known), np.ascontiguousarray(points[rows]), codes[rows], part, features)
        )
    return classes, every


def _listed(name: str, X: Any, y: Any, sessions: Any, groups: Any) -> tuple[NDArray[Any], list[Session]]:
    """Return the sessions of a list of tables."""
    count = len(X)
    if not isinstance(y, (list, tuple)) or len(y) != count:
        raise ValueError(
            f"X is a list of {count} sessions: give y as a list of {count} arrays of labels"
        )
    if sessions is not None and len(sessions) != count:
        raise ValueError(
            f"X is a list of {count} sessions, but sessions has {len(sessions)} "
            "names: give one name per session"
        )
    if groups is not None and (not isinstance(groups, (list, tuple)) or len(groups) != count):
        raise ValueError(f"X is a list of {count} sessions: give groups as a list of {count} arrays")
    every = []
    classes, _ = _encode(np.concatenate([column_or_1d(labels) for labels in y]))
    for at, (points, labels) in enumerate(zip(X, y, strict=True)):
        session = f"{name} {at + 1}" if sessions is None else str(sessions[at])
        own = None if groups is None else groups[at]
        _, (found,) = _named(session, points, labels, None, own)
        every.append(found._replace(codes=positions(column_or_1d(labels), classes)))
    return classes, every


def _encode(y: Any) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Return the classes and the class index of each sample; labels such as 22.5 are classes."""
    labels = column_or_1d(y, warn=True)
    if labels.dtype.kind == "f" and np.isfinite(labels).all():
        classes, codes = np.unique(labels, return_inverse=True)
        if 2 * len(classes) <= len(labels):
            return classes, codes.astype(np.uint32)
    return encode(labels)


def _is_list(X: Any) -> bool:
    """Return whether X is a list of tables, not one table."""
    return isinstance(X, (list, tuple)) and bool(X) and all(np.ndim(one) == 2 for one in X)


def _one_each(what: str, values: NDArray[Any], points: int) -> None:
    if len(values) != points:
        raise ValueError(
            f"{what} has {len(values)} values for {points} samples: give one value per sample"
        )


def _codes(what: str, values: Any, points: int) -> NDArray[np.uint32]:
    """Return the index of the group of each sample."""
    values = column_or_1d(np.asarray(values))
    _one_each(what, values, points)
    return np.unique(values, return_inverse=True)[1].astype(np.uint32)
