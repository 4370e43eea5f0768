"""Baselines that look at points and their neighbors: LFDA, LMNN, WDA, NCA."""

from __future__ import annotations

from typing import Any

from ..typing import LocalScale, Scaling
from ._predicting import SupervisedReducer
from ._settings import Choice


class LFDA(SupervisedReducer):
    """Local Fisher discriminant analysis: pairs of points count by how near they are.

    As in LDA, the components maximize the scatter between classes relative to the scatter within
    classes. Pairs of samples of one class count more if they are near each other, so classes may have
    several clusters.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    n_neighbors : "auto", int or list of ints, default="auto"
        The neighbor whose distance is a point's own scale; "auto" and lists choose on held-out points.
    local_scale : {"neighbor", "anchor"}, default="neighbor"
        The distance that scales the neighborhood of a sample: "neighbor" is the distance to its k-th
        nearest neighbor in the class, which is the definition; "anchor" is the distance to the k-th
        sample of the class, as in metric-learn. With "anchor", results depend on the order of samples.
    pca_dims : int, default=None
        Principal components to work in; None is the method's own number, 200, or all there are.
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
    n_neighbors_ : int
        The neighbor that was used.
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
    LDA : The same without neighbors.
    sqfa_rs.SQFA : Uses the means and covariances of the classes.

    References
    ----------
    Sugiyama, "Dimensionality reduction of multimodal labeled data by local Fisher discriminant
    analysis", Journal of Machine Learning Research 8, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import LFDA
    >>> X, y = load_iris(return_X_y=True)
    >>> LFDA(2, n_neighbors=5).fit(X, y).n_neighbors_
    5
    """

    _method = "lfda"
    _shown = (("neighbors", "n_neighbors_"),)
    n_neighbors_: int

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: Choice = "auto",
        local_scale: LocalScale = "neighbor",
        pca_dims: int | None = None,
        scaling: Scaling = "auto",
        refine: bool = False,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.local_scale = local_scale
        self.pca_dims = pca_dims
        self.scaling = scaling
        self.refine = refine
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state


class LMNN(SupervisedReducer):
    """Large-margin nearest neighbors: near points of one class, others a margin away.

    The components bring every sample nearer to its neighbors of the same class than to samples of other
    classes, by a margin.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    n_neighbors : int, "auto" or list of ints, default=None
        Target neighbors of every point; "auto" and lists choose on held-out points. None is 3, or fewer
        if the smallest class has fewer than 4 samples.
    pca_dims : int, default=None
        Principal components to work in; None is the method's own number, 200, or all there are.
    per_class : int, default=None
        Points of every class to look at; None is 500 or all there are.
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
    n_neighbors_ : int
        The number that was used.
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
    NCA : Uses all neighbors with smooth weights.
    sqfa_rs.SQFA : Uses the means and covariances of the classes.

    References
    ----------
    Weinberger & Saul, "Distance metric learning for large margin nearest neighbor classification",
    Journal of Machine Learning Research 10, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import LMNN
    >>> X, y = load_iris(return_X_y=True)
    >>> LMNN(2, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    _method = "lmnn"
    _shown = (("neighbors", "n_neighbors_"),)
    n_neighbors_: int

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: Choice = None,
        pca_dims: int | None = None,
        per_class: int | None = None,
        scaling: Scaling = "auto",
        refine: bool = False,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.pca_dims = pca_dims
        self.per_class = per_class
        self.scaling = scaling
        self.refine = refine
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state


class WDA(SupervisedReducer):
    """Wasserstein discriminant analysis: regularized transport between classes over that within.

    The components maximize the cost of transport between the samples of different classes relative to
    the cost within classes, with entropic regularization.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    reg : "auto", float or list of floats, default="auto"
        Sinkhorn regularization; "auto" and lists choose on held-out points.
    pca_dims : int, default=None
        Principal components to work in; None is the method's own number, 100, or all there are.
    per_class : int, default=None
        Points of every class to look at; None is 500 or all there are.
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
    regularization_ : float
        The regularization that was used.
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
    LDA : The same with scatter instead of transport.
    sqfa_rs.SQFA : Uses the means and covariances of the classes.

    References
    ----------
    Flamary, Cuturi, Courty & Rakotomamonjy, "Wasserstein discriminant analysis", Machine Learning 107,
    2018.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import WDA
    >>> X, y = load_iris(return_X_y=True)
    >>> WDA(2, reg=1.0, random_state=0).fit(X, y).regularization_
    1.0
    """

    _method = "wda"
    _shown = (("regularization", "regularization_"),)
    regularization_: float

    def __init__(
        self,
        n_components: int = 2,
        *,
        reg: Choice = "auto",
        pca_dims: int | None = None,
        per_class: int | None = None,
        scaling: Scaling = "auto",
        refine: bool = False,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.reg = reg
        self.pca_dims = pca_dims
        self.per_class = per_class
        self.scaling = scaling
        self.refine = refine
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state


class NCA(SupervisedReducer):
    """Neighborhood components: a random neighbor of a point most often has its class.

    A point takes another as its neighbor with a probability that falls with exp(−squared distance) of
    their features; the expected share of neighbors of another class is minimized. The lengths of the
    components are part of the result: they set how far a neighborhood reaches.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    pca_dims : int, default=None
        Principal components to work in; None is the method's own number, 100, or all there are.
    per_class : int, default=None
        Points of every class to look at; None is 500 or all there are.
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
    LMNN : Uses a margin to samples of other classes.
    sqfa_rs.SQFA : Uses the means and covariances of the classes.

    References
    ----------
    Goldberger, Roweis, Hinton & Salakhutdinov, "Neighborhood components analysis", Advances in Neural
    Information Processing Systems 17, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs.baselines import NCA
    >>> X, y = load_iris(return_X_y=True)
    >>> NCA(2).fit(X, y).transform(X).shape
    (150, 2)
    """

    _method = "nca"

    def __init__(
        self,
        n_components: int = 2,
        *,
        pca_dims: int | None = None,
        per_class: int | None = None,
        scaling: Scaling = "auto",
        refine: bool = False,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.pca_dims = pca_dims
        self.per_class = per_class
        self.scaling = scaling
        self.refine = refine
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
