"""Baselines that one eigenproblem of the class statistics solves: PCA, LDA, supervised PCA."""

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
    """Principal components of all points, as a baseline beside the supervised methods.

    The leading eigenvectors of the total covariance, the within-class and between-class parts together.
    Features are centered. Labels are optional: with them, the estimator also describes the classes in
    feature space, and ``n_components="auto"`` and ``refine`` are possible.

    Parameters
    ----------
    n_components : int, "auto" or None, default=2
        Number of components. "auto" takes the fewest whose held-out accuracy is within one standard
        error of the best. None takes all, min(n_samples, n_features).
    max_components : int, default=16
        The most components that ``n_components="auto"`` may take.
    solver : {"auto", "exact", "randomized"}, default="auto"
        A dense eigenproblem, subspace iteration, or whichever is affordable.
    scaling : {"auto", "none", "common", "per-feature", "within-class"}, default="auto"
        Scaling of the columns: not at all, all by one standard deviation, each by its own, or so that
        the pooled within-class covariance becomes the identity. "auto" selects it with the noise
        on held-out samples; methods without noise scale columns if results would depend on the units.
    refine : bool, default=False
        Improve the components afterwards on the posterior probability of the true class, as far as
        held-out points gain by it, or not at all.
    cv : int, splitter or iterable, default=None
        Folds on which everything that is not specified is selected: their number, a splitter of
        scikit-learn, or pairs of train and test indices. None is five folds, twice for few samples, and
        one held-out part of many samples. Test sets must not overlap, and every split trains on all
        samples that it does not test.
    n_jobs : int, default=None
        Threads; None uses all processors. Results do not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of everything random: starts, points looked at, points held out. The same number gives the
        same components at any number of threads; None draws another one for every fit.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The filters, one a row: features are ``X @ components_.T + offset_``.
    n_components_ : int
        The number of components.
    orthonormal_components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows that span the same subspace as ``components_``.
    offset_ : ndarray of shape (n_components,)
        What is added to ``X @ components_.T``; 0 where nothing was subtracted from the columns.
    selection_ : Selection or None
        How scaling and noise were selected, with all candidates; None if both were specified or the
        method has no noise.
    scaling_ : str
        The scaling: "none", "common", "per-feature" or "within-class".
    dropped_features_ : ndarray of int
        Constant columns, which the fit dropped; their components are 0.
    curve_ : list of CurvePoint
        The numbers of components that were tried, when ``n_components="auto"``.
    settings_ : dict
        Every setting that was used, chosen or given.
    trials_ : list of Trial
        What was tried to choose them.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The fraction of the total variance of the scaled columns that each component explains. Not
        available for ``scaling="within-class"``.
    objective_ : float or None
        What was optimized, in the method's own terms; None for a closed form.
    objective_trace_ : ndarray
        It after every iteration; empty for a closed form.
    n_iter_ : int
        Iterations; 0 for a closed form.
    converged_ : bool
        Whether the method reached what it looked for.
    termination_ : str
        Why it ended; "closed-form" where nothing iterates.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    class_counts_ : ndarray of shape (n_classes,) or None
        Training points of every class.
    mean_ : ndarray of shape (n_features,)
        The mean of all training points.
    feature_means_ : ndarray of shape (n_classes, n_components)
        Means of the training classes in feature space.
    feature_covariances_ : ndarray of shape (n_classes, n_components, n_components)
        Their covariances, with divisor N and without noise.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when the training data had any.

    See Also
    --------
    sklearn.decomposition.PCA : The same features, except that it never scales columns.

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
            Samples; sparse ones are made dense. At least 4 without labels.
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
        # The total covariance is the same for any two classes.
        codes = np.arange(len(points)) % 2
        self._fit_arrays(points, codes, None, core_settings(self, None, points.shape[1]))
        # They say nothing about the data.
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
        # Scaled columns are centered already.
        if json.loads(result["record"])["scaling"] == "none":
            result = result | self._centered(result)
        return super()._adopt(result, classes)

    @staticmethod
    def _centered(result: dict[str, Any]) -> dict[str, Any]:
        """Return the parts of a result that change when the mean of the samples is subtracted."""
        mean, components = result["mean"], result["components"]
        old = 0.0 if result["offset"] is None else result["offset"]
        factors = np.ones(len(mean)) if result["preprocessing"] is None else result["preprocessing"][1]
        # One term after the other, as the core adds them when it reads a file.
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
        """Keep the fractions of the total variance, given the variance of each column."""
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

    Solves S_b v = λ S_w v for the scatter S_b of the class means and the scatter within classes, shrunk
    to (1−s)S_w + s(tr S_w/n)I. ``predict`` assigns the features to the class with the largest posterior
    when all classes have the same covariance, that of the samples around their class means, with divisor
    N. With ``shrinkage=None`` and all components, predictions and probabilities are those of
    ``LinearDiscriminantAnalysis()`` of scikit-learn 1.9 if the pooled covariance of the data has full
    rank; versions before 1.9 divided by N − n_classes.

    There are two differences from scikit-learn. The default shrinkage is selected on held-out samples,
    where scikit-learn's default is none. And ``predict`` uses what ``transform`` returns: with fewer
    than ``n_classes − 1`` components it classifies in the reduced space, whereas scikit-learn ignores
    ``n_components`` in ``predict``. With ``refine=True``, the classifier is quadratic, because the
    refinement optimizes its posteriors.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of components, at most ``n_classes − 1``. None takes all,
        min(n_features, n_classes − 1). "auto" takes the fewest whose held-out accuracy is within one
        standard error of the best.
    max_components : int, default=16
        The most components that ``n_components="auto"`` may take.
    shrinkage : "auto", float, list of floats or None, default="auto"
        The fraction s; None is 0. "auto" and lists choose it on held-out points, and with it, where
        ``scaling`` is "auto", whether every column is scaled by its own deviation; without points it is.
    priors : array-like of shape (n_classes,), default=None
        Class probabilities, which enter the classifier alone; the frequencies of the training data by
        default.
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        Accepted for compatibility with scikit-learn, without effect: every problem has the same solver,
        with any shrinkage.
    scaling : {"auto", "none", "common", "per-feature", "within-class"}, default="auto"
        Scaling of the columns: not at all, all by one standard deviation, each by its own, or so that
        the pooled within-class covariance becomes the identity. "auto" selects it with the noise
        on held-out samples; methods without noise scale columns if results would depend on the units.
    refine : bool, default=False
        Improve the components afterwards on the posterior probability of the true class, as far as
        held-out points gain by it, or not at all.
    cv : int, splitter or iterable, default=None
        Folds on which everything that is not specified is selected: their number, a splitter of
        scikit-learn, or pairs of train and test indices. None is five folds, twice for few samples, and
        one held-out part of many samples. Test sets must not overlap, and every split trains on all
        samples that it does not test.
    n_jobs : int, default=None
        Threads; None uses all processors. Results do not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of everything random: starts, points looked at, points held out. The same number gives the
        same components at any number of threads; None draws another one for every fit.

    Attributes
    ----------
    shrinkage_ : float
        The share that was used.
    components_ : ndarray of shape (n_components, n_features)
        The filters, one a row: features are ``X @ components_.T + offset_``.
    n_components_ : int
        The number of components.
    orthonormal_components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows that span the same subspace as ``components_``.
    offset_ : ndarray of shape (n_components,)
        What is added to ``X @ components_.T``; 0 where nothing was subtracted from the columns.
    selection_ : Selection or None
        How scaling and noise were selected, with all candidates; None if both were specified or the
        method has no noise.
    scaling_ : str
        The scaling: "none", "common", "per-feature" or "within-class".
    dropped_features_ : ndarray of int
        Constant columns, which the fit dropped; their components are 0.
    curve_ : list of CurvePoint
        The numbers of components that were tried, when ``n_components="auto"``.
    settings_ : dict
        Every setting that was used, chosen or given.
    trials_ : list of Trial
        What was tried to choose them.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The eigenvalue of each component as a fraction of the sum over all ``n_classes − 1``. Available
        after ``fit`` without ``refine``.
    priors_ : ndarray of shape (n_classes,)
        Class probabilities, with sum 1.
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
        Weights of the columns in ``decision_function``.
    intercept_ : ndarray of shape (n_classes,), or (1,) for two classes
        What ``decision_function`` adds.
    means_ : ndarray of shape (n_classes, n_features)
        Class means; model files do not hold them.
    xbar_ : ndarray of shape (n_features,)
        The mean of the class means, weighted by ``priors_``; model files do not hold it.
    objective_ : float or None
        What was optimized, in the method's own terms; None for a closed form.
    objective_trace_ : ndarray
        It after every iteration; empty for a closed form.
    n_iter_ : int
        Iterations; 0 for a closed form.
    converged_ : bool
        Whether the method reached what it looked for.
    termination_ : str
        Why it ended; "closed-form" where nothing iterates.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    class_counts_ : ndarray of shape (n_classes,) or None
        Training points of every class.
    mean_ : ndarray of shape (n_features,)
        The mean of all training points.
    feature_means_ : ndarray of shape (n_classes, n_components)
        Means of the training classes in feature space.
    feature_covariances_ : ndarray of shape (n_classes, n_components, n_components)
        Their covariances, with divisor N and without noise.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when the training data had any.

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
        """Class probabilities, with sum 1."""
        priors = self._class_priors()
        if priors is None:
            counts = self.class_counts_
            priors = np.ones(len(self.classes_)) if counts is None else counts.astype(np.float64)
        return np.asarray(priors / priors.sum())

    @property
    def xbar_(self) -> NDArray[np.float64]:
        """The mean of the class means, weighted by the priors."""
        return np.asarray(self.priors_ @ self.means_)

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the columns in ``decision_function``."""
        return np.asarray(self._rule()[0] @ self.components_[self._distinct()])

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """What ``decision_function`` adds."""
        weights, intercept = self._rule()
        return np.asarray(intercept + weights @ self.offset_[self._distinct()])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return ``X @ coef_.T + intercept_``: log posteriors up to a number per sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            For two classes, the log posterior of the second minus that of the first.
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
            raise AttributeError("the classifier of this LDA is quadratic and has no coefficients")
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
                raise ValueError(f"priors: {priors.size} numbers for {len(classes)} classes")
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
        """Keep the eigenvalues as fractions of the sum of all, which needs all components."""
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
        # Components have the same variance within classes, that of the shrunk covariance.
        values = between / within if self.shrinkage_ == 0 else between
        self.explained_variance_ratio_ = (values / values.sum())[: len(self.components_)]


class SupervisedPCA(SupervisedReducer):
    """Supervised principal components: directions along which points and labels depend most.

    The dependence is the Hilbert–Schmidt criterion with a linear kernel of the samples and the kernel of
    labels that is 1 for samples of one class and otherwise 0.

    Parameters
    ----------
    n_components : int or "auto", default=1
        Number of components, at most what the class means span.
        "auto" takes the fewest whose held-out accuracy is within one standard error of the best.
    max_components : int, default=16
        The most components that ``n_components="auto"`` may take.
    scaling : {"auto", "none", "common", "per-feature", "within-class"}, default="auto"
        Scaling of the columns: not at all, all by one standard deviation, each by its own, or so that
        the pooled within-class covariance becomes the identity. "auto" selects it with the noise
        on held-out samples; methods without noise scale columns if results would depend on the units.
    refine : bool, default=False
        Improve the components afterwards on the posterior probability of the true class, as far as
        held-out points gain by it, or not at all.
    cv : int, splitter or iterable, default=None
        Folds on which everything that is not specified is selected: their number, a splitter of
        scikit-learn, or pairs of train and test indices. None is five folds, twice for few samples, and
        one held-out part of many samples. Test sets must not overlap, and every split trains on all
        samples that it does not test.
    n_jobs : int, default=None
        Threads; None uses all processors. Results do not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of everything random: starts, points looked at, points held out. The same number gives the
        same components at any number of threads; None draws another one for every fit.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The filters, one a row: features are ``X @ components_.T + offset_``.
    n_components_ : int
        The number of components.
    orthonormal_components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows that span the same subspace as ``components_``.
    offset_ : ndarray of shape (n_components,)
        What is added to ``X @ components_.T``; 0 where nothing was subtracted from the columns.
    selection_ : Selection or None
        How scaling and noise were selected, with all candidates; None if both were specified or the
        method has no noise.
    scaling_ : str
        The scaling: "none", "common", "per-feature" or "within-class".
    dropped_features_ : ndarray of int
        Constant columns, which the fit dropped; their components are 0.
    curve_ : list of CurvePoint
        The numbers of components that were tried, when ``n_components="auto"``.
    settings_ : dict
        Every setting that was used, chosen or given.
    trials_ : list of Trial
        What was tried to choose them.
    objective_ : float or None
        What was optimized, in the method's own terms; None for a closed form.
    objective_trace_ : ndarray
        It after every iteration; empty for a closed form.
    n_iter_ : int
        Iterations; 0 for a closed form.
    converged_ : bool
        Whether the method reached what it looked for.
    termination_ : str
        Why it ended; "closed-form" where nothing iterates.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    class_counts_ : ndarray of shape (n_classes,) or None
        Training points of every class.
    mean_ : ndarray of shape (n_features,)
        The mean of all training points.
    feature_means_ : ndarray of shape (n_classes, n_components)
        Means of the training classes in feature space.
    feature_covariances_ : ndarray of shape (n_classes, n_components, n_components)
        Their covariances, with divisor N and without noise.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when the training data had any.

    See Also
    --------
    PCA : Ignores the labels.
    LDA : Takes the scatter within classes into account.

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
