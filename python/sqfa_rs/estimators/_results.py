"""Results that a fit reports while it runs and when it ends."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Progress(NamedTuple):
    """State of a fit after one iteration, which is passed to the callback."""

    iteration: int
    """Number of iterations so far."""
    objective: float
    """Largest mean distance so far."""
    active: int
    """Number of initializations that are still being optimized."""
    starts: int
    """Number of initializations."""
    passes: int
    """Passes over the class covariances so far."""
    frozen: int
    """Number of components that are already fixed (sequential learning)."""


class Initialization(NamedTuple):
    """Result of one initialization."""

    objective: float
    """Mean distance at the end."""
    n_iter: int
    """Number of iterations."""
    passes: int
    """Number of passes over the class covariances that included this initialization."""
    evaluations: int
    """Number of evaluations of the objective."""
    converged: bool
    """Whether the optimization converged to the tolerance."""
    termination: str
    """Reason why the optimization ended."""
    trace: NDArray[np.float64]
    """Objective at the initialization and after each iteration."""


class Trial(NamedTuple):
    """One value of a setting that was tried."""

    name: str
    """Name of the setting."""
    value: float
    """Value that was tried."""
    accuracy: float
    """Accuracy of QDA on held-out samples; NaN if the value could not be used."""


class Candidate(NamedTuple):
    """Scaling and noise that were tried on held-out samples."""

    scaling: str
    """Scaling, in the form that the parameter ``scaling`` accepts."""
    noise: str
    """Noise, in the form that the parameter ``noise`` accepts: "0.3x" is 0.3 times the mean
    within-class variance."""
    points: int
    """Number of held-out samples that scored it; smaller than for other candidates if it was
    dropped early."""
    log_posterior: float
    """Mean log posterior of the true class."""
    accuracy: float
    """Held-out accuracy."""


class Selection(NamedTuple):
    """Selection of scaling and noise, with all candidates."""

    scaling: str
    """Selected scaling, in the form that the parameter ``scaling`` accepts."""
    noise: str
    """Selected noise, in the form that the parameter ``noise`` accepts."""
    reason: str
    """Reason for the selection: "best" or "within-one-error", or "default" if no samples were held
    out."""
    folds: int
    """Number of held-out folds; 0 for the default."""
    accuracy: float | None
    """Held-out accuracy of the selection. Each fold is scored with the candidate that the other
    folds select. None if no samples were held out."""
    tried: list[Candidate]
    """All candidates, in the order in which they were tried."""
    lda_accuracy: float | None = None
    """Held-out accuracy of linear discriminant analysis on the same samples, for comparison. None
    if it was not computed, for example for samples on a cluster."""
    majority_accuracy: float | None = None
    """Held-out accuracy of predicting the most frequent class for every sample."""


class CurvePoint(NamedTuple):
    """One number of components that was tried on held-out samples."""

    n_components: int
    """Number of components."""
    log_posterior: float
    """Mean log posterior of the true class."""
    accuracy: float
    """Held-out accuracy."""


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
    """Return the numbers of components that were tried, from a record."""
    return [CurvePoint(one["filters"], one["log_posterior"], one["accuracy"]) for one in records]


def trials_of(record: dict[str, Any]) -> list[Trial]:
    """Return the candidate values of the selected settings, from a record."""
    return [
        Trial(one["name"], one["value"], np.nan if one["accuracy"] is None else one["accuracy"])
        for one in record.get("trials", [])
    ]


def initializations_of(record: dict[str, Any], best: NDArray[np.float64]) -> list[Initialization]:
    """Return the results of all initializations in order; older files contain only the best."""
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
