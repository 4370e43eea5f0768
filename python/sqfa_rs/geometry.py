"""Information geometry of Gaussians: exact Fisher–Rao distances, geodesics and matrix functions."""

from __future__ import annotations

from ._fisher_rao import FisherRaoResult, Geodesic, exponential, fisher_rao, geodesic, logarithm
from ._matrices import (
    generalized_eigenvalues,
    generalized_eigenvectors,
    spd_inv_sqrt,
    spd_log,
    spd_sqrt,
    sym_exp,
)

__all__ = [
    "FisherRaoResult",
    "Geodesic",
    "exponential",
    "fisher_rao",
    "generalized_eigenvalues",
    "generalized_eigenvectors",
    "geodesic",
    "logarithm",
    "spd_inv_sqrt",
    "spd_log",
    "spd_sqrt",
    "sym_exp",
]
