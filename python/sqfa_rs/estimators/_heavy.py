"""SQFA of t distributions, for data with outliers and heavy tails."""

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

    Learns linear filters W that push the classes apart as t distributions with ν degrees of freedom:
    it maximizes the mean over pairs of classes of the Calvo–Oller bound between them. Location and
    scatter of every class are those of a t distribution, in which a point far from its class counts
    little. ν = 1 is Cauchy's distribution; with ν → ∞ it is :class:`SQFA`.

    Parameters
    ----------
    n_components : int or "auto", default=2
        Number of components. "auto" takes the fewest whose held-out accuracy is within one standard
        error of the best.
    max_components : int, default=16
        The most components that ``n_components="auto"`` may take.
    nu : float, default=5.0
        Degrees of freedom ν, at least 1: the fewer, the less outliers count.
    noise : "auto", str or float, default="auto"
        Regularization noise σ², added to every variance. "auto" selects it on held-out samples.
        A text such as "0.3x" is a fraction of the mean within-class variance in the scaling of the fit;
        "scale" is "1x". A number is σ² itself, in the scaling of the fit.
    scaling : {"auto", "none", "common", "per-feature", "within-class"}, default="auto"
        Scaling of the columns: not at all, all by one standard deviation, each by its own, or so that
        the pooled within-class covariance becomes the identity. "auto" selects it with the noise
        on held-out samples; methods without noise scale columns if results would depend on the units.
    constraint : {"sphere", "orthonormal", "none"}, default="sphere"
        What the components satisfy: unit length, orthonormality, or nothing. It holds in the coordinates
        of the fit, after scaling. ``orthonormal_components_`` spans the same subspace and is orthonormal
        in the columns as they are.
    init : str or array-like of shape (n_components, n_features), default="auto"
        Where the components start: "random"; "differences", random and turned to where classes differ;
        "pca", "save", "directional-regression"; or components. "auto" is "differences" for more than
        16 components at once, else "random".
    fixed : array-like of shape (n_fixed, n_features), default=None
        Components that stay, up to their length; they come first and count among ``n_components``, and
        the others are learned beside them. Goes with a given ``noise``.
    n_init : int or "auto", default="auto"
        Starts that climb side by side, sharing passes; the best is kept. "auto" is about
        16 / n_components for random starts, else 1.
    sequential : int, default=None
        Learn so many components at a time, earlier ones frozen; None learns all together.
    optimizer : {"auto", "subspace", "lbfgs"}, default="auto"
        Whether a pass over the data buys a whole subspace or a line; "auto" counts the work.
    pairs : int or {"auto", "all"}, default="auto"
        Pairs of classes that climbs look at: a seeded sample beyond 346 classes, all, or so many.
    covariance_estimator : str or float, default=None
        Estimator of the class scatters: "t:NU", "t:auto", "tyler" or "mcd:SHARE", which need points.
        None is "t:ν" of points. Of streams, partial fits and given statistics, and of the other
        estimators, scatters are (ν−2)/ν of the covariances, which takes ν above 2 and resists no
        outliers; a warning says so.
    pair_weights : array-like of shape (n_classes, n_classes), default=None
        How much each pair of classes counts; symmetric, the diagonal is ignored.
    refine : bool, default=False
        Improve the components afterwards on the posterior probability of the true class, as far as
        held-out points gain by it, or not at all.
    max_iter : int, default=1000
        Iterations of one start at most.
    tol : float, default=1e-6
        Converged when the objective changes by less than ``tol · max(1, abs(objective))`` five times
        running, by changes that do not grow.
    warm_start : bool, default=False
        Begin a new fit from the components of the last one.
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
    verbose : int, default=0
        1 tells about progress every second and about the end, 2 about every iteration.
    callback : callable, default=None
        Called with a :class:`Progress` after every iteration; a true return value ends the fit.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The filters, one a row: features are ``X @ components_.T + offset_``. The entry of largest
        magnitude of each, in the units of the fit, is positive.
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
    noise_ : float
        The noise σ² that was used, in the units of the fit.
    nu_ : float
        The degrees of freedom of the fit.
    refinement_ : dict
        Steps, noise and held-out accuracy before and after, when ``refine=True``.
    objective_ : float
        The mean distance over pairs of classes; the mean log posterior once refined.
    objective_trace_ : ndarray of shape (`n_iter_` + 1,)
        It after every iteration of the best start; of the refinement once refined.
    group_traces_ : list of ndarray
        The same for every group that ``sequential`` learned, of the components up to it; one trace where
        all were learned together.
    initializations_ : list of Initialization
        How every start ended.
    converged_ : bool
        Whether the best start reached an optimum to the tolerance asked for.
    termination_ : str
        Why it ended: "small-change", "small-gradient", "no-progress", "max-iterations" or "cancelled".
    n_iter_ : int
        Iterations of the best start; of the refinement once refined.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    class_counts_ : ndarray of shape (n_classes,) or None
        Training points of every class.
    mean_ : ndarray of shape (n_features,)
        The mean of all training points.
    feature_means_ : ndarray of shape (n_classes, n_components)
        Means of the training classes in feature space.
    feature_covariances_ : ndarray of shape (n_classes, m, m) for m components
        Their scatters, without noise.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when the training data had any.

    See Also
    --------
    SQFA : For data without outliers.
    QDA : With ``nu=5`` the classifier that matches these features.

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

    # Set by a fit.
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
