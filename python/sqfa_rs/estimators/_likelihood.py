"""Baselines that maximize a likelihood: AMA and LAD."""

from __future__ import annotations

from typing import Any, Literal

from ..typing import Init, Optimizer, Scaling
from ._predicting import SupervisedReducer


class AMA(SupervisedReducer):
    """Accuracy maximization analysis: maximizes the mean log posterior of the true class.

    The components maximize the mean log posterior probability of the true class of the training
    samples, for one Gaussian per class in feature space.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    noise : float or "scale", default="scale"
        Variance σ² added to every feature. "scale" is the trace of the pooled within-class
        covariance divided by n.
    scaling : {"auto", "none", "common", "per-feature", "within-class"}, default="auto"
        Scaling of the columns: "none", "common" (all columns by one standard deviation),
        "per-feature" (each column by its own standard deviation) or "within-class" (the pooled
        within-class covariance becomes the identity). "auto" selects the scaling on held-out
        samples, together with the noise. For methods without noise, "auto" scales the columns if
        the results would otherwise depend on the units of the columns.
    sequential : int, default=2
        Number of components to learn at a time, with the earlier components fixed; 0 learns all
        components together.
    n_init : int, default=1
        Number of initializations; the best is kept.
    optimizer : {"auto", "subspace", "lbfgs"}, default="auto"
        Optimization algorithm: "subspace" searches a subspace per pass over the class statistics,
        "lbfgs" a line. "auto" selects the algorithm that needs less computation.
    max_iter : int, default=1000
        Maximum number of iterations per initialization.
    tol : float, default=1e-6
        Tolerance of convergence. The optimization has converged if the objective changes by less
        than ``tol · max(1, abs(objective))`` in five consecutive iterations and these changes do
        not increase.
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
    noise_ : float
        Noise σ² that was used, in the scaling of the fit.
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
    LAD : Maximizes a likelihood ratio of Gaussian classes.
    sqfa_rs.SQFA : Maximizes a distance between classes.

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
    """Likelihood acquired directions: maximizes the likelihood gain of one covariance per class.

    The components maximize the difference between two log likelihoods in feature space: that of
    Gaussian classes with one covariance per class, and that of Gaussian classes with a common
    covariance.

    Parameters
    ----------
    n_components : int or "auto", default=2
        Number of components. "auto" selects the smallest number whose held-out accuracy is within
        one standard error of the best.
    max_components : int, default=16
        Largest number of components that ``n_components="auto"`` considers.
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
    init : str, default="auto"
        Initialization of the components: "random", "differences" (random directions, rotated toward
        directions in which classes differ), "pca", "save" or "directional-regression". "auto" is
        "differences" for more than 16 components, otherwise "random".
    n_init : int or "auto", default="auto"
        Number of initializations, which are optimized together; the best is kept. "auto" is about
        16 / n_components for random initializations, otherwise 1.
    max_iter : int, default=1000
        Maximum number of iterations per initialization.
    tol : float, default=1e-6
        Tolerance of convergence. The optimization has converged if the objective changes by less
        than ``tol · max(1, abs(objective))`` in five consecutive iterations and these changes do
        not increase.
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
    noise_ : float
        Noise σ² that was used, in the scaling of the fit.
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
    AMA : Maximizes the posterior probability of the true class.
    sqfa_rs.SQFA : Maximizes a distance between classes.

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
