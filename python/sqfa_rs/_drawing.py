"""Helpers of all figures: axes, selected classes and dimensions, colors, markers and legends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from numpy.typing import ArrayLike, NDArray

from . import _style

# Maximum number of classes that have distinct colors and markers.
DISTINCT = len(_style.DISTINCT)
# Maximum number of names that fit along an axis.
_MOST_NAMES = 24


def new(**how: Any) -> Any:
    """Return the axes of a new figure."""
    with plt.rc_context(_style.settings()):
        return plt.subplots(**how)[1]


def kept(names: Any, classes: ArrayLike | None) -> NDArray[np.intp]:
    """Return the indices of the classes to draw."""
    names = np.asarray(names)
    if classes is None:
        return np.arange(len(names))
    wanted = np.asarray(classes).ravel()
    unknown = [str(name) for name in wanted if name not in names]
    if unknown:
        raise ValueError(
            f"classes has {', '.join(unknown)}, but the classes are {', '.join(map(str, names))}"
        )
    return np.flatnonzero(np.isin(names, wanted))


def colors(count: int, values: ArrayLike | None) -> Any:
    """Return one color per class: distinct colors, or colors of the values on the color scale."""
    if values is None:
        return _style.palette(count)
    numbers = np.asarray(values, dtype=float)
    if numbers.shape != (count,):
        raise ValueError(
            f"values has shape {numbers.shape} for {count} classes: give one number per class"
        )
    return scale(numbers).to_rgba(numbers)


def scale(numbers: NDArray[Any]) -> Any:
    """Return the color scale of numbers."""
    return ScalarMappable(Normalize(numbers.min(), numbers.max()), _style.SEQUENTIAL)


def marker(k: int, count: int) -> str:
    """Return the marker of a class."""
    return _style.MARKERS[k] if count <= DISTINCT else "o"


def show_classes(ax: Any, count: int, values: ArrayLike | None, legend: bool) -> None:
    """Add a legend, or a color bar for the values of the classes."""
    if not legend:
        return
    if values is None:
        _add_legend(ax, count)
    else:
        numbers = np.asarray(values, dtype=float)
        ax.figure.colorbar(scale(numbers), ax=ax, fraction=0.046, pad=0.04)


def show_rows(ax: Any, names: Sequence[str], values: ArrayLike | None, legend: bool) -> None:
    """Label the rows of a figure that has one row per class."""
    every = -(-len(names) // _MOST_NAMES)
    ax.set_yticks(range(0, len(names), every), names[::every])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_ylabel("class")
    if values is not None:
        show_classes(ax, len(names), values, legend)


def dims(dims: Sequence[int], width: int) -> list[int]:
    """Return the validated dimensions to draw: one or two, or the only one if there is only one."""
    if width == 1 and tuple(dims) == (0, 1):
        return [0]
    wanted = [int(one) for one in dims]
    if len(wanted) not in (1, 2) or len(set(wanted)) < len(wanted):
        raise ValueError(f"dims is {tuple(dims)}: give one dimension or two different dimensions")
    if not all(0 <= one < width for one in wanted):
        raise ValueError(
            f"dims is {tuple(dims)}, but there are {width} dimensions, which are numbered from 0"
        )
    return wanted


def column_names(given: Any) -> list[str] | None:
    """Return the names of features: those of a frame, or of the features of a fitted estimator."""
    if hasattr(given, "get_feature_names_out"):
        return [str(name) for name in given.get_feature_names_out()]
    return [str(name) for name in given.columns] if hasattr(given, "columns") else None


def label_features(ax: Any, axes: list[int], names: list[str] | None, new: bool) -> None:
    """Label the axes, unless they already have labels."""
    shown = [f"feature {one}" if names is None else names[one] for one in axes]
    ax.set_xlabel(ax.get_xlabel() or shown[0])
    if len(shown) > 1:
        ax.set_ylabel(ax.get_ylabel() or shown[1])
    if new:
        trim(ax)


def _add_legend(ax: Any, count: int) -> None:
    """Add a legend with each name once, or with a selection if there are many classes."""
    handles, names = ax.get_legend_handles_labels()
    first = dict(zip(reversed(names), reversed(handles), strict=True))
    kept = [(first[name], name) for name in dict.fromkeys(names)]
    if count > 2 * DISTINCT:
        kept = kept[:: -(-len(kept) // 10)]
    # Without a layout engine, no space is reserved next to the axes, and the legend would be cut
    # off.
    outside = ax.figure.get_layout_engine() is not None
    place = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)} if outside else {"loc": "best"}
    ax.legend(
        [handle for handle, _ in kept],
        [name for _, name in kept],
        frameon=not outside,
        handletextpad=0.4,
        **place,
    )


def trim(ax: Any, left: bool = True) -> None:
    """Hide the upper and the right border of axes."""
    for side in ("top", "right") if left else ("top", "right", "left"):
        ax.spines[side].set_visible(False)
