"""Baselines that solve one eigenproblem of the class statistics: PCA, LDA and supervised PCA."""

from __future__ import annotations

import json
import warnings
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from ..data._inputs import dense, new_points
from ..typing import Scaling, Solver
from ._base import Reducer
from ._explained import class_means, column_variances, feature_variances
from ._predicting import SupervisedReducer, margins
from ._settings import Choice, core_settings


class PCA(Reducer):
    """Principal component analysis, as an unsupervised baseline.

    The components are the leading eigenvectors of the total covariance, the sum of within-class and
    between-class covariance. Features are centered. Labels are optional. With labels, the estimator
    also describes the classes in feature space, and ``n_components="auto"`` and ``refine`` are
    available.

    Parameters
    ----------
    n_components : int, "auto" or None, default=2
        Number of components. "auto" selects the smallest number whose held-out accuracy is within
        one standard error of the best. None uses all, min(n_samples, n_features).
    max_components : int, default=16
        Largest number of components that ``n_components="auto"`` considers.
    solver : {"auto", "exact", "randomized"}, default="auto"
        Eigenvalue algorithm: "exact" for a dense eigendecomposition, "randomized" for subspace
        iteration. "auto" selects by the size of the problem.
    scaling : {"auto", "none", "common", "per-feature", "within-class"}, default="auto"
        Scaling of the columns: "none", "common" (all columns by one standard deviation),
        "per-feature" (each column by its own standard deviation) or "within-class" (the pooled
        within-class covariance becomes the identity). "auto" selects the scaling on held-out
        samples, together with the noise. For methods without noise, "auto" scales the columns if
        the results would otherwise depend on the units of the columns.
    refine : bool, default=False
        Whether to refine the components after the fit by maximizing the posterior probability of
        the true class. The number of refinement steps, possibly 0, is selected by the accuracy on
        held-out samples.
    cv : int, splitter or iterable, default=None
        Cross-validation that selects the settings which are not specified: a number of folds, a
        scikit-learn splitter, or pairs of train and test indices. With None, there are 5 folds,
        twice for few samples and a single held-out part for many samples. Test sets must not
        overlap, and every split must train on all samples that it does not test.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of all random numbers: initializations, subsamples and held-out samples. The same seed
        gives the same components with any number of threads. With None, every fit uses another
        seed.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Components, one per row: features are ``X @ components_.T + offset_``.
    n_components_ : int
        Number of components.
    orthonormal_components_ : ndarray of shape (n_components, n_features)
        Orthonormal basis of the row space of ``components_``.
    offset_ : ndarray of shape (n_components,)
        Offset of the features, which is added to ``X @ components_.T``; 0 without centering.
    selection_ : Selection or None
        Selection of scaling and noise, with all candidates. None if both were specified or if the
        method has no noise.
    scaling_ : str
        Scaling that was used: "none", "common", "per-feature" or "within-class".
    dropped_features_ : ndarray of int
        Indices of the constant columns that ``fit`` dropped. All components have the weight 0 for
        these columns.
    curve_ : list of CurvePoint
        Accuracy for each number of components that was tried. Defined only if
        ``n_components="auto"``.
    settings_ : dict
        Values of all settings that were used, specified or selected.
    trials_ : list of Trial
        Candidate values of the selected settings, with their held-out accuracies.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Fraction of the total variance of the scaled columns that each component explains. Not
        available for ``scaling="within-class"``.
    objective_ : float or None
        Final value of the objective of the method. None if the solution is in closed form.
    objective_trace_ : ndarray
        Objective at the initialization and after each iteration. Empty if the solution is in closed
        form.
    n_iter_ : int
        Number of iterations; 0 if the solution is in closed form.
    converged_ : bool
        Whether the optimization converged. True if the solution is in closed form.
    termination_ : str
        Reason why the optimization ended; "closed-form" if the solution is in closed form.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    class_counts_ : ndarray of shape (n_classes,) or None
        Number of training samples in each class.
    mean_ : ndarray of shape (n_features,)
        Mean of all training samples.
    feature_means_ : ndarray of shape (n_classes, n_components)
        Class means of the training samples in feature space.
    feature_covariances_ : ndarray of shape (n_classes, n_components, n_components)
        Class covariances of the training samples in feature space, with divisor N and without
        noise.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the input features. Defined only if the training data have feature names.

    See Also
    --------
    sklearn.decomposition.PCA : Computes the same features without scaling of the columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import PCA
    >>> X, y = load_iris(return_X_y=True)
    >>> PCA(2).fit(X, y).transform(X).shape
    (150, 2)
    """

    _method = "pca"
    _has_all = True
    explained_variance_ratio_: NDArray[np.float64]

    def __init__(
        self,
        n_components: int | Literal["auto"] | None = 2,
        *,
        max_components: int = 16,
        solver: Solver = "auto",
        scaling: Scaling = "auto",
        refine: bool = False,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.solver = solver
        self.scaling = scaling
        self.refine = refine
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Learn components from samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples. Sparse matrices are converted to dense arrays. Without labels, at
            least 4 samples are needed.
        y : array-like of shape (n_samples,), default=None
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples: a sample of weight 3 counts like three equal samples. Needs labels.
        groups : array-like of shape (n_samples,), default=None
            Groups of samples that are held out together. Needs labels.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if y is not None:
            return self._fit_points(X, y, sample_weight, groups)
        self._forget()
        held = {
            "n_components='auto'": self.n_components == "auto",
            "refine=True": bool(self.refine),
            "scaling='within-class'": self.scaling == "within-class",
            "sample_weight": sample_weight is not None,
            "groups": groups is not None,
        }
        for what, given in held.items():
            if given:
                raise ValueError(f"{what} needs class labels: pass y")
        points = dense(new_points(self, X, finite=False, reset=True))
        if len(points) < 4:
            raise ValueError(
                f"PCA without labels needs at least 4 samples: X has n_samples={len(points)}"
            )
        # All pairs of classes have the same total covariance.
        codes = np.arange(len(points)) % 2
        self._fit_arrays(points, codes, None, core_settings(self, None, points.shape[1]))
        # These settings do not describe the data.
        for name in ("classes_", "class_counts_", "feature_means_", "feature_covariances_"):
            self.__dict__.pop(name, None)
        return self

    def _needs_entries(self) -> bool:
        return self.solver == "exact"

    def _most_components(self, n_samples: int, n_features: int, n_classes: int) -> int:
        return min(n_samples, n_features)

    def _forget(self) -> NDArray[np.float64] | None:
        self.__dict__.pop("explained_variance_ratio_", None)
        return super()._forget()

    def _adopt(self, result: dict[str, Any], classes: NDArray[Any]) -> Self:
        # Scaled columns are already centered.
        if json.loads(result["record"])["scaling"] == "none":
            result = result | self._centered(result)
        return super()._adopt(result, classes)

    @staticmethod
    def _centered(result: dict[str, Any]) -> dict[str, Any]:
        """Return the parts of a result that change when the mean of the samples is subtracted."""
        mean, components = result["mean"], result["components"]
        old = 0.0 if result["offset"] is None else result["offset"]
        factors = np.ones(len(mean)) if result["preprocessing"] is None else result["preprocessing"][1]
        # Terms are added one by one, in the order in which the core adds them when it reads a file.
        offset = -np.add.accumulate(components * mean, axis=1)[:, -1]
        return {
            "filters": components if result["filters"] is None else result["filters"],
            "preprocessing": (np.ascontiguousarray(mean), factors),
            "offset": offset,
            "means": result["means"] + (offset - old),
        }

    def _fit_arrays(
        self,
        X: Any,
        y: Any,
        weights: Any,
        settings: dict[str, Any],
        groups: Any = None,
        folds: Any = None,
    ) -> Self:
        super()._fit_arrays(X, y, weights, settings, groups, folds)
        self._explain(column_variances(dense(X), self.mean_, weights))
        return self

    def _explain(self, variances: NDArray[np.float64]) -> None:
        """Set the fractions of the total variance, from the variance of each column."""
        if self.scaling_ == "within-class" or self._unfolded is None:
            return
        factors = self._unfolded[1][1]
        within, between = feature_variances(self)
        self.explained_variance_ratio_ = (within + between) / float(variances @ factors**2)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


class LDA(SupervisedReducer):
    """Linear discriminant analysis: a transformer and a classifier with a linear rule.

    Solves S_b v = λ S_w v for the scatter S_b of the class means and the within-class scatter,
    shrunk to (1−s)S_w + s(tr S_w/n)I. ``predict`` assigns the features to the class with the
    largest posterior probability for Gaussian classes with a common covariance. This covariance is
    that of the samples around their class means, with divisor N. With ``shrinkage=None`` and all
    components, predictions and probabilities equal those of ``LinearDiscriminantAnalysis()`` in
    scikit-learn 1.9 if the pooled covariance of the data has full rank; versions before 1.9 divide
    by N − n_classes.

    There are two differences from scikit-learn. The default shrinkage is selected on held-out
    samples, whereas scikit-learn does not shrink by default. ``predict`` uses the features that
    ``transform`` returns: with fewer than ``n_classes − 1`` components it classifies in the reduced
    space, whereas scikit-learn ignores ``n_components`` in ``predict``. With ``refine=True`` the
    classifier is quadratic, because the refinement maximizes the posterior probabilities of the
    quadratic classifier.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of components, at most ``n_classes − 1``. None uses all, min(n_features, n_classes −
        1). "auto" selects the smallest number whose held-out accuracy is within one standard error
        of the best.
    max_components : int, default=16
        Largest number of components that ``n_components="auto"`` considers.
    shrinkage : "auto", float, list of floats or None, default="auto"
        Shrinkage s of the within-class scatter, from 0 to 1. None means 0. "auto" and a list select
        s on held-out samples. If ``scaling="auto"``, they also select whether each column is scaled
        by its own standard deviation. Without held-out samples, each column is scaled.
    priors : array-like of shape (n_classes,), default=None
        Class probabilities, which only the classifier uses. None uses the class frequencies of the
        training data.
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        Accepted for compatibility with scikit-learn and ignored, because one solver handles all
        problems with any shrinkage.
    scaling : {"auto", "none", "common", "per-feature", "within-class"}, default="auto"
        Scaling of the columns: "none", "common" (all columns by one standard deviation),
        "per-feature" (each column by its own standard deviation) or "within-class" (the pooled
        within-class covariance becomes the identity). "auto" selects the scaling on held-out
        samples, together with the noise. For methods without noise, "auto" scales the columns if
        the results would otherwise depend on the units of the columns.
    refine : bool, default=False
        Whether to refine the components after the fit by maximizing the posterior probability of
        the true class. The number of refinement steps, possibly 0, is selected by the accuracy on
        held-out samples.
    cv : int, splitter or iterable, default=None
        Cross-validation that selects the settings which are not specified: a number of folds, a
        scikit-learn splitter, or pairs of train and test indices. With None, there are 5 folds,
        twice for few samples and a single held-out part for many samples. Test sets must not
        overlap, and every split must train on all samples that it does not test.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of all random numbers: initializations, subsamples and held-out samples. The same seed
        gives the same components with any number of threads. With None, every fit uses another
        seed.

    Attributes
    ----------
    shrinkage_ : float
        Shrinkage that was used.
    components_ : ndarray of shape (n_components, n_features)
        Components, one per row: features are ``X @ components_.T + offset_``.
    n_components_ : int
        Number of components.
    orthonormal_components_ : ndarray of shape (n_components, n_features)
        Orthonormal basis of the row space of ``components_``.
    offset_ : ndarray of shape (n_components,)
        Offset of the features, which is added to ``X @ components_.T``; 0 without centering.
    selection_ : Selection or None
        Selection of scaling and noise, with all candidates. None if both were specified or if the
        method has no noise.
    scaling_ : str
        Scaling that was used: "none", "common", "per-feature" or "within-class".
    dropped_features_ : ndarray of int
        Indices of the constant columns that ``fit`` dropped. All components have the weight 0 for
        these columns.
    curve_ : list of CurvePoint
        Accuracy for each number of components that was tried. Defined only if
        ``n_components="auto"``.
    settings_ : dict
        Values of all settings that were used, specified or selected.
    trials_ : list of Trial
        Candidate values of the selected settings, with their held-out accuracies.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Eigenvalue of each component as a fraction of the sum over all ``n_classes − 1``
        eigenvalues. Available after ``fit`` without ``refine``.
    priors_ : ndarray of shape (n_classes,)
        Class probabilities, which sum to 1.
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
        Weights of the columns in ``decision_function``.
    intercept_ : ndarray of shape (n_classes,), or (1,) for two classes
        Intercepts of ``decision_function``.
    means_ : ndarray of shape (n_classes, n_features)
        Class means. Not available after :func:`load`, because model files do not store them.
    xbar_ : ndarray of shape (n_features,)
        Mean of the class means, weighted by ``priors_``. Not available after :func:`load`, because
        model files do not store it.
    objective_ : float or None
        Final value of the objective of the method. None if the solution is in closed form.
    objective_trace_ : ndarray
        Objective at the initialization and after each iteration. Empty if the solution is in closed
        form.
    n_iter_ : int
        Number of iterations; 0 if the solution is in closed form.
    converged_ : bool
        Whether the optimization converged. True if the solution is in closed form.
    termination_ : str
        Reason why the optimization ended; "closed-form" if the solution is in closed form.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    class_counts_ : ndarray of shape (n_classes,) or None
        Number of training samples in each class.
    mean_ : ndarray of shape (n_features,)
        Mean of all training samples.
    feature_means_ : ndarray of shape (n_classes, n_components)
        Class means of the training samples in feature space.
    feature_covariances_ : ndarray of shape (n_classes, n_components, n_components)
        Class covariances of the training samples in feature space, with divisor N and without
        noise.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the input features. Defined only if the training data have feature names.

    See Also
    --------
    LinearClassifier : The classifier with the same assumptions.
    sqfa_rs.SQFA : Uses the means and covariances of the classes.

    References
    ----------
    Fisher, "The use of multiple measurements in taxonomic problems", Annals of Eugenics 7, 1936.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> LDA(2, shrinkage=0.1).fit(X, y).score(X, y) > 0.95
    True
    """

    _method = "lda"
    _has_all = True
    _shown = (("shrinkage", "shrinkage_"),)
    shrinkage_: float
    explained_variance_ratio_: NDArray[np.float64]
    means_: NDArray[np.float64]

    def __init__(
        self,
        n_components: int | Literal["auto"] | None = None,
        *,
        max_components: int = 16,
        shrinkage: Choice = "auto",
        priors: ArrayLike | None = None,
        solver: str = "svd",
        scaling: Scaling = "auto",
        refine: bool = False,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.shrinkage = shrinkage
        self.priors = priors
        self.solver = solver
        self.scaling = scaling
        self.refine = refine
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def priors_(self) -> NDArray[np.float64]:
        """Class probabilities, which sum to 1."""
        priors = self._class_priors()
        if priors is None:
            counts = self.class_counts_
            priors = np.ones(len(self.classes_)) if counts is None else counts.astype(np.float64)
        return np.asarray(priors / priors.sum())

    @property
    def xbar_(self) -> NDArray[np.float64]:
        """Return the mean of the class means, weighted by the priors."""
        return np.asarray(self.priors_ @ self.means_)

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the columns in ``decision_function``."""
        return np.asarray(self._rule()[0] @ self.components_[self._distinct()])

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Intercepts of ``decision_function``."""
        weights, intercept = self._rule()
        return np.asarray(intercept + weights @ self.offset_[self._distinct()])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return ``X @ coef_.T + intercept_``: log posteriors up to a constant per sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            Log posteriors up to a constant per sample. For two classes, the log posterior of the
            second class minus that of the first.
        """
        log_posteriors = self.predict_log_proba(X)
        if self.refine or len(self.classes_) == 2:
            return margins(log_posteriors)
        weights, intercept = self._rule()
        features = self._features(X)[:, self._distinct()].astype(np.float64)
        return np.asarray(features @ weights.T + intercept)

    def _rule(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the weights of the features and the intercepts of the linear rule."""
        whitening = self._feature_classifier().whitening
        if whitening is None:
            raise AttributeError("this LDA has a quadratic classifier, which has no coefficients")
        means, priors = self.feature_means_[:, self._distinct()], self.priors_
        center = priors @ means
        whitened = (means - center) @ whitening.T
        weights = whitened @ whitening
        with np.errstate(divide="ignore"):
            intercept = np.log(priors) - 0.5 * (whitened**2).sum(axis=1) - weights @ center
        if len(means) == 2:
            return weights[1:] - weights[:1], intercept[1:] - intercept[:1]
        return weights, intercept

    def _class_priors(self) -> NDArray[np.float64] | None:
        return None if self.priors is None else np.array(self.priors, dtype=np.float64, ndmin=1)

    def _specified(self, parameter: str) -> Any:
        value = getattr(self, parameter)
        return 0.0 if parameter == "shrinkage" and value is None else value

    def _most_components(self, n_samples: int, n_features: int, n_classes: int) -> int:
        return min(n_features, n_classes - 1)

    def _forget(self) -> NDArray[np.float64] | None:
        if self.solver not in ("svd", "lsqr", "eigen"):
            raise ValueError(f"solver is {self.solver!r}: give 'svd', 'lsqr' or 'eigen'")
        priors = self._class_priors()
        if priors is not None and not (
            np.isfinite(priors).all() and (priors >= 0).all() and priors.sum() > 0
        ):
            raise ValueError("priors must be non-negative numbers with a positive sum")
        for name in ("means_", "explained_variance_ratio_"):
            self.__dict__.pop(name, None)
        return super()._forget()

    def _adopt(self, result: dict[str, Any], classes: NDArray[Any]) -> Self:
        priors = self._class_priors()
        if priors is not None:
            if priors.shape != classes.shape:
                raise ValueError(
                    f"priors has {priors.size} values for {len(classes)} classes: "
                    "give one value per class"
                )
            if abs(priors.sum() - 1.0) > 1e-5:
                warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=4)
        return super()._adopt(result, classes)

    def _fit_arrays(
        self,
        X: Any,
        y: Any,
        weights: Any,
        settings: dict[str, Any],
        groups: Any = None,
        folds: Any = None,
    ) -> Self:
        X = dense(X)
        super()._fit_arrays(X, y, weights, settings, groups, folds)
        codes = np.searchsorted(self.classes_, y)
        self.means_ = class_means(X, codes, weights, len(self.classes_))
        if not self.refine:
            self._explain(X, y, weights)
        return self

    def _explain(self, X: Any, y: Any, weights: Any) -> None:
        """Set the eigenvalues as fractions of the sum of all eigenvalues, which needs all components."""
        most = self._most_components(len(X), X.shape[1], len(self.classes_))
        whole = self
        if len(self.components_) < most:
            whole = clone(self).set_params(
                n_components=None, shrinkage=self.shrinkage_, scaling=self.scaling_
            )
            settings = core_settings(whole, None, X.shape[1])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                Reducer._fit_arrays(whole, X, y, weights, settings)
        within, between = feature_variances(whole)
        # All components have the same within-class variance under the shrunk covariance.
        values = between / within if self.shrinkage_ == 0 else between
        self.explained_variance_ratio_ = (values / values.sum())[: len(self.components_)]


class SupervisedPCA(SupervisedReducer):
    """Supervised principal component analysis: components that depend most on the labels.

    The dependence is measured by the Hilbert–Schmidt independence criterion with a linear kernel of
    the samples. The kernel of the labels is 1 for two samples of one class and 0 otherwise.

    Parameters
    ----------
    n_components : int or "auto", default=1
        Number of components, at most the dimension of the span of the centered class means. "auto"
        selects the smallest number whose held-out accuracy is within one standard error of the
        best.
    max_components : int, default=16
        Largest number of components that ``n_components="auto"`` considers.
    scaling : {"auto", "none", "common", "per-feature", "within-class"}, default="auto"
        Scaling of the columns: "none", "common" (all columns by one standard deviation),
        "per-feature" (each column by its own standard deviation) or "within-class" (the pooled
        within-class covariance becomes the identity). "auto" selects the scaling on held-out
        samples, together with the noise. For methods without noise, "auto" scales the columns if
        the results would otherwise depend on the units of the columns.
    refine : bool, default=False
        Whether to refine the components after the fit by maximizing the posterior probability of
        the true class. The number of refinement steps, possibly 0, is selected by the accuracy on
        held-out samples.
    cv : int, splitter or iterable, default=None
        Cross-validation that selects the settings which are not specified: a number of folds, a
        scikit-learn splitter, or pairs of train and test indices. With None, there are 5 folds,
        twice for few samples and a single held-out part for many samples. Test sets must not
        overlap, and every split must train on all samples that it does not test.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of all random numbers: initializations, subsamples and held-out samples. The same seed
        gives the same components with any number of threads. With None, every fit uses another
        seed.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Components, one per row: features are ``X @ components_.T + offset_``.
    n_components_ : int
        Number of components.
    orthonormal_components_ : ndarray of shape (n_components, n_features)
        Orthonormal basis of the row space of ``components_``.
    offset_ : ndarray of shape (n_components,)
        Offset of the features, which is added to ``X @ components_.T``; 0 without centering.
    selection_ : Selection or None
        Selection of scaling and noise, with all candidates. None if both were specified or if the
        method has no noise.
    scaling_ : str
        Scaling that was used: "none", "common", "per-feature" or "within-class".
    dropped_features_ : ndarray of int
        Indices of the constant columns that ``fit`` dropped. All components have the weight 0 for
        these columns.
    curve_ : list of CurvePoint
        Accuracy for each number of components that was tried. Defined only if
        ``n_components="auto"``.
    settings_ : dict
        Values of all settings that were used, specified or selected.
    trials_ : list of Trial
        Candidate values of the selected settings, with their held-out accuracies.
    objective_ : float or None
        Final value of the objective of the method. None if the solution is in closed form.
    objective_trace_ : ndarray
        Objective at the initialization and after each iteration. Empty if the solution is in closed
        form.
    n_iter_ : int
        Number of iterations; 0 if the solution is in closed form.
    converged_ : bool
        Whether the optimization converged. True if the solution is in closed form.
    termination_ : str
        Reason why the optimization ended; "closed-form" if the solution is in closed form.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    class_counts_ : ndarray of shape (n_classes,) or None
        Number of training samples in each class.
    mean_ : ndarray of shape (n_features,)
        Mean of all training samples.
    feature_means_ : ndarray of shape (n_classes, n_components)
        Class means of the training samples in feature space.
    feature_covariances_ : ndarray of shape (n_classes, n_components, n_components)
        Class covariances of the training samples in feature space, with divisor N and without
        noise.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the input features. Defined only if the training data have feature names.

    See Also
    --------
    PCA : Ignores the labels.
    LDA : Uses the within-class scatter as well.

    References
    ----------
    Barshan, Ghodsi, Azimifar & Jahromi, "Supervised principal component analysis", Pattern Recognition
    44, 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import SupervisedPCA
    >>> X, y = load_iris(return_X_y=True)
    >>> SupervisedPCA(1).fit(X, y).components_.shape
    (1, 4)
    """

    _method = "spca"

    def __init__(
        self,
        n_components: int | Literal["auto"] = 1,
        *,
        max_components: int = 16,
        scaling: Scaling = "auto",
        refine: bool = False,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.scaling = scaling
        self.refine = refine
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # A single supervised principal component need not separate more than two classes.
        tags.classifier_tags.poor_score = self.n_components == 1
        return tags
