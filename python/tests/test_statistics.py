"""Class statistics against NumPy, streamed, merged, sent and given."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from sqfa_rs import (
    QDA,
    SQFA,
    ClassAccumulator,
    ClassStatistics,
    SecondMomentSQFA,
    class_statistics,
    distances,
)
from sqfa_rs.baselines import LDA, PCA


def by_hand(X, y):
    classes = np.unique(y)
    means = np.stack([X[y == label].mean(axis=0) for label in classes])
    covariances = np.stack([np.cov(X[y == label].T) for label in classes])
    return means, covariances


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(np.float64, 1e-12), (np.float32, 1e-5), (np.uint8, 1e-6)]
)
def test_against_numpy(digits, dtype, tolerance):
    X, y = digits
    statistics = class_statistics(X.astype(dtype), y)
    means, covariances = by_hand(X, y)
    np.testing.assert_allclose(statistics.means, means, atol=20 * tolerance)
    np.testing.assert_allclose(statistics.covariances, covariances, atol=100 * tolerance)
    assert statistics.covariances.dtype == (np.float64 if dtype == np.float64 else np.float32)
    assert statistics.counts.tolist() == np.bincount(y).tolist()
    share = np.bincount(y) / len(y)
    scale = (share * np.trace(covariances, axis1=1, axis2=2)).sum() / 64
    assert statistics.noise_scale == pytest.approx(scale, rel=1e-5)


def test_a_large_offset_costs_no_digits(blobs):
    X, y = blobs
    near, far = class_statistics(X, y), class_statistics(X + 1e6, y)
    np.testing.assert_allclose(far.covariances, near.covariances, atol=1e-8)


def test_parts_merge_to_the_whole(digits):
    X, y = digits
    whole = class_statistics(X, y)
    order = np.argsort(y, kind="stable")
    sums = ClassAccumulator()
    for part in np.array_split(order, 7):
        sums = sums.merge(ClassAccumulator().update(X[part], y[part]))
    joined = sums.finish()
    assert joined.classes.tolist() == list(range(10))
    np.testing.assert_allclose(joined.covariances, whole.covariances, atol=1e-10)


def test_bytes_have_the_same_statistics_however_they_are_batched(digits):
    X, y = digits
    X = X.astype(np.uint8)
    whole = class_statistics(X, y)
    sums = ClassAccumulator(range(10))
    for part in np.array_split(np.random.default_rng(0).permutation(len(X)), 5):
        sums.update(X[part], y[part])
    np.testing.assert_array_equal(sums.finish().covariances, whole.covariances)


def test_sums_travel(blobs):
    X, y = blobs
    for labels in (y, np.array(["left", "right", "Ω"])[y]):
        sums = ClassAccumulator().update(X, labels)
        for again in (
            ClassAccumulator.from_bytes(sums.to_bytes()),
            pickle.loads(pickle.dumps(sums)),
        ):
            assert again.classes.tolist() == sums.classes.tolist()
            np.testing.assert_array_equal(again.counts, sums.counts)
            np.testing.assert_array_equal(again.finish().means, sums.finish().means)


def test_classes_appear_on_the_way(blobs):
    X, y = blobs
    sums = ClassAccumulator()
    for label in (2, 0, 1):
        sums.update(X[y == label], y[y == label])
    np.testing.assert_allclose(sums.finish().covariances, class_statistics(X, y).covariances, atol=1e-12)
    assert repr(sums) == "ClassAccumulator(3 classes, 180 samples)"


def test_given_classes_are_sorted_with_everything_else(blobs):
    X, y = blobs
    good = class_statistics(X, y)
    order = [2, 0, 1]
    given = ClassStatistics.from_moments(
        good.means[order], good.covariances[order], good.counts[order], classes=np.array(order)
    )
    np.testing.assert_array_equal(given.means, good.means)
    np.testing.assert_array_equal(given.covariances, good.covariances)


def test_oas_shrinks_towards_a_multiple_of_the_identity(blobs):
    X, y = blobs
    plain, shrunk = class_statistics(X, y), class_statistics(X, y, covariance_estimator="oas")
    np.testing.assert_allclose(
        np.trace(plain.covariances, axis1=1, axis2=2), np.trace(shrunk.covariances, axis1=1, axis2=2)
    )
    off = ~np.eye(5, dtype=bool)
    assert abs(shrunk.covariances[:, off]).sum() < abs(plain.covariances[:, off]).sum()


def test_projection(digits):
    X, y = digits
    components = np.random.default_rng(0).normal(size=(3, 64))
    means, covariances = class_statistics(X, y).project(components, noise=2.0)
    expected_means, expected = by_hand(X @ components.T, y)
    np.testing.assert_allclose(means, expected_means, rtol=1e-9)
    np.testing.assert_allclose(covariances, expected + 2 * np.eye(3), rtol=1e-8)


def test_statistics_by_name(blobs):
    X, y = blobs
    statistics = class_statistics(X, y)
    names = {"classes", "counts", "means", "covariances", "second_moments"}
    assert set(dict(statistics)) == names
    np.testing.assert_array_equal(statistics["means"], statistics.means)
    with pytest.raises(KeyError, match="class statistics have"):
        statistics["variances"]


@pytest.mark.parametrize(
    "method", [SQFA(2, random_state=0), PCA(2), LDA(2, shrinkage=0.1), QDA()], ids=str
)
def test_statistics_as_a_mapping(blobs, method):
    X, y = blobs
    statistics = class_statistics(X, y)
    attribute = "covariances_" if isinstance(method, QDA) else "components_"
    whole = getattr(clone(method).fit_statistics(statistics), attribute)
    again = clone(method).fit_statistics(dict(statistics))
    np.testing.assert_array_equal(getattr(again, attribute), whole)
    np.testing.assert_array_equal(again.class_counts_, [60, 60, 60])
    with pytest.raises(ValueError, match="leave out the other arguments"):
        method.fit_statistics(dict(statistics), statistics.covariances)
    with pytest.raises(ValueError, match="no 'means'"):
        method.fit_statistics({"covariances": statistics.covariances})
    with pytest.raises(ValueError, match="neither 'covariances' nor 'second_moments', only: means"):
        method.fit_statistics({"means": statistics.means})


def test_second_moments_as_a_mapping(blobs):
    X, y = blobs
    moments = np.stack([X[y == k].T @ X[y == k] / (y == k).sum() for k in range(3)])
    given = SecondMomentSQFA(2, random_state=0).fit_statistics(None, moments)
    named = SecondMomentSQFA(2, random_state=0).fit_statistics({"second_moments": moments})
    np.testing.assert_array_equal(named.components_, given.components_)


def test_second_moments_are_among_the_names(blobs):
    X, y = blobs
    statistics = class_statistics(X, y)
    assert "second_moments" in list(statistics.keys())
    by_class = [X[y == label].T for label in np.unique(y)]
    # The covariance has divisor N − 1, and the outer product of the mean is added to it.
    expected = [np.cov(own) + np.outer(own.mean(axis=1), own.mean(axis=1)) for own in by_class]
    np.testing.assert_allclose(dict(statistics)["second_moments"], expected, rtol=1e-10, atol=1e-10)
    again = SQFA(2, random_state=0).fit_statistics(dict(statistics))
    direct = SQFA(2, random_state=0).fit_statistics(statistics)
    np.testing.assert_array_equal(again.components_, direct.components_)


def test_a_bare_array_holds_second_moments(blobs):
    X, y = blobs
    moments = class_statistics(X, y).second_moments
    bare = SecondMomentSQFA(2, random_state=0).fit_statistics(moments)
    named = SecondMomentSQFA(2, random_state=0).fit_statistics({"second_moments": moments})
    np.testing.assert_array_equal(bare.components_, named.components_)
    with pytest.raises(TypeError, match="pass class statistics to fit_statistics"):
        SQFA(2).fit(class_statistics(X, y))


def test_a_single_class_has_statistics_and_no_fit(blobs):
    X, _ = blobs
    y = np.zeros(len(X))
    alone = class_statistics(X, y)
    assert alone.covariances.shape == (1, X.shape[1], X.shape[1])
    np.testing.assert_allclose(alone.covariances[0], np.cov(X.T), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(alone.means[0], X.mean(axis=0), rtol=1e-12, atol=1e-12)
    assert distances.pairwise((alone.means, alone.covariances)).tolist() == [[0.0]]
    for estimator in (SQFA(1), SecondMomentSQFA(1), LDA(1), PCA(1), QDA()):
        with pytest.raises(ValueError, match="1 class in the data"):
            estimator.fit_statistics(alone)
        with pytest.raises(ValueError, match="1 class in the data"):
            estimator.fit(X, y)


def test_lda_needs_no_samples(blobs):
    X, y = blobs
    statistics = class_statistics(X, y)
    components = LDA(2, shrinkage=0.0, scaling="none").fit_statistics(statistics).components_
    within = np.average(statistics.covariances, axis=0, weights=statistics.counts - 1)
    centers = statistics.means - np.average(statistics.means, axis=0, weights=statistics.counts)
    # The optimal discriminants span the whitened class means.
    span = np.linalg.solve(within, centers.T)
    residual = components.T - span @ np.linalg.lstsq(span, components.T, rcond=None)[0]
    assert abs(residual).max() < 1e-8 * abs(components).max()
    assert LDA(2).fit_statistics(statistics).components_.shape == (2, X.shape[1])
