"""Whether points are measured as in the fit: features that spread unlike its own tell of other units."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

# As in the command: so many times the variance is a factor of ten in units and no accident.
FAR = 100.0
# With fewer points a spread says little.
ENOUGH = 20
# Of more points every second, third, … is looked at.
LOOKED_AT = 4096


def warn_of_units(reducer: Any, features: NDArray[Any]) -> None:
    """Warn where features of new points spread unlike those of the training points."""
    means = getattr(reducer, "feature_means_", None)
    if means is None or len(features) < ENOUGH or getattr(reducer, "_record", {}).get("second_moments"):
        return
    counts = reducer.class_counts_
    shares = np.ones(len(means)) if counts is None else np.asarray(counts, dtype=np.float64)
    shares = shares / shares.sum()
    within = np.diagonal(reducer.feature_covariances_, axis1=1, axis2=2)
    mean = shares @ means
    total = shares @ (within + (means - mean) ** 2)
    least = within.min(axis=0)
    values = np.asarray(features[:: -(-len(features) // LOOKED_AT)], dtype=np.float64)
    variance = values.var(axis=0)
    away = variance + (values.mean(axis=0) - mean) ** 2
    far, near = away > FAR * total, variance < least / FAR
    if not (far | near).any():
        return
    at = int(np.argmax(far | near))
    ratio = np.sqrt(away[at] / total[at] if far[at] else variance[at] / least[at])
    word = (
        "as far from the mean of the training points as those"
        if far[at]
        else "as far as the training points of any class"
    )
    warnings.warn(
        f"along component {at} points spread {ratio:.1e} times {word}: are columns in other units than "
        "in the fit?",
        UserWarning,
        stacklevel=4,
    )
