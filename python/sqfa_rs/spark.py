"""SQFA, LDA, QDA and methods that need samples, as estimators of Spark's ``pyspark.ml``.

An Arrow task computes the class statistics of each partition. The statistics are small and are
merged on the driver in the order of the partitions. If they exceed the driver's limit, they are
merged on the executors first. Only the data frame interface is used, so classic and Connect
sessions both work. Fitted models are sent as model files of this package, never as pickles.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

try:
    import pyarrow
    from pyspark.ml import Estimator, Model
    from pyspark.ml.functions import array_to_vector
    from pyspark.ml.param import Param, Params, TypeConverters
    from pyspark.ml.param.shared import (
        HasFeaturesCol,
        HasLabelCol,
        HasOutputCol,
        HasPredictionCol,
        HasWeightCol,
    )
    from pyspark.ml.util import (
        DefaultParamsReadable,
        DefaultParamsReader,
        DefaultParamsWritable,
        DefaultParamsWriter,
        MLReadable,
        MLReader,
        MLWritable,
        MLWriter,
    )
    from pyspark.sql import functions
except ImportError as error:
    raise ImportError(
        "sqfa_rs.spark needs Spark: install it with pip install 'sqfa-rs[spark]'"
    ) from error

from . import _files
from . import estimators as local
from .data import ClassAccumulator, ClassStatistics
from .engines._fit import fit_on, total
from .engines._spark import Engine, array_of, is_vector, matrix
from .typing import CovarianceEstimator, Form

__all__ = [
    "LDA",
    "LFDA",
    "LMNN",
    "NCA",
    "QDA",
    "SQFA",
    "WDA",
    "LDAModel",
    "LFDAModel",
    "LMNNModel",
    "NCAModel",
    "QDAModel",
    "SQFAModel",
    "WDAModel",
    "class_accumulator",
    "class_statistics",
]


def class_accumulator(
    frame: Any,
    features: str | Sequence[str] = "features",
    label: str = "label",
    *,
    weight: str | None = None,
    form: Form = "dense",
) -> ClassAccumulator:
    """Accumulate class statistics of a Spark data frame, for :meth:`ClassAccumulator.merge`.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Data frame with features and a label column.
    features : str or sequence of str, default="features"
        A column of vectors or arrays, or a list of columns of numbers.
    label : str, default="label"
        Column of the labels.
    weight : str, default=None
        Column with the repetition count of each sample, a whole number.
    form : {"dense", "sketch", "sketch:ROWS"}, default="dense"
        Form of the class scatters: all entries ("dense"), or a sketch with a number of rows.

    Returns
    -------
    ClassAccumulator
    """
    return total(Engine(frame, features, label, weight), form)


def class_statistics(
    frame: Any,
    features: str | Sequence[str] = "features",
    label: str = "label",
    *,
    weight: str | None = None,
    covariance_estimator: CovarianceEstimator = "empirical",
    form: Form = "dense",
) -> ClassStatistics:
    """Compute class statistics of a Spark data frame.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Data frame with features and a label column.
    features : str or sequence of str, default="features"
        A column of vectors or arrays, or a list of columns of numbers.
    label : str, default="label"
        Column of the labels.
    weight : str, default=None
        Column with the repetition count of each sample, a whole number.
    covariance_estimator : {"empirical", "oas"} or float, default="empirical"
        Estimator of the class covariances.
    form : {"dense", "sketch", "sketch:ROWS"}, default="dense"
        Form of the class scatters: all entries ("dense"), or a sketch with a number of rows.

    Returns
    -------
    ClassStatistics
    """
    sums = class_accumulator(frame, features, label, weight=weight, form=form)
    return sums.finish(covariance_estimator)


class _Columns(HasFeaturesCol, HasLabelCol, HasWeightCol):  # type: ignore[misc]
    """Parameters that name the columns of samples, labels and weights."""

    featuresCols = Param(
        Params._dummy(),
        "featuresCols",
        "columns of numbers, instead of featuresCol",
        TypeConverters.toListString,
    )

    maxBytes = Param(
        Params._dummy(),
        "maxBytes",
        "maximum number of bytes of samples or features that a refinement collects on the driver",
        TypeConverters.toInt,
    )

    def _features(self) -> Any:
        return self.getOrDefault("featuresCols") if self.isSet("featuresCols") else self.getFeaturesCol()

    def _weight(self) -> str | None:
        return self.getWeightCol() if self.isSet("weightCol") else None

    def _set_columns(self, settings: dict[str, Any]) -> None:
        features = settings.pop("featuresCol", None)
        if isinstance(features, str):
            settings["featuresCol"] = features
        elif features is not None:
            settings["featuresCols"] = list(features)
        self._set(**{name: value for name, value in settings.items() if value is not None})


class _Estimator(_Columns, Estimator, DefaultParamsReadable, DefaultParamsWritable):  # type: ignore[misc]
    """Estimator with the parameters of the local estimator and the names of the columns."""

    _local: type[Any]
    _model: type[Any]

    def __init__(self, n_components: int | None = None, **settings: Any) -> None:
        super().__init__()
        if n_components is not None:
            settings["n_components"] = n_components
        unknown = [name for name in settings if not self.hasParam(name)]
        if unknown:
            known = ", ".join(sorted(param.name for param in self.params))
            raise TypeError(f"there is no parameter '{unknown[0]}'; the parameters are: {known}")
        self._set_columns(settings)

    def setParams(self, **settings: Any) -> Any:
        """Set parameters by name."""
        self._set_columns(settings)
        return self

    def to_local(self) -> Any:
        """Return an unfitted local estimator with the same parameters."""
        names = self._local._get_param_names()
        return self._local(**{name: self.getOrDefault(name) for name in names if self.isSet(name)})

    def _fit(self, dataset: Any) -> Any:
        estimator = self.to_local()
        engine = Engine(dataset, self._features(), self.getLabelCol(), self._weight())
        limit = self.getOrDefault("maxBytes") if self.isSet("maxBytes") else None
        model = self._model(fit_on(estimator, engine, limit))
        return self._copyValues(model)


class _Model(_Columns, Model, MLWritable, MLReadable):  # type: ignore[misc]
    """Fitted local estimator that transforms data frames."""

    def __init__(self, fitted: Any = None) -> None:
        super().__init__()
        self._fitted = fitted

    def to_local(self) -> Any:
        """The fitted local estimator."""
        return self._fitted

    def copy(self, extra: Any = None) -> Any:
        """Return a copy with the same fitted estimator."""
        copy = super().copy(extra)
        copy._fitted = self._fitted
        return copy

    def write(self) -> Any:
        """Return the writer of Spark's persistence."""
        return _Writer(self)

    @classmethod
    def read(cls) -> Any:
        """Return the reader of Spark's persistence."""
        return _Reader(cls)

    def _as_given(self, dataset: Any, array: Any) -> Any:
        """Return an array column as vectors if the features are vectors."""
        return array_to_vector(array) if is_vector(dataset, self._features()) else array


class _ReducerModel(_Model, HasOutputCol):  # type: ignore[misc]
    def _transform(self, dataset: Any) -> Any:
        features = array_of(dataset, self._features())
        answers = _answering(self._fitted, "transform", "array<double>")(features)
        return dataset.withColumn(self.getOutputCol(), self._as_given(dataset, answers))


class _Reducer(_Estimator, HasOutputCol):  # type: ignore[misc]
    pass


class SQFAModel(_ReducerModel):
    """Fitted :class:`SQFA`, which adds features as the column ``outputCol``."""


class LDAModel(_ReducerModel):
    """Fitted :class:`LDA`, which adds features as the column ``outputCol``."""


class LFDAModel(_ReducerModel):
    """Fitted :class:`LFDA`, which adds features as the column ``outputCol``."""


class LMNNModel(_ReducerModel):
    """Fitted :class:`LMNN`, which adds features as the column ``outputCol``."""


class WDAModel(_ReducerModel):
    """Fitted :class:`WDA`, which adds features as the column ``outputCol``."""


class NCAModel(_ReducerModel):
    """Fitted :class:`NCA`, which adds features as the column ``outputCol``."""


class QDAModel(_Model, HasPredictionCol):  # type: ignore[misc]
    """Fitted :class:`QDA`, which adds predictions and probabilities as columns."""

    probabilityCol = Param(
        Params._dummy(), "probabilityCol", "the class probabilities", TypeConverters.toString
    )

    def __init__(self, fitted: Any = None) -> None:
        super().__init__(fitted)
        self._setDefault(probabilityCol="probability")

    def _transform(self, dataset: Any) -> Any:
        features = array_of(dataset, self._features())
        classes = self._fitted.classes_
        kind = {"f": "double", "i": "bigint", "u": "bigint", "b": "boolean"}.get(
            classes.dtype.kind, "string"
        )
        chances = _answering(self._fitted, "predict_proba", "array<double>")(features)
        predicted = _answering(self._fitted, "predict", kind)(features)
        frame = dataset.withColumn(self.getOrDefault("probabilityCol"), self._as_given(dataset, chances))
        return frame.withColumn(self.getPredictionCol(), predicted)


class SQFA(_Reducer):
    """:class:`sqfa_rs.SQFA` for Spark data frames.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    featuresCol : str or list of str, default="features"
        A column of vectors or arrays, or a list of columns of numbers.
    labelCol : str, default="label"
        Column of the labels, which are numbers or text.
    weightCol : str, default=None
        Column with the repetition count of each sample, a whole number.
    outputCol : str
        Name of the column that the fitted model adds.
    maxBytes : int, default=2**30
        Maximum number of bytes of features that ``refine=True`` collects on the driver, or of
        samples for methods that need samples. If there are more, a random subsample is used. The
        limit is at most half of ``spark.driver.maxResultSize``.
    **settings
        The other parameters of :class:`sqfa_rs.SQFA`, with the same names.
    """

    _local, _model = local.SQFA, SQFAModel


class LDA(_Reducer):
    """:class:`sqfa_rs.baselines.LDA` for Spark data frames, with parameters as in :class:`SQFA` here."""

    _local, _model = local.LDA, LDAModel


class LFDA(_Reducer):
    """:class:`sqfa_rs.baselines.LFDA` of a subsample; parameters as in :class:`SQFA`."""

    _local, _model = local.LFDA, LFDAModel


class LMNN(_Reducer):
    """:class:`sqfa_rs.baselines.LMNN` of a subsample; parameters as in :class:`SQFA`."""

    _local, _model = local.LMNN, LMNNModel


class WDA(_Reducer):
    """:class:`sqfa_rs.baselines.WDA` of a subsample; parameters as in :class:`SQFA`."""

    _local, _model = local.WDA, WDAModel


class NCA(_Reducer):
    """:class:`sqfa_rs.baselines.NCA` of a subsample; parameters as in :class:`SQFA`."""

    _local, _model = local.NCA, NCAModel


class QDA(_Estimator, HasPredictionCol):  # type: ignore[misc]
    """:class:`sqfa_rs.QDA` for Spark data frames.

    Parameters
    ----------
    featuresCol : str or list of str, default="features"
        A column of vectors or arrays, or a list of columns of numbers.
    labelCol : str, default="label"
        Column of the labels, which are numbers or text.
    weightCol : str, default=None
        Repetition count of each sample, a whole number.
    predictionCol, probabilityCol : str
        Names of the columns that the fitted model adds.
    **settings
        The parameters of :class:`sqfa_rs.QDA`.
    """

    _local, _model = local.QDA, QDAModel
    probabilityCol = QDAModel.probabilityCol


def _declare(estimator: type[_Estimator]) -> None:
    """Declare the parameters of the local estimator for parameter grids and pipelines."""
    for name in estimator._local._get_param_names():
        what = f"as in sqfa_rs.{estimator._local.__name__}"
        setattr(estimator, name, Param(Params._dummy(), name, what, TypeConverters.identity))


for _one in (SQFA, LDA, LFDA, LMNN, WDA, NCA, QDA):
    _declare(_one)


class _Writer(MLWriter):  # type: ignore[misc]
    def __init__(self, model: _Model) -> None:
        super().__init__()
        self._model = model

    def saveImpl(self, path: str) -> None:
        session = self.sparkSession
        DefaultParamsWriter.saveMetadata(self._model, path, session)
        state = _state(self._model._fitted)
        session.createDataFrame([(bytearray(state),)], "model binary").coalesce(1).write.parquet(
            f"{path}/model"
        )


class _Reader(MLReader):  # type: ignore[misc]
    def __init__(self, cls: type[_Model]) -> None:
        super().__init__()
        self._cls = cls

    def load(self, path: str) -> Any:
        session = self.sparkSession
        metadata = DefaultParamsReader.loadMetadata(path, session)
        row = session.read.parquet(f"{path}/model").first()
        if row is None:
            raise ValueError(f"{path} does not contain a model")
        model = self._cls(_fitted(bytes(row["model"])))
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


def _state(fitted: Any) -> bytes:
    """Return a fitted estimator as bytes: a model file, or an archive of a classifier."""
    if isinstance(fitted, local.QDA):
        arrays = {"means": fitted.means_, "covariances": fitted.covariances_, "priors": fitted.priors_}
        arrays |= {"classes": fitted.classes_, "shrinkage": np.array(fitted.shrinkage)}
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        return buffer.getvalue()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        _files.save(fitted, path)
        return path.read_bytes()


def _fitted(state: bytes) -> Any:
    if not state.startswith(b"PK"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.safetensors"
            path.write_bytes(state)
            return _files.load(path)
    with np.load(io.BytesIO(state), allow_pickle=False) as arrays:
        fitted = local.QDA(priors=arrays["priors"], shrinkage=arrays["shrinkage"].item())
        return fitted.fit_statistics(arrays["means"], arrays["covariances"], classes=arrays["classes"])


def _answering(fitted: Any, method: str, kind: str) -> Callable[..., Any]:
    """Return a Spark function that applies a method of the fitted estimator to arrays."""

    def answer(points: Any) -> Any:
        X = matrix(points)
        width = len(getattr(fitted, "components_", fitted.classes_))
        answers = getattr(fitted, method)(X) if len(X) else np.empty((0, width) if "<" in kind else 0)
        if answers.ndim == 1:
            return pyarrow.array(answers.tolist() if answers.dtype.kind in "OU" else answers)
        offsets = np.arange(len(answers) + 1, dtype=np.int32) * answers.shape[1]
        return pyarrow.ListArray.from_arrays(offsets, answers.astype(np.float64).ravel())

    # Spark infers from the types that the function maps one array to another.
    answer.__annotations__ = {"points": pyarrow.Array, "return": pyarrow.Array}
    asked: Callable[..., Any] = functions.arrow_udf(answer, kind)
    return asked


del _one
