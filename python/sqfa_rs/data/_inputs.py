"""Whatever holds numbers, as arrays the core can borrow: no copy where none is needed."""

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

# What the core reads as it is; other numbers become float64.
DTYPES = [np.float64, np.float32, np.uint8]
# Sparse rows and record batches are made dense in blocks of about this many bytes.
BLOCK_BYTES = 1 << 26
_CPU = 1  # DLPack's number for memory the processor reads


def unwrap(X: Any) -> Any:
    """An array from anything that offers DLPack and is not an array or frame already."""
    refuse_masked(X, "values are masked: fill them in (X.filled) or leave their rows out")
    refuse_lazy(X)
    if isinstance(X, np.ndarray) or not hasattr(X, "__dlpack__") or not hasattr(X, "shape"):
        return X
    device = getattr(X, "__dlpack_device__", lambda: (_CPU, 0))()
    if int(device[0]) != _CPU:
        raise TypeError("the data are not in the processor's memory: move them to the CPU first")
    try:
        return np.from_dlpack(X)
    except (BufferError, RuntimeError) as error:
        raise TypeError(f"the data cannot be borrowed: {error}") from error


def refuse_lazy(X: Any) -> None:
    """Reject a query of polars that has not run yet."""
    if type(X).__name__ == "LazyFrame":
        raise TypeError("a LazyFrame has no values yet: run the query first, X.collect()")


def refuse_masked(values: Any, problem: str) -> None:
    """Refuse a masked array that hides something: it would be learned from all the same."""
    if isinstance(values, np.ma.MaskedArray):
        hidden = int(np.ma.getmaskarray(values).sum())
        if hidden:
            raise ValueError(f"{hidden} {problem}")


def contiguous(X: NDArray[Any]) -> NDArray[Any]:
    """The array itself when it is in C or Fortran order, else a copy in C order."""
    flags = X.flags
    if (flags.c_contiguous or flags.f_contiguous) and flags.aligned:
        return X
    return np.array(X, order="C", copy=True)


def training_data(estimator: Any, X: Any, y: Any, *, reset: bool = True) -> tuple[Any, Any]:
    """Validated points (dense or CSR) and labels; the core looks for values that are not finite."""
    refuse_name(y)
    refuse_masked(y, "labels are masked: leave their points out")
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
    """Columns of one name cannot be told apart later."""
    twice = [str(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(
            f"more than one column is called {', '.join(twice)}: give every column its own name"
        )


def new_points(estimator: Any, X: Any, *, finite: bool, reset: bool = False) -> Any:
    """Validated points for a fitted estimator; ``finite=False`` leaves that check to the caller."""
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
    """Validated points of a transformer that needs every number and no labels."""
    least = 2 if reset else 1
    X = validate_data(estimator, unwrap(X), reset=reset, dtype=DTYPES, ensure_min_samples=least)
    refuse_duplicates(getattr(estimator, "feature_names_in_", ()))
    return contiguous(X)


def loose_points(X: Any, *, least: int = 1) -> Any:
    """Validated points, ``least`` or more, without an estimator to remember their names."""
    X = check_array(
        unwrap(X),
        accept_sparse="csr",
        dtype=DTYPES,
        ensure_all_finite=False,
        ensure_min_samples=least,
    )
    return X if sparse.issparse(X) else contiguous(X)


def complain_about(X: Any) -> None:
    """Raise scikit-learn's error if any value is not finite; say nothing otherwise."""
    assert_all_finite(X, input_name="X")


def real_weights(sample_weight: Any, X: Any) -> NDArray[np.float64] | None:
    """Return how often each sample counts, or ``None`` without weights.

    Weights that sum to less than the number of samples with positive weight are scaled up to that
    number: they are normalized weights, not repetition counts.
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
    # Scaling has rounding errors, and equal weights are no weights.
    is_whole = np.allclose(scaled, whole, rtol=0, atol=1e-9) and np.all(whole[weights > 0] > 0)
    return np.asarray(whole if is_whole else scaled)


def repetition_counts(sample_weight: Any, X: Any) -> NDArray[np.uint64] | None:
    """Return sample weights as whole numbers, or ``None`` if every sample counts once."""
    weights = real_weights(sample_weight, X)
    if weights is None:
        return None
    if np.any(weights != np.floor(weights)):
        row = int(np.flatnonzero(weights != np.floor(weights))[0])
        given = float(
            np.asarray(sample_weight, dtype=np.float64).flat[row if np.ndim(sample_weight) else 0]
        )
        raise ValueError(
            f"sample_weight is {given} at row {row}: weights are repetition counts, so "
            "give whole numbers (multiply all of them by a common factor)"
        )
    if weights.size and weights.max() > 2**53:
        raise ValueError("sample_weight exceeds 2**53: weights are repetition counts")
    if np.all(weights == 1):
        return None
    return weights.astype(np.uint64)


def times_class_weight(
    class_weight: Any, y: NDArray[Any], weights: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Return weights multiplied by those of the classes: "balanced", or a number per label."""
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
            raise ValueError(f"class_weight has the label {unknown[0]!r}, which no sample has")
        factors = np.array([float(class_weight.get(label, 1.0)) for label in classes])
        if not np.isfinite(factors).all() or (factors < 0).any():
            raise ValueError(f"class_weight is {class_weight!r}: weights are finite and not negative")
    return np.asarray(own * factors[codes])


def all_zero(sample_weight: Any, y: Any) -> bool:
    """Return whether every sample of a batch has weight 0, so that the batch is as good as empty."""
    return np.shape(sample_weight) == np.shape(y) and not np.any(sample_weight)


def without_zeros(
    X: Any, y: Any, weights: NDArray[np.uint64] | None
) -> tuple[Any, Any, NDArray[np.uint64] | None]:
    """Return samples, labels and weights without the samples of weight 0, as if these were absent."""
    if weights is None or weights.all():
        return X, y, weights
    kept = np.flatnonzero(weights)
    weights = weights[kept]
    return X[kept], np.asarray(y)[kept], None if np.all(weights == 1) else weights


def repeated(
    X: Any, codes: NDArray[np.uint32], weights: NDArray[np.uint64] | None
) -> tuple[Any, NDArray[np.uint32]]:
    """Points, dense or sparse, each as often as it counts."""
    if weights is None:
        return X, codes
    rows = np.repeat(np.arange(len(codes)), weights.astype(np.int64))
    chosen = X[rows]
    return chosen if sparse.issparse(X) else np.ascontiguousarray(chosen), codes[rows]


def dense(X: Any) -> NDArray[Any]:
    """Points as an array, whatever they were."""
    return np.ascontiguousarray(X.toarray()) if sparse.issparse(X) else X


def row_blocks(X: Any) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Dense blocks of rows of a sparse matrix."""
    height = max(1, BLOCK_BYTES // (8 * max(1, X.shape[1])))
    for first in range(0, X.shape[0], height):
        rows = slice(first, min(first + height, X.shape[0]))
        yield rows, np.ascontiguousarray(X[rows].toarray())
