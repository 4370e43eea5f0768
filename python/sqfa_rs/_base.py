"""What all SQFA estimators share: validation and fitting."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import column_or_1d

from . import _core
from ._inputs import repetition_counts, training_data
from ._labels import class_names, encode, positions
from ._linear import LinearReducer
from ._methods import IDENTIFIERS, UNCONVERGED
from ._results import NoiseTrial, Progress, Restart, restarts_of
from ._settings import core_settings, watcher
from ._statistics import ClassAccumulator, ClassStatistics, estimator_name, statistics_of
from ._streams import ArrowStream
from ._threads import thread_count


class BaseSQFA(LinearReducer):
    """Filters that maximise the mean distance between classes; subclasses name the distance."""

    _method = "sqfa"

    # Set by the subclasses' constructors.
    n_components: int
    noise: float | str
    constraint: str
    init: Any
    restarts: int | str
    sequential: int | None
    covariance: str | float
    pair_weights: Any
    max_iter: int
    tol: float
    warm_start: bool
    n_jobs: int | None
    random_state: Any
    verbose: int
    callback: Callable[[Progress], object] | None

    # Set by a fit.
    noise_trials_: list[NoiseTrial]
    restarts_: list[Restart]
    refinement_: dict[str, float]
    _accumulator: ClassAccumulator

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
            self._refuse_refinement("a stream")
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
        statistics = statistics_of(
            X, classes, codes, weights, self.covariance, threads, keep_sparse=not self.refine
        )
        if self.refine:
            return self._learn_refined(X, codes, weights, statistics, settings, threads)
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
        self._refuse_refinement("fit_statistics")
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
        self._refuse_refinement("partial_fit")
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
        self.__dict__.pop("refinement_", None)
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
        X, codes = _repeated(X, codes, weights)
        names = class_names(statistics.classes)
        result = _core.fit_points(
            X, names, codes, estimator_name(self.covariance), settings, watcher(self), threads
        )
        self.noise_trials_ = [NoiseTrial(*trial) for trial in result["noise_trials"]]
        return self._adopt(result, statistics, threads)

    def _learn_refined(
        self,
        X: Any,
        codes: NDArray[np.uint32],
        weights: NDArray[np.uint64] | None,
        statistics: ClassStatistics,
        settings: dict[str, Any],
        threads: int,
    ) -> Self:
        if settings["pair_weights"] is not None:
            raise ValueError("pair_weights cannot be refined: leave them out, or refine=False")
        X, codes = _repeated(X, codes, weights)
        result = _core.reduce(
            self._method + "+refine",
            statistics._core,
            X,
            class_names(statistics.classes),
            codes,
            estimator_name(self.covariance),
            settings,
            watcher(self),
            threads,
        )
        used = dict(result["settings"])
        distance = settings["distance"]
        result["noise"] = used.pop("noise")
        result["distance"] = distance if isinstance(distance, str) else distance.__name__
        if result["trials"]:
            self.noise_trials_ = [NoiseTrial(*trial[1:]) for trial in result["trials"]]
        self.refinement_ = {IDENTIFIERS[name]: value for name, value in used.items()}
        return self._adopt(result, statistics, threads)

    def _refuse_refinement(self, what: str) -> None:
        if self.refine:
            raise ValueError(
                f"refine=True holds out points, but {what} keeps only statistics: use fit with points, "
                "or refine=False"
            )

    def _adopt(self, result: dict[str, Any], statistics: ClassStatistics, threads: int) -> Self:
        components = result["components"]
        best = result["restarts"][result["best"]]
        self._describe_classes(components, statistics, threads)
        self.noise_ = float(result["noise"])
        self.objective_ = float(best["objective"])
        self.objective_trace_ = best["trace"]
        self.n_iter_ = int(best["n_iter"])
        self.converged_ = bool(best["converged"])
        self.termination_ = str(best["termination"])
        if getattr(self, "refinement_", {}).get("refinement_steps"):
            self.objective_ = float(result["objective"])
            self.objective_trace_ = result["trace"]
            self.n_iter_ = int(result["n_iter"])
            self.termination_ = str(result["termination"])
        self.restarts_ = restarts_of(result)
        self._record = {
            "best": result["best"],
            "passes": result["passes"],
            "evaluations": result["evaluations"],
            "seconds": result["seconds"],
            "warnings": [message for _, message in result["warnings"]],
            "distance": result["distance"],
            "second_moments": bool(statistics._core.second_moments()),
            "precision": "f32" if statistics._core.single_precision() else "f64",
        }
        self.components_ = components
        for kind, message in result["warnings"]:
            if kind != UNCONVERGED:
                warnings.warn(message, UserWarning, stacklevel=4)
        if not self.converged_:
            warnings.warn(
                f"the fit did not converge: it stopped after {self.n_iter_} iterations "
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


def _repeated(
    X: Any, codes: NDArray[np.uint32], weights: NDArray[np.uint64] | None
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Dense points, each as often as it counts."""
    if sparse.issparse(X):
        X = np.ascontiguousarray(X.toarray())
    if weights is not None:
        rows = np.repeat(np.arange(len(codes)), weights.astype(np.int64))
        X, codes = np.ascontiguousarray(X[rows]), codes[rows]
    return X, codes
