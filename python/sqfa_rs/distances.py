"""Distances between Gaussians: :func:`pairwise`, and one function for each distance of the core.

A set of Gaussians is a pair ``(means, covariances)`` of shapes (k, m) and (k, m, m), a single
``(mean, covariance)``, a mapping with these keys, :class:`~sqfa_rs.ClassStatistics`, or a fitted
estimator. A fitted estimator stands for its training classes in feature space, with the noise of
the fit.

This module has a function for each name in :func:`names`, with underscores instead of hyphens.
:class:`~sqfa_rs.SQFA` and :func:`pairwise` accept these functions as ``distance``, too:

>>> import numpy as np
>>> from sqfa_rs import distances
>>> p, q = (np.zeros(2), np.eye(2)), (np.array([3.0, 4.0]), np.eye(2))
>>> distances.mahalanobis(p, q)
5.0
>>> round(distances.chernoff(p, q, 0.5), 6) == round(distances.bhattacharyya(p, q), 6)
True
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._threads import thread_count
from .data._statistics import ClassStatistics, numbers
from .typing import Distance

__all__ = ["names", "pairwise", "value_and_gradient"]

_ENTRIES: dict[str, tuple[str, str, str]] = {
    entry[0].replace("-", "_"): entry for entry in _core.distance_names()
}


def names() -> list[str]:
    """Return the names of all distances, as :class:`~sqfa_rs.SQFA` and :func:`pairwise` accept them.

    "chernoff" and "calvo-oller-t" need a parameter, for example "chernoff:0.3".

    Returns
    -------
    list of str
        Names of the distances.

    Examples
    --------
    >>> from sqfa_rs import distances
    >>> "hellinger" in distances.names()
    True
    """
    return [entry[0] for entry in _ENTRIES.values()]


def pairwise(
    a: Any,
    b: Any = None,
    distance: Distance | None = None,
    *,
    noise: float | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Compute the distances of all pairs of Gaussians of two sets, or of one set.

    Parameters
    ----------
    a, b : sets of k and l Gaussians
        Sets of Gaussians in one of the forms that the module accepts. Without ``b``, the pairs are
        those of ``a``.
    distance : str or callable, default=None
        Distance: a name from :func:`names`, with its parameter after a colon, a function of this
        module, or a callable as in :class:`~sqfa_rs.SQFA`, of which only the value is used. None is
        the distance that a fitted estimator among ``a`` and ``b`` maximized, otherwise
        "calvo-oller".
    noise : float, default=None
        Variance added to every feature of all Gaussians, instead of the noise of a fitted
        estimator; 0 adds none.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.

    Returns
    -------
    ndarray of shape (k, l)
        Distances; 0 for identical Gaussians.

    References
    ----------
    Herrera-Esposito & Burge, "Supervised Quadratic Feature Analysis: information geometry for
    dimensionality reduction", 2026.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs import distances
    >>> means, covariances = np.array([[0.0], [2.0]]), np.ones((2, 1, 1))
    >>> distances.pairwise((means, covariances), distance="wasserstein").tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    first = _gaussians(a, noise)
    second = first if b is None else _gaussians(b, noise)
    chosen = own(a) or own(b) or "calvo-oller" if distance is None else distance
    return _core.pairwise(spelled(chosen), *first, *second, thread_count(n_jobs))


def value_and_gradient(
    means: Any,
    covariances: Any,
    distance: Distance = "calvo-oller",
    weights: Any = None,
    *,
    n_jobs: int | None = 1,
) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
    """Compute the mean distance over all pairs of a set of Gaussians, and its gradient.

    This is the objective of :class:`~sqfa_rs.SQFA` as a function of the class statistics in feature
    space. Its gradient can be used in the chain rule for any differentiable features. The function
    may be called from several threads.

    Parameters
    ----------
    means : array-like of shape (k, m) or (b, k, m)
        Means of k Gaussians, or of b sets of k Gaussians.
    covariances : array-like of shape (k, m, m) or (b, k, m, m)
        Covariances of the Gaussians, positive definite. Add noise to the diagonal if they may be
        singular.
    distance : str or callable, default="calvo-oller"
        Distance: a name from :func:`names`, a function of this module, or a callable as in
        :class:`~sqfa_rs.SQFA`.
    weights : array-like of shape (k, k), default=None
        Weight of each pair: a symmetric matrix without negative entries. None gives all pairs the
        same weight.
    n_jobs : int, default=1
        Number of threads. None uses all processors, which is faster from a few hundred pairs on.

    Returns
    -------
    value : float or ndarray of shape (b,)
        Weighted mean of the distances.
    mean_gradient : ndarray of the shape of ``means``
        Derivatives with respect to the means.
    covariance_gradient : ndarray of the shape of ``covariances``
        Derivatives with respect to the covariances. They are symmetric, and each entry is treated
        as a separate variable.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs import distances
    >>> means, covariances = np.array([[0.0], [2.0]]), np.ones((2, 1, 1))
    >>> value, slopes, _ = distances.value_and_gradient(means, covariances, "wasserstein")
    >>> value, slopes.tolist()
    (2.0, [[-1.0], [1.0]])
    """
    double = [np.float64]
    weights = None if weights is None else numbers(weights, "weights", 2, double)
    threads = thread_count(n_jobs)
    if np.ndim(means) == 3:
        if np.ndim(covariances) != 4 or len(means) != len(covariances) or not len(means):
            raise ValueError(
                f"means of shape {np.shape(means)} do not match covariances of shape "
                f"{np.shape(covariances)}: give the same number of sets, at least 1"
            )
        sets = [
            value_and_gradient(m, c, distance, weights, n_jobs=n_jobs)
            for m, c in zip(means, covariances, strict=True)
        ]
        values, slopes, spreads = zip(*sets, strict=True)
        return np.array(values), np.stack(slopes), np.stack(spreads)
    means, covariances = (
        numbers(means, "means", 2, double),
        numbers(covariances, "covariances", 3, double),
    )
    return _core.value_and_gradient(spelled(distance), means, covariances, weights, threads)


def own(given: Any) -> str | Callable[..., Any] | None:
    """Return the distance that a fitted estimator maximized, or None."""
    maximized = getattr(given, "_distance", None)
    return None if maximized is None else spelled(maximized())


def spelled(distance: Any) -> Any:
    """Return a distance as the core accepts it: functions of this module become names."""
    named = getattr(distance, "distance_name", distance)
    if callable(named):
        _check_signature(named)
    return named


def _check_signature(distance: Callable[..., Any]) -> None:
    """Reject a callable that does not accept two means and two covariances."""
    try:
        signature = inspect.signature(distance)
    except ValueError:
        # Some callables in C have no signature.
        return
    try:
        signature.bind(None, None, None, None)
    except TypeError as error:
        name = getattr(distance, "__name__", type(distance).__name__)
        raise TypeError(
            f"distance '{name}' has the parameters {signature}, but (mean_p, cov_p, mean_q, "
            "cov_q) are needed: wrap a PyTorch function of two sets of classes with "
            "sqfa_rs.torch.as_distance"
        ) from error


def _gaussians(
    given: Any, noise: float | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the means and covariances of a set of Gaussians in any of the accepted forms."""
    if isinstance(given, ClassStatistics):
        given = (given.means, given.covariances)
    elif isinstance(given, Mapping):
        given = (given["means"], given["covariances"])
    elif hasattr(given, "feature_means_"):
        given = noisy(given, noise)
        noise = None
    try:
        means, covariances = given
    except (TypeError, ValueError) as error:
        raise TypeError(
            "a set of Gaussians must be (means, covariances), a mapping with these keys, "
            "ClassStatistics or a fitted estimator"
        ) from error
    if np.ndim(means) == 1 and np.ndim(covariances) == 2:
        means, covariances = np.asarray(means)[None], np.asarray(covariances)[None]
    double = [np.float64]
    means, covariances = (
        numbers(means, "means", 2, double),
        numbers(covariances, "covariances", 3, double),
    )
    if noise is not None:
        covariances = covariances + float(noise) * np.eye(covariances.shape[1])
    return means, covariances


def noisy(estimator: Any, noise: float | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the classes of a fitted estimator as in its objective: divisor N − 1, with noise."""
    noise = estimator.noise_ if noise is None else float(noise)
    covariances = estimator.feature_covariances_
    counts = estimator.class_counts_
    if counts is not None:
        covariances = covariances * (counts / (counts - 1.0))[:, None, None]
    return estimator.feature_means_, covariances + noise * np.eye(covariances.shape[1])


def _single(given: Any) -> bool:
    return isinstance(given, tuple | list) and len(given) == 2 and np.ndim(given[0]) == 1


def _function(attribute: str) -> Callable[..., Any]:
    """Return the function of one distance: a number for two Gaussians, a matrix for sets."""
    name, summary, parameter = _ENTRIES[attribute]

    def evaluate(a: Any, b: Any, full_name: Any, n_jobs: int | None) -> Any:
        matrix = pairwise(a, b, full_name, n_jobs=n_jobs)
        return float(matrix[0, 0]) if b is not None and _single(a) and _single(b) else matrix

    if parameter == "exponent":

        def by_name(a: Any, b: Any, s: float, *, n_jobs: int | None = None) -> Any:
            return evaluate(
                a, b, f"{name}:{s!r}" if isinstance(s, str) else f"{name}:{float(s)!r}", n_jobs
            )

    elif parameter == "degrees":

        def by_name(a: Any, b: Any, nu: float, *, n_jobs: int | None = None) -> Any:  # type: ignore[misc]
            return evaluate(a, b, f"{name}:{float(nu)!r}", n_jobs)

    elif parameter == "moments":

        def by_name(  # type: ignore[misc]
            a: Any, b: Any = None, moments: str = "second-moments", *, n_jobs: int | None = None
        ) -> Any:
            return evaluate(a, b, f"{name}:{moments}", n_jobs)

    else:

        def by_name(a: Any, b: Any = None, *, n_jobs: int | None = None) -> Any:  # type: ignore[misc]
            return evaluate(a, b, name, n_jobs)

    by_name.__name__ = by_name.__qualname__ = attribute
    by_name.distance_name = name  # type: ignore[attr-defined]
    by_name.__doc__ = (
        f"{summary[0].upper()}{summary[1:]}.\n\nReturns a number for two single Gaussians, "
        "otherwise the matrix of :func:`pairwise`."
    )
    return by_name


def __getattr__(attribute: str) -> Callable[..., Any]:
    if attribute not in _ENTRIES:
        raise AttributeError(f"module {__name__!r} has no attribute {attribute!r}")
    function = _function(attribute)
    globals()[attribute] = function
    return function


def __dir__() -> list[str]:
    return sorted([*__all__, *_ENTRIES])
