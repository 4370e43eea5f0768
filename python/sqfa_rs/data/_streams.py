"""Arrow record batches, for data larger than memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._inputs import BLOCK_BYTES, refuse_duplicates, refuse_lazy


class ArrowStream:
    """Record batches of an Arrow stream as dense blocks of samples, with or without labels.

    Each column except for the label is a feature. A column of fixed-size lists contains as many
    features as its lists have entries. Bytes and single precision keep their type; all other types
    are converted to float64.
    """

    def __init__(self, source: Any, label: str | None = None) -> None:
        try:
            import pyarrow
        except ImportError as error:
            raise ImportError(
                "Arrow streams need pyarrow: install it with pip install 'sqfa-rs[arrow]'"
            ) from error
        refuse_lazy(source)
        if not hasattr(source, "__arrow_c_stream__"):
            raise TypeError(
                "y is the name of a column, so X must be an Arrow stream or a frame, not "
                f"{type(source).__name__}"
            )
        self._pyarrow = pyarrow
        self._reader = pyarrow.RecordBatchReader.from_stream(source)
        schema = self._reader.schema
        if label is not None and label not in schema.names:
            raise ValueError(f"there is no column '{label}'; the columns are: {', '.join(schema.names)}")
        refuse_duplicates(schema.names)
        self._label = label
        fields = [field for field in schema if field.name != label]
        self._columns = [field.name for field in fields]
        self._widths = [self._width(field.type) for field in fields]
        self.names = self._columns if set(self._widths) == {1} else None
        self.dtype = self._common([field.type for field in fields])

    @property
    def width(self) -> int:
        """Number of features."""
        return sum(self._widths)

    def __iter__(self) -> Iterator[tuple[NDArray[Any], NDArray[Any] | None]]:
        height = max(1, BLOCK_BYTES // (8 * max(1, self.width)))
        for batch in self._reader:
            for first in range(0, batch.num_rows, height):
                part = batch.slice(first, height)
                labels = None if self._label is None else self._labels(part)
                yield self._block(part), labels

    def _width(self, kind: Any) -> int:
        types = self._pyarrow.types
        if types.is_fixed_size_list(kind):
            return int(kind.list_size) * self._width(kind.value_type)
        if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
            return 1
        raise ValueError(
            f"a feature column has the type {kind}, but features must be numbers: "
            "leave the column out or convert it"
        )

    def _common(self, kinds: list[Any]) -> Any:
        types = self._pyarrow.types
        inner = [kind.value_type if types.is_fixed_size_list(kind) else kind for kind in kinds]
        if all(types.is_uint8(kind) for kind in inner):
            return np.uint8
        single = all(types.is_float32(kind) or types.is_uint8(kind) for kind in inner)
        return np.float32 if single else np.float64

    def _block(self, batch: Any) -> NDArray[Any]:
        block = np.empty((batch.num_rows, self.width), dtype=self.dtype)
        at = 0
        for name, width in zip(self._columns, self._widths, strict=True):
            column = batch.column(name)
            if column.null_count:
                raise ValueError(f"column '{name}' has missing values: fill or remove them first")
            if width > 1 or self._pyarrow.types.is_fixed_size_list(column.type):
                column = column.flatten()
                if column.null_count:
                    raise ValueError(f"column '{name}' has missing values: fill or remove them first")
            values = column.to_numpy(zero_copy_only=False)
            block[:, at : at + width] = values.reshape(batch.num_rows, width)
            at += width
        return block

    def _labels(self, batch: Any) -> NDArray[Any]:
        column = batch.column(self._label)
        if column.null_count:
            raise ValueError(f"the label column '{self._label}' has missing values: remove these rows")
        if self._pyarrow.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        labels: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return labels.astype(str) if labels.dtype == object else labels


def is_stream(X: Any) -> bool:
    """Return whether X is a stream, and neither a frame nor an array."""
    return hasattr(X, "__arrow_c_stream__") and not hasattr(X, "shape")
