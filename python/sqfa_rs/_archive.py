"""Archives: files of classifiers, and of pipelines whose steps have more than one model file.

An archive is a zip file without compression. ``archive.json`` describes the steps. Arrays are in
NumPy's own format (never a pickle), and each reducer is a model file within the archive.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from . import _core
from .estimators import KNN, PCA, QDA, Lift, LinearClassifier

# Exceptions that readers of zip files, JSON and arrays raise for damaged bytes.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    AttributeError,
    EOFError,
    KeyError,
    NotImplementedError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
_FORMAT, _VERSION = "sqfa_rs archive", 1
_DESCRIPTION = "archive.json"
# Fitted attributes of the estimators that have no model file. Attributes that a fit does not set
# are absent.
_GAUSSIAN = ("classes_", "class_counts_", "means_", "covariances_", "priors_", "n_features_in_")
_STATE: dict[type[Any], tuple[str, ...]] = {
    QDA: _GAUSSIAN,
    LinearClassifier: _GAUSSIAN,
    KNN: ("classes_", "_codes", "_points", "n_samples_fit_", "n_features_in_"),
    PCA: (
        "components_",
        "mean_",
        "_offset",
        "scaling_",
        "dropped_features_",
        "explained_variance_ratio_",
        "n_features_in_",
    ),
    Lift: ("_map", "bandwidth_", "_n_features_out", "n_features_in_"),
}
CLASSIFIERS = (QDA, LinearClassifier, KNN)
_CLASSES = {cls.__name__: cls for cls in _STATE}


def is_archive(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is an archive, or another zip file."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except OSError:
        # The reader of model files reports the problem.
        return False


def write(estimator: Any, path: str | os.PathLike[str], save_model: Callable[[Any, str], None]) -> None:
    """Write an estimator or a pipeline; an existing file is replaced when the new one is complete."""
    steps = estimator.steps if isinstance(estimator, Pipeline) else [("", estimator)]
    target = os.path.abspath(os.fspath(path))
    handle, temporary = tempfile.mkstemp(prefix=".sqfa-", dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                told = [
                    _write_step(archive, f"{at}", name, step, save_model)
                    for at, (name, step) in enumerate(steps)
                ]
                description = {
                    "format": _FORMAT,
                    "version": _VERSION,
                    "software": f"sqfa_rs {_core.__version__}",
                    "pipeline": isinstance(estimator, Pipeline),
                    "steps": told,
                }
                archive.writestr(_DESCRIPTION, json.dumps(description))
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _write_step(
    archive: zipfile.ZipFile, at: str, name: str, step: Any, save_model: Callable[[Any, str], None]
) -> dict[str, Any]:
    """Write one step and return its description."""
    if type(step) not in _STATE or (isinstance(step, PCA) and hasattr(step, "classes_")):
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "model")
            save_model(step, model)
            archive.write(model, f"{at}/model")
        return {"name": name, "model": f"{at}/model"}
    state = {one: getattr(step, one) for one in _STATE[type(step)] if hasattr(step, one)}
    if hasattr(step, "feature_names_in_"):
        state["feature_names_in_"] = step.feature_names_in_
    parameters = step.get_params(deep=False)
    return {
        "name": name,
        "class": type(step).__name__,
        "parameters": {
            key: _write_value(archive, f"{at}/parameter-{key}", one) for key, one in parameters.items()
        },
        "state": {key: _write_value(archive, f"{at}/{key}", one) for key, one in state.items()},
    }


def _write_value(archive: zipfile.ZipFile, at: str, value: Any) -> Any:
    """Write a value as JSON, or its arrays as files of the archive."""
    if isinstance(value, dict):
        return {"dict": {key: _write_value(archive, f"{at}.{key}", one) for key, one in value.items()}}
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return {"value": value}
    array = np.asarray(value)
    objects = array.dtype == object
    if objects:
        if not all(isinstance(one, str) for one in array.flat):
            raise TypeError(
                f"{at} contains objects that are neither numbers nor text, which cannot be saved"
            )
        array = array.astype(str)
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    archive.writestr(f"{at}.npy", buffer.getvalue())
    return {"array": f"{at}.npy", "objects": objects}


def read(path: str | os.PathLike[str], load_model: Callable[[str], Any]) -> Any:
    """Read an archive."""
    name = os.fspath(path)
    try:
        with zipfile.ZipFile(name) as archive:
            told = json.loads(archive.read(_DESCRIPTION))
            if told["format"] != _FORMAT or told["version"] != _VERSION:
                raise ValueError(f"its format is {told['format']!r}, version {told['version']!r}")
            steps = [(one["name"], _read_step(archive, one, load_model)) for one in told["steps"]]
    except _DAMAGE as error:
        raise ValueError(f"{name}: not an archive of fitted estimators, or damaged: {error}") from error
    return Pipeline(steps) if told["pipeline"] else steps[0][1]


def _read_step(archive: zipfile.ZipFile, told: dict[str, Any], load_model: Callable[[str], Any]) -> Any:
    if "model" in told:
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "model")
            with open(model, "wb") as file:
                file.write(archive.read(told["model"]))
            return load_model(model)
    cls = _CLASSES[told["class"]]
    parameters = {key: _read_value(archive, one) for key, one in told["parameters"].items()}
    estimator = cls(**parameters)
    for key, one in told["state"].items():
        if key not in (*_STATE[cls], "feature_names_in_"):
            raise ValueError(f"{told['class']} has no attribute {key!r}")
        setattr(estimator, key, _read_value(archive, one))
    return estimator


def _read_value(archive: zipfile.ZipFile, told: dict[str, Any]) -> Any:
    if "dict" in told:
        return {key: _read_value(archive, one) for key, one in told["dict"].items()}
    if "array" not in told:
        return told["value"]
    array: NDArray[Any] = np.load(io.BytesIO(archive.read(told["array"])), allow_pickle=False)
    return array.astype(object) if told["objects"] else array
