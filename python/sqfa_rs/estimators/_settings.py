"""Parameters of an estimator in the form that the core accepts."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_random_state

from .. import _core, distances

if TYPE_CHECKING:
    from ._base import Reducer

# A setting that may be selected on held-out samples: a value, "auto", or a list of candidates.
Choice = float | Literal["auto"] | Sequence[float] | None


# Parameters that may be arrays, and settings that may be something other than text.
_ARRAYS = ("init", "fixed", "pair_weights")
_OBJECTS = ("init", "distance")


def core_settings(
    estimator: Reducer, start: NDArray[np.float64] | None, n_features: int
) -> dict[str, Any]:
    """Return the parameters in the core's form, after checking those that do not depend on the data."""
    settings: dict[str, Any] = {"n_components": _count(estimator), "scaling": str(estimator.scaling)}
    if settings["n_components"] == "auto":
        settings["max_components"] = _whole("max_components", getattr(estimator, "max_components", 0))
    settings |= texts(estimator) | _objects(estimator)
    if start is not None and start.shape == (estimator.n_components, n_features):
        settings["init"], settings["n_init"] = start, "1"
    if estimator.refine and settings.get("pair_weights") is not None:
        raise ValueError(
            "pair_weights cannot be used with a refinement: leave out pair_weights, or set refine=False"
        )
    settings["seed"] = estimator._seed = seed_of(estimator.random_state)
    _core.check_settings(estimator._core_method(), before_data(settings))
    return settings


def before_data(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings for checks without data, with one component if their number needs the data."""
    return settings if settings["n_components"] is not None else settings | {"n_components": 1}


def with_count(
    estimator: Reducer, settings: dict[str, Any], n_samples: int, n_features: int, n_classes: int
) -> dict[str, Any]:
    """Return settings with the number of components; None stands for all that the method can compute."""
    if settings["n_components"] is not None:
        return settings
    return settings | {"n_components": estimator._most_components(n_samples, n_features, n_classes)}


def texts(estimator: Reducer) -> dict[str, str]:
    """Return the scalar settings of an estimator as text, with the command's spelling."""
    parameters = inspect.signature(type(estimator)).parameters
    found = {}
    for setting in estimator._taken():
        name, value = setting.parameter, estimator._specified(setting.parameter)
        if value is None and parameters[name].default is None:
            continue
        if name in _OBJECTS and not isinstance(value, str):
            continue
        text = _text(name, value)
        # A default of "auto" needs no samples, while a specified "auto" does.
        if not (setting.selected and text == setting.default == "auto"):
            found[name] = text
    return found


def _text(name: str, value: Any) -> str:
    """Return a word, a number or several numbers as text."""
    if value is None or isinstance(value, str | Integral):
        return str(value)
    if hasattr(value, "__float__") and np.ndim(value) == 0:
        return repr(float(value))
    if np.ndim(value) == 1:
        return ",".join(repr(float(one)) for one in value)
    raise TypeError(f"{name} must be a word, a number or a list of numbers, not {value!r}")


def _objects(estimator: Reducer) -> dict[str, Any]:
    """Return the parameters that are not text: arrays, and a distance, which may be a function."""
    found: dict[str, Any] = {}
    for name in _ARRAYS:
        value = getattr(estimator, name, None)
        if value is not None and not isinstance(value, str):
            found[name] = check_array(value, dtype=np.float64, order="C", input_name=name)
    if hasattr(estimator, "_distance"):
        found["distance"] = distances.spelled(estimator._distance())
    return found


def _count(estimator: Reducer) -> int | str | None:
    """Return the number of components, or "auto" or None if the method accepts it."""
    count = estimator.n_components
    if count is None and estimator._has_all:
        return None
    if isinstance(count, str) and count == "auto" and hasattr(estimator, "max_components"):
        return count
    return _whole("n_components", count)


def _whole(name: str, value: Any) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if value < 1:
        raise ValueError(f"{name} is {value}: at least 1 is needed")
    return int(value)


def seed_of(random_state: Any) -> int:
    """Return a seed for the core from a random state as in scikit-learn."""
    if not isinstance(random_state, Integral):
        return int(check_random_state(random_state).randint(2**31 - 1))
    if random_state < 0:
        raise ValueError(
            f"random_state is {random_state}: give None, a generator or a number of at least 0"
        )
    return int(random_state)
