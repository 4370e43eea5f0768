"""Whatever holds points and labels, and what the methods learn from it: class statistics."""

from __future__ import annotations

from ._accumulator import ClassAccumulator
from ._statistics import ClassStatistics, class_statistics

__all__ = ["ClassAccumulator", "ClassStatistics", "class_statistics"]
