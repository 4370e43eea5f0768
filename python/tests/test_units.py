"""Units and repeated columns change nothing that they should not; scikit-learn is the reference."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA as SkPCA
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sqfa_rs
from sqfa_rs import QDA, SQFA, class_statistics, compare
from sqfa_rs.baselines import LDA, LFDA, PCA, LinearClassifier, SupervisedPCA

FACTORS = [1e-6, 1e-3, 1e3, 1e6]


def gaussians(counts, columns, seed):
    """Classes with means and covariances of their own."""
    rng = np.random.default_rng(seed)
    parts = [
        rng.normal(size=(n, columns)) @ rng.normal(size=(columns, columns)) + rng.normal(size=columns)
        for n in counts
    ]
    return np.concatenate(parts), np.repeat(np.arange(len(counts)), counts)


def one_informative_column(seed=0):
    """One column that separates the classes, and one of noise in units 10,000 times as large."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 300)
    return np.column_stack([rng.normal(size=600) + 3 * y, 1e4 * rng.normal(size=600)]), y


def scaled(X, column, factor):
    X = X.copy()
    X[:, column] *= factor
    return X


# Without a threshold of its own, scikit-learn's classifier does not depend on units either.
def reference(kind):
    if kind is QDA:
        return QuadraticDiscriminantAnalysis(tol=0.0)
    return LinearDiscriminantAnalysis(solver="lsqr")


@pytest.mark.parametrize("kind", [QDA, LinearClassifier])
@pytest.mark.parametrize("data", [gaussians([60, 40, 30], 5, 1), load_iris(return_X_y=True)])
def test_classifiers_of_full_rank_are_scikit_learns(kind, data):
    X, y = data
    theirs = reference(kind).fit(X, y).predict_log_proba(X)
    ours = kind().fit(X, y).predict_log_proba(X)
    # Probabilities of 1e-200 and less have no digits in common, and do not matter.
    near = theirs > -200
    np.testing.assert_allclose(ours[near], theirs[near], rtol=1e-7, atol=1e-9)
    assert (ours[~near] < -190).all()


@pytest.mark.parametrize("kind", [QDA, LinearClassifier])
@pytest.mark.parametrize("counts", [[60, 40, 30], [60, 40, 4]], ids=["full rank", "few samples"])
def test_scaling_a_column_changes_no_prediction(kind, counts):
    X, y = gaussians(counts, 5, 2)
    usual = kind().fit(X, y).predict_log_proba(X)
    for column in range(X.shape[1]):
        for factor in FACTORS:
            other = scaled(X, column, factor)
            found = kind().fit(other, y).predict_log_proba(other)
            np.testing.assert_allclose(found, usual, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", [QDA, LinearClassifier])
def test_more_columns_than_samples_are_classified_in_any_units(kind):
    X, y = gaussians([20, 20], 60, 3)
    usual = kind().fit(X, y).predict(X)
    assert (usual == y).mean() > 0.9
    for factor in FACTORS:
        other = scaled(X, 7, factor)
        np.testing.assert_array_equal(kind().fit(other, y).predict(other), usual)


@pytest.mark.parametrize("kind", [QDA, LinearClassifier])
def test_columns_that_depend_on_others_change_no_prediction(kind):
    X, y = gaussians([60, 40, 30], 4, 4)
    more = np.column_stack([X, X[:, 0], 1e3 * (X[:, 1] - X[:, 2]), np.full(len(X), 7.0)])
    few, many = (kind().fit(Z, y).predict_log_proba(Z) for Z in (X, more))
    np.testing.assert_allclose(many, few, rtol=1e-6, atol=1e-6)


def test_noise_in_large_units_hides_nothing():
    X, y = one_informative_column()
    for kind in (QDA, LinearClassifier):
        theirs = reference(kind).fit(X, y).score(X, y)
        assert theirs > 0.9
        assert kind().fit(X, y).score(X, y) == pytest.approx(theirs, abs=1 / 600)


def test_scores_of_reducers_are_those_of_scikit_learns_classifier():
    X, y = one_informative_column()
    for reducer in (PCA(2, scaling="none"), PCA(2), SQFA(2, random_state=0)):
        reducer.fit(X, y)
        Z = reducer.transform(X)
        theirs = QuadraticDiscriminantAnalysis(tol=0.0).fit(Z, y).score(Z, y)
        assert theirs > 0.9
        assert np.mean(reducer._predicted(X) == y) == pytest.approx(theirs, abs=1 / 600)


@pytest.mark.parametrize("fraction", [0.0, 0.1, 0.5, 1.0])
def test_shrinkage_is_towards_the_pooled_covariance(fraction):
    X, y = gaussians([60, 40, 30], 4, 5)
    qda = QDA(shrinkage=fraction).fit(X, y)
    pooled = np.tensordot(qda.priors_, qda.covariances_, 1)
    scores = []
    for prior, mean, own in zip(qda.priors_, qda.means_, qda.covariances_, strict=True):
        shrunk = (1 - fraction) * own + fraction * pooled
        squares = np.einsum("ij,jk,ik->i", X - mean, np.linalg.inv(shrunk), X - mean)
        scores.append(np.log(prior) - 0.5 * (squares + np.linalg.slogdet(shrunk)[1]))
    scores = np.transpose(scores)
    scores -= np.log(np.exp(scores - scores.max(1, keepdims=True)).sum(1, keepdims=True)) + scores.max(
        1, keepdims=True
    )
    np.testing.assert_allclose(qda.predict_log_proba(X), scores, rtol=1e-8, atol=1e-8)


def textured(per_class, seed):
    """Strongly correlated columns, three of which are repeated: 40 columns of rank 37, 11 classes."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(6, 37))
    means = 3 * np.random.default_rng(1000).normal(size=(11, 6)) @ common
    means += 0.3 * np.random.default_rng(1001).normal(size=(11, 37))
    y = np.repeat(np.arange(11), per_class)
    X = means[y] + rng.normal(size=(len(y), 6)) @ common + 0.12 * rng.normal(size=(len(y), 37))
    return np.column_stack([X, X[:, [3, 17, 30]]]), y


def test_repeated_columns_do_not_disturb_lda_and_lfda(tmp_path):
    X, y = textured(60, 7)
    new, labels = X[1::2], y[1::2]
    X, y = X[::2], y[::2]
    theirs = LinearDiscriminantAnalysis(solver="svd").fit(X, y).score(new, labels)
    assert theirs > 0.99
    for reducer in (LDA(10), LFDA(10)):
        reducer.fit(X, y)
        Z = reducer.transform(new)
        # No component is the difference of a column and its copy.
        assert (Z.std(axis=0) > 1e-6 * np.linalg.norm(reducer.components_, axis=1)).all()
        assert reducer.score(new, labels) > theirs - 0.01
    # Components without variance are rounding errors, which must not be classified by.
    every = PCA(40, scaling="none").fit(X, y)
    assert np.mean(every._predicted(new) == labels) > 0.9
    # Rounding makes some of their variances negative, which model files do not accept.
    sqfa_rs.save(every, tmp_path / "model.sqfa")


@pytest.mark.parametrize("shrinkage", [0.05, 0.4])
def test_lda_spans_what_scikit_learns_classifier_uses(shrinkage):
    X, y = gaussians([60, 40, 30], 5, 6)
    # The coefficients of this solver are the inverse shrunk scatter times the class means: no ridge.
    coefficients = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(X, y).coef_
    ours = LDA(2, shrinkage=shrinkage, scaling="none").fit(X, y).components_
    assert subspace_angles(ours.T, (coefficients[1:] - coefficients[0]).T).max() < 1e-6


def one_large_column(rows, columns, seed=0):
    """Two classes that differ in every column, one of which is noise in large units."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], rows // 3)
    X = rng.normal(size=(rows, columns)) + rng.normal(size=(3, columns))[y]
    X[:, 4] = 1e4 * rng.normal(size=rows)
    return X, y


@pytest.mark.parametrize("kind", [PCA, SupervisedPCA])
def test_components_do_not_follow_the_column_in_the_largest_units(kind):
    X, y = one_large_column(150, 20)
    fitted = kind(2).fit(X, y)
    assert fitted.scaling_ == "per-feature"
    same = kind(2, scaling="per-feature").fit(X, y)
    np.testing.assert_array_equal(fitted.components_, same.components_)
    plain = kind(2, scaling="none").fit(X, y)
    assert np.mean(fitted._predicted(X) == y) > np.mean(plain._predicted(X) == y) + 0.05
    by_statistics = kind(2).fit_statistics(class_statistics(X, y))
    np.testing.assert_allclose(by_statistics.components_, same.components_, rtol=1e-9, atol=1e-12)


def test_columns_in_one_unit_are_not_scaled():
    X, y = load_iris(return_X_y=True)
    fitted = PCA(2).fit(X, y)
    assert fitted.scaling_ == "none"
    assert subspace_angles(fitted.components_.T, SkPCA(2).fit(X).components_.T).max() < 1e-6


def test_compare_scales_pca_as_fit_does():
    X, y = load_wine(return_X_y=True)
    ours = compare(X, y, methods=["pca"], n_components=2, cv=5, seeds=1)["qda_accuracy"].mean()
    Z = StandardScaler().fit_transform(X)
    theirs = make_pipeline(SkPCA(2), QuadraticDiscriminantAnalysis())
    expected = cross_val_score(theirs, Z, y, cv=StratifiedKFold(5, shuffle=True, random_state=0)).mean()
    assert expected > 0.93
    assert ours > expected - 0.03
