"""Figures of components: as images, as bars per column, or as lines over ordered columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _drawing, _style

# Maximum number of names that fit along an axis.
_MOST_NAMES = 40
# Distance between components that are drawn side by side, each scaled to −1 to 1.
_STEP = 2.4


def images(
    weights: NDArray[Any], shape: tuple[int, int], titles: list[str], columns: int, ax: Any
) -> Any:
    """Draw each component as an image, with its own color scale that is symmetric about 0."""
    height, width = shape
    columns = max(1, min(columns, len(weights)))
    rows = -(-len(weights) // columns)
    gap, head = 0.12 * width, 0.2 * max(width, height)
    if ax is None:
        inches = 1.3 * max(1.0, width / height) ** 0.5 / width
        size = (columns * (width + gap) * inches, rows * (height + head) * inches)
        ax = _drawing.new(figsize=size)
    for i, weight in enumerate(scaled(weights)):
        left, top = (i % columns) * (width + gap), (i // columns) * (height + head)
        ax.imshow(
            weight.reshape(height, width),
            cmap=_style.DIVERGING,
            vmin=-1,
            vmax=1,
            extent=(left, left + width, top + height, top),
            interpolation="nearest",
        )
        ax.text(left + width / 2, top - 0.12 * head, titles[i], ha="center", va="bottom", fontsize=10)
    ax.set_xlim(-gap / 2, columns * (width + gap) - gap / 2)
    ax.set_ylim(rows * (height + head) - 0.9 * head, -head)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def bars(weights: NDArray[Any], titles: list[str], names: Sequence[str] | None, ax: Any) -> Any:
    """Draw one row per column of the data, with one bar per component."""
    count, width = weights.shape
    if ax is None:
        longest = 0 if names is None else max(len(name) for name in names)
        size = (1.1 * count + 1.3 + 0.08 * longest, min(0.24 * width, 7.5) + 0.9)
        ax = _drawing.new(figsize=size)
    color = _style.DISTINCT
    for i, weight in enumerate(scaled(weights)):
        shades = np.where(weight < 0, color[0], color[1])
        ax.barh(np.arange(width), weight, 0.8, left=_STEP * i, color=shades, linewidth=0)
        ax.axvline(_STEP * i, color="0.35", linewidth=0.8)
    name_columns(ax.yaxis, width, names)
    ax.set_ylim(width - 0.4, -0.6)
    ax.set_xticks([_STEP * i for i in range(count)], titles)
    ax.set_xlim(-1.15, _STEP * (count - 1) + 1.15)
    ax.set_xlabel("component")
    ax.tick_params(length=0)
    _drawing.trim(ax, left=False)
    return ax


def lines(weights: NDArray[Any], titles: list[str], names: Sequence[str] | None, ax: Any) -> Any:
    """Draw each component as a line over ordered columns."""
    count, width = weights.shape
    if ax is None:
        ax = _drawing.new(figsize=(6, 0.7 * count + 1.2))
    for i, weight in enumerate(scaled(weights)):
        ax.axhline(-_STEP * i, color="0.85", linewidth=0.8, zorder=0)
        ax.plot(weight - _STEP * i, linewidth=1.2, color=_style.palette(count)[i])
    ax.set_yticks([-_STEP * i for i in range(count)], titles)
    ax.set_ylabel("component")
    if names is not None:
        name_columns(ax.xaxis, width, names)
    ax.set_xlabel("feature")
    ax.margins(x=0.01)
    _drawing.trim(ax, left=False)
    return ax


def name_columns(axis: Any, width: int, names: Sequence[str] | None) -> None:
    """Label an axis with the names or numbers of columns, or with some of them if there are many."""
    if names is None:
        axis.axes.locator_params(axis=axis.axis_name, integer=True)
        axis.set_label_text("feature")
        return
    every = -(-width // _MOST_NAMES)
    axis.set_ticks(range(0, width, every), list(names)[::every])


def scaled(weights: NDArray[Any]) -> NDArray[Any]:
    """Return components with weights scaled to −1 to 1; signs do not change."""
    largest = abs(weights).max(axis=1, keepdims=True)
    return np.asarray(weights / np.where(largest > 0, largest, 1.0))
