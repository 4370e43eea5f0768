"""Quadratic discriminant analysis, the classifier that matches SQFA's features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from .. import _core
from .._threads import thread_count
from ..data._accumulator import ClassAccumulator
from ..data._inputs import (
    complain_about,
    dense,
    real_weights,
    repetition_counts,
    times_class_weight,
    training_data,
    without_zeros,
)
from ..data._labels import check_counts, class_names, encode, positions
from ..data._statistics import ClassStatistics, given_statistics, statistics_of
from ..typing import NamedWithNumber
from ._classifier import CoreClassifier


def shrinkage_fraction(shrinkage: float | str) -> float | None:
    """Return the shrinkage in the form that the core accepts: None for "auto"."""
    if isinstance(shrinkage, str):
        if shrinkage != "auto":
            raise ValueError(f"shrinkage is {shrinkage!r}: give 'auto' or a number from 0 to 1")
        return None
    return float(shrinkage)


def in_doubles(X: Any) -> Any:
    """Return samples in double precision.

    Class covariances have the precision of the samples. In single precision, rounding errors would
    look like variance of linearly dependent columns.
    """
    return X if X.dtype == np.float64 else X.astype(np.float64)


class QDA(CoreClassifier):
    """Quadratic discriminant analysis.

    Each class is a Gaussian with the maximum-likelihood mean and covariance. A sample z is assigned
    to the class with the largest

        ln πₖ − ½ ln det Sₖ − ½ (z−μₖ)ᵀ Sₖ⁻¹ (z−μₖ),    Sₖ = (1−s)Σₖ + s Σ πₖΣₖ.

    If every class covariance has full rank, nothing is shrunk by default (s = 0), and the
    predictions are those of scikit-learn's classifier. Multiplying a column by a number does not
    change the predictions. With ``nu``, classes are t distributions, whose mean and scatter are
    robust to outliers, and ½(ν+n) ln(1 + u/ν) replaces ½u for the squared distance u.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Class probabilities. None uses the class frequencies of the training data.
    shrinkage : "auto" or float, default="auto"
        Weight s of the pooled covariance in the shrunk covariances, from 0 to 1. "auto" shrinks
        only classes whose covariance does not have full rank. For a class whose correlation matrix
        has rank r, s is then n / (r + 1 + n). With 0, such a class raises an error.
    class_weight : "balanced", dict or None, default=None
        Weights of the classes, which are multiplied with ``sample_weight``: a dict from labels to
        weights, or "balanced" for the same total weight of all classes.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.
    nu : float, default=None
        Degrees of freedom of t distributions, at least 1. None uses Gaussians. ``nu`` needs
        samples: it is not available for ``partial_fit``, and ``fit_statistics`` treats the
        covariances as scatters.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    class_counts_ : ndarray of shape (n_classes,) or None
        Number of training samples in each class.
    means_ : ndarray of shape (n_classes, n_features)
        Class means.
    covariances_ : ndarray of shape (n_classes, n_features, n_features)
        Class covariances with divisor N, before shrinkage.
    priors_ : ndarray of shape (n_classes,)
        Class probabilities.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the input features. Defined only if the training data have feature names.

    See Also
    --------
    SQFA : Learns features for this classifier.

    References
    ----------
    Hastie, Tibshirani & Friedman, "The elements of statistical learning", section 4.3, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sqfa_rs import QDA, SQFA
    >>> X, y = load_iris(return_X_y=True)
    >>> make_pipeline(SQFA(2, random_state=0), QDA()).fit(X, y).score(X, y) > 0.95
    True
    """

    # Set by ``fit``.
    class_counts_: NDArray[Any] | None
    means_: NDArray[np.float64]
    covariances_: NDArray[np.float64]
    priors_: NDArray[np.float64]
    _accumulator: ClassAccumulator

    def __init__(
        self,
        *,
        priors: ArrayLike | None = None,
        shrinkage: float | Literal["auto"] = "auto",
        class_weight: Any = None,
        n_jobs: int | None = None,
        nu: float | None = None,
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.nu = nu

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit one Gaussian to every class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample. Weights that sum to less than the number of samples are scaled up
            to this number.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        self._forget()
        X, y = training_data(self, X, y)
        real = times_class_weight(self.class_weight, y, real_weights(sample_weight, X))
        if real is not None and np.any(real != np.floor(real)):
            return self._fit_weighted(X, y, real)
        X, y, weights = without_zeros(X, y, repetition_counts(real, X))
        classes, codes = encode(y, weights)
        threads = thread_count(self.n_jobs)
        X = in_doubles(X)
        return self._adopt(statistics_of(X, classes, codes, weights, self._estimator(), threads))

    def _fit_weighted(self, X: Any, y: Any, weights: NDArray[np.float64]) -> Self:
        """Fit one Gaussian to every class with weights that are not whole numbers."""
        if self.nu is not None:
            raise ValueError("nu needs weights that are whole numbers: leave out nu or class_weight")
        present = np.flatnonzero(weights)
        X, y, weights = in_doubles(X[present]), np.asarray(y)[present], weights[present]
        complain_about(X)
        classes, codes = encode(y)
        check_counts(classes, codes, np.ones(len(codes)))
        if len(classes) < 2:
            raise ValueError("the labels have 1 class: at least 2 classes are needed")
        n_features = X.shape[1]
        totals = np.bincount(codes, weights=weights)
        means = np.empty((len(classes), n_features))
        covariances = np.empty((len(classes), n_features, n_features))
        for at, total in enumerate(totals):
            rows = np.flatnonzero(codes == at)
            own, shares = dense(X[rows]), weights[rows] / total
            means[at] = shares @ own
            about = own - means[at]
            covariances[at] = (about.T * shares) @ about
        return self._describe(classes, totals, means, covariances)

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Update the class statistics with more samples; the first call starts new statistics.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that later calls may contain, for the first call. None uses the classes of
            the first batch.
        sample_weight : array-like of shape (n_samples,), default=None
            Repetition count of each sample, a whole number.

        Returns
        -------
        self : object
            The classifier. It is fitted as soon as every class has two samples.
        """
        first = getattr(self, "_accumulator", None) is None
        X, y = training_data(self, X, y, reset=first)
        accumulator = ClassAccumulator(classes, n_jobs=self.n_jobs) if first else self._accumulator
        if not first and classes is not None:
            positions(column_or_1d(classes), accumulator.classes)
        accumulator.update(in_doubles(X), y, sample_weight)
        self._accumulator = accumulator
        if len(accumulator.classes) > 1 and accumulator.counts.min() > 1:
            self._adopt(accumulator.finish(self._estimator()))
        return self

    def fit_statistics(
        self,
        means: ArrayLike | ClassStatistics | Mapping[str, Any] | None,
        covariances: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        *,
        classes: ArrayLike | None = None,
    ) -> Self:
        """Fit from class statistics alone; covariances have divisor N − 1 if counts are given.

        Parameters
        ----------
        means : array-like of shape (n_classes, n_features), ClassStatistics or mapping
            Class means, or all statistics at once: :class:`ClassStatistics`, or a mapping with
            "means" and "covariances" and optionally "counts" and "classes".
        covariances : array-like of shape (n_classes, n_features, n_features)
            Class covariances.
        counts : array-like of shape (n_classes,), default=None
            Number of samples of each class. None means that all classes have the same size.
        classes : array-like of shape (n_classes,), default=None
            Class labels; 0, 1, … by default.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        self._forget()
        statistics = given_statistics(means, covariances, counts, classes, self.n_jobs)
        self.n_features_in_ = statistics.n_features
        self.__dict__.pop("feature_names_in_", None)
        return self._adopt(statistics)

    def _estimator(self) -> NamedWithNumber | Literal["empirical"]:
        return "empirical" if self.nu is None else NamedWithNumber(f"t:{float(self.nu)!r}")

    def _forget(self) -> None:
        for name in ("means_", "_accumulator", "_classifier"):
            self.__dict__.pop(name, None)

    def _adopt(self, statistics: ClassStatistics) -> Self:
        if len(statistics.classes) < 2:
            raise ValueError("1 class in the data: a classifier needs at least 2 classes")
        means = statistics.means
        covariances = statistics.covariances.astype(np.float64)
        counts = statistics.counts
        if counts is not None and self.nu is None:
            covariances *= ((counts - 1.0) / counts)[:, None, None]
        return self._describe(statistics.classes, counts, means, covariances)

    def _describe(
        self,
        classes: NDArray[Any],
        counts: NDArray[Any] | None,
        means: NDArray[np.float64],
        covariances: NDArray[np.float64],
    ) -> Self:
        """Set the Gaussians of the classes."""
        if self.priors is not None:
            priors = np.array(self.priors, dtype=np.float64, ndmin=1)
        elif counts is not None:
            priors = counts / counts.sum()
        else:
            priors = np.full(len(means), 1 / len(means))
        # The classifier is built in fit, so that fit reports a problem with the data, not predict.
        self._classifier = self._build(classes, means, covariances, priors)
        self.classes_ = classes
        self.class_counts_ = counts
        self.covariances_ = covariances
        self.priors_ = priors / priors.sum()
        self.means_ = means
        return self

    def _build(
        self,
        classes: NDArray[Any],
        means: NDArray[np.float64],
        covariances: NDArray[np.float64],
        priors: NDArray[np.float64],
    ) -> Any:
        names, threads = class_names(classes), thread_count(self.n_jobs)
        nu = None if self.nu is None else float(self.nu)
        fraction = shrinkage_fraction(self.shrinkage)
        return _core.Qda(names, means, covariances, priors, fraction, threads, nu)

    def _built(self) -> Any:
        return self._build(self.classes_, self.means_, self.covariances_, self.priors_)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the log probability of each class given the sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Log probabilities, in the order of ``classes_``.
        """
        return self._answers(X, "log_posteriors")

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class given the sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        return np.asarray(np.exp(self._answers(X, "log_posteriors")))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the log posterior of each class; for two classes, the second minus the first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
            Log posteriors, in the order of ``classes_``. For two classes, the log posterior of the
            second class minus that of the first.
        """
        scores = self._answers(X, "log_posteriors")
        return np.asarray(scores[:, 1] - scores[:, 0]) if scores.shape[1] == 2 else scores

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "means_")
