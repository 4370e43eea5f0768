"""Types of parameters, for annotations in code that uses this package.

The names that a parameter accepts are literals, so that a type checker reports a misspelled name.
Names that contain a number, such as ``"chernoff:0.3"``, cannot be listed: pass these as
:data:`NamedWithNumber`.

>>> from sqfa_rs import SQFA
>>> from sqfa_rs.typing import Distance, NamedWithNumber
>>> def fit(X, y, distance: Distance = "hellinger") -> SQFA:
...     return SQFA(2, distance=distance).fit(X, y)
>>> SQFA(2, distance=NamedWithNumber("chernoff:0.3")).distance
'chernoff:0.3'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NewType, TypeAlias

from numpy.typing import NDArray

__all__ = [
    "Constraint",
    "CovarianceEstimator",
    "Distance",
    "DistanceName",
    "EstimatorName",
    "Form",
    "Init",
    "LocalScale",
    "Matrix",
    "NamedWithNumber",
    "Optimizer",
    "Scaling",
    "Solver",
]

NamedWithNumber = NewType("NamedWithNumber", str)
"""A name with a number after a colon, such as ``"chernoff:0.3"`` or ``"t:5"``, for type checkers."""

Matrix: TypeAlias = NDArray[Any] | Sequence[Sequence[float]]
"""Array with two dimensions, or nested lists."""

DistanceName: TypeAlias = Literal[
    "calvo-oller",
    "fisher-rao",
    "affine-invariant",
    "affine-invariant:second-moments",
    "affine-invariant:covariances",
    "bhattacharyya",
    "hellinger",
    "jeffreys",
    "wasserstein",
    "log-euclidean",
    "log-euclidean:second-moments",
    "log-euclidean:covariances",
    "mahalanobis",
    "fisher-rao-equal-covariance",
    "squared-calvo-oller",
    "squared-affine-invariant",
    "squared-affine-invariant:second-moments",
    "squared-affine-invariant:covariances",
    "squared-log-euclidean",
    "squared-log-euclidean:second-moments",
    "squared-log-euclidean:covariances",
    "squared-mahalanobis",
]
"""Name of a distance without a number."""

Distance: TypeAlias = DistanceName | NamedWithNumber | Callable[..., Any]
"""Distance by its name, or a function: one of :mod:`sqfa_rs.distances` or your own."""

Scaling: TypeAlias = Literal["auto", "none", "common", "per-feature", "within-class"]
"""Scaling of the columns."""

Constraint: TypeAlias = Literal["sphere", "orthonormal", "none"]
"""Constraint on the components."""

Init: TypeAlias = Literal["auto", "random", "differences", "pca", "save", "directional-regression"]
"""Name of an initialization of the components."""

Optimizer: TypeAlias = Literal["auto", "subspace", "lbfgs"]
"""Optimization algorithm."""

EstimatorName: TypeAlias = Literal["empirical", "oas", "ledoit-wolf", "t:auto", "tyler"]
"""Name of a covariance estimator without a number."""

CovarianceEstimator: TypeAlias = EstimatorName | NamedWithNumber | float
"""Estimator of the class covariances by its name, or the number of a fixed shrinkage."""

Form: TypeAlias = Literal["dense", "sketch"] | NamedWithNumber
"""Form of the class covariances."""

Solver: TypeAlias = Literal["auto", "exact", "randomized"]
"""Eigensolver of :class:`sqfa_rs.baselines.PCA`."""

LocalScale: TypeAlias = Literal["neighbor", "anchor"]
"""Name of a local scale of :class:`sqfa_rs.baselines.LFDA`."""
