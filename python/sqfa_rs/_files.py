"""Model files: the ones the command ``sqfa`` reads and writes; no code is ever run from them."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

from . import _core, estimators
from ._methods import IDENTIFIERS
from .data._labels import class_names, is_fractional
from .data._statistics import estimator_name
from .estimators import SQFA, HeavyTailedSQFA, Lift, SecondMomentSQFA
from .estimators._base import Reducer, traced, unfolded
from .estimators._family import BaseSQFA
from .estimators._results import (
    Restart,
    curve_of,
    curve_records,
    selection_of,
    selection_record,
)
from .estimators._settings import texts

# Starts by name; filters that were given are not kept.
_STARTS = ("auto", "random", "differences", "pca", "save", "directional-regression")

_BASELINES: dict[str, type[Reducer]] = {
    cls._method: cls
    for cls in vars(estimators).values()
    if isinstance(cls, type) and issubclass(cls, Reducer) and not issubclass(cls, BaseSQFA)
}


def save(estimator: Reducer | Pipeline, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file.

    Parameters
    ----------
    estimator : SQFA, SecondMomentSQFA, PCA, LDA, …, or a pipeline
        A fitted reducer, or a pipeline of a :class:`Lift` and a reducer.
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
    lift: Lift | None = None
    saved: Any = estimator
    if isinstance(estimator, Pipeline) and len(estimator) == 2 and isinstance(estimator[0], Lift):
        lift, saved = estimator[0], estimator[1]
        check_is_fitted(lift)
    if not isinstance(saved, Reducer):
        raise TypeError(
            "only SQFA estimators and its baselines can be saved, alone or in a pipeline behind a Lift, "
            f"not {type(estimator).__name__}"
        )
    estimator = saved
    check_is_fitted(estimator)
    filters, preprocessing = estimator._unfolded or (estimator.components_, None)
    _core.save_model(
        os.fspath(path),
        np.ascontiguousarray(filters),
        np.ascontiguousarray(estimator.feature_means_),
        np.ascontiguousarray(estimator.feature_covariances_),
        estimator.class_counts_,
        preprocessing,
        np.ascontiguousarray(estimator.mean_),
        None if lift is None else lift._map,
        json.dumps(_description(estimator) | _lifted(lift)),
    )


def _lifted(lift: Lift | None) -> dict[str, Any]:
    """What the file says otherwise where a lift stands before the components."""
    if lift is None:
        return {}
    record = {"kind": lift._map["kind"], "bandwidth": lift.bandwidth_}
    return {"lift": record, "feature_names": _names(lift)}


def load(path: str | os.PathLike[str]) -> Reducer | Pipeline:
    """Read a model file, written here or by the command ``sqfa``.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    SQFA, SecondMomentSQFA, PCA, LDA, …, or a pipeline
        The fitted estimator of the method in the file, behind its :class:`Lift` where it has one.
        Scaling and centring done by the command are folded into it. A file that does not hold the mean
        of the data makes ``inverse_transform`` place points in the span of the components.
    """
    model = _core.load_model(os.fspath(path))
    told = json.loads(model["description"])
    if not model["checksum"]:
        warnings.warn(
            f"{os.fspath(path)} was written before model files had a checksum: "
            "damage to it would go unnoticed",
            stacklevel=2,
        )
    names = told.pop("feature_names", None) if model["lift"] else None
    estimator = _reducer(model, told)
    if not model["lift"]:
        return estimator
    lift = Lift(model["lift"]["kind"], bandwidth=told["lift"]["bandwidth"] or None)
    lift._adopt(model["lift"])
    if names:
        lift.feature_names_in_ = np.array(names, dtype=object)
    return make_pipeline(lift, estimator)


def _reducer(model: dict[str, Any], told: dict[str, Any]) -> Reducer:
    """The fitted estimator of a file."""
    if told["method"] in _BASELINES:
        return _baseline(model, told)
    choice = told["noise_choice"]
    settings: dict[str, Any] = {
        "n_components": len(model["components"]),
        "noise": choice if choice == "auto" or choice.endswith("x") else told["noise"],
        "scale": "auto" if told.get("selection") else told["scale"],
        "constraint": told.get("constraint") or "sphere",
        "init": told["start"] if told["start"] in _STARTS else "auto",
        "restarts": len(told["fit"]["restarts"]) or "auto",
        "sequential": told.get("sequential"),
        "covariance": _estimator(told["covariance"]),
        "refine": bool(told.get("refined", False)),
        "max_iter": told["max_iterations"],
        "tol": told["tolerance"],
        "random_state": told["seed"],
    }
    cls: type[BaseSQFA] = SQFA
    if told["method"] == "smsqfa":
        cls = SecondMomentSQFA
    elif told["method"] in ("sqfa-t", "sqfa-cauchy"):
        cls, settings["nu"] = HeavyTailedSQFA, dict(told["settings"])["nu"]
    else:
        settings["distance"] = told["distance"]
    estimator = cls(**settings | _specified(cls, told))
    if isinstance(estimator, HeavyTailedSQFA):
        estimator.nu_ = settings["nu"]
    _restore(estimator, model, told)
    return estimator


def _specified(cls: type[Reducer], told: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that were specified for a fit as parameters; none in older files."""
    texts = told.get("specified", {})
    taken = [setting for setting in cls._taken() if setting.name in texts]
    own = {setting.parameter: _value(texts[setting.name]) for setting in taken}
    # The word for a fraction of 1.
    return own | ({"noise": "scale"} if told["noise_choice"] == "scale" and "noise" in own else {})


def _value(text: str) -> Any:
    """Return the text of a setting as a number, a list of numbers or a word."""
    for kind in (int, float, lambda several: [float(one) for one in several.split(",")]):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _scale(told: dict[str, Any]) -> str:
    """How columns were asked to be scaled: "auto" unless the file says otherwise."""
    given = told.get("selection") is None and told["scale"] != "none"
    return str(told["scale"]) if given else "auto"


def _estimator(text: str) -> str | float:
    """A covariance estimator as parameters give it: a name, or the number of a fixed shrinkage."""
    try:
        return float(text)
    except ValueError:
        return text


def _baseline(model: dict[str, Any], told: dict[str, Any]) -> Reducer:
    """A fitted baseline; settings that were chosen become parameters."""
    cls = _BASELINES[told["method"]]
    used = dict(told.get("settings", []))
    settings: dict[str, Any] = {
        setting.parameter: setting.number(used[setting.name])
        for setting in cls._taken()
        if setting.reported and setting.name in used
    }
    if told.get("pca_dims") is not None and "pca_dims" in cls().get_params():
        settings["pca_dims"] = told["pca_dims"]
    estimator = cls(
        len(model["components"]),
        scale=_scale(told),
        refine=bool(told.get("refined", False)),
        random_state=told["seed"],
        **settings | _specified(cls, told),
    )
    estimator.settings_ = used
    estimator.trials_ = []
    for attribute, value in cls._attributes(used).items():
        setattr(estimator, attribute, value)
    _restore(estimator, model, told)
    return estimator


def _restore(estimator: Any, model: dict[str, Any], told: dict[str, Any]) -> None:
    fit = told["fit"]
    classes = np.array(told["classes"])
    estimator.classes_ = classes.astype(np.float64) if told.get("fractional_classes") else classes
    estimator.class_counts_ = model["counts"]
    estimator.noise_ = float(told["noise"])
    objective = fit.get("objective")
    estimator.objective_ = None if objective is None else float(objective)
    trace = np.array(fit["trace"], dtype=np.float64)
    refined = bool(told.get("refined", False))
    estimator.objective_trace_, estimator.n_iter_ = traced(trace, fit["iterations"], refined)
    estimator.converged_ = bool(fit["converged"])
    estimator.termination_ = str(fit["termination"])
    best, no_trace = int(fit["best"]), np.empty(0)
    starts = [
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
    if isinstance(estimator, BaseSQFA):
        estimator.restarts_ = starts
        # Files keep the trace of the last group.
        estimator.group_traces_ = [estimator.objective_trace_]
        used = dict(told.get("settings", []))
        if told.get("refined"):
            estimator.refinement_ = {
                IDENTIFIERS[n]: v for n, v in used.items() if n not in ("noise", "nu")
            }
    estimator.feature_means_ = model["means"]
    estimator.feature_covariances_ = model["covariances"]
    estimator.n_features_in_ = model["components"].shape[1]
    if told.get("feature_names"):
        estimator.feature_names_in_ = np.array(told["feature_names"], dtype=object)
    estimator._offset = model["offset"]
    estimator._unfolded = unfolded(model)
    estimator.selection_ = selection_of(told.get("selection"))
    estimator.scaling_ = told["scale"]
    estimator.set_aside_ = np.array(told.get("set_aside", []), dtype=np.intp)
    if told.get("filters_tried"):
        estimator.curve_ = curve_of(told["filters_tried"])
    estimator._seed = int(told["seed"])
    estimator._record = {
        "distinct": told.get("distinct") or len(model["components"]),
        "best": best,
        "passes": fit["passes"],
        "evaluations": fit["evaluations"],
        "seconds": fit["seconds"],
        "warnings": fit.get("warnings", []),
        "distance": told.get("distance"),
        "restarts": fit["restarts"],
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


def _description(estimator: Any) -> dict[str, Any]:
    """What the file says beside its numbers."""
    record = estimator._record
    noise = getattr(estimator, "noise", 0.0)
    init = getattr(estimator, "init", "auto")
    family = isinstance(estimator, BaseSQFA)
    used = {"noise": estimator.noise_} if family else estimator.settings_
    if family:
        used = used | getattr(estimator, "refinement_", {})
    if hasattr(estimator, "nu_"):
        used = used | {"nu": estimator.nu_}
    return {
        "method": estimator._method,
        "refined": bool(estimator.refine),
        "distance": record.get("distance"),
        "constraint": estimator.constraint if family else None,
        "noise_choice": noise if isinstance(noise, str) else repr(float(noise)),
        "noise": estimator.noise_,
        "settings": [[name, float(value)] for name, value in used.items() if np.isfinite(value)],
        "specified": _core.written_settings(texts(estimator)),
        "selection": selection_record(getattr(estimator, "selection_", None)),
        "filters_tried": curve_records(getattr(estimator, "curve_", [])),
        "distinct": record["distinct"] if record["distinct"] < len(estimator.components_) else None,
        "set_aside": [int(column) for column in getattr(estimator, "set_aside_", [])],
        "classes": class_names(estimator.classes_),
        "fractional_classes": is_fractional(estimator.classes_),
        "restricted": False,
        "second_moments": record["second_moments"],
        "covariance": estimator_name(estimator._covariance()),
        "precision": record["precision"],
        "scale": getattr(estimator, "scaling_", "none"),
        "center": getattr(estimator, "scaling_", "none") != "none" and not record["second_moments"],
        "pca_dims": getattr(estimator, "pca_dims", None),
        "start": init if isinstance(init, str) else "given",
        "sequential": getattr(estimator, "sequential", None) or None,
        "seed": estimator._seed,
        "max_iterations": int(getattr(estimator, "max_iter", 0)),
        "tolerance": float(getattr(estimator, "tol", 0.0)),
        "fit": {
            "objective": estimator.objective_,
            "converged": estimator.converged_,
            "termination": estimator.termination_,
            "iterations": estimator.n_iter_,
            "passes": record["passes"],
            "evaluations": record["evaluations"],
            "seconds": record["seconds"],
            "restarts": [_start(start) for start in _starts(estimator)],
            "best": record["best"],
            "trace": np.asarray(estimator.objective_trace_).tolist(),
            "warnings": record["warnings"],
        },
        "data": {"name": "python", "image_shape": None},
        "feature_names": _names(estimator),
        "software": f"sqfa_rs {_core.__version__}",
    }


def _names(estimator: Any) -> list[str] | None:
    """The names of the columns an estimator was fitted on, where they had any."""
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _starts(estimator: Any) -> list[dict[str, Any]]:
    if isinstance(estimator, BaseSQFA):
        return [start._asdict() for start in estimator.restarts_]
    return list(estimator._record["restarts"])


def _start(start: dict[str, Any]) -> dict[str, Any]:
    """How one start ended, in the words of the file."""
    names = ("objective", "passes", "evaluations", "converged", "termination")
    iterations = start["n_iter"] if "n_iter" in start else start["iterations"]
    return {name: start[name] for name in names} | {"iterations": iterations}
