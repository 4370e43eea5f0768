"""Fewer points than dimensions: covariances stay points, as in the command; nothing has n² entries."""

import numpy as np
import pytest

from sqfa_rs import SQFA, SecondMomentSQFA, class_statistics
from sqfa_rs.baselines import LAD, LDA, PCA, SupervisedPCA

POINTS, WIDE, NARROW = 400, 30_000, 40


@pytest.fixture(scope="module")
def small():
    """Four classes that differ in mean and spread in few dimensions."""
    rng = np.random.default_rng(0)
    y = np.arange(POINTS) % 4
    spread = 1 + 2 * (np.arange(NARROW)[None] % 4 == y[:, None])
    X = rng.normal(size=(POINTS, NARROW)) * spread
    X[:, 0] += 2.0 * y
    X[:, 1] += 1.5 * (y == 3)
    return X, y


def embedded(X, columns=WIDE):
    """The same points in more dimensions, of which the others are 0."""
    wide = np.zeros((len(X), columns), dtype=np.float32)
    wide[:, :: columns // X.shape[1]][:, : X.shape[1]] = X
    return wide


def narrowed(components):
    return components[:, :: WIDE // NARROW][:, :NARROW]


RECIPE = {"scaling": "none", "n_init": 1, "random_state": 0, "tol": 1e-7}


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        (SQFA, {"noise": 0.5, **RECIPE}),
        (SQFA, {"noise": 0.5, "distance": "hellinger", "constraint": "orthonormal", **RECIPE}),
        (SecondMomentSQFA, {"noise": 0.5, **RECIPE}),
        (LAD, {"noise": 0.5, **RECIPE}),
    ],
    ids=["sqfa", "hellinger", "smsqfa", "lad"],
)
def test_climbs_reach_an_optimum_of_the_small_problem(small, method, settings):
    X, y = small
    wide = method(3, **settings).fit(embedded(X), y)
    filters = narrowed(wide.components_)
    # Nothing points where there are no data, so that the filters are ones of the small problem.
    np.testing.assert_allclose((filters**2).sum(axis=1), 1, rtol=1e-5)
    # It goes on from there, without finding anything better than round-off.
    dense = method(3, **{**settings, "init": filters}).fit(X, y)
    assert dense.objective_ == pytest.approx(wide.objective_, rel=1e-4)
    assert wide.transform(embedded(X)).shape == (POINTS, 3)
    np.testing.assert_allclose(wide.feature_means_, class_statistics(X, y).means @ filters.T, atol=1e-4)


# The target of shrinkage is tr S/n, so that a share s of it in n dimensions is what s' is in n' when
# s/(n(1−s)) = s'/(n'(1−s')).
SHARE = 0.1
SMALL_SHARE = SHARE * NARROW / (SHARE * NARROW + (1 - SHARE) * WIDE)


@pytest.mark.parametrize(
    ("wide", "dense"),
    [
        (PCA(4), PCA(4)),
        (SupervisedPCA(3), SupervisedPCA(3)),
        (LDA(3, shrinkage=SHARE), LDA(3, shrinkage=SMALL_SHARE)),
    ],
    ids=["pca", "spca", "lda"],
)
def test_closed_forms_are_those_of_the_small_problem(small, wide, dense):
    X, y = small
    wide.fit(embedded(X), y)
    dense.fit(X, y)
    a, b = (np.linalg.qr(w.T)[0] for w in (narrowed(wide.components_), dense.components_))
    cosines = np.linalg.svd(a.T @ b, compute_uv=False)
    np.testing.assert_allclose(cosines, 1, atol=1e-4)
    if hasattr(wide, "score"):
        assert wide.score(embedded(X), y) == pytest.approx(dense.score(X, y), abs=0.01)


@pytest.mark.parametrize(
    "estimator",
    [
        SQFA(2, noise="auto", n_init=1, random_state=0, max_iter=50),
        SQFA(2, covariance_estimator="oas", n_init=1, random_state=0, max_iter=50),
        LDA(2, random_state=0),
    ],
    ids=["auto", "oas", "lda"],
)
def test_what_is_chosen_on_held_out_points(small, estimator):
    X, y = small
    wide = embedded(X, 1200)
    # Better than chance, which is a quarter, by far.
    assert estimator.fit(wide, y).score(wide, y) > 0.4


def test_wide_points_need_no_covariance_entries(small):
    _, y = small
    X = np.random.default_rng(1).normal(size=(300, 20_000)).astype(np.float32)
    fitted = SQFA(8, n_init=1, random_state=0, max_iter=5).fit(X, y[:300])
    assert fitted.components_.shape == (8, 20_000)
    with pytest.raises(ValueError, match="need .* GB"):
        PCA(2, solver="exact").fit(np.zeros((4, 1_000_000), dtype=np.uint8), [0, 0, 1, 1])


def test_weights_count_repetitions(small):
    X, y = small
    wide, y = embedded(X[:60], 4000), y[:60]
    weights = 1 + np.arange(60) % 3
    rows = np.repeat(np.arange(60), weights)
    recipe = {"noise": 0.1, "scaling": "none", "n_init": 1, "random_state": 0, "max_iter": 50}
    weighted = SQFA(2, **recipe).fit(wide, y, sample_weight=weights)
    repeated = SQFA(2, **recipe).fit(wide[rows], y[rows])
    np.testing.assert_array_equal(weighted.components_, repeated.components_)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
def test_types_and_orders(small, dtype, order):
    X, y = small
    wide = np.round(4 * abs(embedded(X, 2000))).clip(0, 255)
    single = SQFA(2, noise=1.0, scaling="none", n_init=1, random_state=0).fit(wide, y)
    other = SQFA(2, noise=1.0, scaling="none", n_init=1, random_state=0).fit(
        np.array(wide, dtype, order=order), y
    )
    assert other.objective_ == pytest.approx(single.objective_, rel=1e-4)


def test_bad_values_are_named(small):
    X, y = small
    wide = embedded(X, 2000)
    wide[7, 1234] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        SQFA(2).fit(wide, y)


@pytest.mark.parametrize("settings", [{}, {"distance": "hellinger"}, {"n_components": "auto"}], ids=str)
def test_few_points_of_many_columns_by_default(settings):
    rng = np.random.default_rng(5)
    learn, held = np.arange(45) % 3, np.arange(90) % 3

    def points(y):
        X = rng.normal(size=(len(y), 1200))
        X[:, :5] += 12.0 * y[:, None]
        return X

    model = SQFA(**({"n_components": 2} | settings)).fit(points(learn), learn)
    # Means are 12 deviations apart in five columns; the others could part so few points by chance.
    assert model.score(points(held), held) > 0.95
    assert model.selection_.folds > 1
