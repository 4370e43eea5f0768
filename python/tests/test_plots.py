"""Plots return axes, take axes, refuse what does not fit, and are not empty."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")
import matplotlib.pyplot as plt

from sqfa_rs import SQFA, class_statistics, plots


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
    "lines": lambda sqfa, X, y, ax: plots.filters(sqfa.components_, ax=ax),
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
    with pytest.raises(ValueError, match="2 names for 6"):
        plots.filters(sqfa, (8, 8), names=["a", "b"])
    with pytest.raises(ValueError, match="dims"):
        plots.ellipses(sqfa, dims=(0, 6))
    with pytest.raises(ValueError, match="do not fit"):
        plots.scatter(sqfa.transform(X), y[:-1])
    with pytest.raises(ValueError, match="names for distances"):
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
    with pytest.raises(ValueError, match="no class 11"):
        plots.scatter(Z, y, classes=[3, 11])
    with pytest.raises(ValueError, match="values of shape"):
        plots.ellipses(sqfa, values=[1.0, 2.0])


def linear(color):
    """Light as eyes add it (sRGB, IEC 61966-2-1)."""
    color = np.asarray(color)
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)


# What is left of linear red, green and blue without one kind of cone (Viénot, Brettel & Mollon, 1999).
BLINDNESS = {
    "protan": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}


@pytest.mark.parametrize("kind", BLINDNESS)
def test_few_classes_stay_apart_for_color_blind_eyes(kind):
    from sqfa_rs import _style

    seen = linear(_style.palette(7)[:, :3]) @ np.transpose(BLINDNESS[kind])
    # Cube roots are about even steps for the eye.
    steps = np.cbrt(seen.clip(0, 1))
    apart = np.linalg.norm(steps[:, None] - steps[None], axis=2) + 9 * np.eye(7)
    assert apart.min() > 0.08


def test_the_style_is_left_behind():
    before = plt.rcParams["axes.spines.top"]
    with plots.style():
        assert not plt.rcParams["axes.spines.top"]
    assert plt.rcParams["axes.spines.top"] == before
