"""The information geometry of Gaussians: exact Fisher–Rao distances and geodesics."""

from __future__ import annotations

from ._fisher_rao import FisherRaoResult, Geodesic, exponential, fisher_rao, geodesic, logarithm

__all__ = ["FisherRaoResult", "Geodesic", "exponential", "fisher_rao", "geodesic", "logarithm"]
