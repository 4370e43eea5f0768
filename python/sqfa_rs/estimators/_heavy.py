"""SQFA with t distributions, for data with outliers and heavy tails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ..typing import Constraint, CovarianceEstimator, Init, Matrix, Optimizer, Scaling
from ._family import BaseSQFA
from ._results import Progress


class HeavyTailedSQFA(BaseSQFA):
    """Supervised quadratic feature analysis of t distributions (SQFA-t), for data with outliers.

    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import HeavyTailedSQFA
    >>> X, y = load_iris(return_X_y=True)
    >>> HeavyTailedSQFA(n_components=2).fit(X, y).transform(X).shape
    (150, 2)

    Learns linear components W that maximize the mean distance between all pairs of classes, where
    each class is a t distribution with ν degrees of freedom. The distance is the Calvo–Oller bound
    between t distributions. Location and scatter of each class are estimated for a t distribution,
    so samples far from their class have little weight. ν = 1 is the Cauchy distribution, and ν → ∞
    gives :class:`SQFA`.

    Parameters
    ----------
    n_components : int or "auto", default=2
        Number of components. "auto" selects the smallest number whose held-out accuracy is within
        one standard error of the best.
    max_components : int, default=16
        Largest number of components that ``n_components="auto"`` considers.
    nu : float, default=5.0
        Degrees of freedom ν, at least 1. The smaller ν is, the less weight outliers have.
    noise : "auto", str or float, default="auto"
        Regularization noise σ², added to the variance of every feature. "auto" selects it on
        held-out samples. A string such as "0.3x" is a multiple of the mean within-class variance in
        the scaling of the fit, and "scale" is the same as "1x". A number is σ² itself, in the
        scaling of the fit.
    scaling : {"auto", "none", "common", "per-feature", "within-class"}, default="auto"
        Scaling of the columns: "none", "common" (all columns by one standard deviation),
        "per-feature" (each column by its own standard deviation) or "within-class" (the pooled
        within-class covariance becomes the identity). "auto" selects the scaling on held-out
        samples, together with the noise. For methods without noise, "auto" scales the columns if
        the results would otherwise depend on the units of the columns.
    constraint : {"sphere", "orthonormal", "none"}, default="sphere"
        Constraint on the components: unit length ("sphere"), orthonormal, or none. It holds in the
        coordinates of the fit, after scaling. ``orthonormal_components_`` spans the same subspace
        and is orthonormal in the original columns.
    init : str or array-like of shape (n_components, n_features), default="auto"
        Initialization of the components: "random", "differences" (random directions, rotated toward
        directions in which classes differ), "pca", "save", "directional-regression", or an array of
        components. "auto" is "differences" if more than 16 components are learned at once,
        otherwise "random".
    fixed : array-like of shape (n_fixed, n_features), default=None
        Components that do not change, except for their length. They come first and are included in
        ``n_components``; only the remaining components are learned. Requires a specified ``noise``.
    n_init : int or "auto", default="auto"
        Number of initializations, which are optimized together; the best is kept. "auto" is about
        16 / n_components for random initializations, otherwise 1.
    sequential : int, default=None
        Number of components to learn at a time, with the earlier components fixed. None learns all
        components together.
    optimizer : {"auto", "subspace", "lbfgs"}, default="auto"
        Optimization algorithm: "subspace" searches a subspace per pass over the class statistics,
        "lbfgs" a line. "auto" selects the algorithm that needs less computation.
    pairs : int or {"auto", "all"}, default="auto"
        Class pairs included in the objective: "all", or the number of pairs in a random sample.
        "auto" uses a random sample for more than 346 classes, otherwise all pairs. The reported
        objective always includes all pairs.
    covariance_estimator : str or float, default=None
        Estimator of the class scatters: "t:NU", "t:auto", "tyler" or "mcd:SHARE", which need
        samples. None is "t:ν" if samples are available. Otherwise (streams, partial fits, class
        statistics), and for all other estimators, the scatters are (ν−2)/ν times the covariances.
        This requires ν > 2 and is not robust to outliers, so a warning is issued.
    pair_weights : array-like of shape (n_classes, n_classes), default=None
        Weight of each pair of classes in the objective. The matrix is symmetric, and its diagonal
        is ignored.
    refine : bool, default=False
        Whether to refine the components after the fit by maximizing the posterior probability of
        the true class. The number of refinement steps, possibly 0, is selected by the accuracy on
        held-out samples.
    max_iter : int, default=1000
        Maximum number of iterations per initialization.
    tol : float, default=1e-6
        Tolerance of convergence. The optimization has converged if the objective changes by less
        than ``tol · max(1, abs(objective))`` in five consecutive iterations and these changes do
        not increase.
    warm_start : bool, default=False
        Whether a new fit starts from the components of the previous fit.
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
    verbose : int, default=0
        Verbosity: 0 prints nothing, 1 prints the progress every second and the result, 2 prints
        every iteration.
    callback : callable, default=None
        Function that is called with a :class:`Progress` after each iteration. The optimization ends
        if it returns a true value.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Components, one per row: features are ``X @ components_.T + offset_``. The weight of largest
        magnitude of each component is positive in the scaling of the fit.
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
    noise_ : float
        Noise σ² that was used, in the scaling of the fit.
    nu_ : float
        Degrees of freedom that were used.
    refinement_ : dict
        Steps, noise and held-out accuracy before and after the refinement. Defined only if
        ``refine=True``.
    objective_ : float
        Mean distance over pairs of classes, or the mean log posterior after a refinement.
    objective_trace_ : ndarray of shape (`n_iter_` + 1,)
        Objective at the start and after each iteration, for the best initialization or for the
        refinement.
    group_traces_ : list of ndarray
        Objective at the start and after each iteration, for each group of components that
        ``sequential`` learned, computed with all components up to this group. There is one trace if
        all components were learned together.
    initializations_ : list of Initialization
        Result of each initialization.
    converged_ : bool
        Whether the best initialization converged to the tolerance.
    termination_ : str
        Reason why the optimization ended: "small-change", "small-gradient", "no-progress",
        "max-iterations" or "cancelled".
    n_iter_ : int
        Number of iterations of the best initialization, or of the refinement.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    class_counts_ : ndarray of shape (n_classes,) or None
        Number of training samples in each class.
    mean_ : ndarray of shape (n_features,)
        Mean of all training samples.
    feature_means_ : ndarray of shape (n_classes, n_components)
        Class means of the training samples in feature space.
    feature_covariances_ : ndarray of shape (n_classes, m, m) for m components
        Class scatters in feature space, without noise.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the input features. Defined only if the training data have feature names.

    See Also
    --------
    SQFA : The method for data without outliers.
    QDA : With ``nu=5``, the classifier that matches these features.

    References
    ----------
    Calvo & Oller, "A distance between elliptical distributions based in an embedding into the Siegel
    group", Journal of Computational and Applied Mathematics 145, 2002.
    Kent & Tyler, "Redescending M-estimates of multivariate location and scatter", Annals of Statistics
    19, 1991.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import QDA, HeavyTailedSQFA
    >>> X, y = load_iris(return_X_y=True)
    >>> Z = HeavyTailedSQFA(2, random_state=0).fit(X, y).transform(X)
    >>> QDA(nu=5).fit(Z, y).score(Z, y) > 0.95
    True
    """

    _method = "sqfa-t"

    # Set by ``fit``.
    nu_: float

    def __init__(
        self,
        n_components: int | Literal["auto"] = 2,
        *,
        max_components: int = 16,
        nu: float = 5.0,
        noise: float | str = "auto",
        scaling: Scaling = "auto",
        constraint: Constraint = "sphere",
        init: Init | Matrix = "auto",
        fixed: Matrix | None = None,
        n_init: int | Literal["auto"] = "auto",
        sequential: int | None = None,
        optimizer: Optimizer = "auto",
        pairs: int | Literal["auto", "all"] = "auto",
        covariance_estimator: CovarianceEstimator | None = None,
        pair_weights: Matrix | None = None,
        refine: bool = False,
        max_iter: int = 1000,
        tol: float = 1e-6,
        warm_start: bool = False,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
        callback: Callable[[Progress], object] | None = None,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.nu = nu
        self.noise = noise
        self.scaling = scaling
        self.constraint = constraint
        self.init = init
        self.fixed = fixed
        self.n_init = n_init
        self.sequential = sequential
        self.optimizer = optimizer
        self.pairs = pairs
        self.covariance_estimator = covariance_estimator
        self.pair_weights = pair_weights
        self.refine = refine
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def _distance(self) -> Any:
        return f"calvo-oller-t:{float(self.nu)!r}"

    def _covariance(self) -> str | float:
        return (
            f"t:{float(self.nu)!r}" if self.covariance_estimator is None else self.covariance_estimator
        )

    def _summed_covariance(self) -> str | float:
        return "empirical" if self.covariance_estimator is None else self.covariance_estimator

    def _tell(self, result: dict[str, Any], used: dict[str, float]) -> None:
        super()._tell(result, used)
        self.nu_ = used["nu"]
