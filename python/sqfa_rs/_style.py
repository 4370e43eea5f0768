"""The look of all figures: colors that color-blind eyes and gray print tell apart, and quiet axes.

Up to seven classes have the colors of Okabe & Ito ("Color universal design", 2008), up to ten those of
P. Tol's muted scheme; more classes are taken for ordered ones and run through a scale of rising
lightness.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Without the yellow, which fades on white.
FEW = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#333333")
TEN = (
    "#332288",
    "#CC6677",
    "#117733",
    "#88CCEE",
    "#882255",
    "#DDAA33",
    "#44AA99",
    "#AA4499",
    "#999933",
    "#777777",
)
# Shapes that stay different where colors do not.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
# Ordered classes and matrices; its lightness rises evenly, so that it survives gray print.
SEQUENTIAL = "viridis"
# Weights, symmetric about 0.
DIVERGING = "RdBu_r"

SETTINGS: dict[str, Any] = {
    "axes.edgecolor": "0.35",
    "axes.labelcolor": "0.15",
    "axes.labelsize": 10,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "font.family": "sans-serif",
    "font.size": 9.5,
    "image.cmap": SEQUENTIAL,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "savefig.bbox": "tight",
    "savefig.facecolor": "white",
    # Text of SVG files stays text.
    "svg.fonttype": "none",
    "xtick.color": "0.35",
    "ytick.color": "0.35",
}


def palette(count: int) -> NDArray[np.float64]:
    """A color (red, green, blue, opacity) for each of so many classes."""
    import matplotlib
    from matplotlib.colors import to_rgba_array

    if count <= len(TEN):
        return np.asarray(to_rgba_array((FEW if count <= len(FEW) else TEN)[:count]))
    # The bright end of the scale hardly shows on white.
    return np.asarray(matplotlib.colormaps[SEQUENTIAL](np.linspace(0, 0.92, count)))


def settings() -> Any:
    """Everything matplotlib is told, its cycle of colors included."""
    from cycler import cycler

    return SETTINGS | {"axes.prop_cycle": cycler(color=list(FEW))}
