"""Robust estimates of location and scatter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._threads import thread_count
from .data._inputs import dense, loose_points
from .estimators._settings import seed_of


@dataclass(frozen=True)
class RobustCovariance:
    """Result of :func:`robust_covariance`.

    Attributes
    ----------
    location : ndarray of shape (n_features,)
        Mean of the samples that are kept after reweighting.
    covariance : ndarray of shape (n_features, n_features)
        Covariance of the samples that are kept, multiplied by the factor that makes it consistent
        for Gaussian samples.
    support : ndarray of bool of shape (n_samples,)
        Mask of the samples that are kept after reweighting.
    distances : ndarray of shape (n_samples,)
        Squared Mahalanobis distance of each sample, for ``location`` and ``covariance``.
    raw_location, raw_covariance, raw_support, raw_distances : ndarray
        The same quantities for the h samples with the smallest determinant, without consistency
        factor and reweighting.
    raw_log_determinant : float
        Logarithm of the determinant of the raw covariance.
    consistency : float
        Factor that makes the raw covariance consistent for Gaussian samples.
    """

    location: NDArray[np.float64]
    covariance: NDArray[np.float64]
    support: NDArray[np.bool_]
    distances: NDArray[np.float64]
    raw_location: NDArray[np.float64]
    raw_covariance: NDArray[np.float64]
    raw_support: NDArray[np.bool_]
    raw_distances: NDArray[np.float64]
    raw_log_determinant: float
    consistency: float


def robust_covariance(
    X: Any,
    *,
    support_fraction: float = 0.8,
    n_starts: int = 100,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> RobustCovariance:
    """Compute the minimum covariance determinant estimate of location and covariance.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    support_fraction : float, default=0.8
        Fraction of samples that are assumed to be no outliers, above 0.5.
    n_starts : int, default=100
        Number of random initial subsets.
    random_state : int, RandomState instance or None, default=0
        Seed of the random subsets.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.

    Returns
    -------
    RobustCovariance
        Location, covariance, and the samples and distances that they are based on.

    References
    ----------
    Rousseeuw & Van Driessen, "A fast algorithm for the minimum covariance determinant estimator",
    Technometrics 41, 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs.covariance import robust_covariance
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> X[:20] += 10
    >>> bool(robust_covariance(X).support[:20].any())
    False
    """
    points = dense(loose_points(X))
    found = _core.robust_covariance(
        points, float(support_fraction), int(n_starts), seed_of(random_state), thread_count(n_jobs)
    )
    raw, kept = found["raw"], found["reweighted"]
    return RobustCovariance(
        location=kept["location"],
        covariance=kept["covariance"],
        support=kept["support"],
        distances=kept["distances"],
        raw_location=raw["location"],
        raw_covariance=raw["covariance"],
        raw_support=raw["support"],
        raw_distances=raw["distances"],
        raw_log_determinant=raw["log_determinant"],
        consistency=found["consistency"],
    )
