"""Summary of a fitted estimator, as text and as HTML."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

# More images than this would be too small to be useful.
_MOST_PICTURES = 12
# Length of the longer side of an image in pixels.
_SIDE = 56
# Colors of negative and positive weights, which color-blind readers can distinguish; 0 is white.
_NEGATIVE, _POSITIVE = (33, 102, 172), (178, 24, 43)


class Summary:
    """Summary of a fitted estimator, which notebooks show as a table and ``print`` as lines of text."""

    def __init__(self, estimator: Any, image_shape: tuple[int, int] | None = None) -> None:
        self.rows = list(_rows(estimator))
        self._pictures = [] if image_shape is None else pictures(estimator.components_, image_shape)

    def __repr__(self) -> str:
        wide = max(len(name) for name, _ in self.rows)
        return "\n".join(f"{name:<{wide}}  {value}" for name, value in self.rows)

    def _repr_html_(self) -> str:
        cell = "padding:1px 10px 1px 0;text-align:left;background:none;border:none;"
        rows = "".join(
            f'<tr style="background:none"><th scope="row" style="{cell}font-weight:600">'
            f'{html.escape(name)}</th><td style="{cell}">{html.escape(value)}</td></tr>'
            for name, value in self.rows
        )
        images = "".join(
            f'<img alt="component {i}" style="display:inline-block;margin:2px;height:{_SIDE}px;'
            'image-rendering:pixelated" '
            f'src="data:image/png;base64,{base64.b64encode(png).decode()}">'
            for i, png in enumerate(self._pictures)
        )
        return (
            '<div class="sqfa-summary" style="font-size:0.9em">'
            f'<table style="border:none;margin:0">{rows}</table>{images}</div>'
        )


def _rows(estimator: Any) -> Iterator[tuple[str, str]]:
    """Yield names and values, the held-out accuracy first."""
    accuracy = held_out_accuracy(estimator)
    if accuracy is not None:
        yield "held-out accuracy", f"{accuracy:.1%}{_compared(estimator)}"
    count, width = estimator.components_.shape
    yield "method", estimator._core_method() if hasattr(estimator, "_core_method") else estimator._method
    classes = f", {len(estimator.classes_)} classes" if hasattr(estimator, "classes_") else ""
    yield "components", f"{count} of {width} features{classes}"
    distance = getattr(estimator, "_distance", lambda: None)()
    if distance is not None:
        yield (
            "distance",
            str(getattr(distance, "distance_name", getattr(distance, "__name__", distance))),
        )
    noise = getattr(estimator, "noise", None)
    selection = getattr(estimator, "selection_", None)
    if selection is not None:
        how = f"{selection.reason}, {selection.folds} folds" if selection.folds else selection.reason
        yield "scaling", selection.scaling
        if noise is not None:
            yield "noise", f"{selection.noise} ({how})"
    elif noise is not None:
        yield "noise", f"{estimator.noise_:.3g} ({noise if isinstance(noise, str) else 'specified'})"
    yield "fit", _ended(estimator)
    if len(getattr(estimator, "dropped_features_", ())):
        yield "dropped", f"{len(estimator.dropped_features_)} constant features"


def _compared(estimator: Any) -> str:
    """Return the accuracies of simple classifiers on the same samples, in brackets."""
    selection: Any = getattr(estimator, "selection_", None)
    if selection is None or selection.majority_accuracy is None:
        return ""
    lda = "" if selection.lda_accuracy is None else f"LDA {selection.lda_accuracy:.1%}, "
    return f" ({lda}largest class {selection.majority_accuracy:.1%})"


def held_out_accuracy(estimator: Any) -> float | None:
    """Return the held-out accuracy of the fit under QDA, or None if nothing was held out."""
    refinement = getattr(estimator, "refinement_", {})
    refined = refinement.get("held_out_accuracy_after")
    selection: Any = getattr(estimator, "selection_", None)
    selected = None if selection is None else selection.accuracy
    # If no refinement step was used, the components are those of the selection.
    if refined is not None and (refinement.get("refinement_steps") or selected is None):
        return float(refined)
    if selected is not None:
        return float(selected)
    count = len(estimator.components_)
    for point in getattr(estimator, "curve_", []):
        if point.n_components == count:
            return float(point.accuracy)
    return None


def _ended(estimator: Any) -> str:
    starts = len(getattr(estimator, "initializations_", ()))
    if not len(estimator.objective_trace_):
        return "closed form"
    verb = "converged" if estimator.converged_ else "not converged"
    best = f", best of {starts} initializations" if starts > 1 else ""
    return (
        f"{verb} ({estimator.termination_}) after {estimator.n_iter_} iterations{best}, "
        f"objective {estimator.objective_:.4g}"
    )


def pictures(components: NDArray[np.float64], image_shape: tuple[int, int]) -> list[bytes]:
    """Return the components as small PNG images, each with its own color scale."""
    height, width = image_shape
    if height * width != components.shape[1]:
        raise ValueError(
            f"image_shape is {height} × {width}, which is {height * width} pixels, but components "
            f"have {components.shape[1]} weights"
        )
    return [_png(one.reshape(height, width)) for one in components[:_MOST_PICTURES]]


def _png(weights: NDArray[np.float64]) -> bytes:
    """Return an image as a PNG file: header, compressed rows, end."""
    share = weights / (abs(weights).max() or 1.0)
    towards = np.where(share[..., None] < 0, _NEGATIVE, _POSITIVE)
    pixels = (255 + abs(share)[..., None] * (towards - 255.0)).round().astype(np.uint8)
    height, width = weights.shape
    # Each row begins with its filter type, which is 0 (none).
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
