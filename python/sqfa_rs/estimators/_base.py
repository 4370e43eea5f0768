"""The one base class of all reducers: data become statistics, the core learns, the result is kept."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from .. import _core
from .._methods import METHODS, UNCONVERGED, Setting
from .._threads import thread_count
from ..data._inputs import dense, repeated, repetition_counts, training_data
from ..data._labels import class_names, encode, has_room
from ..data._statistics import ClassStatistics, estimator_name, given_statistics, statistics_of
from ._linear import LinearReducer
from ._results import Trial
from ._settings import core_settings, watcher

# Statistics, points and codes where the method may look at them, settings, threads.
Prepared = tuple[ClassStatistics, NDArray[Any] | None, NDArray[np.uint32] | None, dict[str, Any], int]


class Reducer(LinearReducer):
    """A method of the core by name; subclasses name it and list its parameters."""

    _method: str
    # Chosen settings by the core's name, and the attribute that shows them.
    _shown: tuple[tuple[str, str], ...] = ()

    # What ``sequential`` is when components are learned together.
    _together: int | None = None

    random_state: Any

    # Set by a fit.
    settings_: dict[str, float]
    trials_: list[Trial]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn components from labelled points.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points; sparse ones are made dense.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._learn(*self._prepared(X, y, None))

    def fit_statistics(
        self,
        means: ArrayLike | ClassStatistics | Mapping[str, Any] | None,
        covariances: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        *,
        classes: ArrayLike | None = None,
    ) -> Self:
        """Learn components from class statistics alone, where the method does not look at points.

        Parameters
        ----------
        means : array-like of shape (n_classes, n_features), ClassStatistics, mapping or None
            Class means, or all statistics at once: :class:`ClassStatistics`, or a mapping with "means"
            and "covariances", or "second_moments" alone, and perhaps "counts" and "classes". None when
            ``covariances`` are second moments.
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
        statistics = given_statistics(means, covariances, counts, classes, self.n_jobs)
        self.__dict__.pop("feature_names_in_", None)
        self.n_features_in_ = statistics.n_features
        settings = core_settings(self, start, statistics.n_features)
        return self._learn(statistics, None, None, settings, thread_count(self.n_jobs))

    # -- what subclasses may say otherwise ---------------------------------------------------

    def _forget(self) -> NDArray[np.float64] | None:
        """Unfit the estimator; returns the components to begin from, if any."""
        self.__dict__.pop("components_", None)
        return None

    def _looks_at_points(self) -> bool:
        """Whether the core may need the points beside their statistics."""
        return True

    def _needs_entries(self) -> bool:
        """Whether covariances must have entries, however many there are."""
        return False

    def _prefers_entries(self) -> bool:
        """Whether covariances have entries as long as these fit in memory."""
        return bool(self.refine)

    def _tell(self, result: dict[str, Any], used: dict[str, float]) -> None:
        """Keep what is particular to the method."""
        self.settings_ = used
        for attribute, value in self._attributes(used).items():
            setattr(self, attribute, value)
        self.trials_ = [Trial(*trial) for trial in result["trials"]]

    # -- the way of every fit ----------------------------------------------------------------

    def _prepared(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Prepared:
        """Validated points as statistics, and as points where the method looks at them."""
        start = self._forget()
        threads = thread_count(self.n_jobs)
        X, y = training_data(self, X, y)
        weights = repetition_counts(sample_weight, X)
        # Before the pass over the data, which may be long.
        settings = core_settings(self, start, X.shape[1])
        classes, codes = encode(y, weights)
        looks = self._looks_at_points()
        if looks:
            X = dense(X)
        whole = self._prefers_entries() and has_room(len(classes), X.shape[1])
        keep = not (whole or self._needs_entries())
        statistics = statistics_of(
            X, classes, codes, weights, self._covariance(), threads, keep_samples=keep
        )
        if not looks:
            return statistics, None, None, settings, threads
        X, codes = repeated(X, codes, weights)
        return statistics, X, codes, settings, threads

    @classmethod
    def _taken(cls) -> list[Setting]:
        """The settings of the method that are parameters of the constructor."""
        names = cls._get_param_names()
        return [one for one in METHODS[cls._method]["settings"] if one.parameter in names]

    @classmethod
    def _passed(cls) -> list[str]:
        """The constructor's parameters that the core takes under the same name."""
        return [one.parameter for one in cls._taken() if one.name != "distance"]

    @classmethod
    def _attributes(cls, used: dict[str, float]) -> dict[str, float | int]:
        """What the attributes that show chosen settings hold."""
        by_name = {setting.name: setting for setting in cls._taken()}
        return {
            attribute: by_name[name].number(used[name]) for name, attribute in cls._shown if name in used
        }

    def _core_method(self) -> str:
        return self._method + ("+refine" if self.refine else "")

    def _covariance(self) -> str | float:
        covariance: str | float = getattr(self, "covariance", "empirical")
        return covariance

    def _refuse_refinement(self, what: str) -> None:
        if self.refine:
            raise ValueError(
                f"refine=True holds out points, but {what} keeps only statistics: use fit with points, "
                "or refine=False"
            )

    def _learn(
        self,
        statistics: ClassStatistics,
        X: NDArray[Any] | None,
        codes: NDArray[np.uint32] | None,
        settings: dict[str, Any],
        threads: int,
    ) -> Self:
        result = _core.reduce(
            self._core_method(),
            statistics._core,
            X,
            class_names(statistics.classes),
            codes,
            estimator_name(self._covariance()),
            settings,
            watcher(self),
            threads,
        )
        self._adopt(result, statistics, threads)
        return self

    def _adopt(self, result: dict[str, Any], statistics: ClassStatistics, threads: int) -> None:
        components, used = result["components"], dict(result["settings"])
        self._describe_classes(components, statistics, threads)
        self.noise_ = float(used.get("noise", 0.0))
        self.objective_ = result["objective"]
        self.objective_trace_ = result["trace"]
        # A refinement goes on from the optimum of another objective: its own iterations count.
        refined = self.refine and len(result["trace"]) > 0
        self.n_iter_ = len(result["trace"]) - 1 if refined else int(result["n_iter"])
        self.converged_ = bool(result["converged"])
        self.termination_ = str(result["termination"])
        self._tell(result, used)
        self._record = {
            "best": result["best"],
            "passes": result["passes"],
            "evaluations": result["evaluations"],
            "seconds": result["seconds"],
            "warnings": [message for _, message in result["warnings"]],
            "restarts": result["restarts"],
            "distance": result["distance"],
            "second_moments": bool(statistics._core.second_moments()),
            "precision": "f32" if statistics._core.single_precision() else "f64",
        }
        self.components_ = components
        self._report(result)

    def _report(self, result: dict[str, Any]) -> None:
        """Warn about what the user should know."""
        name = type(self).__name__
        for kind, message in result["warnings"]:
            if kind != UNCONVERGED:
                warnings.warn(message, UserWarning, stacklevel=5)
        if not self.converged_:
            remedy = "; raise max_iter or tol, or scale the data" if hasattr(self, "max_iter") else ""
            warnings.warn(
                f"{name} did not converge: it stopped after {self.n_iter_} iterations "
                f"({self.termination_}){remedy}",
                ConvergenceWarning,
                stacklevel=5,
            )
        if getattr(self, "verbose", 0):
            print(
                f"[{name}] {self.termination_} after {self.n_iter_} iterations, "
                f"objective {self.objective_:.6g}, {result['seconds']:.3g} s"
            )
