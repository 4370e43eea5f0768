"""Supervised linear dimensionality reduction by information geometry.

:class:`SQFA`, :class:`SecondMomentSQFA` and :class:`HeavyTailedSQFA` learn linear components that
separate classes by their means and covariances. :class:`QDA` classifies the features, and
:func:`compare` compares methods on the same data.

:mod:`sqfa_rs.baselines` contains the other methods, and :mod:`sqfa_rs.geometry` exact Fisher–Rao
distances.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core, baselines, covariance, datasets, distances, geometry, neural, preprocessing
from ._compare import compare
from ._files import load, save
from .data import ClassAccumulator, ClassStatistics, class_statistics
from .estimators import QDA, SQFA, HeavyTailedSQFA, SecondMomentSQFA

# Values that fits and callbacks return: they can be imported for type annotations, but are not part
# of `import *`.
from .estimators import Candidate as Candidate
from .estimators import CurvePoint as CurvePoint
from .estimators import Initialization as Initialization
from .estimators import Progress as Progress
from .estimators import Selection as Selection
from .estimators import Trial as Trial

# Version of the installed package, in the form that Python packages use.
__version__ = _core.__version__.replace("-dev", ".dev0")

if TYPE_CHECKING:
    from . import plots as plots

__all__ = [
    "QDA",
    "SQFA",
    "ClassAccumulator",
    "ClassStatistics",
    "HeavyTailedSQFA",
    "SecondMomentSQFA",
    "__version__",
    "baselines",
    "class_statistics",
    "compare",
    "covariance",
    "datasets",
    "distances",
    "geometry",
    "load",
    "neural",
    "preprocessing",
    "save",
]


def __getattr__(name: str) -> Any:
    """Import the plots on first use, so that matplotlib is imported only when it is needed."""
    if name == "plots":
        import importlib

        return importlib.import_module(".plots", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
