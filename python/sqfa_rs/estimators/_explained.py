"""Fractions of the variance that components explain, as reported by scikit-learn's PCA and LDA."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Number of rows of dense samples that are squared in memory at a time.
_ROWS = 4096


def class_means(
    X: NDArray[Any], codes: NDArray[Any], weights: NDArray[Any] | None, n_classes: int
) -> NDArray[np.float64]:
    """Return the mean of each class."""
    counts = np.bincount(codes, weights=weights, minlength=n_classes)
    sums = np.zeros((n_classes, X.shape[1]))
    for first in range(0, len(X), _ROWS):
        rows = slice(first, first + _ROWS)
        one_hot = np.zeros((len(codes[rows]), n_classes))
        one_hot[np.arange(len(one_hot)), codes[rows]] = 1.0 if weights is None else weights[rows]
        sums += one_hot.T @ X[rows].astype(np.float64)
    return np.asarray(sums / counts[:, None])


def column_variances(
    X: NDArray[Any], mean: NDArray[np.float64], weights: NDArray[Any] | None
) -> NDArray[np.float64]:
    """Return the variance of each column with divisor N."""
    sums = np.zeros(X.shape[1])
    for first in range(0, len(X), _ROWS):
        rows = slice(first, first + _ROWS)
        squares = (X[rows].astype(np.float64) - mean) ** 2
        sums += squares.sum(axis=0) if weights is None else weights[rows] @ squares
    return np.asarray(sums / (len(X) if weights is None else weights.sum()))


def feature_variances(estimator: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the variance of each feature within classes and between class means, with divisor N."""
    counts = estimator.class_counts_
    shares = np.ones(len(estimator.feature_means_)) if counts is None else counts.astype(np.float64)
    shares = shares / shares.sum()
    means = estimator.feature_means_
    within = shares @ np.diagonal(estimator.feature_covariances_, axis1=1, axis2=2)
    between = shares @ (means - shares @ means) ** 2
    return within, between
