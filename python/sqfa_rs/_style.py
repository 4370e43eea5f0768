"""Style of all figures: colors that color-blind readers can distinguish, and axes without borders.

Up to ten classes have distinct colors. Seven are those of Okabe & Ito ("Color universal design",
2008) without yellow, which is hard to see on white. Three more were selected so that all ten differ
for color-blind readers. More classes are assumed to be ordered and have colors of increasing
lightness.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

DISTINCT = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#333333",
    "#8A2BE2",
    "#7A4A12",
    "#332288",
)
# Shapes that differ if colors do not. A plus ("P") is not visible at the size of a sample.
MARKERS = ("o", "s", "^", "D", "v", "X", "<", ">", "*", "p")
# Color scale of ordered classes and matrices. Its lightness increases uniformly, so that it works
# in gray print.
SEQUENTIAL = "viridis"
# Color scale of weights, symmetric about 0.
DIVERGING = "RdBu_r"

SETTINGS: dict[str, Any] = {
    "axes.edgecolor": "0.35",
    "axes.labelcolor": "0.15",
    "axes.labelsize": 10.5,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    # Legends and color bars next to the axes remain inside the figure.
    "figure.constrained_layout.use": True,
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "font.family": "sans-serif",
    "font.size": 10,
    "image.cmap": SEQUENTIAL,
    "legend.fontsize": 10,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "savefig.bbox": "tight",
    "savefig.facecolor": "white",
    # Text of SVG files remains text.
    "svg.fonttype": "none",
    "xtick.color": "0.35",
    "ytick.color": "0.35",
}


def palette(count: int) -> NDArray[np.float64]:
    """Return one color (red, green, blue, opacity) per class."""
    import matplotlib
    from matplotlib.colors import to_rgba_array

    if count <= len(DISTINCT):
        return np.asarray(to_rgba_array(DISTINCT[:count]))
    # The light end of the scale is hard to see on white.
    return np.asarray(matplotlib.colormaps[SEQUENTIAL](np.linspace(0, 0.92, count)))


def settings() -> Any:
    """Return all settings of matplotlib, including its color cycle."""
    from cycler import cycler

    return SETTINGS | {"axes.prop_cycle": cycler(color=list(DISTINCT))}
