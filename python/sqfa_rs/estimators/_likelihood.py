"""Baselines that climb a likelihood: AMA and LAD."""

from __future__ import annotations

from typing import Any, Literal

from ..typing import Init, Optimizer, Scaling
from ._predicting import SupervisedReducer


class AMA(SupervisedReducer):
    """Accuracy maximization analysis: the mean log posterior of the true class, Gaussian classes.

    The components maximize the mean log posterior probability of the true class of the training samples,
    under one Gaussian per class in feature space.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    noise : float or "scale", default="scale"
        Variance σ² added to every feature. "scale" is the trace of the pooled within-class covariance
        divided by n.
    scaling : {"auto", "none", "common", "per-feature", "within-class"}, default="auto"
        Scaling of the columns: not at all, all by one standard deviation, each by its own, or so that
        the pooled within-class covariance becomes the identity. "auto" selects it with the noise
        on held-out samples; methods without noise scale columns if results would depend on the units.
    sequential : int, default=2
        Components learned at a time, earlier ones frozen; 0 learns all together.
    n_init : int, default=1
        Starts; the best is kept.
    optimizer : {"auto", "subspace", "lbfgs"}, default="auto"
        Whether a pass over the data buys a whole subspace or a line; "auto" counts the work.
    max_iter : int, default=1000
        Iterations of one start at most.
    tol : float, default=1e-6
        Converged when the objective changes by less than ``tol · max(1, abs(objective))`` five times
        running, by changes that do not grow.
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
    LAD : Uses the likelihood of the covariances.
    sqfa_rs.SQFA : Uses the means and covariances of the classes.

    References
    ----------
    Geisler, Najemnik & Ing, "Optimal stimulus encoders for natural tasks", Journal of Vision 9, 2009.
    Jaini & Burge, "Linking normative models of natural tasks to descriptive models of neural response",
    Journal of Vision 17, 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import AMA
    >>> X, y = load_iris(return_X_y=True)
    >>> AMA(2, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    _method = "ama"

    def __init__(
        self,
        n_components: int = 2,
        *,
        noise: float | str = "scale",
        scaling: Scaling = "auto",
        sequential: int = 2,
        n_init: int = 1,
        optimizer: Optimizer = "auto",
        max_iter: int = 1000,
        tol: float = 1e-6,
        refine: bool = False,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.noise = noise
        self.scaling = scaling
        self.sequential = sequential
        self.n_init = n_init
        self.optimizer = optimizer
        self.max_iter = max_iter
        self.tol = tol
        self.refine = refine
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state


class LAD(SupervisedReducer):
    """Likelihood acquired directions: the likelihood gained by one covariance a class over a common one.

    The components maximize the difference of two log likelihoods: of Gaussian classes with covariances
    of their own, and of Gaussian classes with one covariance.

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
    init : str, default="auto"
        Where the components start: "random"; "differences", random and turned to where classes differ;
        "pca", "save" or "directional-regression". "auto" is "differences" for more than 16 components,
        else "random".
    n_init : int or "auto", default="auto"
        Starts that climb side by side, sharing passes; the best is kept. "auto" is about
        16 / n_components for random starts, else 1.
    max_iter : int, default=1000
        Iterations of one start at most.
    tol : float, default=1e-6
        Converged when the objective changes by less than ``tol · max(1, abs(objective))`` five times
        running, by changes that do not grow.
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
    AMA : Uses the posterior probability of the true class.
    sqfa_rs.SQFA : Uses the means and covariances of the classes.

    References
    ----------
    Cook & Forzani, "Likelihood-based sufficient dimension reduction", Journal of the American
    Statistical Association 104, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import LAD
    >>> X, y = load_iris(return_X_y=True)
    >>> LAD(2, random_state=0).fit(X, y).converged_
    True
    """

    _method = "lad"

    def __init__(
        self,
        n_components: int | Literal["auto"] = 2,
        *,
        max_components: int = 16,
        noise: float | str = "auto",
        scaling: Scaling = "auto",
        init: Init = "auto",
        n_init: int | Literal["auto"] = "auto",
        max_iter: int = 1000,
        tol: float = 1e-6,
        refine: bool = False,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.noise = noise
        self.scaling = scaling
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.refine = refine
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _looks_at_points(self) -> bool:
        return bool(self.refine)
