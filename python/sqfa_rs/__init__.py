"""Supervised linear dimensionality reduction by information geometry.

Data become class statistics, which components project to feature statistics, whose pairwise distances an
optimiser maximises: :class:`SQFA`, :class:`SecondMomentSQFA`, and :class:`QDA` to classify the features.
Beside them stand the methods they are compared with (:class:`PCA`, :class:`LDA`, …), :func:`compare` and
the exact distance :func:`fisher_rao`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import datasets, distances, estimators, neural
from ._compare import compare
from ._core import __version__
from ._files import load, save
from ._fisher_rao import FisherRaoResult, Geodesic, exponential, fisher_rao, geodesic, logarithm
from ._robust import RobustCovariance, robust_covariance
from .data import ClassAccumulator, ClassStatistics, class_statistics
from .estimators import *

if TYPE_CHECKING:
    from . import plots

__all__ = [
    "ClassAccumulator",
    "ClassStatistics",
    "FisherRaoResult",
    "Geodesic",
    "RobustCovariance",
    "__version__",
    "class_statistics",
    "compare",
    "datasets",
    "distances",
    "exponential",
    "fisher_rao",
    "geodesic",
    "load",
    "logarithm",
    "neural",
    "plots",
    "robust_covariance",
    "save",
]
# A new method stands in one list.
__all__ += estimators.__all__


def __getattr__(name: str) -> Any:
    """Import the plots, and matplotlib with them, only when they are asked for."""
    if name == "plots":
        import importlib

        return importlib.import_module(".plots", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
