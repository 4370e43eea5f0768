"""Model files: the ones the command ``sqfa`` reads and writes; no code is ever run from them."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._base import BaseSQFA
from ._labels import class_names
from ._results import NoiseTrial, Restart
from ._sqfa import SQFA, SecondMomentSQFA


def save(estimator: BaseSQFA, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file.

    Parameters
    ----------
    estimator : SQFA or SecondMomentSQFA
        A fitted estimator.
    path : path-like
        The file; an existing one is replaced once the new one is complete.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import sqfa_rs
    >>> toy = sqfa_rs.datasets.make_toy("toy-6d", 100)
    >>> sqfa = sqfa_rs.SQFA(2, random_state=0).fit(toy.data, toy.target)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "toy.safetensors"
    ...     sqfa_rs.save(sqfa, path)
    ...     again = sqfa_rs.load(path)
    >>> bool((again.transform(toy.data) == sqfa.transform(toy.data)).all())
    True
    """
    if not isinstance(estimator, BaseSQFA):
        raise TypeError(f"only SQFA estimators can be saved, not {type(estimator).__name__}")
    check_is_fitted(estimator)
    components = np.ascontiguousarray(estimator.components_)
    offset = estimator._offset
    if offset is not None:
        # Features W x + b are those of W (x − o) with the shortest o there is.
        offset = np.ascontiguousarray(-np.linalg.pinv(components) @ offset)
    _core.save_model(
        os.fspath(path),
        components,
        np.ascontiguousarray(estimator.feature_means_),
        np.ascontiguousarray(estimator.feature_covariances_),
        estimator.class_counts_,
        offset,
        np.ascontiguousarray(estimator.mean_),
        json.dumps(_description(estimator, offset is not None)),
    )


def load(path: str | os.PathLike[str]) -> SQFA | SecondMomentSQFA:
    """Read a model file, written here or by the command ``sqfa``.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    SQFA or SecondMomentSQFA
        A fitted estimator. Scaling and centring done by the command are folded into it. A file that
        does not hold the mean of the data makes ``inverse_transform`` place points in the span of
        the components.
    """
    model = _core.load_model(os.fspath(path))
    told = json.loads(model["description"])
    choice = told["noise_choice"]
    settings: dict[str, Any] = {
        "n_components": len(model["components"]),
        "noise": choice if choice in ("scale", "auto") else told["noise"],
        "constraint": told["constraint"],
        "init": told["start"] if told["start"] in ("random", "pca") else "random",
        "restarts": len(told["fit"]["restarts"]) or "auto",
        "sequential": told.get("sequential"),
        "covariance": told["covariance"],
        "max_iter": told["max_iterations"],
        "tol": told["tolerance"],
        "random_state": told["seed"],
    }
    estimator: SQFA | SecondMomentSQFA
    if told["method"] == "smsqfa":
        estimator = SecondMomentSQFA(**settings)
    else:
        estimator = SQFA(distance=told["distance"], **settings)
    _restore(estimator, model, told)
    return estimator


def _restore(estimator: BaseSQFA, model: dict[str, Any], told: dict[str, Any]) -> None:
    fit = told["fit"]
    estimator.classes_ = np.array(told["classes"])
    estimator.class_counts_ = model["counts"]
    estimator.noise_ = float(told["noise"])
    if told.get("noise_trials"):
        trials = told["noise_trials"]
        estimator.noise_trials_ = [NoiseTrial(trial["noise"], trial["accuracy"]) for trial in trials]
    estimator.objective_ = float(fit["objective"])
    estimator.objective_trace_ = np.array(fit["trace"], dtype=np.float64)
    estimator.n_iter_ = int(fit["iterations"])
    estimator.converged_ = bool(fit["converged"])
    estimator.termination_ = str(fit["termination"])
    best, no_trace = int(fit["best"]), np.empty(0)
    estimator.restarts_ = [
        Restart(
            objective=start["objective"],
            n_iter=start["iterations"],
            passes=start["passes"],
            evaluations=start["evaluations"],
            converged=start["converged"],
            termination=start["termination"],
            trace=estimator.objective_trace_ if index == best else no_trace,
        )
        for index, start in enumerate(fit["restarts"])
    ]
    estimator.feature_means_ = model["means"]
    estimator.feature_covariances_ = model["covariances"]
    estimator.n_features_in_ = model["components"].shape[1]
    estimator._offset = model["offset"]
    estimator._seed = int(told["seed"])
    estimator._record = {
        "best": best,
        "passes": fit["passes"],
        "evaluations": fit["evaluations"],
        "seconds": fit["seconds"],
        "warnings": fit.get("warnings", []),
        "distance": told["distance"],
        "second_moments": told.get("second_moments", False),
        "precision": told["precision"],
    }
    estimator.mean_ = model["mean"] if model["mean"] is not None else _nearest_mean(model)
    estimator.components_ = model["components"]


def _nearest_mean(model: dict[str, Any]) -> NDArray[np.float64]:
    """The point in the span of the components whose features are the mean features."""
    centre = np.average(model["means"], axis=0, weights=model["counts"])
    if model["offset"] is not None:
        centre = centre - model["offset"]
    return np.asarray(np.linalg.pinv(model["components"]) @ centre)


def _description(estimator: BaseSQFA, centred: bool) -> dict[str, Any]:
    """What the file says beside its numbers."""
    record = estimator._record
    noise, init = estimator.noise, estimator.init
    trials = getattr(estimator, "noise_trials_", [])
    return {
        "method": estimator._method,
        "distance": record["distance"],
        "constraint": estimator.constraint,
        "noise_choice": noise if isinstance(noise, str) else "given",
        "noise": estimator.noise_,
        "noise_trials": [trial._asdict() for trial in trials],
        "classes": class_names(estimator.classes_),
        "restricted": False,
        "second_moments": record["second_moments"],
        "covariance": estimator.covariance,
        "precision": record["precision"],
        "scale": "none",
        "center": centred,
        "pca_dims": None,
        "start": init if isinstance(init, str) else "given",
        "sequential": estimator.sequential,
        "seed": estimator._seed,
        "max_iterations": int(estimator.max_iter),
        "tolerance": float(estimator.tol),
        "fit": {
            "objective": estimator.objective_,
            "converged": estimator.converged_,
            "termination": estimator.termination_,
            "iterations": estimator.n_iter_,
            "passes": record["passes"],
            "evaluations": record["evaluations"],
            "seconds": record["seconds"],
            "restarts": [
                {
                    "objective": start.objective,
                    "passes": start.passes,
                    "evaluations": start.evaluations,
                    "iterations": start.n_iter,
                    "converged": start.converged,
                    "termination": start.termination,
                }
                for start in estimator.restarts_
            ],
            "best": record["best"],
            "trace": estimator.objective_trace_.tolist(),
            "warnings": record["warnings"],
        },
        "data": {"name": "python", "image_shape": None},
        "software": f"sqfa_rs {_core.__version__}",
    }
