"""Pictures of components, classes and fits; they need matplotlib.

Every function draws into ``ax`` when it is given, otherwise into a new figure, and returns the axes. New
figures have one look, which :func:`style` gives to figures of your own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _style, distances

try:
    import matplotlib.pyplot as plt
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Ellipse

    from . import _drawing
except ImportError as _error:
    raise ImportError("plots need matplotlib: install it with pip install 'sqfa-rs[plots]'") from _error

__all__ = ["distance_matrix", "ellipses", "filters", "objective_trace", "palette", "scatter", "style"]

# Points beyond this number hide each other; a random choice of them is drawn.
_MOST_POINTS = 5000
# Points are drawn in so many rounds, one class after the other in each, so that no class covers another.
_ROUNDS = 8


def style() -> Any:
    """The look of the package's figures, for figures of your own.

    Colors that color-blind eyes and gray print tell apart, quiet axes, text that stays text in SVG.

    Returns
    -------
    context manager
        What is drawn within it has the look.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sqfa_rs import plots
    >>> with plots.style():
    ...     figure, ax = plt.subplots()
    """
    return plt.rc_context(_style.settings())


def palette(count: int) -> NDArray[np.float64]:
    """The colors of so many classes, one (red, green, blue, opacity) a row.

    Up to ten are distinct, more run from dark to light.

    Examples
    --------
    >>> from sqfa_rs import plots
    >>> plots.palette(3).shape
    (3, 4)
    """
    return _style.palette(count)


def filters(
    components: Any,
    image_shape: tuple[int, int] | None = None,
    *,
    ax: Any = None,
    columns: int = 8,
    names: Sequence[str] | None = None,
) -> Any:
    """Draw components, as images or as lines.

    Parameters
    ----------
    components : estimator or array-like of shape (n_components, n_features)
        What to draw.
    image_shape : (height, width), default=None
        Shape of every component as an image; without it each is a line.
    ax : matplotlib axes, default=None
        Where to draw.
    columns : int, default=8
        Images in a row.
    names : sequence of str, default=None
        Titles of the components; their numbers by default.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs import plots
    >>> ax = plots.filters(np.eye(3, 12), (3, 4))
    """
    weights = np.asarray(getattr(components, "components_", components), dtype=float)
    if weights.ndim != 2:
        raise ValueError(f"components must have 2 dimensions, not {weights.ndim}")
    titles = [str(i) for i in range(len(weights))] if names is None else list(names)
    if len(titles) != len(weights):
        raise ValueError(f"{len(titles)} names for {len(weights)} components")
    if image_shape is None:
        return _lines(weights, titles, ax)
    height, width = image_shape
    if height * width != weights.shape[1]:
        raise ValueError(
            f"images of {height} × {width} have {height * width} pixels, the components "
            f"{weights.shape[1]}"
        )
    columns = max(1, min(columns, len(weights)))
    rows = -(-len(weights) // columns)
    gap, head = 0.12 * width, 0.16 * max(width, height)
    if ax is None:
        inches = 1.3 * max(1.0, width / height) ** 0.5 / width
        shape = (columns * (width + gap) * inches, rows * (height + head) * inches)
        ax = _drawing.new(figsize=shape, layout="constrained")
    for i, weight in enumerate(weights):
        # Every image has a scale of its own, symmetric about 0: signs stay readable.
        limit = abs(weight).max() or 1.0
        left, top = (i % columns) * (width + gap), (i // columns) * (height + head)
        ax.imshow(
            weight.reshape(height, width) / limit,
            cmap=_style.DIVERGING,
            vmin=-1,
            vmax=1,
            extent=(left, left + width, top + height, top),
            interpolation="nearest",
        )
        ax.text(left + width / 2, top - 0.15 * head, titles[i], ha="center", va="bottom", fontsize=9)
    ax.set_xlim(-gap / 2, columns * (width + gap) - gap / 2)
    ax.set_ylim(rows * (height + head) - 0.9 * head, -head)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def _lines(weights: NDArray[Any], titles: list[str], ax: Any) -> Any:
    if ax is None:
        ax = _drawing.new(figsize=(6, 0.7 * len(weights) + 1.2))
    step = 2.2
    for i, weight in enumerate(weights):
        level = -step * i
        limit = abs(weight).max() or 1.0
        ax.axhline(level, color="0.85", linewidth=0.8, zorder=0)
        ax.plot(level + weight / limit, linewidth=1.2, color=_style.palette(len(weights))[i])
    ax.set_yticks([-step * i for i in range(len(weights))], titles)
    ax.set_xlabel("dimension")
    ax.set_ylabel("component")
    ax.margins(x=0.01)
    _drawing.trim(ax, left=False)
    return ax


def ellipses(
    gaussians: Any,
    *,
    dims: tuple[int, int] = (0, 1),
    deviations: float = 2.0,
    labels: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    values: ArrayLike | None = None,
    legend: bool = True,
    ax: Any = None,
) -> Any:
    """Draw classes as ellipses at a number of standard deviations.

    Parameters
    ----------
    gaussians : fitted estimator, (means, covariances) or ClassStatistics
        The classes; an estimator stands for its training classes in feature space.
    dims : (int, int), default=(0, 1)
        The two dimensions to draw.
    deviations : float, default=2
        Half-axes of the ellipses in standard deviations.
    labels : array-like of shape (n_classes,), default=None
        Names of the classes.
    classes : array-like, default=None
        Labels of the classes to draw; all by default.
    values : array-like of numbers, default=None
        A number for every class, in their order: colors and a color bar show them.
    legend : bool, default=True
        Whether the classes are named beside the picture.
    ax : matplotlib axes, default=None
        Where to draw.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs import plots
    >>> ax = plots.ellipses((np.zeros((2, 2)), np.stack([np.eye(2), np.diag([4.0, 1.0])])))
    """
    if hasattr(gaussians, "feature_means_"):
        means, covariances = gaussians.feature_means_, gaussians.feature_covariances_
        names = gaussians.classes_
    else:
        means, covariances = distances._gaussians(gaussians)
        names = getattr(gaussians, "classes", np.arange(len(means)))
    kept = _drawing.kept(names, classes)
    names = list(names if labels is None else np.asarray(labels))
    axes = _drawing.dims(dims, means.shape[1])
    new = ax is None
    if new:
        ax = _drawing.new(figsize=(5, 4.5))
    colors = _drawing.colors(len(means), values)
    for k in kept:
        mean, color = means[k], colors[k]
        spread, vectors = np.linalg.eigh(covariances[k][np.ix_(axes, axes)])
        half = deviations * np.sqrt(spread.clip(min=0))
        angle = np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))
        ax.add_patch(
            Ellipse(
                mean[axes],
                2 * half[1],
                2 * half[0],
                angle=angle,
                facecolor=to_rgba(color, 0.12 if len(means) <= _drawing.DISTINCT else 0.0),
                edgecolor=color,
                linewidth=1.4,
            )
        )
        ax.plot(
            *mean[axes], _drawing.marker(k, len(means)), color=color, markersize=5, label=str(names[k])
        )
    ax.autoscale_view()
    _drawing.label_features(ax, axes, new)
    _drawing.tell_classes(ax, len(kept), values, legend)
    return ax


def scatter(
    features: ArrayLike,
    y: ArrayLike,
    *,
    dims: tuple[int, int] = (0, 1),
    classes: ArrayLike | None = None,
    values: ArrayLike | None = None,
    per_class: int | None = None,
    legend: bool = True,
    ax: Any = None,
    size: float = 9.0,
    random_state: int = 0,
) -> Any:
    """Draw features of points, one color and one mark a class.

    Parameters
    ----------
    features : array-like of shape (n_samples, n_components)
        What ``transform`` returns.
    y : array-like of shape (n_samples,)
        Labels.
    dims : (int, int), default=(0, 1)
        The two features to draw.
    classes : array-like, default=None
        Labels of the classes to draw; all by default.
    values : array-like of numbers, default=None
        A number for every class, in their order: colors and a color bar show them.
    per_class : int, default=None
        The most points of a class to draw, chosen at random.
    legend : bool, default=True
        Whether the classes are named beside the picture.
    ax : matplotlib axes, default=None
        Where to draw.
    size : float, default=9
        Area of a point.
    random_state : int, default=0
        Of more than 5000 points a random choice is drawn.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs import plots
    >>> ax = plots.scatter(np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2)
    """
    points, labels = np.asarray(features), np.asarray(y)
    if points.ndim != 2 or len(points) != len(labels):
        raise ValueError(f"features of shape {points.shape} do not fit {len(labels)} labels")
    axes = _drawing.dims(dims, points.shape[1])
    known = np.unique(labels)
    kept, codes = _drawing.kept(known, classes), np.searchsorted(known, labels)
    # In random order, so that a choice is the first of them.
    order = np.random.default_rng(random_state).permutation(len(points))
    order = order[np.isin(codes[order], kept)][:_MOST_POINTS]
    if per_class is not None:
        order = np.concatenate([order[codes[order] == k][:per_class] for k in kept])
        order = np.random.default_rng(random_state).permutation(order)
    new = ax is None
    if new:
        ax = _drawing.new(figsize=(5, 4.5))
    colors = _drawing.colors(len(known), values)
    for rows in np.array_split(order, _ROUNDS):
        for k in kept:
            own = rows[codes[rows] == k]
            color, mark = to_rgba(colors[k], 0.75), _drawing.marker(k, len(known))
            ax.scatter(*points[own][:, axes].T, color=color, s=size, marker=mark, linewidths=0)
    for k in kept:
        ax.scatter(
            [], [], color=colors[k], s=24, marker=_drawing.marker(k, len(known)), label=str(known[k])
        )
    _drawing.label_features(ax, axes, new)
    _drawing.tell_classes(ax, len(kept), values, legend)
    return ax


def distance_matrix(
    given: Any,
    *,
    distance: str | Callable[..., Any] | None = None,
    labels: ArrayLike | None = None,
    ax: Any = None,
    annotate: bool | None = None,
) -> Any:
    """Draw the distances between classes.

    Parameters
    ----------
    given : fitted estimator, Gaussians, or array-like of shape (n_classes, n_classes)
        A matrix of distances, or whatever :func:`sqfa_rs.distances.pairwise` takes.
    distance : str or callable, default=None
        The distance, unless ``given`` is a matrix; by default the one an estimator maximized, else
        "calvo-oller".
    labels : array-like of shape (n_classes,), default=None
        Names of the classes.
    ax : matplotlib axes, default=None
        Where to draw.
    annotate : bool, default=None
        Whether to write the numbers; by default up to 12 classes.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs import plots
    >>> ax = plots.distance_matrix(np.array([[0.0, 1.0], [1.0, 0.0]]), labels=["cat", "dog"])
    """
    distance = distance or distances.own(given) or "calvo-oller"
    if hasattr(given, "feature_means_"):
        labels = given.classes_ if labels is None else labels
    square = getattr(given, "ndim", 0) == 2 or isinstance(given, list)
    matrix = np.asarray(given, dtype=float) if square else distances.pairwise(given, None, distance)
    names = [str(name) for name in (range(len(matrix)) if labels is None else np.asarray(labels))]
    if matrix.shape != (len(names), len(names)):
        raise ValueError(f"{len(names)} names for distances of shape {matrix.shape}")
    if ax is None:
        ax = _drawing.new(figsize=(5.2, 4.4))
    # Without the zeros of the diagonal the colors tell the pairs apart.
    between = np.ma.masked_array(matrix, np.eye(len(matrix), dtype=bool))
    ax.set_facecolor("0.9")
    image = ax.imshow(between, cmap=_style.SEQUENTIAL)
    every = -(-len(names) // 24)
    ax.set_xticks(range(0, len(names), every), names[::every], rotation=90 if len(names) > 12 else 0)
    ax.set_yticks(range(0, len(names), every), names[::every])
    ax.tick_params(length=0)
    title = "distance" if square else getattr(distance, "__name__", str(distance))
    ax.figure.colorbar(image, ax=ax, label=title, fraction=0.046, pad=0.04)
    if annotate or (annotate is None and len(names) <= 12):
        middle, digits = (between.min() + between.max()) / 2, 1 if matrix.max() > 1 else 2
        for (i, j), value in np.ndenumerate(matrix):
            if i != j:
                color = "white" if value < middle else "black"
                ax.text(j, i, f"{value:.{digits}f}", ha="center", va="center", color=color, fontsize=8)
    return ax


def objective_trace(estimator: Any, *, ax: Any = None) -> Any:
    """Draw how the objective grew, for every start.

    Parameters
    ----------
    estimator : fitted estimator
        Whose fit to draw.
    ax : matplotlib axes, default=None
        Where to draw.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sqfa_rs import SQFA, plots
    >>> from sqfa_rs.datasets import make_toy
    >>> toy = make_toy("toy-6d", 100)
    >>> ax = plots.objective_trace(SQFA(2, random_state=0).fit(toy.data, toy.target))
    """
    if ax is None:
        ax = _drawing.new(figsize=(5.5, 3.6))
    best = estimator.objective_trace_
    others = [
        start.trace
        for start in estimator.initializations_
        if len(start.trace) and not np.array_equal(start.trace, best)
    ]
    for i, trace in enumerate(others):
        ax.plot(trace, color="0.7", linewidth=1, label="other starts" if i == 0 else None)
    told = f"best start: {best[-1]:.4g} ({estimator.termination_})"
    ax.plot(best, color=_style.FEW[0], linewidth=2, label=told)
    ax.plot(len(best) - 1, best[-1], "o", color=_style.FEW[0], markersize=5)
    ax.set_xlabel("iteration")
    ax.set_ylabel("mean distance between classes")
    ax.legend(frameon=False, loc="lower right")
    _drawing.trim(ax)
    return ax
