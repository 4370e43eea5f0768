"""What a fit tells while it runs and when it is done."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Progress(NamedTuple):
    """One iteration of a fit, as a callback sees it."""

    iteration: int
    """Iterations so far."""
    objective: float
    """The best mean distance so far."""
    active: int
    """Starts that are still climbing."""
    starts: int
    """Starts in all."""
    passes: int
    """Passes over the class covariances so far."""
    frozen: int
    """Components already learned (sequential learning)."""


class Restart(NamedTuple):
    """How one start ended."""

    objective: float
    """The mean distance it reached."""
    n_iter: int
    """Iterations it took."""
    passes: int
    """Passes over the class covariances it took part in."""
    evaluations: int
    """Evaluations of the objective."""
    converged: bool
    """Whether it reached an optimum to the tolerance asked for."""
    termination: str
    """Why it ended."""
    trace: NDArray[np.float64]
    """The objective after every iteration, the start's first."""


class NoiseTrial(NamedTuple):
    """One value of the noise that was tried."""

    noise: float
    """The noise σ²."""
    accuracy: float
    """QDA accuracy on held-out points."""


class Trial(NamedTuple):
    """One value of a setting that was tried."""

    name: str
    """The setting."""
    value: float
    """The value."""
    accuracy: float
    """QDA accuracy on held-out points; NaN when the value could not be used."""


def restarts_of(result: dict[str, Any]) -> list[Restart]:
    """The starts of a fit, in order."""
    return [
        Restart(**{name: restart[name] for name in Restart._fields}) for restart in result["restarts"]
    ]
