"""Estimators for Dask: class statistics are computed on the cluster, the fit runs locally.

Each worker accumulates the class statistics of its partitions, and the cluster merges them in a
fixed order. Only the merged class statistics are sent to the calling process, which runs the fit in
seconds. Samples are not moved, so if a worker is lost, only its partitions are read again. Settings
that are not specified are selected as for arrays: the workers score candidates on held-out samples,
which takes a few more passes over the data. A refinement collects features on the driver. Methods
that need samples collect a random subsample.
"""

from __future__ import annotations

import re
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

try:
    import dask
    import dask.array
    from dask.base import is_dask_collection
except ImportError as error:
    raise ImportError("sqfa_rs.dask needs Dask: install it with pip install 'sqfa-rs[dask]'") from error

from . import estimators as local
from .data import ClassAccumulator, ClassStatistics
from .data._accumulator import merged_in_pairs
from .engines._dask import Engine, aligned, computed, whole_rows
from .engines._estimators import OnEngine, constructor
from .engines._fit import fit_on, total
from .engines._parts import accuracy, confusion
from .typing import CovarianceEstimator, Form

__all__ = [
    "AMA",
    "LAD",
    "LDA",
    "LFDA",
    "LMNN",
    "NCA",
    "PCA",
    "QDA",
    "SAVE",
    "SQFA",
    "WDA",
    "DirectionalRegression",
    "HeavyTailedSQFA",
    "LinearClassifier",
    "SecondMomentSQFA",
    "SupervisedPCA",
    "class_accumulator",
    "class_statistics",
]


def class_accumulator(
    X: Any, y: Any, *, sample_weight: Any = None, form: Form = "dense", client: Any = None
) -> ClassAccumulator:
    """Accumulate class statistics of labeled samples in Dask, for :meth:`ClassAccumulator.merge`.

    Parameters
    ----------
    X : dask array of shape (n_samples, n_features), or dask data frame
        Samples.
    y : dask array or series of shape (n_samples,), or str
        Class labels, or the name of the label column of the frame.
    sample_weight : dask array or series of shape (n_samples,), default=None
        Repetition count of each sample, a whole number.
    form : {"dense", "sketch", "sketch:ROWS"}, default="dense"
        Form of the class scatters: all entries ("dense"), or a sketch with a number of rows.
    client : distributed.Client, default=None
        Client that computes. None uses Dask's current scheduler.

    Returns
    -------
    ClassAccumulator
        Class statistics of all samples, to which more samples can be added.
    """
    return total(Engine(X, y, sample_weight, client), form)


def class_statistics(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    covariance_estimator: CovarianceEstimator = "empirical",
    form: Form = "dense",
    client: Any = None,
) -> ClassStatistics:
    """Compute class statistics of labeled samples in Dask.

    Parameters
    ----------
    X : dask array of shape (n_samples, n_features), or dask data frame
        Samples.
    y : dask array or series of shape (n_samples,), or str
        Class labels, or the name of the label column of the frame.
    sample_weight : dask array or series of shape (n_samples,), default=None
        Repetition count of each sample, a whole number.
    covariance_estimator : {"empirical", "oas"} or float, default="empirical"
        Estimator of the class covariances.
    form : {"dense", "sketch", "sketch:ROWS"}, default="dense"
        Form of the class scatters: all entries ("dense"), or a sketch with a number of rows.
    client : distributed.Client, default=None
        Client that computes. None uses Dask's current scheduler.

    Returns
    -------
    ClassStatistics
        Counts, means and covariances of the classes.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.dask import class_statistics
    >>> X, y = load_iris(return_X_y=True)
    >>> class_statistics(da.from_array(X, chunks=(50, 4)), da.from_array(y, chunks=50)).counts.tolist()
    [50, 50, 50]
    """
    sums = class_accumulator(X, y, sample_weight=sample_weight, form=form, client=client)
    return sums.finish(covariance_estimator)


class _OnDask(OnEngine):
    """Estimator that fits from class statistics on the cluster and transforms and predicts lazily."""

    _connection = "client"
    _engine_only = ("max_bytes",)
    client: Any
    max_bytes: int | None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from labeled samples in Dask, or from local samples as the local estimator does.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features), or dask data frame
            Samples.
        y : dask array or series of shape (n_samples,), or str
            Class labels, or the name of the label column of the frame.
        sample_weight : dask array or series of shape (n_samples,), default=None
            Repetition count of each sample, a whole number.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if not is_dask_collection(X):
            weights = {} if sample_weight is None else {"sample_weight": sample_weight}
            super().fit(X, y, **weights)  # type: ignore[misc]
            return self
        fit_on(self, Engine(X, y, sample_weight, self.client), self.max_bytes)
        names = _names(X, y)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy on labeled samples, computed in one pass.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features), or dask data frame
            Samples.
        y : dask array or series of shape (n_samples,), or str
            Class labels, or the name of the label column of the frame.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, for local samples only.

        Returns
        -------
        score : float
            Accuracy, which does not depend on the order of the partitions.
        """
        if not is_dask_collection(X):
            return float(super().score(X, y, sample_weight=sample_weight))  # type: ignore[misc]
        if sample_weight is not None:
            raise ValueError("sample_weight is not supported for samples in Dask: leave it out")
        blocks, labels, _, _ = aligned(X, y, None)
        model = dask.delayed(self.to_local())
        count = dask.delayed(_counted, pure=True)
        parts = [
            count(model, block, label, i)
            for i, (block, label) in enumerate(zip(blocks, labels, strict=True))
        ]
        tree = merged_in_pairs(parts, dask.delayed(np.add, pure=True))
        counts: NDArray[np.int64] = computed([tree], self.client)[0]
        return accuracy(counts)

    def _lazily(self, X: Any, method: str, width: int | None, dtype: Any) -> Any:
        """Return a method of the local estimator that is applied lazily to each partition."""
        model = self.to_local()
        if hasattr(X, "map_partitions") and hasattr(X, "columns"):
            return X.map_partitions(
                _framed, model, method, meta=_frame_meta(model, method, width, dtype, X._meta.index)
            )
        X = whole_rows(X)
        if width is None:
            return X.map_blocks(
                _answered, model, method, drop_axis=1, dtype=dtype, meta=np.empty(0, dtype=dtype)
            )
        return X.map_blocks(
            _answered,
            model,
            method,
            chunks=(X.chunks[0], (width,)),
            dtype=dtype,
            meta=np.empty((0, width), dtype=dtype),
        )


class _Reducer(_OnDask):
    def transform(self, X: Any) -> Any:
        """Compute the features of samples: lazily for samples in Dask, immediately for local samples.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features), dask data frame, or array-like
            Samples.

        Returns
        -------
        Z : dask array, dask data frame or ndarray of shape (n_samples, n_components)
            Features.
        """
        if not is_dask_collection(X):
            return super().transform(X)  # type: ignore[misc]
        components = self.components_  # type: ignore[attr-defined]
        single = getattr(X, "dtype", None) in (np.dtype(np.float32), np.dtype(np.uint8))
        return self._lazily(X, "transform", len(components), np.float32 if single else np.float64)


class _Classifier(_OnDask):
    def predict(self, X: Any) -> Any:
        """Return the most probable class of each sample: lazily for samples in Dask.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : dask array of shape (n_samples,)
            Predicted labels.
        """
        if not is_dask_collection(X):
            return super().predict(X)  # type: ignore[misc]
        return self._lazily(X, "predict", None, self.classes_.dtype)  # type: ignore[attr-defined]

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class given the sample: lazily for samples in Dask.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : dask array of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        if not is_dask_collection(X):
            return super().predict_proba(X)  # type: ignore[misc]
        return self._lazily(X, "predict_proba", len(self.classes_), np.float64)  # type: ignore[attr-defined]


_PARAMETERS = """    client : distributed.Client, default=None
        Client that computes. None uses Dask's current scheduler.
    max_bytes : int, default=None
        Maximum number of bytes of samples or features that a refinement, or a method that needs
        samples, collects on the driver. If there are more, a random subsample is used. None is 1 GiB.
"""
_EXAMPLE = """    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.dask import {name}
    >>> X, y = (da.from_array(part, chunks=50) for part in load_iris(return_X_y=True))
    >>> {name}().fit(X, y).to_local()
    {name}()
"""


class _Supervised(_Reducer, _Classifier):
    """Reducer that also predicts classes."""


def _on_dask(estimator: type[Any], kind: type[_OnDask]) -> type[Any]:
    """Return the Dask estimator for a local estimator."""
    name = estimator.__name__
    first, _, rest = (estimator.__doc__ or "").partition("\n")
    # The text before the parameters may begin with an example of the local estimator.
    text, _, rest = rest.partition("    Parameters\n")
    text = re.sub(r"\n +>>> .*?\n\n", "\n", text, flags=re.S)
    parameters, _, rest = rest.partition("\n    Attributes\n")
    document = (
        f"{first}\n\n    :class:`sqfa_rs.{name}` for samples in Dask: ``fit`` computes class statistics "
        "on the cluster,\n    ``transform`` and ``predict`` are lazy, and ``to_local`` returns the "
        f"local estimator.\n{text}    Parameters\n{parameters}{_PARAMETERS}\n    Attributes\n"
        f"{rest.partition('    Examples')[0]}{_EXAMPLE.format(name=name)}"
    )
    members = {
        "__init__": constructor(estimator, "client", "max_bytes"),
        "__doc__": document.rstrip() + "\n    ",
        "__module__": __name__,
        "_local": estimator,
    }
    return type(name, (kind, estimator), members)


# KNN is not included: it keeps all training samples, so it needs them in one place in any case.
SQFA: type[Any] = _on_dask(local.SQFA, _Supervised)
SecondMomentSQFA: type[Any] = _on_dask(local.SecondMomentSQFA, _Supervised)
HeavyTailedSQFA: type[Any] = _on_dask(local.HeavyTailedSQFA, _Supervised)
PCA: type[Any] = _on_dask(local.PCA, _Reducer)
LDA: type[Any] = _on_dask(local.LDA, _Supervised)
SupervisedPCA: type[Any] = _on_dask(local.SupervisedPCA, _Supervised)
SAVE: type[Any] = _on_dask(local.SAVE, _Supervised)
DirectionalRegression: type[Any] = _on_dask(local.DirectionalRegression, _Supervised)
AMA: type[Any] = _on_dask(local.AMA, _Supervised)
LAD: type[Any] = _on_dask(local.LAD, _Supervised)
LFDA: type[Any] = _on_dask(local.LFDA, _Supervised)
LMNN: type[Any] = _on_dask(local.LMNN, _Supervised)
WDA: type[Any] = _on_dask(local.WDA, _Supervised)
NCA: type[Any] = _on_dask(local.NCA, _Supervised)
QDA: type[Any] = _on_dask(local.QDA, _Classifier)
LinearClassifier: type[Any] = _on_dask(local.LinearClassifier, _Classifier)


def _names(X: Any, y: Any) -> list[str] | None:
    if not hasattr(X, "columns"):
        return None
    return [str(name) for name in X.columns if not (isinstance(y, str) and name == y)]


def _answered(block: Any, model: Any, method: str) -> Any:
    width = len(model.components_ if method == "transform" else model.classes_)
    if not len(block):
        return np.empty(0, dtype=model.classes_.dtype) if method == "predict" else np.empty((0, width))
    return getattr(model, method)(block)


def _framed(frame: Any, model: Any, method: str) -> Any:
    import pandas as pd

    known = getattr(model, "feature_names_in_", None)
    if known is not None:
        missing = [name for name in known if name not in frame.columns]
        if missing:
            raise ValueError(
                f"column '{missing[0]}' is missing, but the model was fitted with it: add it"
            )
        frame = frame[list(known)]
    answers = _answered(frame, model, method)
    if answers.ndim == 1:
        return pd.Series(answers, index=frame.index, name="prediction")
    return pd.DataFrame(answers, index=frame.index, columns=_columns(model, method))


def _columns(model: Any, method: str) -> list[str]:
    if method == "transform":
        return [str(name) for name in model.get_feature_names_out()]
    return [str(name) for name in model.classes_]


def _frame_meta(model: Any, method: str, width: int | None, dtype: Any, index: Any) -> Any:
    import pandas as pd

    if width is None:
        return pd.Series(np.empty(0, dtype=dtype), index=index, name="prediction")
    return pd.DataFrame(np.empty((0, width), dtype=dtype), index=index, columns=_columns(model, method))


def _counted(model: Any, X: Any, y: Any, part: int) -> NDArray[np.int64]:
    if not len(X):
        return np.zeros((len(model.classes_),) * 2, dtype=np.int64)
    known = getattr(model, "feature_names_in_", None)
    if known is not None and hasattr(X, "columns"):
        X = X[list(known)]
    predicted = model.predict(X) if hasattr(model, "predict") else model._predicted(X)
    return confusion(predicted, y, model.classes_, part)
