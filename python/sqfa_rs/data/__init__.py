"""Containers of samples and labels, and the class statistics from which the methods learn."""

from __future__ import annotations

from ._accumulator import ClassAccumulator
from ._statistics import ClassStatistics, class_statistics

__all__ = ["ClassAccumulator", "ClassStatistics", "class_statistics"]
