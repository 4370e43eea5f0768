"""Class statistics, fits, features and predictions of Ray datasets.

A task on the node that holds a block computes the class statistics of the block. The driver merges
the statistics in the order of the blocks, so the result is the same, bit for bit, in every run. If
a worker is lost, only its blocks are processed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import ray.data  # noqa: F401  (a clear message now instead of a failing task later)
except ImportError as error:
    raise ImportError("sqfa_rs.ray needs Ray: install it with pip install 'sqfa-rs[ray]'") from error

from .data import ClassAccumulator, ClassStatistics
from .engines._fit import fit_on, total
from .engines._parts import merged_in_order, opened, part_state
from .engines._work import Work
from .typing import CovarianceEstimator, Form

__all__ = ["class_accumulator", "class_statistics", "fit", "predict", "transform"]


def class_accumulator(
    dataset: Any,
    label: str,
    *,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    form: Form = "dense",
) -> ClassAccumulator:
    """Accumulate class statistics of a Ray dataset, for :meth:`ClassAccumulator.merge`.

    Parameters
    ----------
    dataset : ray.data.Dataset
        Dataset with columns of numbers, or arrays of numbers, and a label column.
    label : str
        Column of the labels.
    columns : sequence of str, default=None
        Feature columns. None uses all other columns.
    weight : str, default=None
        Column with the repetition count of each sample, a whole number.
    form : {"dense", "sketch", "sketch:ROWS"}, default="dense"
        Form of the class scatters: all entries ("dense"), or a sketch with a number of rows.

    Returns
    -------
    ClassAccumulator
    """
    return total(_Engine(dataset, label, columns, weight), form)


def class_statistics(
    dataset: Any,
    label: str,
    *,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    covariance_estimator: CovarianceEstimator = "empirical",
    form: Form = "dense",
) -> ClassStatistics:
    """Compute class statistics of a Ray dataset.

    Parameters
    ----------
    dataset : ray.data.Dataset
        Dataset with columns of numbers, or arrays of numbers, and a label column.
    label : str
        Column of the labels.
    columns : sequence of str, default=None
        Feature columns. None uses all other columns.
    weight : str, default=None
        Column with the repetition count of each sample, a whole number.
    covariance_estimator : {"empirical", "oas"} or float, default="empirical"
        Estimator of the class covariances.
    form : {"dense", "sketch", "sketch:ROWS"}, default="dense"
        Form of the class scatters: all entries ("dense"), or a sketch with a number of rows.

    Returns
    -------
    ClassStatistics
    """
    sums = class_accumulator(dataset, label, columns=columns, weight=weight, form=form)
    return sums.finish(covariance_estimator)


def fit(
    estimator: Any,
    dataset: Any,
    label: str,
    *,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    max_bytes: int | None = None,
) -> Any:
    """Fit an estimator on a Ray dataset, as its ``fit`` does on samples in memory.

    Class statistics are accumulated on the nodes that hold the blocks. Settings that are not
    specified are selected as for arrays: the workers score candidates on held-out samples, which
    takes a few more passes over the data. ``refine=True`` collects features on the driver, and a
    method that needs samples (LFDA, LMNN, WDA, NCA) collects a random subsample.

    Parameters
    ----------
    estimator : SQFA, LDA, PCA, QDA, …
        Estimator to fit, in place.
    dataset : ray.data.Dataset
        Dataset with columns of numbers, or arrays of numbers, and a label column.
    label : str
        Column of the labels.
    columns : sequence of str, default=None
        Feature columns. None uses all other columns.
    weight : str, default=None
        Column with the repetition count of each sample, a whole number.
    max_bytes : int, default=None
        Maximum number of bytes of samples or features to collect on the driver. If there are more,
        a random subsample is used. None is 1 GiB.

    Returns
    -------
    The fitted estimator.
    """
    engine = _Engine(dataset, label, columns, weight)
    fit_on(estimator, engine, max_bytes)
    if estimator.n_features_in_ == len(engine.columns):
        estimator.feature_names_in_ = np.array(engine.columns, dtype=object)
    return estimator


def transform(
    model: Any, dataset: Any, *, columns: Sequence[str] | None = None, output: str = "features"
) -> Any:
    """Add a column with the features of each row to a dataset, lazily.

    Parameters
    ----------
    model : SQFA, LDA, PCA, …
        Fitted reducer.
    dataset : ray.data.Dataset
        Dataset with the columns on which the model was fitted.
    columns : sequence of str, default=None
        Feature columns. None uses the column names on which the model was fitted, if it has any.
    output : str, default="features"
        Name of the new column.

    Returns
    -------
    ray.data.Dataset
    """
    return _with_answers(model, dataset, columns, output, "transform")


def predict(
    model: Any, dataset: Any, *, columns: Sequence[str] | None = None, output: str = "prediction"
) -> Any:
    """Add a column with the most probable class of each row to a dataset, lazily.

    Parameters
    ----------
    model : QDA, SQFA, LDA, …
        A fitted classifier, or a fitted reducer with its own classifier.
    dataset : ray.data.Dataset
        Dataset with the columns on which the model was fitted.
    columns : sequence of str, default=None
        Feature columns. None uses the column names on which the model was fitted, if it has any.
    output : str, default="prediction"
        Name of the new column.

    Returns
    -------
    ray.data.Dataset
    """
    method = "predict" if hasattr(model, "predict") else "_predicted"
    return _with_answers(model, dataset, columns, output, method)


def _with_answers(
    model: Any, dataset: Any, columns: Sequence[str] | None, output: str, method: str
) -> Any:
    if columns is None:
        columns = getattr(model, "feature_names_in_", None)
    if columns is None:
        raise ValueError("the model was fitted without column names: give columns=[...]")
    return dataset.map_batches(
        _answered,
        batch_size=None,
        batch_format="numpy",
        fn_kwargs={
            "model": model,
            "columns": [str(name) for name in columns],
            "output": output,
            "method": method,
        },
    )


def _columns(dataset: Any, label: str, columns: Sequence[str] | None, weight: str | None) -> list[str]:
    schema = dataset.schema()
    if schema is None:
        raise ValueError("the dataset has no samples")
    names = [str(name) for name in schema.names]
    wanted = (
        [name for name in names if name not in (label, weight)] if columns is None else list(columns)
    )
    for name in (label, *([] if weight is None else [weight]), *wanted):
        if name not in names:
            raise ValueError(f"there is no column '{name}'; the columns are: {', '.join(names)}")
    if not wanted:
        raise ValueError(f"the dataset has no columns except for '{label}': add feature columns")
    return wanted


class _Engine:
    """Blocks of a dataset with labeled samples."""

    room = float("inf")

    def __init__(
        self, dataset: Any, label: str, columns: Sequence[str] | None, weight: str | None
    ) -> None:
        self.columns = _columns(dataset, label, columns, weight)
        self.dataset, self.label, self.weight = dataset, label, weight

    @cached_property
    def width(self) -> int | None:
        """Return the number of columns, from the first row."""
        rows = self.dataset.limit(1).iter_batches(batch_size=1, batch_format="numpy")
        return next((_points(row, self.columns).shape[1] for row in rows), None)

    def reduced(self, work: Work, merge: Callable[[Any, Any], Any]) -> Any:
        """Return the results of all blocks, merged on the driver in their order."""
        return merged_in_order(self._parts(work), merge)

    def listed(self, work: Work) -> list[Any]:
        """Return the result of each block, in order."""
        return [result for _, result in self._parts(work)]

    def _parts(self, work: Work) -> Iterator[tuple[int, Any]]:
        how = {"work": work, "columns": self.columns, "label": self.label, "weight": self.weight}
        parts = self.dataset.map_batches(_worked, batch_size=None, batch_format="numpy", fn_kwargs=how)
        # Blocks are merged in their order in the dataset, whichever block is ready first.
        parts.context.execution_options.preserve_order = True
        rows = enumerate(parts.iter_rows())
        try:
            yield from opened((part, row["state"], row["problem"]) for part, row in rows)
        except Exception as error:
            told = _explained(error)
            if told is error:
                raise
            raise told from error


def _explained(error: Exception) -> Exception:
    """Return an error of Ray with a message that names a remedy; other errors are not changed."""
    names = {type(one).__name__ for one in (error, error.__cause__)}
    if "OutOfMemoryError" in names:
        return RuntimeError(
            "Ray's workers ran out of memory. A task needs memory for one block and for class "
            "statistics of classes × columns² / 2 numbers: use smaller blocks (repartition) or "
            "fewer columns, use sketches (form='sketch' of class_statistics), or give the "
            f"workers more memory ({error})"
        )
    if names & {"RaySystemError", "NodeDiedError", "OwnerDiedError", "RayActorError"}:
        return ConnectionError(
            f"the connection to Ray was lost: initialize Ray again and repeat the fit ({error})"
        )
    return error


def _worked(
    batch: dict[str, NDArray[Any]], work: Work, columns: list[str], label: str, weight: str | None
) -> dict[str, Any]:
    labels = batch[label]
    try:
        points = _points(batch, columns)
    except (ValueError, KeyError) as error:
        state, problem = b"", str(error)
    else:
        names = labels.astype(str) if labels.dtype == object else labels
        state, problem = part_state(work, points, names, None if weight is None else batch[weight])
    return {"state": np.array([state], dtype=object), "problem": np.array([problem], dtype=object)}


def _points(batch: dict[str, NDArray[Any]], columns: list[str]) -> NDArray[Any]:
    """Return the columns as one matrix; a column contains one or several numbers per row."""
    parts = []
    for name in columns:
        values = batch[name]
        if values.dtype == object:
            values = (
                np.stack([np.asarray(row) for row in values]) if len(values) else values.astype(float)
            )
        if values.dtype.kind not in "fiub":
            raise ValueError(
                f"column '{name}' is of type {values.dtype}, but features must be "
                "numbers: leave the column out or convert it"
            )
        parts.append(values.reshape(len(values), -1))
    return np.ascontiguousarray(np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0])


def _answered(
    batch: dict[str, NDArray[Any]], model: Any, columns: list[str], output: str, method: str
) -> dict[str, Any]:
    points = _points(batch, columns)
    if hasattr(model, "feature_names_in_"):
        import pandas as pd

        points = pd.DataFrame(points, columns=model.feature_names_in_)
    return batch | {output: getattr(model, method)(points)}
