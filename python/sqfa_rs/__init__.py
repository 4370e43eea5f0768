"""Supervised linear dimensionality reduction by information geometry.

Data become class statistics, which components project to feature statistics, whose pairwise distances an
optimiser maximises: :class:`SQFA`, :class:`SecondMomentSQFA`, and :class:`QDA` to classify the features.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import datasets, distances
from ._core import __version__
from ._files import load, save
from ._qda import QDA
from ._results import NoiseTrial, Progress, Restart
from ._sqfa import SQFA, SecondMomentSQFA
from ._statistics import ClassAccumulator, ClassStatistics, class_statistics

if TYPE_CHECKING:
    from . import plots

__all__ = [
    "QDA",
    "SQFA",
    "ClassAccumulator",
    "ClassStatistics",
    "NoiseTrial",
    "Progress",
    "Restart",
    "SecondMomentSQFA",
    "__version__",
    "class_statistics",
    "datasets",
    "distances",
    "load",
    "plots",
    "save",
]


def __getattr__(name: str) -> Any:
    """Import the plots, and matplotlib with them, only when they are asked for."""
    if name == "plots":
        import importlib

        return importlib.import_module(".plots", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
