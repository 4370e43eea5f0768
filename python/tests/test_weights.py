"""Weights of samples and classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import AdaBoostClassifier
from sklearn.utils.class_weight import compute_sample_weight

from sqfa_rs import QDA, SQFA
from sqfa_rs.baselines import LinearClassifier

RNG = np.random.default_rng(0)


def iris() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_iris(return_X_y=True)
    return np.asarray(X), np.asarray(y)


def unbalanced() -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(
        400, 6, n_informative=4, n_classes=3, weights=[0.7, 0.2, 0.1], random_state=3
    )
    return np.asarray(X), np.asarray(y)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_fractions_are_weighted_means_and_covariances(convert: Any) -> None:
    X, y = iris()
    weights = RNG.uniform(0.0, 3.0, size=len(y))
    weights[::7] = 0.0
    qda = QDA().fit(convert(X), y, sample_weight=weights)
    for at, label in enumerate(qda.classes_):
        own, w = X[y == label], weights[y == label]
        np.testing.assert_allclose(qda.means_[at], np.average(own, axis=0, weights=w), rtol=1e-12)
        expected = np.cov(own.T, aweights=w, bias=True)
        np.testing.assert_allclose(qda.covariances_[at], expected, rtol=1e-10)
        np.testing.assert_allclose(qda.priors_[at], w.sum() / weights.sum(), rtol=1e-12)


@pytest.mark.parametrize("classifier", [QDA, LinearClassifier])
def test_fractions_are_near_whole_numbers(classifier: Any) -> None:
    X, y = iris()
    whole = RNG.integers(0, 4, size=len(y))
    expected = classifier().fit(X, y, sample_weight=whole)
    # The way of fractions, and the same result.
    found = classifier().fit(X, y, sample_weight=whole * 1.5)
    np.testing.assert_allclose(found.predict_log_proba(X), expected.predict_log_proba(X), rtol=1e-7)
    np.testing.assert_array_equal(found.class_counts_, 1.5 * expected.class_counts_)


def test_whole_weights_are_repeated_rows() -> None:
    X, y = iris()
    whole = RNG.integers(0, 4, size=len(y))
    rows = np.repeat(np.arange(len(y)), whole)
    one = QDA().fit(X, y, sample_weight=whole)
    other = QDA().fit(X[rows], y[rows])
    np.testing.assert_allclose(one.covariances_, other.covariances_, rtol=1e-10)
    np.testing.assert_array_equal(one.class_counts_, other.class_counts_)


@pytest.mark.parametrize("estimator", [QDA(), SQFA(2)])
def test_normalized_equal_weights_are_no_weights(estimator: Any) -> None:
    X, y = iris()
    plain = (
        estimator.fit(X, y).transform(X)
        if hasattr(estimator, "transform")
        else estimator.fit(X, y).means_
    )
    weights = np.full(len(y), 1 / len(y))
    again = estimator.fit(X, y, sample_weight=weights)
    found = again.transform(X) if hasattr(again, "transform") else again.means_
    np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize("classifier", [QDA, LinearClassifier])
def test_balanced_classes_have_equal_weight(classifier: Any) -> None:
    X, y = unbalanced()
    balanced = classifier(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.priors_, 1 / 3, rtol=1e-12)
    weights = compute_sample_weight("balanced", y)
    other = classifier().fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(balanced.predict_proba(X), other.predict_proba(X), rtol=1e-9)
    own = RNG.uniform(0.5, 2.0, size=len(y))
    found = classifier(class_weight="balanced").fit(X, y, sample_weight=own)
    np.testing.assert_allclose(found.priors_, 1 / 3, rtol=1e-12)


def test_weights_of_labels_multiply() -> None:
    X, y = unbalanced()
    one = QDA(class_weight={0: 0.25, 2: 3}).fit(X, y)
    other = QDA().fit(X, y, sample_weight=np.array([0.25, 1.0, 3.0])[y])
    np.testing.assert_allclose(one.predict_log_proba(X), other.predict_log_proba(X), rtol=1e-9)
    with pytest.raises(ValueError, match="does not occur in y"):
        QDA(class_weight={7: 1.0}).fit(X, y)
    with pytest.raises(ValueError, match="give 'balanced'"):
        QDA(class_weight="equal").fit(X, y)


def test_boosting_reweights_samples() -> None:
    X, y = unbalanced()
    one = QDA().fit(X, y).score(X, y)
    boosted = AdaBoostClassifier(QDA(), n_estimators=10, random_state=0).fit(X, y)
    assert len(boosted.estimators_) > 1
    assert boosted.score(X, y) >= one - 0.05


def test_what_weights_cannot_be_is_refused() -> None:
    X, y = iris()
    weights = np.linspace(0.5, 2.0, len(y))
    with pytest.raises(ValueError, match="whole numbers"):
        SQFA(2).fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="nu needs weights"):
        QDA(nu=5).fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="[Nn]egative"):
        QDA().fit(X, y, sample_weight=-weights)
    with pytest.raises(ValueError, match="NaN"):
        QDA().fit(np.where(X > 6, np.nan, X), y, sample_weight=weights)
