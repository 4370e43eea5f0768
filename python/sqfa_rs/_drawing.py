"""What the pictures share: new axes in the package's look, colors, marks and legends of classes."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from numpy.typing import ArrayLike, NDArray

from . import _style

# Up to this many classes each has a color and a mark of its own.
DISTINCT = len(_style.TEN)


def new(**how: Any) -> Any:
    """The axes of a new figure."""
    with plt.rc_context(_style.settings()):
        return plt.subplots(**how)[1]


def kept(names: Any, classes: ArrayLike | None) -> NDArray[np.intp]:
    """Positions of the classes to draw."""
    names = np.asarray(names)
    if classes is None:
        return np.arange(len(names))
    wanted = np.asarray(classes).ravel()
    unknown = [str(name) for name in wanted if name not in names]
    if unknown:
        raise ValueError(f"no class {', '.join(unknown)} among {', '.join(map(str, names))}")
    return np.flatnonzero(np.isin(names, wanted))


def colors(count: int, values: ArrayLike | None) -> Any:
    """A color a class: distinct ones, or where its value is on the scale."""
    if values is None:
        return _style.palette(count)
    numbers = np.asarray(values, dtype=float)
    if numbers.shape != (count,):
        raise ValueError(f"values of shape {numbers.shape} for {count} classes")
    return scale(numbers).to_rgba(numbers)


def scale(numbers: NDArray[Any]) -> Any:
    return ScalarMappable(Normalize(numbers.min(), numbers.max()), _style.SEQUENTIAL)


def marker(k: int, count: int) -> str:
    return _style.MARKERS[k] if count <= DISTINCT else "o"


def tell_classes(ax: Any, count: int, values: ArrayLike | None, legend: bool) -> None:
    """A legend, or the scale of the classes' values."""
    if not legend:
        return
    if values is None:
        name_classes(ax, count)
    else:
        numbers = np.asarray(values, dtype=float)
        ax.figure.colorbar(scale(numbers), ax=ax, fraction=0.046, pad=0.04)


def dims(dims: tuple[int, int], width: int) -> list[int]:
    first, second = dims
    if not (0 <= first < width and 0 <= second < width) or first == second:
        raise ValueError(f"dims {dims} are not two different ones of {width} dimensions")
    return [int(first), int(second)]


def label_features(ax: Any, axes: list[int], new: bool) -> None:
    ax.set_xlabel(f"feature {axes[0]}")
    ax.set_ylabel(f"feature {axes[1]}")
    if new:
        trim(ax)


def name_classes(ax: Any, count: int) -> None:
    """A legend beside the picture: once for every name, in columns when there are many."""
    handles, names = ax.get_legend_handles_labels()
    first = dict(zip(reversed(names), reversed(handles), strict=True))
    kept = [(first[name], name) for name in dict.fromkeys(names)]
    if count > 2 * DISTINCT:
        kept = kept[:: -(-len(kept) // 10)]
    ax.legend(
        [handle for handle, _ in kept],
        [name for _, name in kept],
        frameon=False,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        handletextpad=0.4,
    )


def trim(ax: Any, left: bool = True) -> None:
    for side in ("top", "right") if left else ("top", "right", "left"):
        ax.spines[side].set_visible(False)
