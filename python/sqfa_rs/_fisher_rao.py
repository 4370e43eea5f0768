"""The exact Fisher–Rao distance between two Gaussians, and geodesics between them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

_Gaussian = tuple[NDArray[np.float64], NDArray[np.float64]]


class FisherRaoResult(NamedTuple):
    """A Fisher–Rao distance with what is known about it."""

    distance: float
    """The distance."""
    lower: float
    """The Calvo–Oller lower bound."""
    upper: float
    """An upper bound that needs no search."""
    residual: float
    """How far the path found is from a geodesic, relative; 0 on one."""
    evaluations: int
    """Evaluations the search took."""
    exact: bool
    """Whether it is the distance to the tolerance, not only an upper bound of it."""


@overload
def fisher_rao(
    mean_a: ArrayLike,
    cov_a: ArrayLike,
    mean_b: ArrayLike,
    cov_b: ArrayLike,
    *,
    tol: float = 1e-8,
    return_bounds: Literal[False] = False,
) -> float: ...
@overload
def fisher_rao(
    mean_a: ArrayLike,
    cov_a: ArrayLike,
    mean_b: ArrayLike,
    cov_b: ArrayLike,
    *,
    tol: float = 1e-8,
    return_bounds: Literal[True],
) -> FisherRaoResult: ...
@overload
def fisher_rao(
    mean_a: ArrayLike,
    cov_a: ArrayLike,
    mean_b: ArrayLike,
    cov_b: ArrayLike,
    *,
    tol: float = 1e-8,
    return_bounds: bool,
) -> float | FisherRaoResult: ...
def fisher_rao(
    mean_a: ArrayLike,
    cov_a: ArrayLike,
    mean_b: ArrayLike,
    cov_b: ArrayLike,
    *,
    tol: float = 1e-8,
    return_bounds: bool = False,
) -> float | FisherRaoResult:
    """Compute the length of the shortest geodesic between two Gaussians.

    Parameters
    ----------
    mean_a, cov_a : array-like of shapes (n,) and (n, n)
        Mean and covariance of the first Gaussian, which is positive definite. Numbers stand for one
        dimension.
    mean_b, cov_b : array-like of shapes (n,) and (n, n)
        Mean and covariance of the second Gaussian.
    tol : float, default=1e-8
        The relative residual of the geodesic equations to reach.
    return_bounds : bool, default=False
        Return a :class:`FisherRaoResult` with bounds instead of a number.

    Returns
    -------
    float or FisherRaoResult
        The distance, or the distance with bounds.

    References
    ----------
    Calvo & Oller, "An explicit solution of information geodesic equations for the multivariate normal
    model", Statistics & Decisions 9, 1991.

    Examples
    --------
    >>> import math
    >>> from sqfa_rs.geometry import fisher_rao
    >>> math.isclose(fisher_rao(0.0, 1.0, 0.0, math.e**2), math.sqrt(2))
    True
    """
    a, b = _gaussian(mean_a, cov_a, "a"), _gaussian(mean_b, cov_b, "b")
    found = FisherRaoResult(*_core.fisher_rao(*a, *b, float(tol), bool(return_bounds)))
    return found if return_bounds else found.distance


class Geodesic:
    """A geodesic of the Fisher–Rao metric at constant speed.

    Use :func:`geodesic` to make it.

    Parameters
    ----------
    core : object
        The geodesic of the core.

    Attributes
    ----------
    length : float
        The length between times 0 and 1.
    velocity : tuple of ndarrays
        Change of mean and covariance at time 0: the logarithm map of the end at the start.

    See Also
    --------
    geodesic : The geodesic between two Gaussians, or from one with a velocity.

    Examples
    --------
    >>> from sqfa_rs.geometry import geodesic
    >>> path = geodesic([0.0], [[1.0]], [0.0], [[16.0]])
    >>> means, covariances = path.curve(3)
    >>> covariances.ravel().round(6).tolist()
    [1.0, 4.0, 16.0]
    """

    def __init__(self, core: _core.Geodesic) -> None:
        self._core = core

    @property
    def length(self) -> float:
        """The length between times 0 and 1."""
        return self._core.length()

    @property
    def velocity(self) -> _Gaussian:
        """Change of mean and covariance at time 0."""
        return self._core.velocity()

    def point(self, t: float) -> _Gaussian:
        """Return mean and covariance at a time.

        Parameters
        ----------
        t : float
            The time; times outside [0, 1] continue the geodesic.

        Returns
        -------
        mean : ndarray of shape (n,)
            The mean.
        cov : ndarray of shape (n, n)
            The covariance.
        """
        return self._core.point(float(t))

    def midpoint(self) -> _Gaussian:
        """Return mean and covariance half way.

        Returns
        -------
        mean : ndarray of shape (n,)
            The mean.
        cov : ndarray of shape (n, n)
            The covariance.
        """
        return self.point(0.5)

    def curve(self, points: int = 50) -> _Gaussian:
        """Return means and covariances at equal steps from time 0 to time 1.

        Parameters
        ----------
        points : int, default=50
            The number of steps, including both ends.

        Returns
        -------
        means : ndarray of shape (points, n)
            The means.
        covariances : ndarray of shape (points, n, n)
            The covariances.
        """
        if points < 2:
            raise ValueError(f"points is {points}: a curve has at least 2")
        sampled = [self.point(t) for t in np.linspace(0, 1, points)]
        return np.stack([mean for mean, _ in sampled]), np.stack([cov for _, cov in sampled])

    def __repr__(self) -> str:
        return f"Geodesic(length={self.length:.6g})"


def geodesic(
    mean_a: ArrayLike,
    cov_a: ArrayLike,
    mean_b: ArrayLike | None = None,
    cov_b: ArrayLike | None = None,
    *,
    velocity: tuple[ArrayLike, ArrayLike] | None = None,
    tol: float = 1e-8,
) -> Geodesic:
    """Compute the geodesic between two Gaussians, or from one with a velocity.

    Parameters
    ----------
    mean_a, cov_a : array-like of shapes (n,) and (n, n)
        Where it starts.
    mean_b, cov_b : array-like of shapes (n,) and (n, n), default=None
        Where it is at time 1.
    velocity : tuple of array-likes of shapes (n,) and (n, n), default=None
        Change of mean and covariance at time 0, instead of an end.
    tol : float, default=1e-8
        As in :func:`fisher_rao`.

    Returns
    -------
    Geodesic
        The geodesic.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs.geometry import geodesic
    >>> mean, cov = geodesic([0.0], [[1.0]], [0.0], [[16.0]]).midpoint()
    >>> round(cov.item(), 6)
    4.0
    """
    start = _gaussian(mean_a, cov_a, "a")
    if velocity is not None:
        if mean_b is not None or cov_b is not None:
            raise ValueError("give an end or a velocity, not both")
        pushed = _gaussian(*velocity, "velocity")
        return Geodesic(_core.Geodesic.shoot(*start, *pushed))
    if mean_b is None or cov_b is None:
        raise ValueError("give mean_b and cov_b, or a velocity")
    return Geodesic(_core.Geodesic.between(*start, *_gaussian(mean_b, cov_b, "b"), float(tol)))


def exponential(mean: ArrayLike, cov: ArrayLike, velocity: tuple[ArrayLike, ArrayLike]) -> _Gaussian:
    """Compute the exponential map: where the geodesic with a velocity is at time 1.

    Parameters
    ----------
    mean, cov : array-like of shapes (n,) and (n, n)
        Where the geodesic starts.
    velocity : tuple of array-likes of shapes (n,) and (n, n)
        Change of mean and covariance at time 0.

    Returns
    -------
    mean : ndarray of shape (n,)
        The mean at time 1.
    cov : ndarray of shape (n, n)
        The covariance at time 1.
    """
    return geodesic(mean, cov, velocity=velocity).point(1.0)


def logarithm(
    mean_a: ArrayLike, cov_a: ArrayLike, mean_b: ArrayLike, cov_b: ArrayLike, *, tol: float = 1e-8
) -> _Gaussian:
    """Compute the logarithm map: the velocity of the geodesic to the second Gaussian at the first.

    Parameters
    ----------
    mean_a, cov_a : array-like of shapes (n,) and (n, n)
        The first Gaussian.
    mean_b, cov_b : array-like of shapes (n,) and (n, n)
        The second Gaussian.
    tol : float, default=1e-8
        As in :func:`fisher_rao`.

    Returns
    -------
    mean : ndarray of shape (n,)
        Change of the mean at time 0.
    cov : ndarray of shape (n, n)
        Change of the covariance at time 0.
    """
    return geodesic(mean_a, cov_a, mean_b, cov_b, tol=tol).velocity


def _gaussian(mean: Any, cov: Any, which: str) -> _Gaussian:
    mean = np.ascontiguousarray(np.atleast_1d(np.asarray(mean, dtype=np.float64)))
    cov = np.ascontiguousarray(np.atleast_2d(np.asarray(cov, dtype=np.float64)))
    if mean.ndim != 1 or cov.shape != (len(mean), len(mean)):
        raise ValueError(
            f"Gaussian {which} has a mean of shape {mean.shape} and a covariance of shape "
            f"{cov.shape}: give (n,) and (n, n)"
        )
    return mean, cov
