"""What the baselines of the paper share: a reducer of the core by name, with scikit-learn's contract."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from . import _core
from ._inputs import training_data
from ._labels import class_names, encode
from ._linear import LinearReducer
from ._methods import METHODS, UNCONVERGED, Setting
from ._settings import seed_of
from ._statistics import ClassStatistics, estimator_name, statistics_of
from ._threads import thread_count

Choice = float | str | Sequence[float] | None


class Trial(NamedTuple):
    """One value of a setting that was tried."""

    name: str
    """The setting."""
    value: float
    """The value."""
    accuracy: float
    """QDA accuracy on held-out points; NaN when the value could not be used."""


_COMMON = """
    refine : bool, default=False
        Improve the components afterwards on the posterior probability of the true class, as long as
        held-out points are classified better.
    n_jobs : int, default=None
        Threads; None uses all processors. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random: starts, points looked at, points held out."""

_ATTRIBUTES = """
    components_ : ndarray of shape (n_components, n_features)
        The filters, one a row. Features are ``X @ components_.T``, without centring.
    settings_ : dict
        Every setting that was used, chosen or given.
    trials_ : list of Trial
        What was tried to choose them.
    objective_ : float or None
        What was optimised, in the method's own terms; None for a closed form.
    objective_trace_ : ndarray
        It after every iteration; empty for a closed form.
    n_iter_ : int
        Iterations; 0 for a closed form.
    converged_, termination_ : bool, str
        Whether and why the method ended; "closed-form" where nothing iterates.
    classes_, class_counts_, mean_, feature_means_, feature_covariances_, n_features_in_
        As in :class:`SQFA`."""


def documented(cls: type) -> type:
    """Fill the shared parts into a docstring, so that they are written once."""
    text = cls.__doc__ or ""
    cls.__doc__ = text.replace("\n    <common>", _COMMON).replace("\n    <attributes>", _ATTRIBUTES)
    return cls


class BaselineReducer(LinearReducer):
    """A reducer of the core by name; subclasses name it and list its parameters."""

    _method: str
    # Chosen settings by the core's name, and the attribute that shows them.
    _shown: tuple[tuple[str, str], ...] = ()

    random_state: Any
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
        self.__dict__.pop("components_", None)
        threads = thread_count(self.n_jobs)
        X, y = training_data(self, X, y)
        settings = self._core_settings()
        if sparse.issparse(X):
            X = np.ascontiguousarray(X.toarray())
        classes, codes = encode(y)
        statistics = statistics_of(X, classes, codes, None, self._covariance(), threads)
        return self._learn(statistics, X, codes, settings, threads)

    def fit_statistics(
        self,
        means: Any,
        covariances: Any = None,
        counts: Any = None,
        *,
        classes: Any = None,
    ) -> Self:
        """Learn components from class statistics alone, where the method does not look at points.

        Parameters
        ----------
        means : array-like of shape (n_classes, n_features) or ClassStatistics
            Class means, or all statistics at once.
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
        self.__dict__.pop("components_", None)
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
        settings = self._core_settings()
        return self._learn(statistics, None, None, settings, thread_count(self.n_jobs))

    def _covariance(self) -> str:
        return estimator_name(getattr(self, "covariance", "empirical"))

    @classmethod
    def _taken(cls) -> list[Setting]:
        """The settings of the method that are parameters of the constructor."""
        names = cls._get_param_names()
        return [one for one in METHODS[cls._method]["settings"] if one.parameter in names]

    @classmethod
    def _attributes(cls, used: dict[str, float]) -> dict[str, float | int]:
        """What the attributes that show chosen settings hold."""
        by_name = {setting.name: setting for setting in cls._taken()}
        return {
            attribute: by_name[name].number(used[name])
            for name, attribute in cls._shown
            if name in used
        }

    def _core_settings(self) -> dict[str, Any]:
        """The parameters as the core takes them."""
        passed = [setting.parameter for setting in self._taken()]
        whole = [name for name in ("max_iter", "pca_dims", "per_class") if name in passed]
        for name in ("n_components", *whole):
            value = getattr(self, name)
            if value is None and name != "n_components":
                continue
            if not isinstance(value, Integral) or isinstance(value, bool):
                raise TypeError(f"{name} must be a whole number, not {value!r}")
            if value < 1:
                raise ValueError(f"{name} is {value}: at least 1 is needed")
        settings: dict[str, Any] = {name: getattr(self, name) for name in passed}
        if settings.get("restarts") == "auto":
            settings["restarts"] = None
        settings["n_components"] = int(self.n_components)
        settings["seed"] = self._seed = seed_of(self.random_state)
        return settings

    def _learn(
        self,
        statistics: ClassStatistics,
        X: NDArray[Any] | None,
        codes: NDArray[np.uint32] | None,
        settings: dict[str, Any],
        threads: int,
    ) -> Self:
        result = _core.reduce(
            self._method + ("+refine" if self.refine else ""),
            statistics._core,
            X,
            class_names(statistics.classes),
            codes,
            self._covariance(),
            settings,
            None,
            threads,
        )
        components = result["components"]
        self._describe_classes(components, statistics, threads)
        self.settings_ = dict(result["settings"])
        self.noise_ = float(self.settings_.get("noise", 0.0))
        for attribute, value in self._attributes(self.settings_).items():
            setattr(self, attribute, value)
        self.trials_ = [Trial(*trial) for trial in result["trials"]]
        self.objective_ = result["objective"]
        self.objective_trace_ = result["trace"]
        self.n_iter_ = int(result["n_iter"])
        self.converged_ = bool(result["converged"])
        self.termination_ = str(result["termination"])
        self._record = {
            "best": result["best"],
            "passes": result["passes"],
            "evaluations": result["evaluations"],
            "seconds": result["seconds"],
            "warnings": [message for _, message in result["warnings"]],
            "restarts": result["restarts"],
            "second_moments": bool(statistics._core.second_moments()),
            "precision": "f32" if statistics._core.single_precision() else "f64",
        }
        self.components_ = components
        for kind, message in result["warnings"]:
            if kind != UNCONVERGED:
                warnings.warn(message, UserWarning, stacklevel=3)
        if not self.converged_:
            warnings.warn(
                f"{type(self).__name__} did not converge: it stopped after {self.n_iter_} iterations "
                f"({self.termination_})",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self
