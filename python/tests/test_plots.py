"""Plots return axes, take axes, refuse what does not fit, and are not empty."""

import io

import numpy as np
import pytest

pytest.importorskip("matplotlib")
import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from sqfa_rs import SQFA, class_statistics, plots
from sqfa_rs.baselines import LDA, WDA


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted(digits):
    X, y = digits
    return SQFA(6, random_state=0).fit(X, y), X, y


DRAWN = {
    "images": lambda sqfa, X, y, ax: plots.filters(sqfa, (8, 8), ax=ax, columns=3),
    "bars": lambda sqfa, X, y, ax: plots.filters(sqfa.components_, ax=ax),
    "lines": lambda sqfa, X, y, ax: plots.filters(sqfa, ordered=True, ax=ax),
    "one ellipse per class": lambda sqfa, X, y, ax: plots.ellipses(sqfa, dims=[1], ax=ax),
    "one feature": lambda sqfa, X, y, ax: plots.scatter(sqfa.transform(X), y, dims=[3], ax=ax),
    "display": lambda sqfa, X, y, ax: plots.FeaturesDisplay.from_estimator(sqfa, X, y, ax=ax).ax_,
    "ellipses": lambda sqfa, X, y, ax: plots.ellipses(sqfa, ax=ax),
    "pair": lambda sqfa, X, y, ax: plots.ellipses(
        (sqfa.feature_means_, sqfa.feature_covariances_), dims=(1, 3), ax=ax
    ),
    "scatter": lambda sqfa, X, y, ax: plots.scatter(sqfa.transform(X), y, dims=(2, 4), ax=ax),
    "matrix": lambda sqfa, X, y, ax: plots.distance_matrix(sqfa, ax=ax),
    "trace": lambda sqfa, X, y, ax: plots.objective_trace(sqfa, ax=ax),
}


@pytest.mark.parametrize("name", DRAWN)
def test_each_draws_into_new_and_given_axes(fitted, name):
    new = DRAWN[name](*fitted, None)
    assert new.has_data() or new.texts
    _, given = plt.subplots()
    assert DRAWN[name](*fitted, given) is given
    given.figure.canvas.draw()


def inside(figure):
    """Whether nothing of a figure is cut off when it is saved as it is."""
    figure.savefig(io.BytesIO(), dpi=70)
    box = figure.get_tightbbox(figure.canvas.get_renderer())
    width, height = figure.get_size_inches()
    return box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height


@pytest.fixture(scope="module")
def named(digits):
    """A fit whose classes have long names."""
    X, y = digits
    y = np.array([f"the digit {k}" for k in range(10)])[y]
    return SQFA(6, noise=0.1, n_init=1, random_state=0).fit(X, y), X, y


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_is_cut_off_by_a_plain_savefig(named, name):
    assert inside(DRAWN[name](*named, None).figure)


def test_legends_of_figures_without_a_layout_lie_within_the_axes(fitted):
    sqfa, X, y = fitted
    with plt.rc_context({"figure.constrained_layout.use": False, "figure.autolayout": False}):
        figure, ax = plt.subplots()
    plots.scatter(sqfa.transform(X), y, ax=ax)
    figure.canvas.draw()
    legend, axes = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert axes.x0 <= legend.x0 and legend.x1 <= axes.x1


def test_bars_have_the_names_of_the_columns():
    iris = load_iris(as_frame=True)
    sqfa = SQFA(2).fit(iris.data, iris.target)
    ax = plots.filters(sqfa)
    assert [text.get_text() for text in ax.get_yticklabels()] == iris.feature_names
    widths = np.array([patch.get_width() for patch in ax.patches]).reshape(2, 4)
    scaled = sqfa.components_ / abs(sqfa.components_).max(axis=1, keepdims=True)
    np.testing.assert_allclose(widths, scaled)
    assert not ax.lines[0].get_xdata()[0] and len(ax.lines) == 2
    other = plots.filters(sqfa.components_, feature_names=list("abcd"))
    assert [text.get_text() for text in other.get_yticklabels()] == list("abcd")
    with pytest.raises(ValueError, match="3 entries for 4 features"):
        plots.filters(sqfa, feature_names=["a", "b", "c"])


def test_one_component_is_a_row_per_class():
    X, y = load_iris(return_X_y=True)
    sqfa = SQFA(1).fit(X, y)
    Z = sqfa.transform(X)
    ax = plots.scatter(Z, y)
    offsets = np.concatenate([np.asarray(one.get_offsets()) for one in ax.collections])
    order = np.argsort(Z[:, 0], kind="stable")
    drawn = offsets[np.argsort(offsets[:, 0], kind="stable")]
    np.testing.assert_allclose(drawn[:, 0], Z[order, 0])
    # Rows are half a unit apart at least; equal features may be swapped.
    assert (abs(drawn[:, 1] - np.round(drawn[:, 1])) <= 0.3).all()
    assert sorted(np.round(offsets[:, 1])) == sorted(y)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["0", "1", "2"]
    # The intervals lie in the same rows: two standard deviations around the mean.
    plots.ellipses(sqfa, ax=ax)
    for k, line in enumerate(ax.lines[::2]):
        half = 2 * np.sqrt(sqfa.feature_covariances_[k, 0, 0])
        mean = sqfa.feature_means_[k, 0]
        np.testing.assert_allclose(line.get_xdata(), [mean - half, mean + half])
        assert list(line.get_ydata()) == [k, k]
    with pytest.raises(ValueError, match="dims is \\(0, 0\\)"):
        plots.scatter(Z, y, dims=(0, 0))


def test_a_display_follows_the_convention_of_scikit_learn(fitted):
    sqfa, X, y = fitted
    display = plots.FeaturesDisplay.from_estimator(sqfa, X, y, dims=(1, 2), classes=[3, 8])
    assert display.figure_ is display.ax_.figure
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("sqfa1", "sqfa2")
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["3", "8"]
    assert len(display.ax_.patches) == 2
    first = display.ax_
    assert display.plot() is display and display.ax_ is not first
    alone = plots.FeaturesDisplay(sqfa.transform(X), y).plot()
    assert not alone.ax_.patches and alone.ax_.get_xlabel() == "feature 0"


def test_closed_forms_have_no_trace(fitted):
    _, X, y = fitted
    with pytest.raises(ValueError, match="LDA was fitted in closed form"):
        plots.objective_trace(LDA(2).fit(X, y))
    ax = plots.objective_trace(WDA(2, per_class=20, n_jobs=1).fit(X[:, 18:30], y))
    assert ax.get_ylabel() == "objective"


def test_what_is_drawn(fitted):
    sqfa, X, y = fitted
    assert len(plots.filters(sqfa, (8, 8)).images) == 6
    assert len(plots.ellipses(sqfa).patches) == 10
    ax = plots.scatter(sqfa.transform(X), y)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [str(i) for i in range(10)]
    matrix = plots.distance_matrix(sqfa).images[0].get_array()
    assert matrix.shape == (10, 10)
    assert plots.objective_trace(sqfa).get_xlabel() == "iteration"


def test_many_classes_and_points():
    rng = np.random.default_rng(0)
    y = np.arange(6000) % 41
    ax = plots.scatter(rng.normal(size=(6000, 2)), y)
    assert len(ax.get_legend().get_texts()) <= 11
    plots.ellipses(class_statistics(rng.normal(size=(6000, 2)), y))
    plots.distance_matrix(rng.random((41, 41)))


def test_refusals(fitted):
    sqfa, X, y = fitted
    with pytest.raises(ValueError, match="70 pixels"):
        plots.filters(sqfa, (7, 10))
    with pytest.raises(ValueError, match="2 entries for 6"):
        plots.filters(sqfa, (8, 8), names=["a", "b"])
    with pytest.raises(ValueError, match="dims"):
        plots.ellipses(sqfa, dims=(0, 6))
    with pytest.raises(ValueError, match="do not match"):
        plots.scatter(sqfa.transform(X), y[:-1])
    with pytest.raises(ValueError, match="entries for distances"):
        plots.distance_matrix(np.zeros((3, 3)), labels=["a"])


def test_a_choice_of_classes_points_and_values(fitted):
    sqfa, X, y = fitted
    Z = sqfa.transform(X)
    ax = plots.scatter(Z, y, classes=[3, 8], per_class=20)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["3", "8"]
    drawn = np.concatenate([collection.get_offsets() for collection in ax.collections])
    assert len(drawn) == 40
    near = (np.abs(np.asarray(drawn)[:, None] - Z[None, :, :2]).max(axis=2) < 1e-9).argmax(axis=1)
    assert set(y[near]) == {3, 8}
    assert len(plots.ellipses(sqfa, classes=[3, 8, 9]).patches) == 3
    assert plots.ellipses(sqfa, legend=False).get_legend() is None
    ax = plots.ellipses(sqfa, values=np.arange(10.0) ** 2)
    # A scale beside the picture instead of a legend, and brighter colors for larger values.
    assert ax.get_legend() is None and len(ax.figure.axes) == 2
    colors = np.array([patch.get_edgecolor()[:3] for patch in ax.patches])
    assert (np.diff(colors @ [0.2126, 0.7152, 0.0722]) > 0).all()
    with pytest.raises(ValueError, match="classes has 11"):
        plots.scatter(Z, y, classes=[3, 11])
    with pytest.raises(ValueError, match="values has shape"):
        plots.ellipses(sqfa, values=[1.0, 2.0])


def linear(color):
    """Light as eyes add it (sRGB, IEC 61966-2-1)."""
    color = np.asarray(color)
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)


# What is left of linear red, green and blue without one kind of cones: Machado, Oliveira & Fernandes, "A
# physiologically-based model for simulation of color vision deficiency", IEEE TVCG 15, 2009,
# severity 1.
VISION = {
    "normal": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
# From linear light to the XYZ of CIE 1931, as the standard of sRGB has it, and its white.
XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
WHITE = [0.9505, 1.0, 1.089]


def lab(light):
    """CIELAB, in which a distance of about 2 is just noticeable (CIE 15:2004)."""
    share = np.clip(light, 0, 1) @ np.transpose(XYZ) / WHITE
    root = np.where(share > (6 / 29) ** 3, np.cbrt(share), share / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = root.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


@pytest.mark.parametrize("kind", VISION)
@pytest.mark.parametrize("count", range(2, 11))
def test_classes_have_different_colors_for_color_blind_readers(kind, count):
    seen = lab(linear(plots.palette(count)[:, :3]) @ np.transpose(VISION[kind]))
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=2) + 1e3 * np.eye(count)
    # Small areas need a multiple of the difference that is just noticeable.
    assert apart.min() > 15


def test_the_distance_of_colors_is_that_of_the_standard():
    # Red, green and blue of sRGB in CIELAB (D65), from tables.
    expected = [[53.2, 80.1, 67.2], [87.7, -86.2, 83.2], [32.3, 79.2, -107.9]]
    np.testing.assert_allclose(lab(linear(np.eye(3))), expected, atol=0.1)


def test_the_style_is_left_behind():
    before = plt.rcParams["axes.spines.top"]
    with plots.style():
        assert not plt.rcParams["axes.spines.top"]
    assert plt.rcParams["axes.spines.top"] == before
