"""SQFA of t distributions, robust statistics and QDA with t densities."""

import numpy as np
import pytest
from sklearn.base import clone

import sqfa_rs
from sqfa_rs import QDA, SQFA, HeavyTailedSQFA, class_statistics


@pytest.fixture
def spoilt():
    """Three classes in six columns, a fifth of the points far away."""
    rng = np.random.default_rng(3)
    y = np.arange(900) % 3
    X = rng.normal(size=(900, 6)) * [1, 200, 0.01, 5, 1, 30]
    X[:, 0] += np.array([0, 2.5, -2.5])[y]
    X[:, 1] += np.array([500, -200, -200])[y]
    clean = X.copy()
    bad = rng.choice(900, 180, replace=False)
    X[bad] = 20 * X.std(axis=0) * rng.normal(size=(180, 6))
    good = np.setdiff1d(np.arange(900), bad)
    return clean, X, y, good


def test_outliers_are_resisted(spoilt):
    clean, X, y, good = spoilt
    plain, heavy = SQFA(2).fit(X, y), HeavyTailedSQFA(2).fit(X, y)
    assert heavy.nu_ == 5

    def accuracy(reducer, classifier):
        classifier.fit(reducer.transform(X), y)
        return classifier.score(reducer.transform(clean[good]), y[good])

    assert accuracy(heavy, QDA(nu=5)) > 0.9
    assert accuracy(heavy, QDA(nu=5)) > accuracy(plain, QDA()) + 0.05


def test_statistics_by_every_robust_estimator(spoilt):
    clean, X, y, _ = spoilt
    truth = class_statistics(clean, y)
    for estimator in ("t:5", "t:auto", "tyler", "mcd:0.7"):
        found = class_statistics(X, y, covariance_estimator=estimator)
        ratio = np.diag(found.covariances[0]) / np.diag(truth.covariances[0])
        assert np.all((ratio > 0.3) & (ratio < 4)), estimator


def test_sums_are_not_enough(spoilt):
    _, X, y, _ = spoilt
    with pytest.raises(ValueError, match="only class statistics are available"):
        SQFA(2, covariance_estimator="t:5").partial_fit(X, y)
    with pytest.warns(UserWarning, match="0.600 times the covariances"):
        HeavyTailedSQFA(2).partial_fit(X, y)
    with pytest.raises(ValueError, match="has no covariance"):
        HeavyTailedSQFA(2, nu=1).partial_fit(X, y)
    with pytest.raises(ValueError, match="from 1 on|of at least 1"):
        HeavyTailedSQFA(2, nu=0.5).fit(X, y)
    with pytest.raises(ValueError, match="reduce the dimension first"):
        HeavyTailedSQFA(2).fit(X[:12], y[:12])


def test_files_keep_the_degrees_of_freedom(spoilt, tmp_path):
    _, X, y, _ = spoilt
    fitted = HeavyTailedSQFA(2, nu=3).fit(X, y)
    sqfa_rs.save(fitted, tmp_path / "heavy.sqfa")
    again = sqfa_rs.load(tmp_path / "heavy.sqfa")
    assert isinstance(again, HeavyTailedSQFA) and again.nu == again.nu_ == 3
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    assert clone(again).nu == 3


def test_t_densities_are_those_of_the_formula(spoilt):
    clean, _, y, _ = spoilt
    Z = clean[:, :2]
    qda = QDA(nu=4, shrinkage=0).fit(Z, y)
    scores = []
    for mean, scatter, prior in zip(qda.means_, qda.covariances_, qda.priors_, strict=True):
        u = np.einsum("ij,jk,ik->i", Z - mean, np.linalg.inv(scatter), Z - mean)
        scores.append(np.log(prior) - 0.5 * np.linalg.slogdet(scatter)[1] - 3 * np.log1p(u / 4))
    scores = np.array(scores).T
    expected = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    np.testing.assert_allclose(qda.predict_log_proba(Z), expected, atol=1e-9)
