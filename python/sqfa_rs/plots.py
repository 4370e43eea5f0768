"""Figures of components, classes and fits; they need matplotlib.

:meth:`FeaturesDisplay.from_estimator` draws samples and classes in the space of the learned
features. Every function draws into ``ax`` if it is specified, otherwise into a new figure, and
returns the axes. New figures have the style of this package, which :func:`style` applies to your
own figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _style, distances
from .typing import Distance

try:
    import matplotlib.pyplot as plt
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Ellipse

    from . import _components, _drawing
except ImportError as _error:
    raise ImportError("plots need matplotlib: install it with pip install 'sqfa-rs[plots]'") from _error

__all__ = [
    "FeaturesDisplay",
    "distance_matrix",
    "ellipses",
    "filters",
    "objective_trace",
    "palette",
    "scatter",
    "style",
]

# Larger numbers of samples would overlap; a random selection of this size is drawn.
_MOST_POINTS = 5000
# Samples are drawn in this many rounds with one class after the other in each, so that no class
# covers another.
_ROUNDS = 8
# Half the height of the band over which samples of a class are spread if one feature is drawn.
_JITTER = 0.3


def style() -> Any:
    """Return the style of the package's figures, for your own figures.

    It has colors that color-blind readers can distinguish, axes without borders, a layout in which
    nothing is cut off, and editable text in SVG files.

    Returns
    -------
    context manager
        Context in which new figures have this style.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sqfa_rs import plots
    >>> with plots.style():
    ...     figure, ax = plt.subplots()
    """
    return plt.rc_context(_style.settings())


def palette(count: int) -> NDArray[np.float64]:
    """Return one color per class.

    Up to ten colors are distinct. For more classes, colors range from dark to light.

    Parameters
    ----------
    count : int
        Number of classes.

    Returns
    -------
    ndarray of shape (count, 4)
        Red, green, blue and opacity, from 0 to 1.

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
    feature_names: Sequence[str] | None = None,
    ordered: bool = False,
) -> Any:
    """Draw components, as bars, as images or as lines.

    Each component has its own scale. Weights depend on the units of the columns: a column with
    small values has long bars.

    Parameters
    ----------
    components : estimator or array-like of shape (n_components, n_features)
        Components to draw, or a fitted estimator with components.
    image_shape : (height, width), default=None
        Shape of a sample as an image. Components are then drawn as images.
    ax : matplotlib axes, default=None
        Axes to draw into. None creates a new figure.
    columns : int, default=8
        Number of images per row.
    names : sequence of str, default=None
        Titles of the components; their numbers by default.
    feature_names : sequence of str, default=None
        Names of the columns of the data. The default is the names on which the estimator was
        fitted.
    ordered : bool, default=False
        Whether the columns have an order, such as time. Components are then drawn as lines.

    Returns
    -------
    ax : matplotlib axes
        Axes with the components.

    See Also
    --------
    scatter : Draws the features that the components compute.

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
        raise ValueError(
            f"names has {len(titles)} entries for {len(weights)} components: give one name per component"
        )
    if image_shape is not None:
        height, width = image_shape
        if height * width != weights.shape[1]:
            raise ValueError(
                f"image_shape is {height} × {width}, which is {height * width} pixels, but "
                f"components have {weights.shape[1]} weights"
            )
        return _components.images(weights, image_shape, titles, columns, ax)
    if feature_names is None:
        feature_names = getattr(components, "feature_names_in_", None)
    if feature_names is not None and len(feature_names) != weights.shape[1]:
        raise ValueError(
            f"feature_names has {len(feature_names)} entries for {weights.shape[1]} "
            "features: give one name per feature"
        )
    draw = _components.lines if ordered else _components.bars
    return draw(weights, titles, feature_names, ax)


def ellipses(
    gaussians: Any,
    *,
    dims: Sequence[int] = (0, 1),
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
        Classes to draw. A fitted estimator stands for its training classes in feature space.
    dims : sequence of one or two ints, default=(0, 1)
        Dimensions to draw. If there is only one, each class is an interval in a separate row.
    deviations : float, default=2
        Half-axes of the ellipses in standard deviations.
    labels : array-like of shape (n_classes,), default=None
        Names of the classes.
    classes : array-like, default=None
        Labels of the classes to draw; all by default.
    values : array-like of numbers, default=None
        Number for each class, in the order of the classes, that colors and a color bar show.
    legend : bool, default=True
        Whether the classes are named next to the axes.
    ax : matplotlib axes, default=None
        Axes to draw into. None creates a new figure.

    Returns
    -------
    ax : matplotlib axes
        Axes with the figure.

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
        ax = _drawing.new(figsize=_size(axes, len(kept), legend))
    colors = _drawing.colors(len(means), values)
    for row, k in enumerate(kept):
        mean, color, mark = means[k][axes], colors[k], _drawing.marker(k, len(means))
        spread, vectors = np.linalg.eigh(covariances[k][np.ix_(axes, axes)])
        half = deviations * np.sqrt(spread.clip(min=0))
        if len(axes) == 1:
            ax.plot(mean + half * [-1, 1], [row, row], color=color, linewidth=2.5, alpha=0.8, zorder=3)
            ax.plot(*mean, row, mark, color=color, markersize=6, markeredgecolor="white", zorder=4)
            continue
        angle = np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))
        ax.add_patch(
            Ellipse(
                mean,
                2 * half[1],
                2 * half[0],
                angle=angle,
                facecolor=to_rgba(color, 0.12 if len(means) <= _drawing.DISTINCT else 0.0),
                edgecolor=color,
                linewidth=1.4,
                zorder=3,
            )
        )
        center = {"color": color, "markersize": 6, "markeredgecolor": "white"}
        ax.plot(*mean, mark, **center, zorder=4, label=str(names[k]))
    _drawing.label_features(ax, axes, _drawing.column_names(gaussians), new)
    if len(axes) == 1:
        _drawing.show_rows(ax, [str(names[k]) for k in kept], values, legend)
        return ax
    ax.autoscale_view()
    _drawing.show_classes(ax, len(kept), values, legend)
    return ax


def scatter(
    features: ArrayLike,
    y: ArrayLike,
    *,
    dims: Sequence[int] = (0, 1),
    classes: ArrayLike | None = None,
    values: ArrayLike | None = None,
    per_class: int | None = None,
    legend: bool = True,
    ax: Any = None,
    size: float = 14.0,
    random_state: int = 0,
) -> Any:
    """Draw features of samples, with one color and one marker per class.

    Parameters
    ----------
    features : array-like of shape (n_samples, n_components)
        Features, which ``transform`` returns.
    y : array-like of shape (n_samples,)
        Class labels.
    dims : sequence of one or two ints, default=(0, 1)
        Features to draw. If there is only one, each class has a separate row, in which samples are
        spread at random.
    classes : array-like, default=None
        Labels of the classes to draw; all by default.
    values : array-like of numbers, default=None
        Number for each class, in the order of the classes, that colors and a color bar show.
    per_class : int, default=None
        Maximum number of samples of a class to draw, selected at random.
    legend : bool, default=True
        Whether the classes are named next to the axes.
    ax : matplotlib axes, default=None
        Axes to draw into. None creates a new figure.
    size : float, default=14
        Area of a marker in square points.
    random_state : int, default=0
        With more than 5000 samples, a random selection is drawn.

    Returns
    -------
    ax : matplotlib axes
        Axes with the figure.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs import plots
    >>> ax = plots.scatter(np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2)
    """
    points, labels = np.asarray(features), np.asarray(y)
    if points.ndim != 2 or len(points) != len(labels):
        raise ValueError(
            f"features of shape {points.shape} do not match {len(labels)} labels: give one label per row"
        )
    axes = _drawing.dims(dims, points.shape[1])
    known = np.unique(labels)
    kept, codes = _drawing.kept(known, classes), np.searchsorted(known, labels)
    # In random order, so that the first samples are a random selection.
    order = np.random.default_rng(random_state).permutation(len(points))
    order = order[np.isin(codes[order], kept)][:_MOST_POINTS]
    if per_class is not None:
        order = np.concatenate([order[codes[order] == k][:per_class] for k in kept])
        order = np.random.default_rng(random_state).permutation(order)
    new = ax is None
    if new:
        ax = _drawing.new(figsize=_size(axes, len(kept), legend))
    colors = _drawing.colors(len(known), values)
    places = points[:, axes]
    if len(axes) == 1:
        height = np.random.default_rng(random_state).uniform(-_JITTER, _JITTER, len(points))
        places = np.column_stack([places, np.searchsorted(kept, codes) + height])
    for rows in np.array_split(order, _ROUNDS):
        for k in kept:
            own = rows[codes[rows] == k]
            color, mark = to_rgba(colors[k], 0.75), _drawing.marker(k, len(known))
            ax.scatter(*places[own].T, color=color, s=size, marker=mark, linewidths=0)
    _drawing.label_features(ax, axes, _drawing.column_names(features), new)
    if len(axes) == 1:
        _drawing.show_rows(ax, [str(known[k]) for k in kept], values, legend)
        return ax
    for k in kept:
        ax.scatter(
            [], [], color=colors[k], s=24, marker=_drawing.marker(k, len(known)), label=str(known[k])
        )
    _drawing.show_classes(ax, len(kept), values, legend)
    return ax


def _size(axes: list[int], count: int, legend: bool) -> tuple[float, float]:
    """Return the size of a new figure: of a plane with a legend, or of one row per class."""
    return (6.0, 1.0 + 0.32 * min(count, 20)) if len(axes) == 1 else (5.4 if legend else 4.6, 4.2)


def distance_matrix(
    given: Any,
    *,
    distance: Distance | None = None,
    labels: ArrayLike | None = None,
    ax: Any = None,
    annotate: bool | None = None,
) -> Any:
    """Draw the distances between classes.

    Parameters
    ----------
    given : fitted estimator, Gaussians, or array-like of shape (n_classes, n_classes)
        Matrix of distances, or a set of Gaussians in one of the forms that
        :func:`sqfa_rs.distances.pairwise` accepts.
    distance : str or callable, default=None
        Distance, if ``given`` is not a matrix. The default is the distance that the estimator
        maximized, otherwise "calvo-oller".
    labels : array-like of shape (n_classes,), default=None
        Names of the classes.
    ax : matplotlib axes, default=None
        Axes to draw into. None creates a new figure.
    annotate : bool, default=None
        Whether to write the numbers. None writes them for up to 12 classes.

    Returns
    -------
    ax : matplotlib axes
        Axes with the figure.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs import plots
    >>> ax = plots.distance_matrix(np.array([[0.0, 1.0], [1.0, 0.0]]), labels=["cat", "dog"])
    """
    square = getattr(given, "ndim", 0) == 2 or isinstance(given, list)
    chosen: Any = distance or distances.own(given) or "calvo-oller"
    if hasattr(given, "feature_means_"):
        labels = given.classes_ if labels is None else labels
    matrix = np.asarray(given, dtype=float) if square else distances.pairwise(given, None, chosen)
    names = [str(name) for name in (range(len(matrix)) if labels is None else np.asarray(labels))]
    if matrix.shape != (len(names), len(names)):
        raise ValueError(
            f"labels has {len(names)} entries for distances of shape {matrix.shape}: "
            "give one label per class"
        )
    if ax is None:
        ax = _drawing.new(figsize=(5.6, 4.6), layout="compressed")
    # Without the zeros of the diagonal, the color scale distinguishes the pairs better.
    between = np.ma.masked_array(matrix, np.eye(len(matrix), dtype=bool))
    ax.set_facecolor("0.9")
    image = ax.imshow(between, cmap=_style.SEQUENTIAL)
    every = -(-len(names) // 24)
    ax.set_xticks(range(0, len(names), every), names[::every], rotation=90 if len(names) > 12 else 0)
    ax.set_yticks(range(0, len(names), every), names[::every])
    ax.tick_params(length=0)
    title = "distance" if square else getattr(chosen, "__name__", str(chosen))
    ax.figure.colorbar(image, ax=ax, label=title, fraction=0.046, pad=0.04)
    if annotate or (annotate is None and len(names) <= 12):
        middle, digits = (between.min() + between.max()) / 2, 1 if matrix.max() > 1 else 2
        for (i, j), value in np.ndenumerate(matrix):
            if i != j:
                color = "white" if value < middle else "black"
                ax.text(j, i, f"{value:.{digits}f}", ha="center", va="center", color=color, fontsize=9)
    return ax


def objective_trace(estimator: Any, *, ax: Any = None) -> Any:
    """Draw the objective after each iteration, for each initialization.

    Parameters
    ----------
    estimator : fitted estimator
        Fitted estimator that optimizes iteratively; a solution in closed form has no trace.
    ax : matplotlib axes, default=None
        Axes to draw into. None creates a new figure.

    Returns
    -------
    ax : matplotlib axes
        Axes with the traces.

    Examples
    --------
    >>> from sqfa_rs import SQFA, plots
    >>> from sqfa_rs.datasets import make_toy
    >>> toy = make_toy("toy-6d", 100)
    >>> ax = plots.objective_trace(SQFA(2, random_state=0).fit(toy.data, toy.target))
    """
    best = estimator.objective_trace_
    if not len(best):
        raise ValueError(
            f"{type(estimator).__name__} was fitted in closed form, so there is no trace to draw"
        )
    if ax is None:
        ax = _drawing.new(figsize=(5.5, 3.6))
    others = [
        start.trace
        for start in getattr(estimator, "initializations_", [])
        if len(start.trace) and not np.array_equal(start.trace, best)
    ]
    for i, trace in enumerate(others):
        ax.plot(trace, color="0.7", linewidth=1, label="other initializations" if i == 0 else None)
    label = f"best: {best[-1]:.4g} ({estimator.termination_})"
    ax.plot(best, color=_style.DISTINCT[0], linewidth=2, label=label)
    ax.plot(len(best) - 1, best[-1], "o", color=_style.DISTINCT[0], markersize=5)
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel("iteration")
    distances_grow = distances.own(estimator) is not None and not estimator.refine
    ax.set_ylabel("mean distance between classes" if distances_grow else "objective")
    ax.legend(frameon=False, loc="best")
    _drawing.trim(ax)
    return ax


class FeaturesDisplay:
    """Display of samples and classes in the space of learned features.

    Use :meth:`from_estimator` to create it, as with scikit-learn's displays.

    Parameters
    ----------
    features : array-like of shape (n_samples, n_components)
        Features, which ``transform`` returns.
    y : array-like of shape (n_samples,)
        Class labels.
    estimator : fitted estimator, default=None
        Estimator whose training classes are drawn as ellipses.

    Attributes
    ----------
    ax_ : matplotlib axes
        Axes, after :meth:`plot`.
    figure_ : matplotlib figure
        Figure that contains the axes.

    See Also
    --------
    scatter : Draws only the samples, with more options.
    ellipses : Draws only the classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import SQFA
    >>> from sqfa_rs.plots import FeaturesDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = FeaturesDisplay.from_estimator(SQFA(2).fit(X, y), X, y)
    >>> display.ax_.get_xlabel()
    'sqfa0'
    """

    def __init__(self, features: Any, y: Any, *, estimator: Any = None) -> None:
        self.features = features
        self.y = y
        self.estimator = estimator

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        dims: Sequence[int] = (0, 1),
        classes: ArrayLike | None = None,
        legend: bool = True,
        ax: Any = None,
    ) -> Self:
        """Draw the features of samples with the classes of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            Fitted reducer of this package.
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Class labels.
        dims : sequence of one or two ints, default=(0, 1)
            Features to draw.
        classes : array-like, default=None
            Labels of the classes to draw; all by default.
        legend : bool, default=True
            Whether the classes are named next to the axes.
        ax : matplotlib axes, default=None
            Axes to draw into. None creates a new figure.

        Returns
        -------
        display : FeaturesDisplay
            Display, with the axes as ``ax_``.
        """
        made = cls(np.asarray(estimator.transform(X)), y, estimator=estimator)
        return made.plot(dims=dims, classes=classes, legend=legend, ax=ax)

    def plot(
        self,
        *,
        dims: Sequence[int] = (0, 1),
        classes: ArrayLike | None = None,
        legend: bool = True,
        ax: Any = None,
    ) -> Self:
        """Draw the samples, and the classes of the estimator as ellipses at 2 standard deviations.

        Parameters
        ----------
        dims : sequence of one or two ints, default=(0, 1)
            Features to draw.
        classes : array-like, default=None
            Labels of the classes to draw; all by default.
        legend : bool, default=True
            Whether the classes are named next to the axes.
        ax : matplotlib axes, default=None
            Axes to draw into. None creates a new figure.

        Returns
        -------
        display : FeaturesDisplay
            Display, with the axes as ``ax_``.
        """
        if self.estimator is not None:
            # Drawn first, so that the axes have the names of the estimator's features.
            ax = ellipses(self.estimator, dims=dims, classes=classes, legend=False, ax=ax)
        ax = scatter(self.features, self.y, dims=dims, classes=classes, legend=legend, ax=ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self
