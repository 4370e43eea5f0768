"""Inverse regression, closed forms that see how every class differs from the whole: SAVE and DR."""

from __future__ import annotations

from typing import Any, Literal

from ..typing import Scaling
from ._predicting import SupervisedReducer


class SAVE(SupervisedReducer):
    """Sliced average variance estimation: how class covariances differ, in closed form.

    In coordinates where all points together have covariance I, the leading eigenvectors of the mean of
    (I − covariance of a class)². Differences of means are not seen but through the covariances.

    Parameters
    ----------
    n_components : int or "auto", default=2
        Number of components. "auto" takes the fewest whose held-out accuracy is within one standard
        error of the best.
    max_components : int, default=16
        The most components that ``n_components="auto"`` may take.
    noise : "auto", str or float, default="auto"
        Regularization noise σ², added to every variance. "auto" selects it on held-out samples.
        A text such as "0.3x" is a fraction of the mean within-class variance in the scaling of the fit;
        "scale" is "1x". A number is σ² itself, in the scaling of the fit.
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
    noise_ : float
        The noise σ² that was used, in the units of the fit.
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
    DirectionalRegression : Uses differences of means as well.
    sqfa_rs.SQFA : Uses the means and covariances of the classes.

    References
    ----------
    Cook & Weisberg, "Sliced inverse regression for dimension reduction: comment", Journal of the
    American Statistical Association 86, 1991.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import SAVE
    >>> X, y = load_iris(return_X_y=True)
    >>> SAVE(2).fit(X, y).transform(X).shape
    (150, 2)
    """

    _method = "save"

    def __init__(
        self,
        n_components: int | Literal["auto"] = 2,
        *,
        max_components: int = 16,
        noise: float | str = "auto",
        scaling: Scaling = "auto",
        refine: bool = False,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.noise = noise
        self.scaling = scaling
        self.refine = refine
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state


class DirectionalRegression(SupervisedReducer):
    """Directional regression: how class means and covariances differ, in closed form.

    In coordinates where all points together have covariance I, the leading eigenvectors of the mean of
    (2I − E[(z − z̃)(z − z̃)ᵀ])² over pairs of classes of z and z̃.

    Parameters
    ----------
    n_components : int or "auto", default=2
        Number of components. "auto" takes the fewest whose held-out accuracy is within one standard
        error of the best.
    max_components : int, default=16
        The most components that ``n_components="auto"`` may take.
    noise : "auto", str or float, default="auto"
        Regularization noise σ², added to every variance. "auto" selects it on held-out samples.
        A text such as "0.3x" is a fraction of the mean within-class variance in the scaling of the fit;
        "scale" is "1x". A number is σ² itself, in the scaling of the fit.
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
    noise_ : float
        The noise σ² that was used, in the units of the fit.
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
    SAVE : Uses differences of covariances.
    sqfa_rs.SQFA : Uses the means and covariances of the classes.

    References
    ----------
    Li & Wang, "On directional regression for dimension reduction", Journal of the American Statistical
    Association 102, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import DirectionalRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> DirectionalRegression(2).fit(X, y).transform(X).shape
    (150, 2)
    """

    _method = "directional-regression"

    def __init__(
        self,
        n_components: int | Literal["auto"] = 2,
        *,
        max_components: int = 16,
        noise: float | str = "auto",
        scaling: Scaling = "auto",
        refine: bool = False,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.noise = noise
        self.scaling = scaling
        self.refine = refine
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
