"""Baselines that use samples and their neighbors: LFDA, LMNN, WDA and NCA."""

from __future__ import annotations

from typing import Any

from ..typing import LocalScale, Scaling
from ._predicting import SupervisedReducer
from ._settings import Choice


class LFDA(SupervisedReducer):
    """Local Fisher discriminant analysis: LDA with weights for pairs of near samples.

    As in LDA, the components maximize the between-class scatter relative to the within-class
    scatter. Pairs of samples of the same class have a larger weight if they are near each other, so
    classes may consist of several clusters.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    n_neighbors : "auto", int or list of ints, default="auto"
        Number k of the neighbor whose distance is the local scale of a sample. "auto" and a list
        select k on held-out samples.
    local_scale : {"neighbor", "anchor"}, default="neighbor"
        Distance that scales the neighborhood of a sample: "neighbor" is the distance to its k-th
        nearest neighbor in the class, as in the original definition; "anchor" is the distance to
        the k-th sample of the class, as in metric-learn. With "anchor", the results depend on the
        order of the samples.
    pca_dims : int, default=None
        Number of principal components to which the data are reduced first. None uses 200, or all if
        there are fewer.
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
    n_neighbors_ : int
        Number of the neighbor that was used.
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
    LDA : Does not weight pairs of samples.
    sqfa_rs.SQFA : Maximizes a distance between classes.

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
    """Large-margin nearest neighbors: separates near samples of different classes by a margin.

    The components make the distance of each sample to its neighbors of the same class smaller, by a
    margin, than its distance to samples of other classes.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    n_neighbors : int, "auto" or list of ints, default=None
        Number of target neighbors of each sample. "auto" and a list select the number on held-out
        samples. None is 3, or fewer if the smallest class has fewer than 4 samples.
    pca_dims : int, default=None
        Number of principal components to which the data are reduced first. None uses 200, or all if
        there are fewer.
    per_class : int, default=None
        Number of samples per class that are used. None uses 500, or all if there are fewer.
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
    n_neighbors_ : int
        Number of target neighbors that was used.
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
    NCA : Uses all neighbors with smooth weights.
    sqfa_rs.SQFA : Maximizes a distance between classes.

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
    """Wasserstein discriminant analysis: ratio of transport costs between and within classes.

    The components maximize the transport cost between samples of different classes relative to the
    transport cost within classes, with entropic regularization.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    reg : "auto", float or list of floats, default="auto"
        Regularization of the Sinkhorn algorithm. "auto" and a list select the value on held-out
        samples.
    pca_dims : int, default=None
        Number of principal components to which the data are reduced first. None uses 100, or all if
        there are fewer.
    per_class : int, default=None
        Number of samples per class that are used. None uses 500, or all if there are fewer.
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
    regularization_ : float
        Regularization that was used.
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
    LDA : Uses scatter instead of transport costs.
    sqfa_rs.SQFA : Maximizes a distance between classes.

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
    """Neighborhood components analysis: maximizes the accuracy of stochastic nearest neighbors.

    Each sample selects another sample as its neighbor with a probability proportional to
    exp(−squared distance) in feature space. The components minimize the expected fraction of
    neighbors of another class. The lengths of the components are part of the result, because they
    determine the size of the neighborhoods.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    pca_dims : int, default=None
        Number of principal components to which the data are reduced first. None uses 100, or all if
        there are fewer.
    per_class : int, default=None
        Number of samples per class that are used. None uses 500, or all if there are fewer.
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
    LMNN : Uses a margin to samples of other classes.
    sqfa_rs.SQFA : Maximizes a distance between classes.

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
