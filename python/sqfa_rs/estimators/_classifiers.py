"""Classifiers in addition to QDA: nearest neighbors, and Gaussian classes with a common covariance."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._threads import thread_count
from ..data._inputs import dense, training_data
from ..data._labels import class_names, encode
from ._classifier import CoreClassifier
from ._qda import QDA, shrinkage_fraction


class LinearClassifier(QDA):
    """Linear discriminant analysis as a classifier; :class:`LDA` is the transformer.

    Each class is a Gaussian, and all classes have the pooled covariance Σ = Σ πₖ Σₖ, shrunk to S =
    (1−s)Σ + s diag(Σ). A sample z is assigned to the class with the largest

        ln πₖ − ½ (z−μₖ)ᵀ S⁻¹ (z−μₖ).

    If the pooled covariance has full rank, nothing is shrunk by default (s = 0). Multiplying a
    column by a number does not change the predictions.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Class probabilities. None uses the class frequencies of the training data.
    shrinkage : "auto" or float, default="auto"
        Weight s of the diagonal in the shrunk covariance, from 0 to 1. "auto" shrinks only if the
        pooled covariance does not have full rank. For a correlation matrix of rank r, s is then n /
        (r + 1 + n).
    class_weight : "balanced", dict or None, default=None
        Weights of the classes, which are multiplied with ``sample_weight``: a dict from labels to
        weights, or "balanced" for the same total weight of all classes.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.

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
    sqfa_rs.QDA : Classifier with one covariance per class.
    LDA : The transformer.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import LinearClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> LinearClassifier().fit(X, y).score(X, y) > 0.95
    True
    """

    # Densities are Gaussian.
    nu = None

    def __init__(
        self,
        *,
        priors: ArrayLike | None = None,
        shrinkage: float | Literal["auto"] = "auto",
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _build(
        self,
        classes: NDArray[Any],
        means: NDArray[np.float64],
        covariances: NDArray[np.float64],
        priors: NDArray[np.float64],
    ) -> Any:
        names, threads = class_names(classes), thread_count(self.n_jobs)
        fraction = shrinkage_fraction(self.shrinkage)
        return _core.Linear(names, means, covariances, priors, fraction, threads)


class KNN(CoreClassifier):
    """Classifier by the majority vote of the k nearest training samples.

    Distances are Euclidean, votes have equal weights, and the search is exact. If distances are
    equal, the earlier training sample is used; if classes have equally many votes, the first class
    is predicted.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbors that vote.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    n_samples_fit_ : int
        Number of training samples.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the input features. Defined only if the training data have feature names.

    See Also
    --------
    sqfa_rs.QDA : Classifier with one Gaussian per class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import KNN
    >>> X, y = load_iris(return_X_y=True)
    >>> KNN(3).fit(X, y).score(X, y) > 0.95
    True
    """

    n_samples_fit_: int
    _points: NDArray[Any]
    _codes: NDArray[np.uint32]

    def __init__(self, n_neighbors: int = 5, *, n_jobs: int | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Store the training samples and their labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples. Sparse matrices are converted to dense arrays.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        if not isinstance(self.n_neighbors, Integral) or isinstance(self.n_neighbors, bool):
            raise TypeError(f"n_neighbors must be a whole number, not {self.n_neighbors!r}")
        if self.n_neighbors < 1:
            raise ValueError(f"n_neighbors is {self.n_neighbors}: at least 1 is needed")
        points, y = training_data(self, X, y)
        points = dense(points)
        classes, codes = encode(y)
        if len(classes) < 2:
            raise ValueError("the labels have only one class: a classifier needs at least 2 classes")
        self._classifier = self._build(classes, points, codes)
        self.classes_, self._codes = classes, codes
        # A copy, because the caller may change the array before the classifier is pickled.
        self._points = points.copy()
        self.n_samples_fit_ = len(points)
        return self

    def _build(self, classes: NDArray[Any], points: NDArray[Any], codes: NDArray[Any]) -> _core.Knn:
        names, threads = class_names(classes), thread_count(self.n_jobs)
        return _core.Knn(names, points, codes, int(self.n_neighbors), threads)

    def _built(self) -> _core.Knn:
        return self._build(self.classes_, self._points, self._codes)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the fraction of neighbors that belong to each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            The fractions, in the order of ``classes_``.
        """
        return self._answers(X, "posteriors")
