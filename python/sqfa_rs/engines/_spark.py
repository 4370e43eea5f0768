"""Partitions of a Spark data frame as parts of the data; only the data frame interface is used."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow
from pyspark import TaskContext
from pyspark.ml.functions import vector_to_array
from pyspark.sql import functions
from pyspark.sql.types import BooleanType, DecimalType, NumericType

from ._parts import merged_in_order, opened
from ._work import Work, added

# Schema of the result of a partition or of a batch, or of its problem.
_PARTS = "part int, batch int, state binary, problem string"
# Fraction of the driver's limit for results that is used, because Spark adds its own overhead.
_SHARE = 0.5
# Messages of executors and their Python workers when memory runs out.
_NO_MEMORY = ("OutOfMemoryError", "MemoryError", "exit code 137", "exited with code 137")


class Engine:
    """Partitions of a data frame with labeled samples."""

    def __init__(
        self, frame: Any, features: str | Sequence[str], label: str, weight: str | None
    ) -> None:
        check_columns(frame, features)
        _check_there(frame, [label, *([] if weight is None else [weight])])
        columns = [array_of(frame, features).alias("x"), _labels(frame, label).alias("y")]
        if weight is not None:
            columns.append(functions.col(weight).cast("double").alias("w"))
        self.frame = frame.select(*columns)
        self.room = _SHARE * _driver_limit(frame.sparkSession)

    @cached_property
    def width(self) -> int | None:
        """Return the number of columns, from the first row."""
        row = self.frame.select(functions.size("x").alias("width")).first()
        return None if row is None else int(row["width"])

    def reduced(self, work: Work, merge: Callable[[Any, Any], Any]) -> Any:
        """Return the merged result of all partitions; executors merge large results."""
        return self._collected(work, merge, lambda rows: merged_in_order(rows, merge))

    def listed(self, work: Work) -> list[Any]:
        """Return the result of each partition, batch by batch."""
        parts: list[Any] = self._collected(work, None, lambda rows: [result for _, result in rows])
        return parts

    def _collected(self, work: Work, merge: Any, use: Callable[[Any], Any]) -> Any:
        parts = self.frame.mapInArrow(partial(_worked, work, merge), _PARTS).persist()
        try:
            return use(opened(_rows(parts, merge)))
        except Exception as error:
            told = _explained(error)
            if told is error:
                raise
            raise told from error
        finally:
            parts.unpersist()


def _labels(frame: Any, label: str) -> Any:
    """Return the labels; decimals, which Arrow returns as objects, become numbers."""
    column = functions.col(label)
    decimal = isinstance(frame.schema[label].dataType, DecimalType)
    return column.cast("double") if decimal else column


def check_columns(frame: Any, features: str | Sequence[str]) -> None:
    """Reject columns that are missing or not numeric before the data are read."""
    names = [features] if isinstance(features, str) else list(features)
    if not names:
        raise ValueError("no feature columns were specified: name one or more")
    _check_there(frame, names)
    for name in names:
        kind = frame.schema[name].dataType
        if not isinstance(features, str):
            if not isinstance(kind, (NumericType, BooleanType)):
                raise ValueError(
                    f"column '{name}' is of type {kind.simpleString()}, but features must be "
                    "numbers: leave the column out or convert it"
                )
        elif not is_vector(frame, name):
            element = getattr(kind, "elementType", None)
            if not isinstance(element, (NumericType, BooleanType)):
                raise ValueError(
                    f"column '{name}' is of type {kind.simpleString()}: give a column of vectors "
                    "or arrays of numbers, or a list of columns of numbers"
                )


def _check_there(frame: Any, names: Sequence[str]) -> None:
    for name in names:
        if name not in frame.columns:
            raise ValueError(f"there is no column '{name}'; the columns are: {', '.join(frame.columns)}")


def is_vector(frame: Any, features: str | Sequence[str]) -> bool:
    return isinstance(features, str) and frame.schema[features].dataType.typeName() in (
        "vector",
        "vectorudt",
    )


def array_of(frame: Any, features: str | Sequence[str]) -> Any:
    """Return the samples as one column of arrays."""
    check_columns(frame, features)
    if not isinstance(features, str):
        return functions.array(*[functions.col(name).cast("double") for name in features])
    column = functions.col(features)
    return vector_to_array(column) if is_vector(frame, features) else column


def matrix(column: Any) -> Any:
    """Return a list column of Arrow as an array of samples."""
    if column.null_count:
        raise ValueError("some rows have no features: remove or fill these rows first")
    values = column.flatten()
    if values.null_count:
        raise ValueError("some features are missing: remove or fill these rows first")
    rows = len(column)
    numbers = values.to_numpy(zero_copy_only=False)
    width = len(numbers) // rows if rows else 0
    lengths = column.value_lengths().to_numpy(zero_copy_only=False)
    if rows and not (lengths == width).all():
        row = int(np.flatnonzero(lengths != lengths[0])[0])
        raise ValueError(
            f"row {row} has {lengths[row]} features, but the first row has {lengths[0]}: use the "
            "same number in all rows"
        )
    if numbers.dtype.kind not in "fiub":
        raise ValueError(f"the features are of type {values.type}, but must be numbers")
    return numbers.reshape(rows, width)


def _worked(work: Work, merge: Any, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the results of the batches of one partition, merged if possible."""
    context = TaskContext.get()
    part = context.partitionId() if context else 0
    merged, first, count = None, 0, 0
    for batch in batches:
        if not batch.num_rows:
            continue
        try:
            result = work(*_columns(batch), first)
            merged = result if merge is None or merged is None else merge(merged, result)
        except (ValueError, TypeError) as error:
            # Row numbers count within the batch.
            where = f"in the rows from {first} on, " if first else ""
            yield _row(part, count, b"", f"{where}{error}")
            return
        if merge is None:
            yield _row(part, count, pickle.dumps(result), "")
        first, count = first + batch.num_rows, count + 1
    if merge is not None and merged is not None:
        yield _row(part, 0, pickle.dumps(merged), "")


def _columns(batch: Any) -> tuple[Any, Any, Any]:
    """Return the samples, labels and weights of a batch."""
    labels = batch.column("y")
    if labels.null_count:
        raise ValueError("some labels are missing: remove these rows first")
    names = labels.to_numpy(zero_copy_only=False)
    names = names.astype(str) if names.dtype == object else names
    weighted = "w" in batch.schema.names
    weights = batch.column("w").to_numpy(zero_copy_only=False) if weighted else None
    return matrix(batch.column("x")), names, weights


def _row(part: int, batch: int, state: bytes, problem: str) -> Any:
    columns = [[part], [batch], [state], [problem]]
    types = [pyarrow.int32(), pyarrow.int32(), pyarrow.binary(), pyarrow.string()]
    arrays = [pyarrow.array(values, kind) for values, kind in zip(columns, types, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, names=["part", "batch", "state", "problem"])


def _joined(key: Any, table: Any) -> Any:
    """Merge the results of neighboring partitions in order."""
    table = table.sort_by("part")
    rows = table.to_pylist()
    wrong = [row for row in rows if row["problem"]]
    if wrong:
        return pyarrow.Table.from_batches([_row(wrong[0]["part"], 0, b"", wrong[0]["problem"])])
    states = ((row["part"], pickle.loads(row["state"])) for row in rows)
    try:
        joined = _row(rows[0]["part"], 0, pickle.dumps(merged_in_order(states, added)), "")
    except (ValueError, TypeError) as error:
        joined = _row(-1, 0, b"", str(error))
    return pyarrow.Table.from_batches([joined])


def _rows(parts: Any, merge: Any) -> Iterator[tuple[int, bytes, str]]:
    """Return the result of each partition, merged if they exceed the driver's limit."""
    size = parts.agg(
        functions.max("part"),
        functions.sum(functions.length("state")),
        functions.max(functions.length("state")),
    )
    last, together, largest = (int(value or 0) for value in size.first())
    limit = _driver_limit(parts.sparkSession)
    room = _SHARE * limit
    needed = largest if merge is not None else together
    if needed > room:
        what = "the class statistics need" if merge is not None else "the samples need"
        remedy = "reduce the number of features" if merge is not None else "lower maxBytes"
        raise ValueError(
            f"{what} {needed / 1e6:.0f} MB, but the driver accepts results of {limit / 1e6:.0f} "
            f"MB: increase spark.driver.maxResultSize to {needed / _SHARE / 2**20:.0f}m or more, "
            f"or {remedy}"
        )
    if together > room:
        # The group size is the largest power of two that fits, so that groups are subtrees of the
        # full merge.
        group = 2
        while (last + 1) // group * largest > room:
            group *= 2
        key = functions.floor(functions.col("part") / group)
        parts = parts.groupBy(key).applyInArrow(_joined, _PARTS)
    rows = sorted(parts.collect(), key=lambda row: (row["part"], row["batch"]))
    return ((row["part"], bytes(row["state"]), row["problem"]) for row in rows)


def _explained(error: Exception) -> Exception:
    """Return an error of Spark with a message that names a remedy; other errors are not changed."""
    words = str(error)
    if "No module named 'sqfa_rs'" in words:
        return RuntimeError(
            "Spark's Python workers cannot import sqfa_rs: install it on every executor, or set "
            "PYSPARK_PYTHON to the Python that has it before the session is created"
        )
    if "maxResultSize" in words and not isinstance(error, ValueError):
        return ValueError(
            "the results are larger than the driver accepts: increase "
            f"spark.driver.maxResultSize, or use fewer partitions ({words.splitlines()[0]})"
        )
    if any(sign in words for sign in _NO_MEMORY):
        return RuntimeError(
            "Spark's executors ran out of memory. A task needs memory for one batch of samples "
            "and for class statistics of classes × columns² / 2 numbers: increase "
            "spark.executor.memory or spark.executor.memoryOverhead, use fewer columns, or use "
            f"sketches (form='sketch' of class_statistics) ({words.splitlines()[0]})"
        )
    if any(sign in words for sign in ("Connection refused", "StatusCode.UNAVAILABLE", "stopped Spark")):
        return ConnectionError(
            "the connection to Spark was lost: create a new session and fit again "
            f"({words.splitlines()[0]})"
        )
    return error


def _driver_limit(session: Any) -> float:
    """Return the maximum number of bytes of results on the driver."""
    text = str(session.conf.get("spark.driver.maxResultSize", "1g")).strip().lower()
    units = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
    digits = text.rstrip("bkmgt")
    unit = text[len(digits) :].rstrip("b")
    limit = float(digits) * units.get(unit, 1)
    return limit if limit > 0 else float("inf")
