"""Conversion of array-likes to arrays that the core can read, without a copy if possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import (
    _check_sample_weight,
    assert_all_finite,
    check_array,
    validate_data,
)

from ._labels import refuse_missing, refuse_name

# Data types that the core reads directly; other numbers are converted to float64.
DTYPES = [np.float64, np.float32, np.uint8]
# Sparse rows and record batches are converted to dense blocks of about this many bytes.
BLOCK_BYTES = 1 << 26
_CPU = 1  # DLPack's number for CPU memory


def unwrap(X: Any) -> Any:
    """Return an array for any object that supports DLPack and is not an array or frame already."""
    refuse_masked(X, "values are masked: fill them with X.filled, or remove their rows")
    refuse_lazy(X)
    if isinstance(X, np.ndarray) or not hasattr(X, "__dlpack__") or not hasattr(X, "shape"):
        return X
    device = getattr(X, "__dlpack_device__", lambda: (_CPU, 0))()
    if int(device[0]) != _CPU:
        raise TypeError("X is not in CPU memory: move it to the CPU first")
    try:
        return np.from_dlpack(X)
    except (BufferError, RuntimeError) as error:
        raise TypeError(f"X cannot be read: {error}") from error


def refuse_lazy(X: Any) -> None:
    """Reject a lazy frame of polars that has not been collected."""
    if type(X).__name__ == "LazyFrame":
        raise TypeError(
            "X is a LazyFrame, which has no values yet: run the query first with X.collect()"
        )


def refuse_masked(values: Any, problem: str) -> None:
    """Reject a masked array with masked values, because the mask would be ignored."""
    if isinstance(values, np.ma.MaskedArray):
        hidden = int(np.ma.getmaskarray(values).sum())
        if hidden:
            raise ValueError(f"{hidden} {problem}")


def contiguous(X: NDArray[Any]) -> NDArray[Any]:
    """Return the array itself if it is C- or Fortran-contiguous, otherwise a C-contiguous copy."""
    flags = X.flags
    if (flags.c_contiguous or flags.f_contiguous) and flags.aligned:
        return X
    return np.array(X, order="C", copy=True)


def training_data(estimator: Any, X: Any, y: Any, *, reset: bool = True) -> tuple[Any, Any]:
    """Return validated samples (dense or CSR) and labels; the core rejects non-finite values."""
    refuse_name(y)
    refuse_masked(y, "labels are masked: remove these samples")
    if y is not None:
        y = unwrap(y)
        refuse_missing(y)
    X, y = validate_data(
        estimator,
        unwrap(X),
        y,
        reset=reset,
        accept_sparse="csr",
        dtype=DTYPES,
        ensure_all_finite=False,
    )
    refuse_duplicates(getattr(estimator, "feature_names_in_", ()))
    return (X if sparse.issparse(X) else contiguous(X)), y


def refuse_duplicates(names: Iterable[Any]) -> None:
    """Reject duplicate column names, because columns could not be distinguished later."""
    twice = [str(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(
            f"X has more than one column with the name {', '.join(twice)}: rename the columns"
        )


def new_points(estimator: Any, X: Any, *, finite: bool, reset: bool = False) -> Any:
    """Return validated samples for a fitted estimator; ``finite=False`` accepts NaN."""
    X = validate_data(
        estimator,
        unwrap(X),
        reset=reset,
        accept_sparse="csr",
        dtype=DTYPES,
        ensure_all_finite=finite,
    )
    if reset:
        refuse_duplicates(getattr(estimator, "feature_names_in_", ()))
    return X if sparse.issparse(X) else contiguous(X)


def dense_points(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return validated samples of a transformer that needs finite numbers and no labels."""
    least = 2 if reset else 1
    X = validate_data(estimator, unwrap(X), reset=reset, dtype=DTYPES, ensure_min_samples=least)
    refuse_duplicates(getattr(estimator, "feature_names_in_", ()))
    return contiguous(X)


def loose_points(X: Any, *, least: int = 1) -> Any:
    """Return validated samples, at least ``least``, without an estimator that stores feature names."""
    X = check_array(
        unwrap(X),
        accept_sparse="csr",
        dtype=DTYPES,
        ensure_all_finite=False,
        ensure_min_samples=least,
    )
    return X if sparse.issparse(X) else contiguous(X)


def complain_about(X: Any) -> None:
    """Raise scikit-learn's error if any value is not finite."""
    assert_all_finite(X, input_name="X")


def real_weights(sample_weight: Any, X: Any) -> NDArray[np.float64] | None:
    """Return the weight of each sample, or ``None`` without weights.

    Weights that sum to less than the number of samples with positive weight are scaled up to that
    number, because they are normalized weights, not repetition counts.
    """
    if sample_weight is None:
        return None
    weights: NDArray[np.float64] = _check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
    present, total = np.count_nonzero(weights), weights.sum()
    if not 0 < total < present:
        return weights
    scaled = weights * (present / total)
    whole = np.rint(scaled)
    # Scaling has rounding errors, and equal weights have the same effect as no weights.
    is_whole = np.allclose(scaled, whole, rtol=0, atol=1e-9) and np.all(whole[weights > 0] > 0)
    return np.asarray(whole if is_whole else scaled)


def repetition_counts(sample_weight: Any, X: Any) -> NDArray[np.uint64] | None:
    """Return sample weights as integers, or ``None`` if all weights are 1."""
    weights = real_weights(sample_weight, X)
    if weights is None:
        return None
    if np.any(weights != np.floor(weights)):
        row = int(np.flatnonzero(weights != np.floor(weights))[0])
        given = float(
            np.asarray(sample_weight, dtype=np.float64).flat[row if np.ndim(sample_weight) else 0]
        )
        raise ValueError(
            f"sample_weight is {given} at row {row}, but weights are repetition counts: give "
            "whole numbers (multiply all weights by a common factor)"
        )
    if weights.size and weights.max() > 2**53:
        raise ValueError(
            "sample_weight exceeds 2**53, but weights are repetition counts: give smaller numbers"
        )
    if np.all(weights == 1):
        return None
    return weights.astype(np.uint64)


def times_class_weight(
    class_weight: Any, y: NDArray[Any], weights: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Return weights multiplied by the class weights: "balanced", or a number per label."""
    if class_weight is None:
        return weights
    classes, codes = np.unique(y, return_inverse=True)
    own = np.ones(len(y)) if weights is None else weights
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f"class_weight is {class_weight!r}: give 'balanced', a dict or None")
        totals = np.bincount(codes, weights=own)
        present = totals > 0
        factors = np.zeros(len(classes))
        factors[present] = totals.sum() / (np.count_nonzero(present) * totals[present])
    else:
        unknown = [label for label in class_weight if label not in classes]
        if unknown:
            raise ValueError(
                f"class_weight has the label {unknown[0]!r}, which does not occur in y: remove it"
            )
        factors = np.array([float(class_weight.get(label, 1.0)) for label in classes])
        if not np.isfinite(factors).all() or (factors < 0).any():
            raise ValueError(
                f"class_weight is {class_weight!r}: weights must be finite and not negative"
            )
    return np.asarray(own * factors[codes])


def all_zero(sample_weight: Any, y: Any) -> bool:
    """Return whether all samples of a batch have weight 0, so that the batch is treated as empty."""
    return np.shape(sample_weight) == np.shape(y) and not np.any(sample_weight)


def without_zeros(
    X: Any, y: Any, weights: NDArray[np.uint64] | None
) -> tuple[Any, Any, NDArray[np.uint64] | None]:
    """Return samples, labels and weights without the samples of weight 0."""
    if weights is None or weights.all():
        return X, y, weights
    kept = np.flatnonzero(weights)
    weights = weights[kept]
    return X[kept], np.asarray(y)[kept], None if np.all(weights == 1) else weights


def repeated(
    X: Any, codes: NDArray[np.uint32], weights: NDArray[np.uint64] | None
) -> tuple[Any, NDArray[np.uint32]]:
    """Return samples, dense or sparse, each repeated as often as its weight."""
    if weights is None:
        return X, codes
    rows = np.repeat(np.arange(len(codes)), weights.astype(np.int64))
    chosen = X[rows]
    return chosen if sparse.issparse(X) else np.ascontiguousarray(chosen), codes[rows]


def dense(X: Any) -> NDArray[Any]:
    """Return samples as a dense array."""
    return np.ascontiguousarray(X.toarray()) if sparse.issparse(X) else X


def row_blocks(X: Any) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Yield dense blocks of rows of a sparse matrix."""
    height = max(1, BLOCK_BYTES // (8 * max(1, X.shape[1])))
    for first in range(0, X.shape[0], height):
        rows = slice(first, min(first + height, X.shape[0]))
        yield rows, np.ascontiguousarray(X[rows].toarray())
