"""What is wrong is said, as ValueError or TypeError, whatever it is; nothing ends the process."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import sqfa_rs
from sqfa_rs import QDA, SQFA, ClassAccumulator, ClassStatistics, SecondMomentSQFA, class_statistics

ESTIMATORS = [SQFA, SecondMomentSQFA, QDA]


def poisoned(X, value):
    X = X.copy()
    X[3, 2] = value
    return X


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize(
    ("points", "problem"),
    [
        (lambda X: poisoned(X, np.nan), "NaN"),
        (lambda X: poisoned(X, np.inf), "inf"),
        (lambda X: poisoned(X.astype(np.float32), -np.inf), "inf"),
        (lambda X: np.asfortranarray(poisoned(X, np.nan)), "NaN"),
        (lambda X: sparse.csr_array(poisoned(X, np.nan)), "NaN"),
        (lambda X: X[:0], "0 sample"),
        (lambda X: X[:, :0], "0 feature"),
        (lambda X: X[:-1], "inconsistent numbers of samples"),
        (lambda X: X[0], "1D array|2D array"),
        (lambda X: X[None], "dim 3|3D|expected <= 2"),
        (lambda X: X + 1j, "omplex"),
        (lambda X: X.astype(str).astype(object) + "?", "could not convert"),
        (lambda X: None, "array|None"),
    ],
)
def test_points(blobs, estimator, points, problem):
    X, y = blobs
    with pytest.raises((ValueError, TypeError), match=problem):
        estimator().fit(points(X), y)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        (lambda y: np.zeros_like(y), "1 class"),
        (lambda y: y + np.linspace(0.1, 0.4, len(y)), "continuous|Unknown label type"),
        (lambda y: np.where(y == 0, np.nan, y), "NaN"),
        (lambda y: np.c_[y, y], "1d array|multioutput|shape"),
        (
            lambda y: np.arange(len(y)),
            "180 different labels for 180 samples: this looks like a column of ids",
        ),
        (lambda y: None, "None"),
        (lambda y: [object() for _ in y], "label|not supported|unknown"),
    ],
)
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_labels(blobs, estimator, labels, problem):
    X, y = blobs
    with pytest.raises((ValueError, TypeError), match=problem):
        estimator().fit(X, labels(y))


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_a_huge_number_of_classes_is_refused_before_memory_is_spent():
    X = np.zeros((100_000, 2000), dtype=np.uint8)
    with pytest.raises(ValueError, match="need .* GB"):
        class_statistics(X, np.arange(100_000) // 2)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"n_components": 0}, "at least 1"),
        ({"n_components": -1}, "at least 1"),
        ({"n_components": 6}, "6 filters were requested, but the data have 5 dimensions"),
        ({"n_components": 2.5}, "whole number"),
        ({"n_components": "two"}, "whole number"),
        ({"n_components": "auto", "max_components": 0}, "at least 1"),
        ({"scaling": "some"}, "'auto', 'none', 'common', 'per-feature'"),
        ({"distance": "helinger"}, "did you mean 'hellinger'"),
        ({"distance": "chernoff"}, "strictly between 0 and 1"),
        ({"distance": "chernoff:7"}, "strictly between 0 and 1"),
        ({"distance": 3}, "name or a callable"),
        ({"noise": -1.0}, "at least 0"),
        ({"noise": np.nan}, "finite"),
        ({"noise": "much"}, "noise: 'much' is not understood: give auto, scale or"),
        ({"noise": None}, "NoneType|number"),
        ({"constraint": "cube"}, "unknown constraint 'cube'"),
        ({"covariance_estimator": "ledoit"}, "unknown covariance estimator"),
        ({"init": "lda"}, "random, differences, pca"),
        ({"init": np.zeros((2, 4))}, "initial filters"),
        ({"init": np.zeros((2, 5))}, "degenerate"),
        ({"init": np.full((2, 5), np.nan)}, "NaN"),
        ({"fixed": np.ones((1, 4)), "noise": 0.1}, "5 dimensions are needed"),
        ({"fixed": np.ones((2, 5)), "noise": 0.1}, "from 1 to 1 of the 2"),
        ({"fixed": np.zeros((1, 5)), "noise": 0.1}, "fixed filter is zero"),
        ({"fixed": np.full((1, 5), np.nan), "noise": 0.1}, "NaN"),
        ({"fixed": np.ones((1, 5)), "noise": 0.1, "refine": True}, "changes all filters"),
        ({"n_init": 0}, "from 1 to 10000"),
        ({"n_init": "many"}, "auto"),
        ({"sequential": -1}, "0 for all at once"),
        ({"optimizer": [1.0]}, "unknown optimizer"),
        ({"pairs": object()}, "must be a word, a number or a list"),
        ({"pair_weights": np.ones((2, 2))}, "symmetric 3 × 3"),
        ({"pair_weights": -np.ones((3, 3))}, "non-negative"),
        ({"max_iter": 0}, "at least 1"),
        ({"tol": -1}, "at least 0"),
        ({"tol": "tight"}, "number"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"n_jobs": "two"}, "whole number"),
        ({"random_state": -1}, "random_state"),
        ({"callback": 3}, "callable"),
    ],
)
def test_settings(blobs, settings, problem):
    X, y = blobs
    with pytest.raises((ValueError, TypeError), match=problem):
        SQFA(**settings).fit(X, y)


def test_no_noise_on_a_deficient_class_names_it(blobs):
    X, y = blobs
    wide = np.random.default_rng(0).normal(size=(180, 100))
    problem = "class '0' has 60 samples in 100 dimensions.*set a positive noise"
    with pytest.raises(ValueError, match=problem):
        SQFA(noise=0.0).fit(wide, y)
    # Constant in one class alone: a column that is constant everywhere is dropped.
    X = X.copy()
    X[y == 0, 1] = 7
    with pytest.raises(ValueError, match="dimension 1 is constant in class '0'"):
        SQFA(noise=0.0, scaling="none").fit(X, y)
    X = blobs[0].copy()
    X[y == 2] = 7
    with pytest.raises(ValueError, match="class '2'"):
        QDA(shrinkage=0.0).fit(X, y)


@pytest.mark.parametrize(
    "use",
    [
        lambda X, y: SQFA().transform(X),
        lambda X, y: SQFA().score(X, y),
        lambda X, y: SQFA().inverse_transform(X),
        lambda X, y: SQFA().get_feature_names_out(),
        lambda X, y: QDA().predict(X),
        lambda X, y: QDA().predict_proba(X),
        lambda X, y: sqfa_rs.save(SQFA(), "never"),
    ],
)
def test_unfitted(blobs, use):
    with pytest.raises(NotFittedError):
        use(*blobs)


def test_transform_refuses_what_fit_would(blobs):
    X, y = blobs
    sqfa = SQFA(random_state=0).fit(X, y)
    for value in (np.nan, np.inf):
        for dtype in (np.float64, np.float32):
            with pytest.raises(ValueError, match="NaN|inf"):
                sqfa.transform(poisoned(X.astype(dtype), value))
        with pytest.raises(ValueError, match="NaN|inf"):
            sqfa.transform(sparse.csr_array(poisoned(X, value)))
    with pytest.raises(ValueError, match="4 features"):
        sqfa.transform(X[:, :4])
    with pytest.raises(ValueError, match="0 sample"):
        sqfa.transform(X[:0])
    with pytest.raises(ValueError, match="3 features, but the estimator has 2 components"):
        sqfa.inverse_transform(X[:, :3])


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        (np.ones(3), "shape|sample_weight"),
        (-np.ones(180), "[Nn]egative"),
        (np.full(180, np.nan), "NaN"),
        (np.zeros(180), "zero|class"),
        (np.full(180, 2.0**60), "2\\*\\*53"),
        (np.full(180, 2.0**52), "2⁵³|add up"),
    ],
)
def test_weights(blobs, weights, problem):
    X, y = blobs
    with pytest.raises(ValueError, match=problem):
        SQFA().fit(X, y, sample_weight=weights)


def test_statistics(blobs):
    X, y = blobs
    good = class_statistics(X, y)
    means, covariances = good.means, good.covariances
    asymmetric = covariances.copy()
    asymmetric[1, 0, 1] += 1
    negative = covariances.copy()
    negative[0, 0, 0] = -1
    indefinite = covariances.copy()
    indefinite[2] = np.ones((5, 5))
    indefinite[2, 0, 1] = indefinite[2, 1, 0] = -1
    for matrices, problem in [
        (asymmetric, "not symmetric"),
        (negative, "negative variance"),
        (indefinite, "indefinite"),
        (np.where(covariances == covariances[0, 0, 0], np.nan, covariances), "NaN"),
        (covariances[:, :, :4], "shape"),
        (covariances[:2], "expected|classes"),
        (covariances[0], "3 dimensions"),
        (covariances.astype(complex), "real numbers"),
    ]:
        with pytest.raises((ValueError, TypeError), match=problem):
            ClassStatistics.from_moments(means, matrices)
    with pytest.raises(ValueError, match="positive whole numbers"):
        ClassStatistics.from_moments(means, covariances, [1, 2, -3])
    with pytest.raises(ValueError, match="not unique"):
        ClassStatistics.from_moments(means, covariances, classes=[1, 1, 2])
    with pytest.raises(ValueError, match="covariances are missing"):
        SQFA().fit_statistics(means)
    with pytest.raises(ValueError, match="1 class"):
        SQFA().fit_statistics(means[:1], covariances[:1])


def test_accumulators(blobs):
    X, y = blobs
    sums = ClassAccumulator().update(X, y)
    before = sums.to_bytes()
    with pytest.raises(ValueError, match="4 features cannot be added"):
        sums.update(X[:, :4], y)
    with pytest.raises(ValueError, match="row 3, column .* is NaN"):
        sums.update(poisoned(X, np.nan), y)
    with pytest.raises(ValueError, match="179 labels for 180 samples"):
        sums.update(X, y[:-1])
    assert sums.to_bytes() == before
    with pytest.raises(ValueError, match="has no samples"):
        ClassAccumulator().finish()
    with pytest.raises(ValueError, match="not one of the 2 known classes"):
        ClassAccumulator([0, 1]).update(X, y)
    for damaged in (
        b"",
        before[:-1],
        before + b"0",
        b"?" + before[1:],
        before[:40] + b"!" + before[41:],
    ):
        with pytest.raises(ValueError, match="not class statistics"):
            ClassAccumulator.from_bytes(damaged)
    with pytest.raises(TypeError, match="expects bytes"):
        ClassAccumulator.from_bytes("text")
    with pytest.raises(ValueError, match="cannot be added"):
        sums.merge(ClassAccumulator().update(X[:, :3], y))


def test_the_private_module_guards_itself(blobs):
    from sqfa_rs import _core

    X, y = blobs
    codes = y.astype(np.uint32)
    with pytest.raises(ValueError, match="code"):
        _core.class_statistics(X, [0, 1], codes, None, "empirical", 1)
    with pytest.raises(ValueError, match="contiguous"):
        _core.class_statistics(X[:, ::2], [0, 1, 2], codes, None, "empirical", 1)
    with pytest.raises(TypeError, match="float64, float32 or uint8"):
        _core.transform(X.astype(int), np.ones((2, 5)), None, 1)
    with pytest.raises(ValueError, match="dimensions"):
        _core.transform(X, np.ones((2, 4)), None, 1)
    with pytest.raises(TypeError):
        _core.class_statistics(X, [0, 1, 2], y, None, "empirical", 1)
    with pytest.raises(ValueError, match="at least 1 dimension"):
        _core.Accumulator([0, 1], 0)


@pytest.mark.parametrize("estimator", [SQFA, sqfa_rs.baselines.LDA])
def test_labels_that_name_points_are_refused_before_anything_is_kept(estimator):
    # Their covariances would take 1.6 GB.
    X = np.random.default_rng(0).normal(size=(60, 2000))
    y = [f"id{row % 50}" for row in range(60)]
    with pytest.raises(ValueError, match="50 different labels for 60 samples"):
        estimator(n_components=1).fit(X, y)


def test_masked_values_are_not_learned_from(blobs):
    X, y = blobs
    hidden = np.ma.masked_array(X, mask=X > 2.5)
    count = int((X > 2.5).sum())
    model = SQFA(2).fit(X, y)
    for use in (lambda: SQFA(2).fit(hidden, y), lambda: model.transform(hidden)):
        with pytest.raises(ValueError, match=f"{count} values are masked"):
            use()
    with pytest.raises(ValueError, match="1 labels are masked"):
        SQFA(2).fit(X, np.ma.masked_array(y, mask=np.arange(len(y)) == 3))
    nothing = np.ma.masked_array(X, mask=False)
    np.testing.assert_array_equal(SQFA(2).fit(nothing, y).components_, model.components_)


@pytest.mark.parametrize("gap", [None, float("nan"), pd.NA, pd.NaT])
def test_missing_labels_are_no_class(blobs, gap):
    X, y = blobs
    names = np.array(["ant", "bee", "cat"], dtype=object)[y]
    names[[5, 9]] = gap
    with pytest.raises(ValueError, match=r"2 of 180 labels are missing .* at row 5"):
        SQFA(2).fit(X, names)


@pytest.mark.parametrize("factor", [1000.0, 1e-3])
def test_points_in_other_units_are_told(blobs, factor):
    X, y = blobs
    sqfa = SQFA(2, random_state=0).fit(X, y)
    for use in (sqfa.transform, lambda points: sqfa.score(points, y)):
        with pytest.warns(UserWarning, match="the same units"):
            use(factor * X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sqfa.transform(X)
        sqfa.transform(X + 0.1)
        # A few points may lie close together, or far away.
        sqfa.transform(factor * X[:5])
