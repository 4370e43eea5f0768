"""Check whether new samples have the same units as the training samples."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

# As in the command: this ratio of variances is a factor of ten in units, which is unlikely by
# chance.
FAR = 100.0
# With fewer samples, the spread is not reliable.
ENOUGH = 20
# If there are more samples, only every second, third, … sample is used.
LOOKED_AT = 4096


def warn_of_units(reducer: Any, features: NDArray[Any]) -> None:
    """Warn if features of new samples have a different spread than those of the training samples."""
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
        "as far from the training mean as the training samples"
        if far[at]
        else "as far as the training samples of any class"
    )
    warnings.warn(
        f"samples spread {ratio:.1e} times {word} along component {at}: check that the columns "
        "have the same units as in fit",
        UserWarning,
        stacklevel=4,
    )
