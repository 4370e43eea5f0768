"""The parameters of an estimator as the core takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_random_state

from .. import _core, distances

if TYPE_CHECKING:
    from ._base import Reducer

# A setting that may be chosen on held-out points: a value, "auto", or the values to choose among.
Choice = float | str | Sequence[float] | None


def core_settings(
    estimator: Reducer, start: NDArray[np.float64] | None, n_features: int
) -> dict[str, Any]:
    """The parameters as the core takes them; those that do not depend on the data are checked."""
    settings: dict[str, Any] = {"n_components": _count(estimator), "scale": str(estimator.scale)}
    if settings["n_components"] == "auto":
        settings["max_components"] = _whole("max_components", getattr(estimator, "max_components", 0))
    for name in estimator._passed():
        value = getattr(estimator, name)
        settings[name] = _READERS[name](name, value) if name in _READERS else value
    if "sequential" in settings:
        settings["sequential"] = _group_size(settings["sequential"], estimator._together)
    if hasattr(estimator, "_distance"):
        settings["distance"] = distances.spelled(estimator._distance())
    if start is not None and start.shape == (estimator.n_components, n_features):
        settings["init"], settings["restarts"] = start, 1
    if estimator.refine and settings.get("pair_weights") is not None:
        raise ValueError("pair_weights cannot be refined: leave them out, or refine=False")
    settings["seed"] = estimator._seed = seed_of(estimator.random_state)
    _core.check_settings(estimator._core_method(), settings)
    return settings


def _count(estimator: Reducer) -> int | str:
    """The number of components, or "auto" where it can be chosen."""
    count = estimator.n_components
    if isinstance(count, str) and count == "auto" and hasattr(estimator, "max_components"):
        return count
    return _whole("n_components", count)


def _whole(name: str, value: Any) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if value < 1:
        raise ValueError(f"{name} is {value}: at least 1 is needed")
    return int(value)


def _whole_or_none(name: str, value: Any) -> int | None:
    return None if value is None else _whole(name, value)


def _number(name: str, value: Any) -> float:
    if not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, not {value!r}")
    return float(value)


def _number_or_name(name: str, value: Any) -> float | str:
    return value if isinstance(value, str) else float(value)


def _restarts(name: str, value: Any) -> int | None:
    if isinstance(value, str):
        if value != "auto":
            raise ValueError(f"{name} is '{value}': give 'auto' or a whole number")
        return None
    if not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name} is {value!r}: give 'auto' or a whole number above 0")
    return int(value)


def _array(name: str, value: Any) -> Any:
    """An array, or what stands for one: a name or nothing."""
    if value is None or isinstance(value, str):
        return value
    return check_array(value, dtype=np.float64, order="C", input_name=name)


def _group_size(value: Any, together: int | None) -> int | None:
    """How many components are learned at a time; ``together`` stands for all of them."""
    if value is not together and value != together:
        if not isinstance(value, Integral) or value < 1:
            raise ValueError(f"sequential is {value!r}: give {together} or a whole number above 0")
        return int(value)
    return together


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "constraint": lambda _, value: str(value),
    "fixed": _array,
    "init": _array,
    "max_iter": _whole,
    "noise": _number_or_name,
    "nu": _number,
    "pair_weights": _array,
    "pca_dims": _whole_or_none,
    "per_class": _whole_or_none,
    "restarts": _restarts,
    "tol": _number,
}


def seed_of(random_state: Any) -> int:
    """A seed for the core from what scikit-learn calls a random state."""
    if not isinstance(random_state, Integral):
        return int(check_random_state(random_state).randint(2**31 - 1))
    if random_state < 0:
        raise ValueError(f"random_state is {random_state}: give None, a generator or a number from 0 on")
    return int(random_state)
