"""Files of fitted estimators: model files and archives. Reading them never executes code from them."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

from . import _archive, _core, estimators
from .data._labels import class_names, class_type, is_fractional, typed
from .data._statistics import estimator_name
from .estimators import SQFA, HeavyTailedSQFA, Lift, SecondMomentSQFA
from .estimators._base import Reducer
from .estimators._family import BaseSQFA

# Names of initializations by name in files; specified arrays of components are not stored.
_STARTS = ("auto", "random", "differences", "pca", "save", "directional-regression")

_BASELINES: dict[str, type[Reducer]] = {
    cls._method: cls
    for cls in vars(estimators).values()
    if isinstance(cls, type) and issubclass(cls, Reducer) and not issubclass(cls, BaseSQFA)
}


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a file.

    A reducer, alone or after a :class:`Lift`, is saved as a model file, which the command ``sqfa``
    can read as well. All other estimators are saved as an archive, which only :func:`load` reads:
    classifiers, a ``PCA`` that was fitted without labels, and pipelines with several of these as
    steps.

    Parameters
    ----------
    estimator : SQFA, LDA, PCA, QDA, KNN, LinearClassifier, Lift, …, or a pipeline of these
        A fitted estimator of this package, or a scikit-learn pipeline whose steps are all such
        estimators, such as ``make_pipeline(SQFA(2), QDA())``. Other steps, such as scikit-learn's
        ``StandardScaler``, raise an error: use ``scaling`` instead, or pickle the pipeline.
    path : path-like
        Path of the file. An existing file is replaced when the new one is complete.

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
    pipeline = isinstance(estimator, Pipeline)
    steps = [step for _, step in estimator.steps] if pipeline else [estimator]
    for step in steps:
        if not isinstance(step, (Reducer, Lift, *_archive.CLASSIFIERS)):
            where = "a pipeline with the step " if pipeline else ""
            name = repr(step) if isinstance(step, str) else type(step).__name__
            raise TypeError(
                "only reducers, classifiers and Lift of this package can be saved, alone or as steps of "
                f"a pipeline, not {where}{name}"
            )
        check_is_fitted(step)
    if pipeline and len(steps) == 2 and isinstance(steps[0], Lift) and _has_model_file(steps[1]):
        _save_model(steps[1], path, steps[0])
    elif not pipeline and _has_model_file(estimator):
        _save_model(estimator, path)
    else:
        _archive.write(estimator, path, _save_model)


def _has_model_file(estimator: Any) -> bool:
    """Return whether an estimator is a reducer that was fitted with labels."""
    return isinstance(estimator, Reducer) and hasattr(estimator, "classes_")


def _save_model(estimator: Any, path: str | os.PathLike[str], lift: Lift | None = None) -> None:
    """Write the model file of a reducer."""
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
    """Return the fields of a model file that differ if a feature map comes before the components."""
    if lift is None:
        return {}
    record = {"kind": lift._map["kind"], "bandwidth": lift.bandwidth_}
    return {"lift": record, "feature_names": _names(lift)}


def load(path: str | os.PathLike[str]) -> Any:
    """Read a file that :func:`save` or the command ``sqfa`` wrote.

    Labels have the same type as in ``fit``. Model files of the command contain labels that are
    whole numbers or text.

    Parameters
    ----------
    path : path-like
        Path of the file to write.

    Returns
    -------
    SQFA, LDA, PCA, QDA, …, or a pipeline
        The fitted estimator. A model file with a nonlinear feature map gives a pipeline of
        :class:`Lift` and the reducer. Scaling and centering are included in the components and the
        offset. If the file does not contain the mean of the data, ``inverse_transform`` returns
        samples in the span of the components.
    """
    if _archive.is_archive(path):
        return _archive.read(path, _load_model)
    return _load_model(path)


def _load_model(path: str | os.PathLike[str]) -> Reducer | Pipeline:
    """Read a model file."""
    model = _core.load_model(os.fspath(path))
    told = json.loads(model["description"])
    if not model["checksum"]:
        warnings.warn(
            f"{os.fspath(path)} has no checksum, because an earlier version wrote it, so damage "
            "cannot be detected: save the model again",
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
    """Return the fitted estimator of a file."""
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
        cls, settings["distance"] = SecondMomentSQFA, told["distance"]
    elif told["method"] in ("sqfa-t", "sqfa-cauchy"):
        cls, settings["nu"] = HeavyTailedSQFA, dict(told["settings"])["nu"]
    else:
        settings["distance"] = told["distance"]
    estimator = cls(**settings | _specified(cls, told))
    _restore(estimator, model, told)
    return estimator


def _specified(cls: type[Reducer], told: dict[str, Any]) -> dict[str, Any]:
    """Return the specified settings of a fit as parameters; older files do not contain them."""
    texts = told.get("specified", {})
    taken = [setting for setting in cls._taken() if setting.name in texts]
    own = {setting.parameter: _value(texts[setting.name]) for setting in taken}
    # Name of the fraction 1.
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
    """Return the parameter ``scaling`` of a baseline; "auto" unless the file shows another value."""
    given = told.get("selection") is None and told["scaling"] != "none"
    return str(told["scaling"]) if given else "auto"


def _estimator(text: str) -> str | float:
    """Return a covariance estimator as a parameter: a name, or the number of a fixed shrinkage."""
    try:
        return float(text)
    except ValueError:
        return text


def _baseline(model: dict[str, Any], told: dict[str, Any]) -> Reducer:
    """Return a fitted baseline, with its selected settings as parameters."""
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
    """Set the fitted attributes of an estimator from a file."""
    kind = told.get("class_type") or ("float64" if told.get("fractional_classes") else None)
    estimator.classes_ = typed(told["classes"], kind)
    if model["mean"] is None:
        model = model | {"mean": _nearest_mean(model)}
    estimator._keep(model, {name: value for name, value in told.items() if name != "lift"})
    estimator.n_features_in_ = model["components"].shape[1]
    if told.get("feature_names"):
        estimator.feature_names_in_ = np.array(told["feature_names"], dtype=object)
    if told.get("priors") and "priors" in estimator.get_params():
        estimator.priors = np.array(told["priors"])
    if told.get("explained_variance_ratio"):
        estimator.explained_variance_ratio_ = np.array(told["explained_variance_ratio"])
    estimator._seed = int(told["seed"])


def _nearest_mean(model: dict[str, Any]) -> NDArray[np.float64]:
    """Return the sample in the span of the components whose features are the mean features."""
    center = np.average(model["means"], axis=0, weights=model["counts"])
    if model["offset"] is not None:
        center = center - model["offset"]
    return np.asarray(np.linalg.pinv(model["components"]) @ center)


def _description(estimator: Any) -> dict[str, Any]:
    """Return the metadata of a file: the record of the fit and the additional fields of Python."""
    record: dict[str, Any] = estimator._record
    if "fit" not in record:
        raise ValueError("this estimator was fitted by an earlier version: fit it again to save it")
    noise, init = getattr(estimator, "noise", 0.0), getattr(estimator, "init", "auto")
    priors, explained = estimator._class_priors(), getattr(estimator, "explained_variance_ratio_", None)
    return record | {
        "noise_choice": noise if isinstance(noise, str) else repr(float(noise)),
        "classes": class_names(estimator.classes_),
        "fractional_classes": is_fractional(estimator.classes_),
        "class_type": class_type(estimator.classes_),
        "priors": None if priors is None else priors.tolist(),
        "explained_variance_ratio": None if explained is None else explained.tolist(),
        "restricted": False,
        "covariance": estimator_name(estimator._covariance()),
        "start": init if isinstance(init, str) else "given",
        "data": {"name": "python", "image_shape": None},
        "feature_names": _names(estimator),
        "software": f"sqfa_rs {_core.__version__}",
    }


def _names(estimator: Any) -> list[str] | None:
    """Return the names of the columns that the estimator was fitted on, if they have names."""
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]
