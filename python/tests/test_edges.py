"""Statistics, labels and weights at their edges."""

import os
import subprocess
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

import sqfa_rs
from sqfa_rs import QDA, SQFA, ClassAccumulator, HeavyTailedSQFA, class_statistics
from sqfa_rs.baselines import LDA, PCA, SAVE

COMMAND = os.environ.get("SQFA_COMMAND")


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


def test_lda_of_statistics_needs_no_shrinkage(iris):
    X, y = iris
    fitted = LDA(2).fit_statistics(class_statistics(X, y))
    assert fitted.score(X, y) > 0.95
    assert fitted.scaling_ == "per-feature" and fitted.shrinkage_ == 0.1
    # Values to choose among need samples.
    with pytest.raises(ValueError, match="shrinkage"):
        LDA(2, shrinkage=[0.1, 0.5]).fit_statistics(class_statistics(X, y))


def test_fractional_labels_survive_a_file(iris, tmp_path):
    X, y = iris
    labels = np.array([0.25, 0.5, 1.5])[y]
    fitted = SQFA(2, noise=0.1, scaling="none").fit(X, labels)
    sqfa_rs.save(fitted, tmp_path / "model.sqfa")
    loaded = sqfa_rs.load(tmp_path / "model.sqfa")
    np.testing.assert_array_equal(loaded.classes_, fitted.classes_)
    assert loaded.classes_.dtype.kind == "f"
    assert loaded.score(X, labels) == fitted.score(X, labels) > 0.9
    # Text that looks like a number stays text.
    text = labels.astype(str)
    sqfa_rs.save(fitted.fit(X, text), tmp_path / "text.sqfa")
    loaded = sqfa_rs.load(tmp_path / "text.sqfa")
    assert loaded.classes_.dtype.kind == "U" and loaded.score(X, text) > 0.9


@pytest.mark.parametrize(
    "estimator",
    [
        SQFA(2, random_state=0),
        SQFA(2, noise=0.1, scaling="none", random_state=0),
        SQFA(2, refine=True, random_state=0),
        HeavyTailedSQFA(2, random_state=0),
        QDA(),
        QDA(nu=5),
    ],
    ids=repr,
)
@pytest.mark.parametrize("columns", [4, 20, 300])
def test_weight_zero_is_an_absent_sample(estimator, columns):
    if columns > 40 and (getattr(estimator, "nu", None) is not None or isinstance(estimator, QDA)):
        pytest.skip("robust estimators need more samples than columns")
    rng = np.random.default_rng(3)
    y = np.tile([0, 1, 2], 40)
    X = rng.normal(size=(120, columns)) * (1 + y[:, None]) + rng.normal(size=(3, columns))[y]
    weights = rng.integers(1, 3, size=120).astype(float)
    # Samples of weight 0 anywhere: outliers, another class, and the only variation of a column.
    X[:, 0] = np.where(y == 0, 1.0, X[:, 0])
    places = rng.integers(0, 121, size=25)
    more = np.insert(X, places, 1e3 * rng.normal(size=(25, columns)), axis=0)
    labels = np.insert(y, places, rng.integers(0, 4, size=25))
    mask = np.insert(weights, places, 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        absent = clone(estimator).fit(X, y, sample_weight=weights)
        present = clone(estimator).fit(more, labels, sample_weight=mask)
    np.testing.assert_array_equal(present.classes_, absent.classes_)
    if isinstance(estimator, QDA):
        np.testing.assert_array_equal(present.covariances_, absent.covariances_)
    else:
        np.testing.assert_array_equal(present.components_, absent.components_)


def test_sums_have_no_class_of_weight_zero(iris):
    X, y = iris
    sums = ClassAccumulator().update(X, y, (y < 2).astype(float))
    np.testing.assert_array_equal(sums.classes, [0, 1])
    np.testing.assert_array_equal(sums.update(X, y, np.zeros(150)).counts, [50, 50])


@pytest.mark.parametrize("columns", [60, 120])
def test_save_of_few_samples_from_statistics_is_not_at_chance(columns):
    rng = np.random.default_rng(5)
    centers = 1.5 * rng.normal(size=(3, 10))

    def sample(count):
        y = np.repeat([0, 1, 2], count)
        X = rng.normal(size=(3 * count, columns))
        X[:, :10] += centers[y]
        return X, y

    (X, y), (new, labels) = sample(20), sample(300)
    fitted = SAVE(2).fit_statistics(class_statistics(X, y))
    assert fitted.score(new, labels) > 0.6
    # The classifier sees the classes as they are.
    Z = fitted.transform(X)
    for k in range(3):
        expected = np.cov(Z[y == k].T, bias=True)
        np.testing.assert_allclose(fitted.feature_covariances_[k], expected, rtol=1e-6, atol=1e-9)


@pytest.mark.skipif(COMMAND is None, reason="the command is not built")
@pytest.mark.parametrize(
    ("method", "estimator"),
    [
        ("sqfa-w", SQFA(4, distance="wasserstein", constraint="orthonormal")),
        ("sqfa", SQFA(4)),
        ("pca", PCA(4)),
    ],
    ids=["sqfa-w", "sqfa", "pca"],
)
def test_statistics_give_the_same_bits_in_python_and_the_command(method, estimator, tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 100)) * (1 + y[:, None]) + rng.normal(size=(3, 100))[y]
    given = class_statistics(X, y)
    np.savez(tmp_path / "s.npz", means=given.means, covariances=given.covariances, counts=given.counts)
    words = ["fit", "s.npz", "--method", method, "-m", "4", "--out", "m.sqfa"]
    subprocess.run([COMMAND, *words], cwd=tmp_path, check=True, capture_output=True)
    loaded = sqfa_rs.load(tmp_path / "m.sqfa")
    np.testing.assert_array_equal(loaded.components_, estimator.fit_statistics(given).components_)
