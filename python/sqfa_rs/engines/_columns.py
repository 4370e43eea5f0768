"""Columns that hardly vary, found part by part: the rule for points at hand, in sums that merge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Points that may differ before a column counts as varying: one in so many, at least one.
_ONE_IN = 1000
# Rows among which the usual value of a column is looked for, and rows compared with it at a time.
_LOOKED_AT, _ROWS = 65, 4096


@dataclass(frozen=True)
class Usual:
    """The usual value of every column of some points, and how many points have another one at most."""

    values: NDArray[np.float64]
    others: NDArray[np.int64]
    points: int
    # The relative difference up to which values are equal.
    digits: float

    @classmethod
    def of(cls, points: NDArray[Any], weights: NDArray[np.uint64] | None = None) -> Usual:
        """Of one part; a column that varies at once is not counted to its end."""
        count, columns = points.shape
        sizes = np.ones(count, np.int64) if weights is None else weights.astype(np.int64)
        points, sizes = (points, sizes) if sizes.all() else (points[sizes > 0], sizes[sizes > 0])
        total, others = int(sizes.sum()), np.zeros(columns, np.int64)
        digits = 8 * float(np.finfo(np.float64 if points.dtype.itemsize == 8 else np.float32).eps)
        if not len(points):
            return cls(np.zeros(columns), others, 0, digits)
        looked_at = np.sort(points[:: max(1, len(points) // _LOOKED_AT)], axis=0)
        # The middle one is the usual value of more than half of them.
        values = looked_at[len(looked_at) // 2].astype(np.float64)
        watched = np.arange(columns)
        for first in range(0, len(points), _ROWS):
            rows = slice(first, first + _ROWS)
            usual = values[watched]
            differs = ~_equal(points[rows, watched].astype(np.float64), usual, digits)
            others[watched] += sizes[rows] @ differs
            varies = 2 * others[watched] > sizes[: first + _ROWS].sum()
            others[watched[varies]] = total
            watched = watched[~varies]
            if not len(watched):
                break
        return cls(values, others, total, digits)

    def merge(self, other: Usual) -> Usual:
        """Of both; where they differ in what is usual, all points of the rarer one count as others."""
        if not (self.points and other.points):
            return self if self.points else other
        digits = max(self.digits, other.digits)
        same = _equal(self.values, other.values, digits)
        mine = self.points - self.others >= other.points - other.others
        others = np.where(
            same,
            self.others + other.others,
            np.where(mine, self.others + other.points, other.others + self.points),
        )
        values = np.where(same | mine, self.values, other.values)
        return Usual(values, others, self.points + other.points, digits)

    def hardly_vary(self) -> list[int]:
        """The columns to set aside, in order."""
        return [int(at) for at in np.flatnonzero(self.others <= max(self.points // _ONE_IN, 1))]


def _equal(values: Any, usual: Any, digits: float) -> Any:
    return abs(values - usual) <= digits * abs(usual)
