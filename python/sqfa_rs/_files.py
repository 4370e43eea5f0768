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
from .data._labels import class_names, is_fractional
from .data._statistics import estimator_name
from .estimators import SQFA, HeavyTailedSQFA, Lift, SecondMomentSQFA
from .estimators._base import Reducer
from .estimators._family import BaseSQFA

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
        "scaling": "auto" if told.get("selection") else told["scaling"],
        "constraint": told.get("constraint") or "sphere",
        "init": told["start"] if told["start"] in _STARTS else "auto",
        "n_init": len(told["fit"]["initializations"]) or "auto",
        "sequential": told.get("sequential"),
        "covariance_estimator": _estimator(told["covariance"]),
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
    given = told.get("selection") is None and told["scaling"] != "none"
    return str(told["scaling"]) if given else "auto"


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
        scaling=_scale(told),
        refine=bool(told.get("refined", False)),
        random_state=told["seed"],
        **settings | _specified(cls, told),
    )
    _restore(estimator, model, told)
    return estimator


def _restore(estimator: Reducer, model: dict[str, Any], told: dict[str, Any]) -> None:
    """Show what a file holds as the attributes of a fitted estimator."""
    classes = np.array(told["classes"])
    estimator.classes_ = classes.astype(np.float64) if told.get("fractional_classes") else classes
    if model["mean"] is None:
        model = model | {"mean": _nearest_mean(model)}
    estimator._keep(model, {name: value for name, value in told.items() if name != "lift"})
    estimator.n_features_in_ = model["components"].shape[1]
    if told.get("feature_names"):
        estimator.feature_names_in_ = np.array(told["feature_names"], dtype=object)
    estimator._seed = int(told["seed"])


def _nearest_mean(model: dict[str, Any]) -> NDArray[np.float64]:
    """The point in the span of the components whose features are the mean features."""
    center = np.average(model["means"], axis=0, weights=model["counts"])
    if model["offset"] is not None:
        center = center - model["offset"]
    return np.asarray(np.linalg.pinv(model["components"]) @ center)


def _description(estimator: Any) -> dict[str, Any]:
    """Return the metadata of the file: the record of the fit, and what Python knows beside it."""
    record: dict[str, Any] = estimator._record
    if "fit" not in record:
        raise ValueError("this estimator was fitted by an earlier version: fit it again to save it")
    noise, init = getattr(estimator, "noise", 0.0), getattr(estimator, "init", "auto")
    return record | {
        "noise_choice": noise if isinstance(noise, str) else repr(float(noise)),
        "classes": class_names(estimator.classes_),
        "fractional_classes": is_fractional(estimator.classes_),
        "restricted": False,
        "covariance": estimator_name(estimator._covariance()),
        "start": init if isinstance(init, str) else "given",
        "data": {"name": "python", "image_shape": None},
        "feature_names": _names(estimator),
        "software": f"sqfa_rs {_core.__version__}",
    }


def _names(estimator: Any) -> list[str] | None:
    """The names of the columns an estimator was fitted on, where they had any."""
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]
