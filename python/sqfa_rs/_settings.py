"""The parameters of an estimator as the core takes them."""

from __future__ import annotations

import time
from collections.abc import Callable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_random_state

from . import _core
from ._results import Progress

if TYPE_CHECKING:
    from ._base import BaseSQFA


def core_settings(
    estimator: BaseSQFA, start: NDArray[np.float64] | None, n_features: int
) -> dict[str, Any]:
    """The parameters as the core takes them; those that do not depend on the data are checked."""
    for name in ("n_components", "max_iter"):
        value = getattr(estimator, name)
        if not isinstance(value, Integral) or isinstance(value, bool):
            raise TypeError(f"{name} must be a whole number, not {value!r}")
        if value < 1:
            raise ValueError(f"{name} is {value}: at least 1 is needed")
    if not isinstance(estimator.tol, Real):
        raise TypeError(f"tol must be a number, not {estimator.tol!r}")
    noise = estimator.noise if isinstance(estimator.noise, str) else float(estimator.noise)
    init, restarts = estimator.init, estimator.restarts
    if isinstance(restarts, str):
        if restarts != "auto":
            raise ValueError(f"restarts is '{restarts}': give 'auto' or a whole number")
        restarts = None
    elif not isinstance(restarts, Integral) or restarts < 1:
        raise ValueError(f"restarts is {restarts!r}: give 'auto' or a whole number above 0")
    sequential = estimator.sequential
    if sequential is not None and (not isinstance(sequential, Integral) or sequential < 1):
        raise ValueError(f"sequential is {sequential!r}: give None or a whole number above 0")
    if start is not None and start.shape == (estimator.n_components, n_features):
        init, restarts = start, 1
    if not isinstance(init, str):
        init = check_array(init, dtype=np.float64, order="C", input_name="init")
    pairs = estimator.pair_weights
    if pairs is not None:
        pairs = check_array(pairs, dtype=np.float64, order="C", input_name="pair_weights")
    estimator._seed = seed_of(estimator.random_state)
    settings = {
        "n_components": int(estimator.n_components),
        "distance": estimator._distance(),
        "constraint": str(estimator.constraint),
        "noise": noise,
        "init": init,
        "restarts": restarts,
        "sequential": sequential,
        "seed": estimator._seed,
        "max_iter": int(estimator.max_iter),
        "tol": float(estimator.tol),
        "pair_weights": pairs,
    }
    _core.check_settings(settings)
    return settings


def seed_of(random_state: Any) -> int:
    """A seed for the core from what scikit-learn calls a random state."""
    if not isinstance(random_state, Integral):
        return int(check_random_state(random_state).randint(2**31 - 1))
    if random_state < 0:
        raise ValueError(f"random_state is {random_state}: give None, a generator or a number from 0 on")
    return int(random_state)


def watcher(estimator: Any) -> Callable[..., bool] | None:
    """What the core calls after every iteration, or nothing when nobody wants to know."""
    callback, verbose = estimator.callback, int(estimator.verbose)
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be callable, not {callback!r}")
    if callback is None and verbose < 1:
        return None
    name, last = type(estimator).__name__, time.monotonic()

    def watch(*numbers: Any) -> bool:
        nonlocal last
        progress = Progress(*numbers)
        if verbose > 1 or (verbose == 1 and time.monotonic() - last > 1):
            last = time.monotonic()
            print(f"[{name}] iteration {progress.iteration}, objective {progress.objective:.6g}")
        return callback is not None and bool(callback(progress))

    return watch
