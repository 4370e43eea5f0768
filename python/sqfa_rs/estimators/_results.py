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


class Initialization(NamedTuple):
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


class Trial(NamedTuple):
    """One value of a setting that was tried."""

    name: str
    """The setting."""
    value: float
    """The value."""
    accuracy: float
    """QDA accuracy on held-out points; NaN when the value could not be used."""


class Candidate(NamedTuple):
    """Scaling and noise that were tried on held-out samples."""

    scaling: str
    """The scaling, as the parameter ``scaling`` accepts it."""
    noise: str
    """The noise, as the parameter ``noise`` accepts it: "0.3x" is 0.3 × the within-class variance."""
    points: int
    """Held-out samples it was scored on; fewer than for others if it was dropped early."""
    log_posterior: float
    """Mean log posterior of the true class."""
    accuracy: float
    """The held-out accuracy."""


class Selection(NamedTuple):
    """How scaling and noise were selected."""

    scaling: str
    """The selected scaling, as the parameter ``scaling`` accepts it."""
    noise: str
    """The selected noise, as the parameter ``noise`` accepts it."""
    reason: str
    """Why: "best" or "within-one-error", or "default" if nothing was held out."""
    folds: int
    """The number of held-out folds; 0 for the default."""
    accuracy: float | None
    """Held-out accuracy of the selection: for each fold, that of the candidate which the other folds
    select. None if nothing was held out."""
    tried: list[Candidate]
    """All candidates, in the order in which they were tried."""
    lda_accuracy: float | None = None
    """Held-out accuracy of linear discriminant analysis on the same samples, for comparison. None if it
    was not computed, as for samples on a cluster."""
    majority_accuracy: float | None = None
    """Held-out accuracy of predicting the most frequent class for every sample."""


class CurvePoint(NamedTuple):
    """One number of components that was tried on held-out points."""

    n_components: int
    """How many components."""
    log_posterior: float
    """Mean log posterior of the true class."""
    accuracy: float
    """The held-out accuracy."""


def selection_of(record: dict[str, Any] | None) -> Selection | None:
    """Return how scaling and noise were selected, from the record of a fit."""
    if record is None:
        return None
    reference = record.get("reference") or {}
    return Selection(
        record["scaling"],
        record["noise"],
        record["reason"],
        record["folds"],
        record.get("accuracy"),
        [Candidate(**candidate) for candidate in record["tried"]],
        reference.get("lda"),
        reference.get("majority"),
    )


def curve_of(records: list[dict[str, Any]]) -> list[CurvePoint]:
    """The numbers of components that were tried, as model files tell them."""
    return [CurvePoint(one["filters"], one["log_posterior"], one["accuracy"]) for one in records]


def trials_of(record: dict[str, Any]) -> list[Trial]:
    """Return the values that were tried to select settings, from a record."""
    return [
        Trial(one["name"], one["value"], np.nan if one["accuracy"] is None else one["accuracy"])
        for one in record.get("trials", [])
    ]


def initializations_of(record: dict[str, Any], best: NDArray[np.float64]) -> list[Initialization]:
    """Return the starts of a fit in order; files of earlier versions hold the best trace alone."""
    run = record["fit"]
    traces = [
        np.array(one.get("trace", best if at == run["best"] else []), dtype=np.float64)
        for at, one in enumerate(run["initializations"])
    ]
    return [
        Initialization(
            objective=one["objective"],
            n_iter=one["iterations"],
            passes=one["passes"],
            evaluations=one["evaluations"],
            converged=one["converged"],
            termination=one["termination"],
            trace=trace,
        )
        for one, trace in zip(run["initializations"], traces, strict=True)
    ]
