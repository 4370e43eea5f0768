"""The two transformers of the paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ..typing import Constraint, CovarianceEstimator, Distance, Init, Matrix, Optimizer, Scaling
from ._family import BaseSQFA
from ._results import Progress


class SQFA(BaseSQFA):
    """Supervised quadratic feature analysis.

    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import SQFA
    >>> X, y = load_iris(return_X_y=True)
    >>> SQFA(n_components=2).fit(X, y).transform(X).shape
    (150, 2)

    Learns linear filters W that push the classes apart as Gaussians: it maximizes the mean over pairs
    of classes of

        d( N(Wγᵢ, WΦᵢWᵀ + σ²I), N(Wγⱼ, WΦⱼWᵀ + σ²I) ),

    where class k has mean γₖ and covariance Φₖ. Unlike LDA it uses differences in covariance as well as
    in mean, and it may learn more than ``n_classes − 1`` components.

    Parameters
    ----------
    n_components : int or "auto", default=2
        Number of components. "auto" takes the fewest whose held-out accuracy is within one standard
        error of the best.
    max_components : int, default=16
        The most components that ``n_components="auto"`` may take.
    distance : str or callable, default="calvo-oller"
        A name from :func:`sqfa_rs.distances.names`, with its parameter after a colon
        ("chernoff:0.3"), a function of :mod:`sqfa_rs.distances`, or a callable
        ``f(mean_p, cov_p, mean_q, cov_q)`` returning
        ``(value, (d_mean_p, d_cov_p, d_mean_q, d_cov_q))``; covariances already contain the noise.
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
    covariance_estimator : str or float, default="empirical"
        Estimator of the class covariances: "empirical", "oas", or a number s for (1 − s)Φ + s(tr Φ/n)I.
        From samples alone, not from class statistics: "ledoit-wolf", and "t:NU", "t:auto", "tyler" and
        "mcd:SHARE", in which outliers count less.
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
    feature_covariances_ : ndarray of shape (n_classes, n_components, n_components)
        Their covariances, with divisor N and without noise.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when the training data had any.

    See Also
    --------
    SecondMomentSQFA : Uses second moments only.
    QDA : The classifier that matches these features.

    References
    ----------
    Herrera-Esposito & Burge, "Supervised Quadratic Feature Analysis: information geometry for
    dimensionality reduction", 2026.
    Calvo & Oller, "A distance between multivariate normal distributions based in an embedding into the
    Siegel group", Journal of Multivariate Analysis 35, 1990.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sqfa_rs import SQFA
    >>> X, y = load_digits(return_X_y=True)
    >>> sqfa = SQFA(n_components=4, random_state=0).fit(X, y)
    >>> sqfa.transform(X).shape
    (1797, 4)
    >>> sqfa.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        n_components: int | Literal["auto"] = 2,
        *,
        max_components: int = 16,
        distance: Distance = "calvo-oller",
        noise: float | str = "auto",
        scaling: Scaling = "auto",
        constraint: Constraint = "sphere",
        init: Init | Matrix = "auto",
        fixed: Matrix | None = None,
        n_init: int | Literal["auto"] = "auto",
        sequential: int | None = None,
        optimizer: Optimizer = "auto",
        pairs: int | Literal["auto", "all"] = "auto",
        covariance_estimator: CovarianceEstimator = "empirical",
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
        self.distance = distance
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
        return self.distance

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # These distances depend on the units of columns: components may follow the column with the
        # largest numbers, whether or not it separates classes.
        tags.classifier_tags.poor_score = self.distance == "wasserstein"
        return tags


class SecondMomentSQFA(BaseSQFA):
    """Supervised quadratic feature analysis of second moments (smSQFA).

    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import SecondMomentSQFA
    >>> X, y = load_iris(return_X_y=True)
    >>> SecondMomentSQFA(n_components=2).fit(X, y).transform(X).shape
    (150, 2)

    Learns linear filters W that maximize the mean over pairs of classes of a distance d(A, B) with

        A = WΨᵢWᵀ + σ²I,  B = WΨⱼWᵀ + σ²I,

    where Ψₖ = E[xxᵀ] is the second moment of class k. The default is the affine-invariant distance
    ‖log(A^(−½) B A^(−½))‖. Use it when the classes differ in spread rather
    than in mean, or when second moments are all there is (``fit_statistics(moments)``).

    Parameters
    ----------
    n_components : int or "auto", default=2
        Number of components. "auto" takes the fewest whose held-out accuracy is within one standard
        error of the best.
    max_components : int, default=16
        The most components that ``n_components="auto"`` may take.
    distance : str, default="affine-invariant"
        A distance that depends on second moments alone: "affine-invariant", "log-euclidean" or the
        square of one ("squared-affine-invariant"), as a name or as a function of
        :mod:`sqfa_rs.distances`. For a callable of your own use :class:`SQFA`.
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
    covariance_estimator : str or float, default="empirical"
        Estimator of the class covariances: "empirical", "oas", or a number s for (1 − s)Φ + s(tr Φ/n)I.
        From samples alone, not from class statistics: "ledoit-wolf", and "t:NU", "t:auto", "tyler" and
        "mcd:SHARE", in which outliers count less.
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
    feature_covariances_ : ndarray of shape (n_classes, n_components, n_components)
        Their covariances, with divisor N and without noise.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when the training data had any.

    See Also
    --------
    SQFA : Uses means and covariances, with any distance.

    References
    ----------
    Herrera-Esposito & Burge, "Supervised Quadratic Feature Analysis: information geometry for
    dimensionality reduction", 2026.

    Examples
    --------
    >>> from sqfa_rs import SecondMomentSQFA
    >>> from sqfa_rs.datasets import make_toy
    >>> toy = make_toy("toy-6d", 200, random_state=0)
    >>> SecondMomentSQFA(2, random_state=0).fit(toy.data, toy.target).converged_
    True
    """

    _method = "smsqfa"

    def __init__(
        self,
        n_components: int | Literal["auto"] = 2,
        *,
        max_components: int = 16,
        distance: str | Callable[..., Any] = "affine-invariant",
        noise: float | str = "auto",
        scaling: Scaling = "auto",
        constraint: Constraint = "sphere",
        init: Init | Matrix = "auto",
        fixed: Matrix | None = None,
        n_init: int | Literal["auto"] = "auto",
        sequential: int | None = None,
        optimizer: Optimizer = "auto",
        pairs: int | Literal["auto", "all"] = "auto",
        covariance_estimator: CovarianceEstimator = "empirical",
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
        self.distance = distance
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
        return self.distance
