"""Accumulators as bytes: the core's statistics, and the labels with their own type.

An envelope consists of ``sqfa-lab``, a checksum of the rest, flags, the length of the labels, the
labels in NumPy's own format (never a pickle), and the core's bytes. These are empty if there are no
samples yet.
"""

from __future__ import annotations

import io
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MAGIC = b"sqfa-lab"
_FIXED, _OBJECTS = 1, 2
_HEAD = len(_MAGIC) + 4 + 1 + 8


def sealed(sums: bytes, classes: NDArray[Any], fixed: bool) -> bytes:
    """Return statistics and labels as bytes; without an envelope if the core can store the labels."""
    if sums and not fixed and (classes.dtype == np.int64 or classes.dtype.kind == "U"):
        return sums
    flags = _FIXED if fixed else 0
    if classes.dtype == object:
        if not all(isinstance(label, str) for label in classes):
            raise TypeError(
                "labels that are neither numbers nor text cannot be converted to "
                "bytes: use numbers or text"
            )
        classes, flags = classes.astype(str), flags | _OBJECTS
    labels = io.BytesIO()
    np.save(labels, classes, allow_pickle=False)
    body = bytes([flags]) + labels.tell().to_bytes(8, "little") + labels.getvalue() + sums
    return _MAGIC + zlib.crc32(body).to_bytes(4, "little") + body


def open_envelope(data: bytes) -> tuple[bytes, NDArray[Any] | None, bool]:
    """Return the core's bytes, the labels of the envelope, and whether the classes are fixed."""
    if not data.startswith(_MAGIC):
        return data or b"?", None, False
    if len(data) < _HEAD:
        raise _refusal("they are incomplete")
    body = data[len(_MAGIC) + 4 :]
    if zlib.crc32(body) != int.from_bytes(data[len(_MAGIC) :][:4], "little"):
        raise _refusal("their checksum differs, so they are damaged")
    flags, length = body[0], int.from_bytes(body[1:9], "little")
    try:
        classes: NDArray[Any] = np.load(io.BytesIO(body[9 : 9 + length]), allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise _refusal(f"their labels cannot be read ({error})") from error
    if classes.ndim != 1 or flags > _FIXED | _OBJECTS:
        raise _refusal("their labels are not a one-dimensional array")
    if flags & _OBJECTS:
        classes = classes.astype(object)
    return body[9 + length :], classes, bool(flags & _FIXED)


def _refusal(problem: str) -> ValueError:
    return ValueError(f"these bytes are not class statistics: {problem}")
