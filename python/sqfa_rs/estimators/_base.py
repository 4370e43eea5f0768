"""Base class of all reducers, which fit in the core and keep the result.

Settings that are not specified (noise, scaling, number of components) are selected by the core, as
in the command.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from .. import _core
from .._methods import DEPENDENT_ROWS, METHODS, UNCONVERGED, Setting
from .._threads import thread_count
from ..data._folds import group_codes, predefined_folds
from ..data._inputs import dense, repetition_counts, training_data, without_zeros
from ..data._labels import check_counts, check_room, class_names, encode
from ..data._statistics import (
    ClassStatistics,
    estimator_name,
    given_statistics,
    sparse_statistics,
)
from ._linear import LinearReducer
from ._progress import padded, watcher
from ._results import Trial, curve_of, selection_of, trials_of
from ._settings import core_settings, with_count

# Sparse samples up to this many bytes are converted to dense arrays. For larger ones only class
# statistics are kept.
DENSE_BYTES = 1 << 30


class Reducer(LinearReducer):
    """Reducer that runs one of the core's methods, which subclasses specify."""

    _method: str
    # Whether ``n_components=None`` means all components that the method can compute.
    _has_all = False
    # Names of selected settings in the core, with the attribute in which each is shown.
    _shown: tuple[tuple[str, str], ...] = ()

    random_state: Any
    cv: Any

    # Set by ``fit``.
    settings_: dict[str, float]
    trials_: list[Trial]

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
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples. Sparse matrices are converted to dense arrays.
        y : array-like of shape (n_samples,)
            Class labels.
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
        return self._fit_points(X, y, sample_weight, groups)

    def fit_statistics(
        self,
        means: ArrayLike | ClassStatistics | Mapping[str, Any] | None,
        covariances: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        *,
        classes: ArrayLike | None = None,
    ) -> Self:
        """Learn components from class statistics alone, for methods that do not need the samples.

        No samples can be held out, so noise and scaling that are not specified have their defaults:
        0.3 times the mean within-class variance with within-class scaling. For second moments
        alone, the default noise is the mean variance of the unscaled columns. ``selection_``
        reports it.

        Parameters
        ----------
        means : array-like of shape (n_classes, n_features), ClassStatistics, mapping or None
            Class means, or all statistics at once: :class:`ClassStatistics`, or a mapping with
            "means" and "covariances" and optionally "counts" and "classes". A mapping with
            "second_moments" instead of both, or a single array of shape (n_classes, n_features,
            n_features), holds second moments. ``covariances`` holds second moments if ``means`` is
            None.
        covariances : array-like of shape (n_classes, n_features, n_features)
            Class covariances.
        counts : array-like of shape (n_classes,), default=None
            Number of samples of each class. None means that all classes have the same size.
        classes : array-like of shape (n_classes,), default=None
            Class labels; 0, 1, … by default.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = self._forget()
        self._refuse_refinement("fit_statistics")
        statistics = given_statistics(means, covariances, counts, classes, self.n_jobs)
        self.__dict__.pop("feature_names_in_", None)
        self.n_features_in_ = statistics.n_features
        return self._fit_moments(statistics, core_settings(self, start, statistics.n_features))

    # -- methods that subclasses may override --------------------------------------------------

    def _forget(self) -> NDArray[np.float64] | None:
        """Discard the results of an earlier fit, and return the components to start from, if any."""
        for name in ("components_", "curve_"):
            self.__dict__.pop(name, None)
        return None

    def _specified(self, parameter: str) -> Any:
        """Return the value of a parameter in the form that the core accepts."""
        return getattr(self, parameter)

    def _most_components(self, n_samples: int, n_features: int, n_classes: int) -> int:
        """Return the number of components that ``n_components=None`` stands for."""
        raise NotImplementedError

    def _looks_at_points(self) -> bool:
        """Return whether the core may need the samples in addition to the class statistics."""
        return True

    def _needs_entries(self) -> bool:
        """Return whether the method needs the entries of the covariances, however many there are."""
        return False

    def _tell(self, result: dict[str, Any], used: dict[str, float]) -> None:
        """Set the attributes that only this method has."""
        self.settings_ = used
        for attribute, value in self._attributes(used).items():
            setattr(self, attribute, value)
        self.trials_ = trials_of(self._record)

    # -- steps that all fits share -------------------------------------------------------------

    def _fit_points(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, groups: ArrayLike | None
    ) -> Self:
        """Validate samples, then learn from them."""
        # Sparse matrices of the format DOK are mappings as well.
        if isinstance(X, Mapping) and not sparse.issparse(X):
            raise TypeError("fit needs samples: pass class statistics to fit_statistics")
        start = self._forget()
        X, y = training_data(self, X, y)
        weights = repetition_counts(sample_weight, X)
        kept = None if weights is None or weights.all() else np.flatnonzero(weights)
        codes = group_codes(groups, len(y))
        folds = predefined_folds(self.cv, X, y, groups, kept)
        if kept is not None and codes is not None:
            codes = codes[kept]
        X, y, weights = without_zeros(X, y, weights)
        # Before the pass over the data, which may take long.
        settings = core_settings(self, start, X.shape[1])
        return self._fit_arrays(X, y, weights, settings, codes, folds)

    def _fit_arrays(
        self,
        X: Any,
        y: Any,
        weights: NDArray[np.uint64] | None,
        settings: dict[str, Any],
        groups: NDArray[np.uint32] | None = None,
        folds: NDArray[np.uint16] | int | None = None,
    ) -> Self:
        """Learn from validated samples."""
        threads = thread_count(self.n_jobs)
        classes, codes = encode(y, weights)
        check_counts(classes, codes, weights)
        size = len(codes) if weights is None else int(weights.sum())
        settings = with_count(self, settings, size, X.shape[1], len(classes))
        if _is_huge(X) and not self._looks_at_points():
            statistics = sparse_statistics(X, classes, codes, weights, threads)
            return self._fit_moments(statistics, settings)
        X, estimator = dense(X), estimator_name(self._covariance())
        count = int(len(X) if weights is None else weights.sum())
        width = 8 if X.dtype == np.float64 else 4
        method, watch = self._core_method(), watcher(self)
        made = _core.covariances(method, estimator, settings, count, X.shape[1], len(classes), width)
        if made is not None:
            check_room(made, X.shape[1])
        names, held = class_names(classes), (groups, folds)
        result = _core.fit_points(
            method, X, names, codes, weights, held, estimator, settings, watch, threads
        )
        return self._adopt(result, classes)

    def _fit_moments(self, statistics: ClassStatistics, settings: dict[str, Any]) -> Self:
        """Learn from class statistics, with defaults for settings that are not specified."""
        method, threads = self._core_method(), thread_count(self.n_jobs)
        estimator = estimator_name(self._summed_covariance())
        counts = statistics.counts
        size = statistics.n_features + 1 if counts is None else int(counts.sum())
        settings = with_count(self, settings, size, statistics.n_features, len(statistics.classes))
        result = _core.fit_statistics(
            method, statistics._core, estimator, settings, watcher(self), threads
        )
        return self._adopt(result, statistics.classes)

    def _summed_covariance(self) -> str | float:
        """Return the covariance estimator for class statistics: one that does not need samples."""
        return self._covariance()

    @classmethod
    def _taken(cls) -> list[Setting]:
        """Return the settings of the method that are parameters of the constructor."""
        names = cls._get_param_names()
        return [one for one in METHODS[cls._method]["settings"] if one.parameter in names]

    @classmethod
    def _attributes(cls, used: dict[str, float]) -> dict[str, float | int]:
        """Return the values of the attributes that show selected settings."""
        by_name = {setting.name: setting for setting in cls._taken()}
        return {
            attribute: by_name[name].number(used[name]) for name, attribute in cls._shown if name in used
        }

    def _core_method(self) -> str:
        return self._method + ("+refine" if self.refine else "")

    def _covariance(self) -> str | float:
        covariance: str | float = getattr(self, "covariance_estimator", "empirical")
        return covariance

    def _refuse_refinement(self, what: str) -> None:
        if self.refine:
            raise ValueError(
                f"refine=True needs samples that can be held out, but {what} keeps only class "
                "statistics: use fit with samples, or set refine=False"
            )

    def _adopt(self, result: dict[str, Any], classes: NDArray[Any]) -> Self:
        """Keep the result of a fit and set the fitted attributes."""
        self.classes_ = classes
        self._keep(result, json.loads(result["record"]))
        self._report(result)
        return self

    def _keep(self, result: dict[str, Any], record: dict[str, Any]) -> None:
        """Keep the arrays and the record of a fit, new or from a file, and set the fitted attributes."""
        run = record["fit"]
        self._record = record
        self.class_counts_ = result["counts"]
        self.mean_ = result["mean"]
        self.feature_means_, self.feature_covariances_ = result["means"], result["covariances"]
        self._offset = result["offset"]
        self._unfolded = unfolded(result)
        self.selection_ = selection_of(record.get("selection"))
        self.scaling_ = str(record["scaling"])
        self.dropped_features_ = np.array(record.get("dropped", []), dtype=np.intp)
        if record.get("filters_tried"):
            self.curve_ = curve_of(record["filters_tried"])
        used = dict(result["settings"])
        self.noise_ = float(used.get("noise", 0.0))
        self.objective_ = run["objective"]
        trace = np.array(run["trace"], dtype=np.float64)
        self.objective_trace_, self.n_iter_ = traced(trace, run["iterations"], bool(record["refined"]))
        self.converged_ = bool(run["converged"])
        self.termination_ = str(run["termination"])
        self._tell(result, used)
        self.components_ = result["components"]

    def _report(self, result: dict[str, Any]) -> None:
        """Issue the warnings of a fit."""
        name = type(self).__name__
        for kind, message in result["warnings"]:
            if kind == DEPENDENT_ROWS:
                message += " (fit(X, y, groups=...))"
            if kind != UNCONVERGED:
                warnings.warn(message, UserWarning, stacklevel=5)
        if not self.converged_:
            remedy = "; increase max_iter or tol, or scale the data" if hasattr(self, "max_iter") else ""
            warnings.warn(
                f"{name} did not converge: the optimization ended after {self.n_iter_} iterations "
                f"({self.termination_}){remedy}",
                ConvergenceWarning,
                stacklevel=5,
            )
        if getattr(self, "verbose", 0):
            for line in self._choices():
                print(padded(f"[{name}] {line}"))
            ended = f"[{name}] {self.termination_} after {self.n_iter_} iterations, "
            print(padded(f"{ended}objective {self.objective_:.6g}, {self._seconds():.3g} s"))

    def _seconds(self) -> float:
        """Return the time of the fit in seconds, including the selection of its settings."""
        run = self._record["fit"]
        return float(run["seconds"] + (run.get("search_seconds") or 0.0))

    def _choices(self) -> Iterator[str]:
        """Return a description of the settings that the fit selected."""
        if len(self.dropped_features_):
            yield f"dropped constant columns: {', '.join(map(str, self.dropped_features_))}"
        if self.selection_ is not None:
            own = self.selection_
            how = (
                f"{own.reason} of {len(own.tried)} candidates, {own.folds} folds"
                if own.folds
                else own.reason
            )
            yield f"scaling {own.scaling}, noise {own.noise} ({how})"


def traced(trace: NDArray[np.float64], count: int, refined: bool) -> tuple[NDArray[np.float64], int]:
    """Return the trace of the objective, with its initial value, and the number of iterations."""
    if refined and len(trace):
        # The refinement continues from the optimum of another objective, so its iterations are
        # counted separately.
        return trace, len(trace) - 1
    if 0 < len(trace) == count:
        # The last iteration did not improve the objective.
        trace = np.append(trace, trace[-1])
    return trace, int(count)


def unfolded(result: dict[str, Any]) -> Any:
    """Return components for the original columns, which include the preprocessing."""
    return None if result["filters"] is None else (result["filters"], result["preprocessing"])


def _is_huge(X: Any) -> bool:
    """Return whether sparse samples would need too much memory as a dense array."""
    return bool(sparse.issparse(X) and 8 * X.shape[0] * X.shape[1] > DENSE_BYTES)
