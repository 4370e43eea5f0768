"""Partitions of Dask arrays and data frames as parts of the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.base import is_dask_collection

from ..data._accumulator import merged_in_pairs
from ._parts import Run, joined_runs, run_part
from ._work import Work


class Engine:
    """Partitions of labeled samples in Dask."""

    room = float("inf")

    def __init__(self, X: Any, y: Any, weight: Any, client: Any) -> None:
        self.blocks, self.labels, self.weights, self.columns = aligned(X, y, weight)
        self.client = client
        self.width: int | None = X.shape[1] if self.columns is None else len(self.columns)

    def reduced(self, work: Work, merge: Callable[[Any, Any], Any]) -> Any:
        """Return the results of all partitions, merged on the cluster."""
        task = dask.delayed(joined_runs, pure=True)

        def join(left: Run, right: Run) -> Run:
            return left[0], right[1], task(merge, left, right)

        parts: list[Run] = [(part, part, one) for part, one in enumerate(self._tasks(work))]
        return computed([merged_in_pairs(parts, join)[2]], self.client)[0]

    def listed(self, work: Work) -> list[Any]:
        """Return the result of each partition, in order."""
        return computed(self._tasks(work), self.client)

    def _tasks(self, work: Work) -> list[Any]:
        # A separate task, so that candidates are sent to each worker once and not with every
        # partition.
        shared = dask.delayed(work, pure=True, traverse=False)
        task = dask.delayed(run_part, pure=True)
        parts = enumerate(zip(self.blocks, self.labels, self.weights, strict=True))
        return [
            task(shared, block, label, weight, part=part, columns=self.columns)
            for part, (block, label, weight) in parts
        ]


def computed(tasks: list[Any], client: Any) -> list[Any]:
    """Return the results of tasks; errors of the cluster get a message with a remedy."""
    try:
        return list(dask.compute(*tasks) if client is None else client.compute(tasks, sync=True))
    except Exception as error:
        told = _explained(error, client)
        if told is error:
            raise
        raise told from error


def _explained(error: Exception, client: Any) -> Exception:
    """Return an error of the cluster with a remedy; other errors are not changed."""
    if type(error).__name__ == "KilledWorker":
        return RuntimeError(
            "Dask's workers repeatedly failed on the same task, most likely because memory ran "
            "out. A worker needs memory for one partition and for class statistics of classes × "
            "columns² / 2 numbers: use smaller partitions or fewer columns, use sketches "
            f"(form='sketch' of class_statistics), or give the workers more memory ({error})"
        )
    if getattr(client, "status", "running") != "running" or "connection-lost" in str(error):
        return ConnectionError(
            f"the connection to Dask's scheduler was lost: connect a new client and fit again ({error})"
        )
    return error


def aligned(X: Any, y: Any, weight: Any) -> tuple[list[Any], list[Any], list[Any], Sequence[str] | None]:
    """Return the partitions of samples, labels and weights, and the names of the columns."""
    if isinstance(y, str):
        if not hasattr(X, "columns"):
            raise TypeError(
                f"y is the name of a column, so X must be a data frame, not {type(X).__name__}"
            )
        if y not in X.columns:
            raise ValueError(
                f"there is no column '{y}'; the columns are: {', '.join(map(str, X.columns))}"
            )
        # Columns are selected on the workers, because Dask may split samples and labels differently
        # if it reads them separately.
        frames = list(X.to_delayed())
        names = [str(name) for name in X.columns if name != y]
        blocks = [dask.delayed(_without, pure=True)(frame, y) for frame in frames]
        labels = [dask.delayed(_column, pure=True)(frame, y) for frame in frames]
        return blocks, labels, _parts_of(weight, "sample_weight", X, blocks), names
    if not is_dask_collection(X):
        raise TypeError(f"X must be a dask array or data frame, not {type(X).__name__}")
    if hasattr(X, "columns"):
        names = [str(name) for name in X.columns]
        blocks = list(X.to_delayed())
        return blocks, _parts_of(y, "y", X, blocks), _parts_of(weight, "sample_weight", X, blocks), names
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimension(s): give one sample per row")
    X = whole_rows(X)
    blocks = list(X.to_delayed().ravel())
    return blocks, _parts_of(y, "y", X, blocks), _parts_of(weight, "sample_weight", X, blocks), None


def _without(frame: Any, column: str) -> Any:
    return frame.drop(columns=[column])


def _column(frame: Any, column: str) -> Any:
    return frame[column]


def _parts_of(values: Any, what: str, X: Any, blocks: list[Any]) -> list[Any]:
    """Return one value per sample, partitioned like the samples."""
    if values is None:
        return [None] * len(blocks)
    lengths = getattr(X, "chunks", ((np.nan,),))[0]
    if not is_dask_collection(values):
        if np.isnan(lengths).any():
            raise TypeError(
                f"{what} is a local array, but the lengths of the partitions of X are unknown: "
                f"pass {what} as a dask array or series"
            )
        values = da.from_array(np.asarray(values), chunks=-1)
    chunks = getattr(values, "chunks", ((np.nan,),))[0]
    if not np.isnan(lengths).any() and not np.isnan(chunks).any():
        if sum(chunks) != sum(lengths):
            raise ValueError(
                f"{what} has {sum(chunks)} values for {sum(lengths)} samples: give one value per sample"
            )
        values = values.rechunk((lengths,))
    parts = list(np.ravel(values.to_delayed()))
    if len(parts) != len(blocks):
        raise ValueError(
            f"{what} has {len(parts)} partitions, but X has {len(blocks)}: use the same "
            "partitions for both"
        )
    return parts


def whole_rows(X: Any) -> Any:
    """Return a dask array whose chunks contain all columns."""
    return X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
