"""Baselines that climb a likelihood: AMA and LAD."""

from __future__ import annotations

from typing import Any

from ._baseline import BaselineReducer, documented


@documented
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


@documented
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
