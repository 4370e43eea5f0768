"""Base class of the paper's methods: streams, weights, partial fits and warm starts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from ..data._accumulator import ClassAccumulator
from ..data._inputs import training_data
from ..data._labels import positions
from ..data._streams import ArrowStream, is_stream
from ..typing import Constraint, CovarianceEstimator, Init, Matrix, Optimizer
from ._predicting import SupervisedReducer
from ._results import Initialization, Progress, initializations_of
from ._settings import core_settings


class BaseSQFA(SupervisedReducer):
    """Components that maximize the mean distance between classes; subclasses name the distance."""

    _method = "sqfa"

    # Set by the constructors of the subclasses.
    noise: float | str
    constraint: Constraint
    init: Init | Matrix
    fixed: Matrix | None
    n_init: int | Literal["auto"]
    sequential: int | None
    optimizer: Optimizer
    pairs: int | Literal["auto", "all"]
    covariance_estimator: CovarianceEstimator | None
    pair_weights: Matrix | None
    max_iter: int
    tol: float
    warm_start: bool
    verbose: int
    callback: Callable[[Progress], object] | None

    # Set by ``fit``.
    initializations_: list[Initialization]
    group_traces_: list[NDArray[np.float64]]
    refinement_: dict[str, float]
    _accumulator: ClassAccumulator

    def _distance(self) -> Any:
        raise NotImplementedError

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Learn components from labeled samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or Arrow stream
            Training samples: a NumPy array, a pandas, polars or pyarrow table, a SciPy sparse
            matrix, or any object with ``__dlpack__``. Also an Arrow stream, of which only class
            statistics are kept, so that noise and scaling have their defaults.
        y : array-like of shape (n_samples,), or str
            Class labels. For an Arrow stream, the name of the label column.
        sample_weight : array-like of shape (n_samples,), default=None
            Repetition count of each sample.
        groups : array-like of shape (n_samples,), default=None
            Group of each sample, such as a subject, a session or a recording. When the fit selects
            settings on held-out samples, it holds out each group as a whole.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if not (isinstance(y, str) and is_stream(X)):
            return self._fit_points(X, y, sample_weight, groups)
        if sample_weight is not None:
            raise ValueError("sample_weight is not supported for a stream: leave it out")
        if groups is not None:
            raise ValueError(
                "groups cannot be used with a stream, because no samples of a "
                "stream are held out: leave groups out"
            )
        return self._fit_stream(X, y)

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Update the class statistics with more samples, then update the components.

        The first call starts new statistics. Nothing is learned, and a warning is issued, until
        every class has two samples. If the optimization is interrupted, the statistics still
        include the samples. No samples are kept, so noise and scaling that are not specified have
        their defaults, which ``selection_`` reports.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that later calls may contain, for the first call. None adds classes as they
            appear.
        sample_weight : array-like of shape (n_samples,), default=None
            Repetition count of each sample, a whole number.

        Returns
        -------
        self : object
            The estimator.
        """
        self._refuse_refinement("partial_fit")
        first = getattr(self, "_accumulator", None) is None
        X, y = training_data(self, X, y, reset=first)
        settings = core_settings(self, getattr(self, "components_", None), X.shape[1])
        accumulator = ClassAccumulator(classes, n_jobs=self.n_jobs) if first else self._accumulator
        if not first and classes is not None:
            positions(column_or_1d(classes), accumulator.classes)
        accumulator.update(X, y, sample_weight)
        self._accumulator = accumulator
        lacking = _what_is_lacking(accumulator)
        if lacking is not None:
            warnings.warn(f"{lacking}, so nothing was learned yet", UserWarning, stacklevel=2)
            return self
        return self._fit_moments(accumulator.finish("empirical"), settings)

    def _fit_stream(self, X: Any, y: str) -> Self:
        """Learn from a stream without keeping its samples."""
        start = self._forget()
        self._refuse_refinement("a stream")
        stream = ArrowStream(X, y)
        self.__dict__.pop("feature_names_in_", None)
        self.n_features_in_ = stream.width
        if stream.names is not None:
            self.feature_names_in_ = np.array(stream.names, dtype=object)
        settings = core_settings(self, start, stream.width)
        accumulator = ClassAccumulator(n_jobs=self.n_jobs)
        for block, part in stream:
            accumulator.update(block, part)
        return self._fit_moments(accumulator.finish("empirical"), settings)

    def _forget(self) -> NDArray[np.float64] | None:
        start: NDArray[np.float64] | None = self.__dict__.pop("components_", None)
        for name in ("_accumulator", "refinement_", "curve_"):
            self.__dict__.pop(name, None)
        return start if self.warm_start else None

    def _looks_at_points(self) -> bool:
        return bool(self.refine)

    def _tell(self, result: dict[str, Any], used: dict[str, float]) -> None:
        self.initializations_ = initializations_of(self._record, self.objective_trace_)
        groups = self._record["fit"].get("group_traces", [])
        self.group_traces_ = [np.array(trace) for trace in groups]
        if not self.refine or not groups:
            self.group_traces_[-1:] = [self.objective_trace_]
        if self.refine:
            self.refinement_ = dict(result["refinement"])


def _what_is_lacking(accumulator: ClassAccumulator) -> str | None:
    """Return why covariances of at least two classes are not available yet, or None."""
    counts = accumulator.counts
    if len(counts) < 2:
        return "only one class so far"
    if counts.min() < 2:
        return f"class '{accumulator.classes[int(counts.argmin())]}' has fewer than 2 samples so far"
    return None
