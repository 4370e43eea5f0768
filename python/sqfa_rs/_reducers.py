"""The other ways to find components: baselines of the paper behind scikit-learn's contract."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from . import _core
from ._inputs import training_data
from ._labels import class_names, encode
from ._linear import LinearReducer
from ._settings import seed_of
from ._statistics import ClassStatistics, estimator_name, statistics_of
from ._threads import thread_count

Choice = float | str | Sequence[float] | None


class Trial(NamedTuple):
    """One value of a setting that was tried."""

    name: str
    """The setting."""
    value: float
    """The value."""
    accuracy: float
    """QDA accuracy on held-out points; NaN when the value could not be used."""


_COMMON = """
    refine : bool, default=False
        Improve the components afterwards on the posterior probability of the true class, as long as
        held-out points are classified better.
    n_jobs : int, default=None
        Threads; None uses all processors. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random: starts, points looked at, points held out."""

_ATTRIBUTES = """
    components_ : ndarray of shape (n_components, n_features)
        The filters, one a row. Features are ``X @ components_.T``, without centring.
    settings_ : dict
        Every setting that was used, chosen or given.
    trials_ : list of Trial
        What was tried to choose them.
    objective_ : float or None
        What was optimised, in the method's own terms; None for a closed form.
    objective_trace_ : ndarray
        It after every iteration; empty for a closed form.
    n_iter_ : int
        Iterations; 0 for a closed form.
    converged_, termination_ : bool, str
        Whether and why the method ended; "closed-form" where nothing iterates.
    classes_, class_counts_, mean_, feature_means_, feature_covariances_, n_features_in_
        As in :class:`SQFA`."""


def _documented(cls: type) -> type:
    """Fill the shared parts into a docstring, so that they are written once."""
    text = cls.__doc__ or ""
    cls.__doc__ = text.replace("\n    <common>", _COMMON).replace("\n    <attributes>", _ATTRIBUTES)
    return cls


class BaselineReducer(LinearReducer):
    """A reducer of the core by name; subclasses name it and list its parameters."""

    _method: str
    # The constructor's parameters that the core knows under the same name.
    _passed: tuple[str, ...] = ()
    # Chosen settings by the core's name, and the attribute that shows them.
    _shown: tuple[tuple[str, str], ...] = ()
    # Whether the method itself looks at points.
    _needs_points = False

    random_state: Any
    settings_: dict[str, float]
    trials_: list[Trial]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn components from labelled points.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points; sparse ones are made dense.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self.__dict__.pop("components_", None)
        threads = thread_count(self.n_jobs)
        X, y = training_data(self, X, y)
        settings = self._core_settings()
        if sparse.issparse(X):
            X = np.ascontiguousarray(X.toarray())
        classes, codes = encode(y)
        statistics = statistics_of(X, classes, codes, None, self._covariance(), threads)
        return self._learn(statistics, X, codes, settings, threads)

    def fit_statistics(
        self,
        means: Any,
        covariances: Any = None,
        counts: Any = None,
        *,
        classes: Any = None,
    ) -> Self:
        """Learn components from class statistics alone, where the method does not look at points.

        Parameters
        ----------
        means : array-like of shape (n_classes, n_features) or ClassStatistics
            Class means, or all statistics at once.
        covariances : array-like of shape (n_classes, n_features, n_features)
            Class covariances.
        counts : array-like of shape (n_classes,), default=None
            Points of every class; equal shares when not known.
        classes : array-like of shape (n_classes,), default=None
            Labels; 0, 1, … by default.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self.__dict__.pop("components_", None)
        if isinstance(means, ClassStatistics):
            statistics = means
        elif covariances is None:
            raise ValueError("covariances are missing: give them, or pass ClassStatistics")
        else:
            statistics = ClassStatistics.from_moments(
                means, covariances, counts, classes=classes, n_jobs=self.n_jobs
            )
        self.__dict__.pop("feature_names_in_", None)
        self.n_features_in_ = statistics.n_features
        settings = self._core_settings()
        return self._learn(statistics, None, None, settings, thread_count(self.n_jobs))

    def _covariance(self) -> str:
        return estimator_name(getattr(self, "covariance", "empirical"))

    def _core_settings(self) -> dict[str, Any]:
        """The parameters as the core takes them."""
        whole = [name for name in ("max_iter", "pca_dims", "per_class") if name in self._passed]
        for name in ("n_components", *whole):
            value = getattr(self, name)
            if value is None and name != "n_components":
                continue
            if not isinstance(value, Integral) or isinstance(value, bool):
                raise TypeError(f"{name} must be a whole number, not {value!r}")
            if value < 1:
                raise ValueError(f"{name} is {value}: at least 1 is needed")
        settings: dict[str, Any] = {name: getattr(self, name) for name in self._passed}
        if settings.get("restarts") == "auto":
            settings["restarts"] = None
        settings["n_components"] = int(self.n_components)
        settings["seed"] = self._seed = seed_of(self.random_state)
        return settings

    def _learn(
        self,
        statistics: ClassStatistics,
        X: NDArray[Any] | None,
        codes: NDArray[np.uint32] | None,
        settings: dict[str, Any],
        threads: int,
    ) -> Self:
        result = _core.reduce(
            self._method + ("+refine" if self.refine else ""),
            statistics._core,
            X,
            class_names(statistics.classes),
            codes,
            self._covariance(),
            settings,
            None,
            threads,
        )
        components = result["components"]
        self._describe_classes(components, statistics, threads)
        self.settings_ = dict(result["settings"])
        self.noise_ = float(self.settings_.get("noise", 0.0))
        for name, attribute in self._shown:
            value = self.settings_[name]
            setattr(self, attribute, int(value) if name == "neighbors" else value)
        self.trials_ = [Trial(*trial) for trial in result["trials"]]
        self.objective_ = result["objective"]
        self.objective_trace_ = result["trace"]
        self.n_iter_ = int(result["n_iter"])
        self.converged_ = bool(result["converged"])
        self.termination_ = str(result["termination"])
        self._record = {
            "best": result["best"],
            "passes": result["passes"],
            "evaluations": result["evaluations"],
            "seconds": result["seconds"],
            "warnings": list(result["warnings"]),
            "restarts": result["restarts"],
            "second_moments": bool(statistics._core.second_moments()),
            "precision": "f32" if statistics._core.single_precision() else "f64",
        }
        self.components_ = components
        for message in result["warnings"]:
            if "did not converge" not in message:
                warnings.warn(message, UserWarning, stacklevel=3)
        if not self.converged_:
            warnings.warn(
                f"{type(self).__name__} did not converge: it stopped after {self.n_iter_} iterations "
                f"({self.termination_})",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self


@_documented
class PCA(BaselineReducer):
    """Principal components of all points, as a baseline beside the supervised methods.

    The leading eigenvectors of the total covariance, the within-class and between-class parts together.
    Labels are needed because the estimator also describes the classes in feature space (``score``).

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    solver : {"auto", "exact", "randomized"}, default="auto"
        A dense eigenproblem, subspace iteration, or whichever is affordable.
    <common>

    Attributes
    ----------
    <attributes>

    See Also
    --------
    sklearn.decomposition.PCA : The same subspace, centred features, no labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import PCA
    >>> X, y = load_iris(return_X_y=True)
    >>> PCA(2).fit(X, y).transform(X).shape
    (150, 2)
    """

    _method = "pca"
    _passed = ("solver",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        solver: str = "auto",
        refine: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.solver = solver
        self.refine = refine
        self.n_jobs = n_jobs
        self.random_state = random_state


@_documented
class LDA(BaselineReducer):
    """Linear discriminant analysis as a transformer; :class:`LinearClassifier` is the classifier.

    Solves (S_t − S_w)v = λ S_w v, both scatters shrunk to (1−s)S + s(tr S/n)I.

    Parameters
    ----------
    n_components : int, default=1
        Number of components, at most ``n_classes − 1``.
    shrinkage : "auto", float or list of floats, default="auto"
        The share s; "auto" and lists choose it on held-out points.
    <common>

    Attributes
    ----------
    shrinkage_ : float
        The share that was used.
    <attributes>

    References
    ----------
    Fisher, "The use of multiple measurements in taxonomic problems", Annals of Eugenics 7, 1936.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> LDA(2, shrinkage=0.1).fit(X, y).score(X, y) > 0.95
    True
    """

    _method = "lda"
    _passed = ("shrinkage",)
    _shown = (("shrinkage", "shrinkage_"),)
    shrinkage_: float

    def __init__(
        self,
        n_components: int = 1,
        *,
        shrinkage: Choice = "auto",
        refine: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage
        self.refine = refine
        self.n_jobs = n_jobs
        self.random_state = random_state


@_documented
class SupervisedPCA(BaselineReducer):
    """Supervised principal components: directions along which points and labels depend most.

    Parameters
    ----------
    n_components : int, default=1
        Number of components, at most what the class means span.
    <common>

    Attributes
    ----------
    <attributes>

    References
    ----------
    Barshan, Ghodsi, Azimifar & Jahromi, "Supervised principal component analysis", Pattern Recognition
    44, 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import SupervisedPCA
    >>> X, y = load_iris(return_X_y=True)
    >>> SupervisedPCA(1).fit(X, y).components_.shape
    (1, 4)
    """

    _method = "spca"

    def __init__(
        self,
        n_components: int = 1,
        *,
        refine: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.refine = refine
        self.n_jobs = n_jobs
        self.random_state = random_state


@_documented
class LFDA(BaselineReducer):
    """Local Fisher discriminant analysis: pairs of points count by how near they are.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    n_neighbors : "auto", int or list of ints, default="auto"
        The neighbour whose distance is a point's own scale; "auto" and lists choose on held-out points.
    local_scale : {"auto", "neighbor", "anchor"}, default="auto"
        What distances are measured in.
    pca_dims : int, default=None
        Principal components to work in; None is 200 or all there are.
    <common>

    Attributes
    ----------
    n_neighbors_ : int
        The neighbour that was used.
    <attributes>

    References
    ----------
    Sugiyama, "Dimensionality reduction of multimodal labeled data by local Fisher discriminant
    analysis", Journal of Machine Learning Research 8, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import LFDA
    >>> X, y = load_iris(return_X_y=True)
    >>> LFDA(2, n_neighbors=5).fit(X, y).n_neighbors_
    5
    """

    _method = "lfda"
    _passed = ("n_neighbors", "local_scale", "pca_dims")
    _shown = (("neighbors", "n_neighbors_"),)
    _needs_points = True
    n_neighbors_: int

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: Choice = "auto",
        local_scale: str = "auto",
        pca_dims: int | None = None,
        refine: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.local_scale = local_scale
        self.pca_dims = pca_dims
        self.refine = refine
        self.n_jobs = n_jobs
        self.random_state = random_state


@_documented
class LMNN(BaselineReducer):
    """Large-margin nearest neighbours: near points of one class, others a margin away.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    n_neighbors : int, "auto" or list of ints, default=3
        Target neighbours of every point; "auto" and lists choose on held-out points.
    pca_dims : int, default=None
        Principal components to work in; None is 200 or all there are.
    per_class : int, default=None
        Points of every class to look at; None is 500 or all there are.
    <common>

    Attributes
    ----------
    n_neighbors_ : int
        The number that was used.
    <attributes>

    References
    ----------
    Weinberger & Saul, "Distance metric learning for large margin nearest neighbor classification",
    Journal of Machine Learning Research 10, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import LMNN
    >>> X, y = load_iris(return_X_y=True)
    >>> LMNN(2, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    _method = "lmnn"
    _passed = ("n_neighbors", "pca_dims", "per_class")
    _shown = (("neighbors", "n_neighbors_"),)
    _needs_points = True
    n_neighbors_: int

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: Choice = 3,
        pca_dims: int | None = None,
        per_class: int | None = None,
        refine: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.pca_dims = pca_dims
        self.per_class = per_class
        self.refine = refine
        self.n_jobs = n_jobs
        self.random_state = random_state


@_documented
class WDA(BaselineReducer):
    """Wasserstein discriminant analysis: regularised transport between classes over that within.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    reg : "auto", float or list of floats, default="auto"
        Sinkhorn regularisation; "auto" and lists choose on held-out points.
    pca_dims : int, default=None
        Principal components to work in; None is 100 or all there are.
    per_class : int, default=None
        Points of every class to look at; None is 500 or all there are.
    <common>

    Attributes
    ----------
    regularization_ : float
        The regularisation that was used.
    <attributes>

    References
    ----------
    Flamary, Cuturi, Courty & Rakotomamonjy, "Wasserstein discriminant analysis", Machine Learning 107,
    2018.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import WDA
    >>> X, y = load_iris(return_X_y=True)
    >>> WDA(2, reg=1.0, random_state=0).fit(X, y).regularization_
    1.0
    """

    _method = "wda"
    _passed = ("reg", "pca_dims", "per_class")
    _shown = (("regularization", "regularization_"),)
    _needs_points = True
    regularization_: float

    def __init__(
        self,
        n_components: int = 2,
        *,
        reg: Choice = "auto",
        pca_dims: int | None = None,
        per_class: int | None = None,
        refine: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.reg = reg
        self.pca_dims = pca_dims
        self.per_class = per_class
        self.refine = refine
        self.n_jobs = n_jobs
        self.random_state = random_state


@_documented
class AMA(BaselineReducer):
    """Accuracy maximisation analysis: the mean log posterior of the true class, Gaussian classes.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    noise : float or "scale", default="scale"
        Variance added to every feature.
    sequential : int, default=2
        Components learned at a time, earlier ones frozen; 0 learns all together.
    restarts : int, default=1
        Starts; the best is kept.
    max_iter : int, default=1000
        Iterations of one start at most.
    tol : float, default=1e-6
        Relative change of the objective at which a start has converged.
    <common>

    Attributes
    ----------
    noise_ : float
        The noise that was used.
    <attributes>

    References
    ----------
    Geisler, Najemnik & Ing, "Optimal stimulus encoders for natural tasks", Journal of Vision 9, 2009.
    Jaini & Burge, "Linking normative models of natural tasks to descriptive models of neural response",
    Journal of Vision 17, 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import AMA
    >>> X, y = load_iris(return_X_y=True)
    >>> AMA(2, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    _method = "ama"
    _passed = ("noise", "sequential", "restarts", "max_iter", "tol")
    _needs_points = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        noise: float | str = "scale",
        sequential: int = 2,
        restarts: int = 1,
        max_iter: int = 1000,
        tol: float = 1e-6,
        refine: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.noise = noise
        self.sequential = sequential
        self.restarts = restarts
        self.max_iter = max_iter
        self.tol = tol
        self.refine = refine
        self.n_jobs = n_jobs
        self.random_state = random_state


@_documented
class LAD(BaselineReducer):
    """Likelihood acquired directions: the likelihood gained by one covariance a class over a common one.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    noise : float, "scale" or "auto", default="scale"
        Variance added to every feature.
    init : {"random", "pca"}, default="random"
        Where the components start.
    restarts : int or "auto", default="auto"
        Starts that climb side by side; the best is kept.
    max_iter : int, default=1000
        Iterations of one start at most.
    tol : float, default=1e-6
        Relative change of the objective at which a start has converged.
    <common>

    Attributes
    ----------
    noise_ : float
        The noise that was used.
    <attributes>

    References
    ----------
    Cook & Forzani, "Likelihood-based sufficient dimension reduction", Journal of the American
    Statistical Association 104, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import LAD
    >>> X, y = load_iris(return_X_y=True)
    >>> LAD(2, random_state=0).fit(X, y).converged_
    True
    """

    _method = "lad"
    _passed = ("noise", "init", "restarts", "max_iter", "tol")

    def __init__(
        self,
        n_components: int = 2,
        *,
        noise: float | str = "scale",
        init: str = "random",
        restarts: int | str = "auto",
        max_iter: int = 1000,
        tol: float = 1e-6,
        refine: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.noise = noise
        self.init = init
        self.restarts = restarts
        self.max_iter = max_iter
        self.tol = tol
        self.refine = refine
        self.n_jobs = n_jobs
        self.random_state = random_state
