"""The other reducers and classifiers: agreement with scikit-learn."""

import pickle

import numpy as np
import pytest
from baselines import BASELINES, takes
from scipy.linalg import eigh, subspace_angles
from sklearn.base import clone
from sklearn.decomposition import PCA as SkPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

import sqfa_rs
from sqfa_rs import QDA, SQFA
from sqfa_rs._methods import METHODS
from sqfa_rs.baselines import (
    AMA,
    KNN,
    LDA,
    LFDA,
    LMNN,
    NCA,
    PCA,
    SAVE,
    WDA,
    DirectionalRegression,
    LinearClassifier,
)

# Settings that suit small data.
SMALL = {
    LDA: {"shrinkage": 0.1},
    LFDA: {"n_neighbors": 3, "local_scale": "neighbor", "pca_dims": 2},
    LMNN: {"n_neighbors": 2},
    WDA: {"reg": 1.0},
}
REDUCERS = [cls(None if cls is LDA else 2, **SMALL.get(cls, {})) for cls in BASELINES]
# Angles between equal subspaces: the square root of round-off in what defines them.
ANGLE = 1e-6


@pytest.fixture(params=["blobs", "digits"])
def data(request):
    X, y = request.getfixturevalue(request.param)
    # Digits have pixels that hardly vary, which are set aside here and not by scikit-learn.
    return X[:, (np.median(X, axis=0) != X).mean(axis=0) > 0.01], y


def test_pca_is_scikit_learns_subspace(data):
    X, y = data
    ours, theirs = PCA(3).fit(X, y), SkPCA(3).fit(X)
    assert subspace_angles(ours.components_.T, theirs.components_.T).max() < ANGLE


@pytest.mark.parametrize("shrinkage", [0.05, 0.4])
def test_lda_separates_means_relative_to_scikit_learns_shrunk_scatter(data, shrinkage):
    X, y = data
    within = LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage).fit(X, y).covariance_
    # The scatter of the class means, without the ridge that scikit-learn leaves there.
    groups = [X[y == k] for k in np.unique(y)]
    between = np.cov(X.T, bias=True) - sum(len(g) / len(X) * np.cov(g.T, bias=True) for g in groups)
    leading = eigh(between, within)[1][:, ::-1][:, :2]
    ours = LDA(2, shrinkage=shrinkage).fit(X, y)
    assert subspace_angles(ours.components_.T, leading).max() < ANGLE
    assert ours.shrinkage_ == shrinkage and ours.n_iter_ == 0 and ours.termination_ == "closed-form"


@pytest.mark.parametrize("reducer", [SAVE, DirectionalRegression])
def test_inverse_regression_is_its_definition(data, reducer):
    X, y = data
    noise = 0.5
    fitted = reducer(3, noise=noise, scaling="none").fit(X, y)
    # Whitened by Cholesky: another root of the same covariance turns the eigenvectors, not the filters.
    groups = [X[y == k] for k in np.unique(y)]
    shares = [len(group) / len(X) for group in groups]
    mean = X.mean(axis=0)
    covariances = [np.cov(group.T) + noise * np.eye(X.shape[1]) for group in groups]
    centered = [group.mean(axis=0) - mean for group in groups]
    total = sum(s * (c + np.outer(m, m)) for s, c, m in zip(shares, covariances, centered, strict=True))
    root = np.linalg.inv(np.linalg.cholesky(total))
    covariances = [root @ c @ root.T for c in covariances]
    centered = [root @ m for m in centered]
    eye = np.eye(X.shape[1])
    if reducer is SAVE:
        matrix = sum(s * (eye - c) @ (eye - c) for s, c in zip(shares, covariances, strict=True))
    else:
        moments = [c + np.outer(m, m) for c, m in zip(covariances, centered, strict=True)]
        matrix = np.zeros_like(eye)
        for s, a, m in zip(shares, moments, centered, strict=True):
            for t, b, k in zip(shares, moments, centered, strict=True):
                rest = 2 * eye - (a + b - np.outer(m, k) - np.outer(k, m))
                matrix += s * t * rest @ rest
    expected = root.T @ np.linalg.eigh(matrix)[1][:, :-4:-1]
    assert subspace_angles(fitted.components_.T, expected).max() < ANGLE
    assert fitted.noise_ == noise


def test_nca_ends_where_scikit_learn_finds_no_way_down(blobs):
    from sklearn.neighbors import NeighborhoodComponentsAnalysis

    X, y = blobs
    ours = NCA(2).fit(X, y)
    theirs = NeighborhoodComponentsAnalysis(2, init=ours.components_, tol=1e-9, max_iter=200).fit(X, y)
    start = NeighborhoodComponentsAnalysis(2, init="pca", max_iter=1).fit(X, y)

    def loss(components):
        Z = X @ components.T
        squares = ((Z[:, None] - Z[None]) ** 2).sum(axis=-1)
        np.fill_diagonal(squares, np.inf)
        weights = np.exp(squares.min(axis=1, keepdims=True) - squares)
        kept = (weights * (y[:, None] == y[None])).sum(axis=1) / weights.sum(axis=1)
        return 1 - kept.mean()

    assert ours.objective_ == pytest.approx(loss(ours.components_), abs=1e-9)
    assert loss(ours.components_) <= loss(theirs.components_) + 1e-3
    assert loss(ours.components_) < loss(start.components_) - 0.05


def test_unshrunk_linear_classifier_is_scikit_learns(data):
    X, y = data
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    ours = LinearClassifier(shrinkage=0.0).fit(X, y)
    agree = np.mean(ours.predict(X) == theirs.predict(X))
    # Points on a boundary may fall to either side of it.
    assert agree > 0.998


@pytest.mark.parametrize("k", [1, 5])
def test_knn_is_scikit_learns(data, k):
    X, y = data
    X = X + np.random.default_rng(0).normal(scale=1e-3, size=X.shape)  # no equal distances
    ours, theirs = (
        KNN(k).fit(X[::2], y[::2]),
        KNeighborsClassifier(k, algorithm="brute").fit(X[::2], y[::2]),
    )
    np.testing.assert_array_equal(ours.predict(X[1::2]), theirs.predict(X[1::2]))
    np.testing.assert_allclose(ours.predict_proba(X[1::2]), theirs.predict_proba(X[1::2]), atol=1e-15)


@pytest.mark.parametrize("reducer", REDUCERS, ids=lambda e: type(e).__name__)
def test_results_travel(blobs, reducer, tmp_path):
    X, y = blobs
    fitted = clone(reducer).set_params(random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    sqfa_rs.save(fitted, tmp_path / "model.sqfa")
    loaded = sqfa_rs.load(tmp_path / "model.sqfa")
    assert type(loaded) is type(fitted)
    np.testing.assert_array_equal(loaded.transform(X), fitted.transform(X))
    np.testing.assert_array_equal(loaded.mean_, fitted.mean_)
    assert loaded.termination_ == fitted.termination_ and loaded.objective_ == fitted.objective_
    assert loaded.settings_ == pytest.approx(fitted.settings_)
    assert fitted.transform(X.astype(np.float32)).dtype == np.float32
    back = fitted.inverse_transform(fitted.transform(X))
    np.testing.assert_allclose(fitted.transform(back), fitted.transform(X), atol=1e-9)


def test_settings_are_chosen_on_held_out_points(digits):
    X, y = digits
    lda = LDA(2, shrinkage=[0.1, 0.5], random_state=0).fit(X, y)
    assert [trial.value for trial in lda.trials_] == [0.1, 0.5]
    best = max(lda.trials_, key=lambda trial: trial.accuracy)
    assert lda.shrinkage_ == best.value
    lfda = LFDA(2, n_neighbors=[3, 9], pca_dims=20, random_state=0).fit(X, y)
    assert lfda.n_neighbors_ in (3, 9) and {trial.name for trial in lfda.trials_} == {"neighbors"}


def test_refinement(digits):
    X, y = digits
    # PCA ignores the labels, so that there is much to gain.
    plain = PCA(4, random_state=0).fit(X[::2], y[::2])
    refined = PCA(4, random_state=0, refine=True).fit(X[::2], y[::2])
    assert refined.settings_["refinement steps"] > 0
    right = [
        QDA().fit(pca.transform(X[::2]), y[::2]).score(pca.transform(X[1::2]), y[1::2])
        for pca in (refined, plain)
    ]
    assert right[0] > right[1]
    sqfa = SQFA(2, random_state=0, refine=True).fit(X, y)
    assert sqfa.refinement_["held_out_accuracy_after"] >= sqfa.refinement_["held_out_accuracy_before"]
    with pytest.raises(ValueError, match="needs samples"):
        sqfa.fit_statistics(sqfa_rs.class_statistics(X, y))
    with pytest.raises(ValueError, match="pair_weights"):
        SQFA(2, refine=True, pair_weights=np.ones((10, 10))).fit(X, y)


def test_refusals(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="lda gives at most 2"):
        LDA(3).fit(X, y)
    with pytest.raises(ValueError, match="learns from samples"):
        LMNN(2).fit_statistics(sqfa_rs.class_statistics(X, y))
    with pytest.raises(ValueError, match="shrinkage is 2"):
        LDA(1, shrinkage=2.0).fit(X, y)
    with pytest.raises(ValueError, match="give auto or one or several numbers"):
        WDA(1, reg="much").fit(X, y)
    with pytest.raises(ValueError, match="10000 neighbors of 180"):
        KNN(10_000).fit(X, y)


def test_statistics_alone(blobs):
    X, y = blobs
    # What would be chosen on held-out points is given.
    given = {"shrinkage": 0.1, "noise": 0.1}
    alone = [cls for cls in BASELINES if not METHODS[cls._method]["needs_points"]]
    assert PCA in alone
    for reducer in (cls(2, **takes(cls, **given)) for cls in alone):
        points = clone(reducer).fit(X, y)
        alone = clone(reducer).fit_statistics(sqfa_rs.class_statistics(X, y))
        np.testing.assert_allclose(alone.components_, points.components_, atol=1e-9)


@pytest.mark.parametrize("covariance", ["ledoit-wolf", 0.3])
def test_estimators_of_covariances(blobs, covariance):
    X, y = blobs
    plain = sqfa_rs.class_statistics(X, y).covariances
    shrunk = sqfa_rs.class_statistics(X, y, covariance_estimator=covariance).covariances
    target = np.trace(plain, axis1=1, axis2=2)[:, None, None] / 5 * np.eye(5)
    if covariance == 0.3:
        share = np.full(3, 0.3)
    else:
        from sklearn.covariance import ledoit_wolf_shrinkage

        share = np.array([ledoit_wolf_shrinkage(X[y == k]) for k in range(3)])
    share = share[:, None, None]
    np.testing.assert_allclose(shrunk, (1 - share) * plain + share * target, atol=1e-10)
    assert SQFA(2, covariance_estimator=covariance, random_state=0).fit(X, y).converged_
    assert isinstance(QDA().fit(X, y).score(X, y), float)


def test_ama_does_not_depend_on_the_units_of_columns(digits):
    X, y = digits
    few = X[:, X.var(axis=0) > 1][:, ::4]
    units = 10.0 ** np.resize([-6, 0, 3], few.shape[1])
    one, other = AMA(2).fit(few, y), AMA(2).fit(few * units, y)
    assert one.scaling_ == other.scaling_ == "per-feature"
    assert subspace_angles(one.components_.T, (other.components_ * units).T).max() < ANGLE
    assert AMA(2, noise=1.0).fit(few, y).scaling_ == "none"
    assert AMA(2, scaling="none").fit(few, y).scaling_ == "none"


def test_auto_selects_even_if_the_default_is_a_number(blobs):
    X, y = blobs
    assert not LMNN(1).fit(X, y).trials_
    selected = LMNN(1, n_neighbors="auto").fit(X, y)
    assert {trial.value for trial in selected.trials_} == {3, 5, 9, 17}
