"""What all SQFA estimators share: validation, fitting, transforming, judging."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from . import _core
from ._inputs import complain_about, new_points, repetition_counts, training_data
from ._labels import class_names, encode, positions
from ._results import NoiseTrial, Progress, Restart, restarts_of
from ._settings import core_settings, watcher
from ._statistics import ClassAccumulator, ClassStatistics, statistics_of
from ._streams import ArrowStream, is_stream
from ._threads import thread_count

# QDA shrinkage of `score`: enough for a stable inverse, too little to matter.
SHRINKAGE = 1e-5
_UNCONVERGED = "the fit did not converge"


class BaseSQFA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Filters that maximise the mean distance between classes; subclasses name the distance."""

    _method = "sqfa"

    # Set by the subclasses' constructors.
    n_components: int
    noise: float | str
    constraint: str
    init: Any
    restarts: int | str
    sequential: int | None
    covariance: str
    pair_weights: Any
    max_iter: int
    tol: float
    warm_start: bool
    n_jobs: int | None
    random_state: Any
    verbose: int
    callback: Callable[[Progress], object] | None

    # Set by a fit.
    components_: NDArray[np.float64]
    noise_: float
    noise_trials_: list[NoiseTrial]
    objective_: float
    objective_trace_: NDArray[np.float64]
    restarts_: list[Restart]
    converged_: bool
    termination_: str
    n_iter_: int
    classes_: NDArray[Any]
    class_counts_: NDArray[np.uint64] | None
    mean_: NDArray[np.float64]
    feature_means_: NDArray[np.float64]
    feature_covariances_: NDArray[np.float64]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    _accumulator: ClassAccumulator
    _offset: NDArray[np.float64] | None
    _record: dict[str, Any]
    _seed: int

    def _distance(self) -> Any:
        raise NotImplementedError

    # -- fitting -----------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn components from labelled points.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or Arrow stream
            Points: NumPy, pandas, polars, pyarrow, SciPy sparse, anything with ``__dlpack__``.
        y : array-like of shape (n_samples,), or str
            Class labels, or the name of the label column of an Arrow stream or frame.
        sample_weight : array-like of shape (n_samples,), default=None
            Whole numbers: how often each point counts.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = self._forget()
        threads = thread_count(self.n_jobs)
        if isinstance(y, str):
            if sample_weight is not None:
                raise ValueError("sample_weight cannot be given for a stream")
            stream = self._open_stream(X, y)
            settings = core_settings(self, start, stream.width)
            accumulator = ClassAccumulator(n_jobs=self.n_jobs)
            for block, labels in stream:
                accumulator.update(block, labels)
            return self._learn(accumulator.finish(self.covariance), settings, threads)
        X, y = training_data(self, X, y)
        weights = repetition_counts(sample_weight, X)
        # Before the pass over the data, which may be long.
        settings = core_settings(self, start, X.shape[1])
        classes, codes = encode(y, weights)
        statistics = statistics_of(X, classes, codes, weights, self.covariance, threads)
        if settings["noise"] == "auto":
            return self._learn_with_noise(X, codes, weights, statistics, settings, threads)
        return self._learn(statistics, settings, threads)

    def fit_statistics(
        self,
        means: ArrayLike | ClassStatistics | None,
        covariances: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        *,
        classes: ArrayLike | None = None,
    ) -> Self:
        """Learn components from class statistics alone.

        Parameters
        ----------
        means : array-like of shape (n_classes, n_features), ClassStatistics or None
            Class means, or all statistics at once; None when ``covariances`` are second moments.
        covariances : array-like of shape (n_classes, n_features, n_features)
            Class covariances.
        counts : array-like of shape (n_classes,), default=None
            Points of every class; equal shares when not known.
        classes : array-like of shape (n_classes,), default=None
            Labels; 0, 1, … by default.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = self._forget()
        if isinstance(means, ClassStatistics):
            statistics = means
        elif covariances is None:
            raise ValueError("covariances are missing: give them, or pass ClassStatistics")
        else:
            statistics = ClassStatistics.from_moments(
                means, covariances, counts, classes=classes, n_jobs=self.n_jobs
            )
        self.__dict__.pop("feature_names_in_", None)
        self.n_features_in_ = statistics.n_features
        settings = core_settings(self, start, statistics.n_features)
        return self._learn(statistics, settings, thread_count(self.n_jobs))

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add points to the class statistics, then improve the components from where they are.

        The first call begins new statistics. Until every class has two points there is nothing to
        learn from, and the estimator stays as it was, with a warning. The points count even when
        learning is interrupted afterwards.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All labels to come, in the first call. Without it classes are added as they appear.
        sample_weight : array-like of shape (n_samples,), default=None
            Whole numbers: how often each point counts.

        Returns
        -------
        self : object
            The estimator.
        """
        if isinstance(self.noise, str) and self.noise == "auto":
            raise ValueError(
                "noise 'auto' is chosen on held-out points, but partial_fit keeps only statistics: "
                "pass a number or 'scale'"
            )
        first = getattr(self, "_accumulator", None) is None
        X, y = training_data(self, X, y, reset=first)
        settings = core_settings(self, getattr(self, "components_", None), X.shape[1])
        accumulator = ClassAccumulator(classes, n_jobs=self.n_jobs) if first else self._accumulator
        if not first and classes is not None:
            positions(column_or_1d(classes), accumulator.classes)
        accumulator.update(X, y, sample_weight)
        self._accumulator = accumulator
        counts = accumulator.counts
        if len(counts) < 2 or counts.min() < 2:
            lacking = accumulator.classes[int(counts.argmin())] if len(counts) else "any"
            warnings.warn(
                f"class '{lacking}' has fewer than 2 samples so far, so nothing was learned yet"
                if len(counts) > 1
                else "only one class so far, so nothing was learned yet",
                UserWarning,
                stacklevel=2,
            )
            return self
        statistics = accumulator.finish(self.covariance)
        return self._learn(statistics, settings, thread_count(self.n_jobs))

    def _forget(self) -> NDArray[np.float64] | None:
        """Unfit the estimator; returns the components a warm start begins from."""
        start: NDArray[np.float64] | None = self.__dict__.pop("components_", None)
        self.__dict__.pop("_accumulator", None)
        self.__dict__.pop("noise_trials_", None)
        return start if self.warm_start else None

    def _open_stream(self, X: Any, y: str) -> ArrowStream:
        stream = ArrowStream(X, y)
        self.__dict__.pop("feature_names_in_", None)
        self.n_features_in_ = stream.width
        if stream.names is not None:
            self.feature_names_in_ = np.array(stream.names, dtype=object)
        return stream

    def _learn(self, statistics: ClassStatistics, settings: dict[str, Any], threads: int) -> Self:
        result = _core.fit(statistics._core, settings, watcher(self), threads)
        return self._adopt(result, statistics, threads)

    def _learn_with_noise(
        self,
        X: Any,
        codes: NDArray[np.uint32],
        weights: NDArray[np.uint64] | None,
        statistics: ClassStatistics,
        settings: dict[str, Any],
        threads: int,
    ) -> Self:
        if sparse.issparse(X):
            X = np.ascontiguousarray(X.toarray())
        if weights is not None:
            rows = np.repeat(np.arange(len(codes)), weights.astype(np.int64))
            X, codes = np.ascontiguousarray(X[rows]), codes[rows]
        names = class_names(statistics.classes)
        result = _core.fit_points(X, names, codes, self.covariance, settings, watcher(self), threads)
        self.noise_trials_ = [NoiseTrial(*trial) for trial in result["noise_trials"]]
        return self._adopt(result, statistics, threads)

    def _adopt(self, result: dict[str, Any], statistics: ClassStatistics, threads: int) -> Self:
        components = result["components"]
        best = result["restarts"][result["best"]]
        self.classes_ = statistics.classes
        self.class_counts_ = statistics.counts
        self.mean_ = statistics._core.total_mean()
        self.noise_ = float(result["noise"])
        self.objective_ = float(best["objective"])
        self.objective_trace_ = best["trace"]
        self.n_iter_ = int(best["n_iter"])
        self.converged_ = bool(best["converged"])
        self.termination_ = str(best["termination"])
        self.restarts_ = restarts_of(result)
        self.feature_means_, covariances = statistics._core.project(components, 0.0, threads)
        # Maximum likelihood, which is what QDA takes: divisor N instead of N − 1.
        counts = self.class_counts_
        if counts is not None:
            covariances *= ((counts - 1.0) / counts)[:, None, None]
        self.feature_covariances_ = covariances
        self._offset = None
        self._record = {
            "best": result["best"],
            "passes": result["passes"],
            "evaluations": result["evaluations"],
            "seconds": result["seconds"],
            "warnings": list(result["warnings"]),
            "distance": result["distance"],
            "second_moments": bool(statistics._core.second_moments()),
            "precision": "f32" if statistics._core.single_precision() else "f64",
        }
        self.components_ = components
        for message in result["warnings"]:
            if not message.startswith(_UNCONVERGED):
                warnings.warn(message, UserWarning, stacklevel=4)
        if not self.converged_:
            warnings.warn(
                f"{_UNCONVERGED}: it stopped after {self.n_iter_} iterations "
                f"({self.termination_}); raise max_iter or tol, or scale the data",
                ConvergenceWarning,
                stacklevel=4,
            )
        if self.verbose:
            print(
                f"[{type(self).__name__}] {self.termination_} after {self.n_iter_} iterations, "
                f"objective {self.objective_:.6g}, {result['seconds']:.3g} s"
            )
        return self

    # -- using -------------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Features of points: Z = X Wᵀ, in the precision of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or Arrow stream
            Points.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Features; float32 for float32 and uint8 points, else float64.
        """
        check_is_fitted(self)
        if is_stream(X):
            return self._stream_features(ArrowStream(X))
        return self._features(X)

    def _stream_features(self, stream: ArrowStream) -> NDArray[Any]:
        known = getattr(self, "feature_names_in_", None)
        if known is not None and stream.names is not None and list(known) != stream.names:
            raise ValueError("the columns of the stream are not the feature names seen during fit")
        if stream.width != self.n_features_in_:
            raise ValueError(
                f"the stream has {stream.width} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        parts = [self._project(block) for block, _ in stream]
        return np.concatenate(parts) if parts else np.empty((0, len(self.components_)))

    def _features(self, X: Any) -> NDArray[Any]:
        return self._project(new_points(self, X, finite=False))

    def _project(self, X: Any) -> NDArray[Any]:
        if sparse.issparse(X):
            single = X.dtype in (np.float32, np.uint8)
            dtype = np.float32 if single else np.float64
            features = np.asarray(X.astype(dtype) @ self.components_.T.astype(dtype))
            if self._offset is not None:
                features += self._offset.astype(dtype)
        elif X.flags.c_contiguous or X.dtype == np.uint8:
            threads = thread_count(self.n_jobs)
            features = _core.transform(X, self.components_, self._offset, threads)
        else:
            # Points one a column, as frames keep them: BLAS reads them faster than row by row.
            features = X @ self.components_.T.astype(X.dtype)
            if self._offset is not None:
                features += self._offset.astype(X.dtype)
        # A value that is not finite makes all features of its point so: no second look at X is needed.
        if not np.isfinite(features).all():
            complain_about(X)
        return features

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Points from features: the mean plus the pseudo-inverse of the components.

        x̂ = x̄ + W⁺(z − Wx̄), the point closest to the mean among those with features z.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Features.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            Points.
        """
        check_is_fitted(self)
        features = check_array(X, dtype=[np.float64, np.float32], input_name="X")
        if features.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {features.shape[1]} features, but there are {len(self.components_)} components"
            )
        back = np.linalg.pinv(self.components_).T
        centre = self.components_ @ self.mean_
        if self._offset is not None:
            centre = centre + self._offset
        dtype = features.dtype
        centred = features - centre.astype(dtype)
        return np.asarray(centred @ back.astype(dtype) + self.mean_.astype(dtype))

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy of quadratic discriminant analysis on the features.

        One Gaussian per class with the training data's means, covariances and frequencies.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the points.

        Returns
        -------
        score : float
            The share of points whose most probable class is their own.
        """
        check_is_fitted(self)
        threads = thread_count(self.n_jobs)
        counts = self.class_counts_
        priors = np.ones(len(self.classes_)) if counts is None else counts.astype(np.float64)
        judge = _core.Qda(
            class_names(self.classes_),
            self.feature_means_,
            self.feature_covariances_,
            priors,
            SHRINKAGE,
            threads,
        )
        codes = judge.predict(self._features(X), threads)
        return float(accuracy_score(y, self.classes_[codes], sample_weight=sample_weight))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "components_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
