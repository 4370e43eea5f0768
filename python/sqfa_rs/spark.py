"""SQFA, LDA, QDA and the methods that look at points as estimators of Spark's ``pyspark.ml``.

Every partition becomes sums in an Arrow task; the sums are small and come home in the order of the
partitions, or merge on the executors first where they would not fit the driver. Only the data frame
interface is used, so classic and Connect sessions both work. Fitted models travel as this package's own
model files, never as pickles.
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
    """The sums of a Spark data frame, for :meth:`ClassAccumulator.merge` or ``finish``.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Rows with features and a label.
    features : str or sequence of str, default="features"
        A column of vectors or arrays, or columns of numbers.
    label : str, default="label"
        The column of the labels.
    weight : str, default=None
        A column of whole numbers: how often each point counts.
    form : {"dense", "sketch", "sketch:ROWS"}, default="dense"
        What is kept of a class: all entries of its scatter, or a sketch of so many rows.

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
    """Counts, means and covariances of the classes of a Spark data frame.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Rows with features and a label.
    features : str or sequence of str, default="features"
        A column of vectors or arrays, or columns of numbers.
    label : str, default="label"
        The column of the labels.
    weight : str, default=None
        A column of whole numbers: how often each point counts.
    covariance_estimator : {"empirical", "oas"} or float, default="empirical"
        The estimator of the class covariances.
    form : {"dense", "sketch", "sketch:ROWS"}, default="dense"
        What is kept of a class: all entries of its scatter, or a sketch of so many rows.

    Returns
    -------
    ClassStatistics
    """
    sums = class_accumulator(frame, features, label, weight=weight, form=form)
    return sums.finish(covariance_estimator)


class _Columns(HasFeaturesCol, HasLabelCol, HasWeightCol):  # type: ignore[misc]
    """Where points, labels and weights are."""

    featuresCols = Param(
        Params._dummy(),
        "featuresCols",
        "columns of numbers, in place of featuresCol",
        TypeConverters.toListString,
    )

    maxBytes = Param(
        Params._dummy(),
        "maxBytes",
        "the most bytes of points or coordinates that a refinement brings to the driver",
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
    """An estimator whose parameters are those of the local one, and the columns."""

    _local: type[Any]
    _model: type[Any]

    def __init__(self, n_components: int | None = None, **settings: Any) -> None:
        super().__init__()
        if n_components is not None:
            settings["n_components"] = n_components
        unknown = [name for name in settings if not self.hasParam(name)]
        if unknown:
            known = ", ".join(sorted(param.name for param in self.params))
            raise TypeError(f"there is no parameter '{unknown[0]}'; there are: {known}")
        self._set_columns(settings)

    def setParams(self, **settings: Any) -> Any:
        """Set parameters by name."""
        self._set_columns(settings)
        return self

    def to_local(self) -> Any:
        """The local estimator with the same parameters, not fitted."""
        names = self._local._get_param_names()
        return self._local(**{name: self.getOrDefault(name) for name in names if self.isSet(name)})

    def _fit(self, dataset: Any) -> Any:
        estimator = self.to_local()
        engine = Engine(dataset, self._features(), self.getLabelCol(), self._weight())
        limit = self.getOrDefault("maxBytes") if self.isSet("maxBytes") else None
        model = self._model(fit_on(estimator, engine, limit))
        return self._copyValues(model)


class _Model(_Columns, Model, MLWritable, MLReadable):  # type: ignore[misc]
    """A fitted local estimator that answers for data frames."""

    def __init__(self, fitted: Any = None) -> None:
        super().__init__()
        self._fitted = fitted

    def to_local(self) -> Any:
        """The fitted local estimator."""
        return self._fitted

    def copy(self, extra: Any = None) -> Any:
        """A copy with the same fitted estimator."""
        copy = super().copy(extra)
        copy._fitted = self._fitted
        return copy

    def write(self) -> Any:
        """The writer of Spark's persistence; the fitted estimator is stored as its own file."""
        return _Writer(self)

    @classmethod
    def read(cls) -> Any:
        """The reader of Spark's persistence."""
        return _Reader(cls)

    def _as_given(self, dataset: Any, array: Any) -> Any:
        """An array column as a vector where the features are one."""
        return array_to_vector(array) if is_vector(dataset, self._features()) else array


class _ReducerModel(_Model, HasOutputCol):  # type: ignore[misc]
    def _transform(self, dataset: Any) -> Any:
        features = array_of(dataset, self._features())
        answers = _answering(self._fitted, "transform", "array<double>")(features)
        return dataset.withColumn(self.getOutputCol(), self._as_given(dataset, answers))


class _Reducer(_Estimator, HasOutputCol):  # type: ignore[misc]
    pass


class SQFAModel(_ReducerModel):
    """A fitted :class:`SQFA`: adds features as the column ``outputCol``."""


class LDAModel(_ReducerModel):
    """A fitted :class:`LDA`: adds features as the column ``outputCol``."""


class LFDAModel(_ReducerModel):
    """A fitted :class:`LFDA`: adds features as the column ``outputCol``."""


class LMNNModel(_ReducerModel):
    """A fitted :class:`LMNN`: adds features as the column ``outputCol``."""


class WDAModel(_ReducerModel):
    """A fitted :class:`WDA`: adds features as the column ``outputCol``."""


class NCAModel(_ReducerModel):
    """A fitted :class:`NCA`: adds features as the column ``outputCol``."""


class QDAModel(_Model, HasPredictionCol):  # type: ignore[misc]
    """A fitted :class:`QDA`: adds ``predictionCol``, of the labels' type, and ``probabilityCol``."""

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
        A column of vectors or arrays, or columns of numbers.
    labelCol : str, default="label"
        The labels: numbers or text.
    weightCol : str, default=None
        Whole numbers: how often each point counts.
    outputCol : str
        The new column of the fitted model.
    maxBytes : int, default=2**30
        The most bytes of coordinates that ``refine=True`` brings to the driver (of points, where a
        method looks at points), a seeded sample beyond; no more than half of
        ``spark.driver.maxResultSize``.
    **settings
        The other parameters of :class:`sqfa_rs.SQFA`, under the same names.
    """

    _local, _model = local.SQFA, SQFAModel


class LDA(_Reducer):
    """:class:`sqfa_rs.baselines.LDA` for Spark data frames; parameters as of :class:`SQFA` here."""

    _local, _model = local.LDA, LDAModel


class LFDA(_Reducer):
    """:class:`sqfa_rs.baselines.LFDA` of a sample of a Spark frame; parameters as of :class:`SQFA`."""

    _local, _model = local.LFDA, LFDAModel


class LMNN(_Reducer):
    """:class:`sqfa_rs.baselines.LMNN` of a sample of a Spark frame; parameters as of :class:`SQFA`."""

    _local, _model = local.LMNN, LMNNModel


class WDA(_Reducer):
    """:class:`sqfa_rs.baselines.WDA` of a sample of a Spark frame; parameters as of :class:`SQFA`."""

    _local, _model = local.WDA, WDAModel


class NCA(_Reducer):
    """:class:`sqfa_rs.baselines.NCA` of a sample of a Spark frame; parameters as of :class:`SQFA`."""

    _local, _model = local.NCA, NCAModel


class QDA(_Estimator, HasPredictionCol):  # type: ignore[misc]
    """:class:`sqfa_rs.QDA` for Spark data frames.

    Parameters
    ----------
    featuresCol : str or list of str, default="features"
        A column of vectors or arrays, or columns of numbers.
    labelCol : str, default="label"
        The labels: numbers or text.
    weightCol : str, default=None
        Whole numbers: how often each point counts.
    predictionCol, probabilityCol : str
        The new columns of the fitted model.
    **settings
        The parameters of :class:`sqfa_rs.QDA`.
    """

    _local, _model = local.QDA, QDAModel
    probabilityCol = QDAModel.probabilityCol


def _declare(estimator: type[_Estimator]) -> None:
    """Declares the parameters of the local estimator, so that grids and pipelines know them."""
    for name in estimator._local._get_param_names():
        what = f"as of sqfa_rs.{estimator._local.__name__}"
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
            raise ValueError(f"{path} holds no model")
        model = self._cls(_fitted(bytes(row["model"])))
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


def _state(fitted: Any) -> bytes:
    """A fitted estimator as bytes: a model file, or the arrays of a classifier."""
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
    """A function of Spark's that asks the fitted estimator about arrays."""

    def answer(points: Any) -> Any:
        X = matrix(points)
        width = len(getattr(fitted, "components_", fitted.classes_))
        answers = getattr(fitted, method)(X) if len(X) else np.empty((0, width) if "<" in kind else 0)
        if answers.ndim == 1:
            return pyarrow.array(answers.tolist() if answers.dtype.kind in "OU" else answers)
        offsets = np.arange(len(answers) + 1, dtype=np.int32) * answers.shape[1]
        return pyarrow.ListArray.from_arrays(offsets, answers.astype(np.float64).ravel())

    # Spark reads off the types that one array becomes another.
    answer.__annotations__ = {"points": pyarrow.Array, "return": pyarrow.Array}
    asked: Callable[..., Any] = functions.arrow_udf(answer, kind)
    return asked


del _one
