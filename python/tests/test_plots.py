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
