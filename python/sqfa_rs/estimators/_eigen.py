"""Baselines that one eigenproblem of the class statistics solves: PCA, LDA, supervised PCA."""

from __future__ import annotations

from typing import Any, Literal

from ..typing import Scaling, Solver
from ._base import Reducer
from ._settings import Choice


class PCA(Reducer):
    """Principal components of all points, as a baseline beside the supervised methods.

    The leading eigenvectors of the total covariance, the within-class and between-class parts together.
    Labels are needed because the estimator also describes the classes in feature space (``score``).

    Parameters
    ----------
    n_components : int or "auto", default=2
        Number of components. "auto" takes the fewest whose held-out accuracy is within one standard
        error of the best.
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
    n_jobs : int, default=None
        Threads; None uses all processors. Results do not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of everything random: starts, points looked at, points held out. The same number gives the
        same components at any number of threads; None draws another one for every fit.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The filters, one a row: features are ``X @ components_.T + offset_``.
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
    sklearn.decomposition.PCA : The same subspace, centered features, no labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import PCA
    >>> X, y = load_iris(return_X_y=True)
    >>> PCA(2).fit(X, y).transform(X).shape
    (150, 2)
    """

    _method = "pca"

    def __init__(
        self,
        n_components: int | Literal["auto"] = 2,
        *,
        max_components: int = 16,
        solver: Solver = "auto",
        scaling: Scaling = "auto",
        refine: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.solver = solver
        self.scaling = scaling
        self.refine = refine
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _needs_entries(self) -> bool:
        return self.solver == "exact"


class LDA(Reducer):
    """Linear discriminant analysis as a transformer; :class:`LinearClassifier` is the classifier.

    Solves S_b v = λ S_w v for the scatter S_b of the class means and the scatter within classes, shrunk
    to (1−s)S_w + s(tr S_w/n)I.

    Parameters
    ----------
    n_components : int or "auto", default=1
        Number of components, at most ``n_classes − 1``.
        "auto" takes the fewest whose held-out accuracy is within one standard error of the best.
    max_components : int, default=16
        The most components that ``n_components="auto"`` may take.
    shrinkage : "auto", float or list of floats, default="auto"
        The share s; "auto" and lists choose it on held-out points, and with it, where ``scaling`` is
        "auto", whether every column is scaled by its own deviation; without points it is.
    scaling : {"auto", "none", "common", "per-feature", "within-class"}, default="auto"
        Scaling of the columns: not at all, all by one standard deviation, each by its own, or so that
        the pooled within-class covariance becomes the identity. "auto" selects it with the noise
        on held-out samples; methods without noise scale columns if results would depend on the units.
    refine : bool, default=False
        Improve the components afterwards on the posterior probability of the true class, as far as
        held-out points gain by it, or not at all.
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
    _shown = (("shrinkage", "shrinkage_"),)
    shrinkage_: float

    def __init__(
        self,
        n_components: int | Literal["auto"] = 1,
        *,
        max_components: int = 16,
        shrinkage: Choice = "auto",
        scaling: Scaling = "auto",
        refine: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.shrinkage = shrinkage
        self.scaling = scaling
        self.refine = refine
        self.n_jobs = n_jobs
        self.random_state = random_state


class SupervisedPCA(Reducer):
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
    n_jobs : int, default=None
        Threads; None uses all processors. Results do not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of everything random: starts, points looked at, points held out. The same number gives the
        same components at any number of threads; None draws another one for every fit.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The filters, one a row: features are ``X @ components_.T + offset_``.
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
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.scaling = scaling
        self.refine = refine
        self.n_jobs = n_jobs
        self.random_state = random_state
