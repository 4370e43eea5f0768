"""Baselines that one eigenproblem of the class statistics solves: PCA, LDA, supervised PCA."""

from __future__ import annotations

from typing import Any

from ._baseline import BaselineReducer, Choice, documented


@documented
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


@documented
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


@documented
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
