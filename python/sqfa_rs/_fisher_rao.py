"""Exact Fisher–Rao distance between two Gaussians, and geodesics between them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

_Gaussian = tuple[NDArray[np.float64], NDArray[np.float64]]


class FisherRaoResult(NamedTuple):
    """Fisher–Rao distance with its bounds and its accuracy."""

    distance: float
    """Distance."""
    lower: float
    """Lower bound of Calvo & Oller."""
    upper: float
    """Upper bound that is computed without the geodesic."""
    residual: float
    """Relative residual of the geodesic equations on the path that was found; 0 for a geodesic."""
    evaluations: int
    """Number of evaluations of the search."""
    exact: bool
    """Whether the distance is exact to the tolerance, and not only an upper bound."""


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
        Mean and positive definite covariance of the first Gaussian. Scalars are accepted in one
        dimension.
    mean_b, cov_b : array-like of shapes (n,) and (n, n)
        Mean and covariance of the second Gaussian.
    tol : float, default=1e-8
        Tolerance of the relative residual of the geodesic equations.
    return_bounds : bool, default=False
        Whether to return a :class:`FisherRaoResult` with bounds instead of a number.

    Returns
    -------
    float or FisherRaoResult
        Distance, or distance with bounds.

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
    """Geodesic of the Fisher–Rao metric with constant speed.

    Created by :func:`geodesic`.

    Parameters
    ----------
    core : object
        Geodesic of the core.

    Attributes
    ----------
    length : float
        Length between times 0 and 1.
    velocity : tuple of ndarrays
        Derivative of mean and covariance at time 0: the logarithm map at the first Gaussian.

    See Also
    --------
    geodesic : Creates the geodesic between two Gaussians, or from one Gaussian with a velocity.

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
        """Length between times 0 and 1."""
        return self._core.length()

    @property
    def velocity(self) -> _Gaussian:
        """Derivative of mean and covariance at time 0."""
        return self._core.velocity()

    def point(self, t: float) -> _Gaussian:
        """Return mean and covariance at a time.

        Parameters
        ----------
        t : float
            Time; times outside [0, 1] extend the geodesic.

        Returns
        -------
        mean : ndarray of shape (n,)
            Mean.
        cov : ndarray of shape (n, n)
            Covariance.
        """
        return self._core.point(float(t))

    def midpoint(self) -> _Gaussian:
        """Return the mean and the covariance at time 0.5.

        Returns
        -------
        mean : ndarray of shape (n,)
            Mean.
        cov : ndarray of shape (n, n)
            Covariance.
        """
        return self.point(0.5)

    def curve(self, points: int = 50) -> _Gaussian:
        """Return means and covariances at equally spaced times from 0 to 1.

        Parameters
        ----------
        points : int, default=50
            Number of times, including both ends.

        Returns
        -------
        means : ndarray of shape (points, n)
            Means of the Gaussians.
        covariances : ndarray of shape (points, n, n)
            Covariances.
        """
        if points < 2:
            raise ValueError(f"points is {points}: at least 2 are needed")
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
        Gaussian at time 0.
    mean_b, cov_b : array-like of shapes (n,) and (n, n), default=None
        Gaussian at time 1.
    velocity : tuple of array-likes of shapes (n,) and (n, n), default=None
        Derivative of mean and covariance at time 0, instead of the Gaussian at time 1.
    tol : float, default=1e-8
        Tolerance of the relative residual of the geodesic equations, as in :func:`fisher_rao`.

    Returns
    -------
    Geodesic
        Geodesic.

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
            raise ValueError("both mean_b, cov_b and velocity were passed: pass only one of them")
        pushed = _gaussian(*velocity, "velocity")
        return Geodesic(_core.Geodesic.shoot(*start, *pushed))
    if mean_b is None or cov_b is None:
        raise ValueError("the geodesic has no end: pass mean_b and cov_b, or a velocity")
    return Geodesic(_core.Geodesic.between(*start, *_gaussian(mean_b, cov_b, "b"), float(tol)))


def exponential(mean: ArrayLike, cov: ArrayLike, velocity: tuple[ArrayLike, ArrayLike]) -> _Gaussian:
    """Compute the exponential map: the Gaussian at time 1 on the geodesic with a velocity.

    Parameters
    ----------
    mean, cov : array-like of shapes (n,) and (n, n)
        Gaussian at time 0.
    velocity : tuple of array-likes of shapes (n,) and (n, n)
        Derivative of mean and covariance at time 0.

    Returns
    -------
    mean : ndarray of shape (n,)
        Mean at time 1.
    cov : ndarray of shape (n, n)
        Covariance at time 1.
    """
    return geodesic(mean, cov, velocity=velocity).point(1.0)


def logarithm(
    mean_a: ArrayLike, cov_a: ArrayLike, mean_b: ArrayLike, cov_b: ArrayLike, *, tol: float = 1e-8
) -> _Gaussian:
    """Compute the logarithm map: the velocity, at the first Gaussian, of the geodesic to the second.

    Parameters
    ----------
    mean_a, cov_a : array-like of shapes (n,) and (n, n)
        First Gaussian.
    mean_b, cov_b : array-like of shapes (n,) and (n, n)
        Second Gaussian.
    tol : float, default=1e-8
        Tolerance of the relative residual of the geodesic equations, as in :func:`fisher_rao`.

    Returns
    -------
    mean : ndarray of shape (n,)
        Derivative of the mean at time 0.
    cov : ndarray of shape (n, n)
        Derivative of the covariance at time 0.
    """
    return geodesic(mean_a, cov_a, mean_b, cov_b, tol=tol).velocity


def _gaussian(mean: Any, cov: Any, which: str) -> _Gaussian:
    mean = np.ascontiguousarray(np.atleast_1d(np.asarray(mean, dtype=np.float64)))
    cov = np.ascontiguousarray(np.atleast_2d(np.asarray(cov, dtype=np.float64)))
    if mean.ndim != 1 or cov.shape != (len(mean), len(mean)):
        raise ValueError(
            f"Gaussian {which} has a mean of shape {mean.shape} and a covariance of shape "
            f"{cov.shape}: give shapes (n,) and (n, n)"
        )
    return mean, cov
