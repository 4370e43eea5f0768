"""Answers do not depend on the path: constant columns, units, and the command against the package."""

import os
import pathlib
import subprocess

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine

from sqfa_rs import SQFA, ClassAccumulator, class_statistics, estimators, load
from sqfa_rs.baselines import AMA, LDA, SAVE, DirectionalRegression
from sqfa_rs.estimators._base import Reducer

COMMAND = pathlib.Path(
    os.environ.get("SQFA_COMMAND", pathlib.Path(__file__).parents[2] / "target" / "debug" / "sqfa")
)
needs_command = pytest.mark.skipif(
    not COMMAND.exists(), reason="the command sqfa was not built; set SQFA_COMMAND"
)


def labeled(rows, columns, seed=0, gap=1.5):
    """Three classes that differ in the means and variances of the first columns."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 3
    X = rng.normal(size=(rows, columns))
    X[:, 0] += gap * y
    X[:, 1] *= 1 + y
    X[:, 2] -= gap * (y == 1)
    return X, y


# -- constant columns ---------------------------------------------------------------------------


@pytest.mark.parametrize("value", [7.0, 100.0, 0.1])
@pytest.mark.parametrize("settings", [{}, {"noise": 0.03}, {"noise": 0.03, "scaling": "per-feature"}])
def test_a_constant_column_changes_nothing(value, settings):
    X, y = labeled(600, 6)
    wide = np.insert(X, 6, value, axis=1)
    plain, other = SQFA(2, **settings).fit(X, y), SQFA(2, **settings).fit(wide, y)
    assert other.dropped_features_.tolist() == [6] and not other.components_[:, 6].any()
    np.testing.assert_allclose(other.components_[:, :6], plain.components_, atol=1e-8)
    assert other.score(wide, y) == plain.score(X, y)


@pytest.mark.parametrize("value", [7.0, 100.0, 0.1])
def test_statistics_and_streams_drop_constant_columns(value):
    X, y = labeled(600, 6)
    wide = np.insert(X, 6, value, axis=1)
    sums = ClassAccumulator()
    for rows in np.split(np.arange(600), 4):
        sums.update(wide[rows], y[rows])
    fits = [
        SQFA(2).fit_statistics(class_statistics(wide, y)),
        SQFA(2).fit_statistics(sums.finish()),
        SQFA(2).partial_fit(wide, y),
    ]
    for fitted in fits:
        assert fitted.dropped_features_.tolist() == [6]
        assert np.abs(fitted.components_).max() < 10 and not fitted.components_[:, 6].any()


def test_columns_with_a_large_offset_and_rare_columns_are_kept():
    X, y = labeled(600, 6)
    X[:, 4] = 1e6 + 1e-3 * X[:, 0]
    assert SQFA(2).fit(X, y).dropped_features_.tolist() == []
    assert SQFA(2).fit_statistics(class_statistics(X, y)).dropped_features_.tolist() == []
    # Twenty columns, each of which marks 3 of the 60 samples of a rare class.
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(3060, 25)), np.r_[np.arange(3000) % 3, np.full(60, 3)]
    X[:, 0] += 2.0 * (y % 3)
    X[:, 5:] = 0
    X[3000 + np.arange(60), 5 + np.arange(60) // 3] = 1
    fitted = SQFA(4).fit(X, y)
    assert not len(fitted.dropped_features_)
    assert fitted.score(X[3000:], y[3000:]) > 0.9


# -- the command and the package ----------------------------------------------------------------


def by_command(folder, data, method, *arguments):
    """The filters that the command finds."""
    line = [COMMAND, "fit", data, "--method", method, "-m", "2", "--out", folder / "m.sqfa", *arguments]
    done = subprocess.run(list(map(str, line)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return load(folder / "m.sqfa").components_


SHAPES = {
    "more samples than columns": (150, 6),
    "fewer samples per class than columns": (90, 80),
    "fewer samples than columns": (60, 120),
}
METHODS = {
    cls._method: cls
    for cls in (getattr(estimators, name) for name in estimators.__all__)
    if issubclass(cls, Reducer)
}
# These need more samples than columns.
ROBUST = {"sqfa-t"}


@needs_command
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("method", METHODS)
def test_the_command_and_the_package_find_the_same_filters(tmp_path, method, shape):
    X, y = labeled(*SHAPES[shape])
    X[:, 3] *= 1000
    np.savez(tmp_path / "data.npz", X=X, y=y)
    if shape.startswith("fewer") and method in ROBUST:
        with pytest.raises(ValueError, match="need more samples than columns"):
            METHODS[method](2).fit(X, y)
        return
    here = METHODS[method](2).fit(X, y).components_
    np.testing.assert_array_equal(by_command(tmp_path, tmp_path / "data.npz", method), here)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", [SAVE, DirectionalRegression])
def test_sparse_and_dense_samples_give_the_same_accuracy(method):
    X, y = labeled(60, 300)
    X[:, 5] *= 1e4
    dense = method(2).fit(X, y).score(X, y)
    assert method(2).fit(sparse.csr_matrix(X), y).score(X, y) == pytest.approx(dense, abs=0.05)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "reducer",
    # Common scaling depends on units, so it must not be a candidate.
    [SAVE(2, scaling="per-feature"), DirectionalRegression(2)],
)
def test_units_do_not_matter_with_fewer_samples_than_columns(reducer):
    X, y = labeled(60, 400, gap=4.0)
    units = 10.0 ** np.random.default_rng(2).uniform(-3, 3, size=400)
    plain, other = reducer.fit(X, y).score(X, y), reducer.fit(X * units, y).score(X * units, y)
    assert other == pytest.approx(plain, abs=0.1)


# -- units and notation -------------------------------------------------------------------------


@pytest.mark.parametrize("covariance", ["oas", "ledoit-wolf", 0.1])
def test_shrinkage_does_not_depend_on_units(covariance):
    X, y = labeled(450, 10, gap=2.5)
    X[:, 7] *= 1000
    train, test = np.arange(450) < 300, np.arange(450) >= 300
    usual = SQFA(2).fit(X[train], y[train]).score(X[test], y[test])
    shrunk = SQFA(2, covariance_estimator=covariance).fit(X[train], y[train]).score(X[test], y[test])
    assert shrunk > usual - 0.05


@pytest.mark.parametrize("way", ["samples", "statistics"])
@pytest.mark.parametrize("covariance", ["empirical", "oas", 0.3])
@pytest.mark.parametrize("shape", [(150, 6), (60, 120)])
def test_feature_covariances_are_those_of_the_features(shape, covariance, way):
    X, y = labeled(*shape)
    X[:, 1] *= 1000
    fitted = SQFA(2, covariance_estimator=covariance)
    fitted.fit(X, y) if way == "samples" else fitted.fit_statistics(class_statistics(X, y))
    Z = fitted.transform(X)
    own = [np.cov(Z[y == k].T, ddof=0) for k in range(3)]
    # Never shrunk, whatever the filters were learned from.
    np.testing.assert_allclose(fitted.feature_covariances_, own, rtol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_ama_does_not_depend_on_units_with_fewer_samples_than_columns():
    X, y = labeled(60, 120, gap=4.0)
    X[:, 9] *= 1e4
    assert AMA(2).fit(X, y).score(X, y) > 0.8


def test_what_was_selected_can_be_specified():
    X, y = load_wine(return_X_y=True)
    first = SQFA(2).fit(X, y)
    again = SQFA(2, scaling=first.selection_.scaling, noise=first.selection_.noise).fit(X, y)
    np.testing.assert_allclose(again.components_, first.components_, rtol=1e-4)


def test_specified_noise_does_not_switch_scaling_off():
    X, y = load_wine(return_X_y=True)
    assert SQFA(2, noise="scale").fit(X, y).score(X, y) > 0.95


def test_the_order_of_columns_does_not_matter():
    X, y = labeled(150, 8)
    order = np.random.default_rng(3).permutation(8)
    plain, other = SQFA(2).fit(X, y), SQFA(2).fit(X[:, order], y)
    assert other.selection_.scaling == plain.selection_.scaling
    np.testing.assert_allclose(other.components_, plain.components_[:, order], rtol=1e-4, atol=1e-6)


# -- LDA on few samples -------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_lda_keeps_to_what_few_samples_can_show():
    X, y = labeled(60, 5, gap=4.0)
    assert LDA(2).fit(X, y).score(X, y) > 0.9
