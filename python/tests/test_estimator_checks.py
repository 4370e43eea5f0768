"""scikit-learn's own checks of every public estimator, and that they really ran."""

from collections import Counter

import numpy as np
import pytest
import sklearn
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.fixes import parse_version

from sqfa_rs import SQFA, HeavyTailedSQFA, SecondMomentSQFA, estimators

# Every estimator with its default parameters, and settings that take other ways through a fit.
DEFAULTS = [
    cls()
    for cls in (getattr(estimators, name) for name in sorted(estimators.__all__))
    if hasattr(cls, "get_params")
]
SETTINGS = [
    SQFA(distance="hellinger", constraint="orthonormal", covariance_estimator="oas"),
    SQFA(distance="wasserstein", init="pca", noise=0.1, sequential=1),
    SQFA(noise="scale", n_init=1),
    SecondMomentSQFA(constraint="orthonormal", n_init=2, n_jobs=1),
    estimators.QDA(shrinkage=0.1, n_jobs=1),
]

# The fewest checks that an estimator must collect: those with weights, and classifiers, have more.
NEW = parse_version(sklearn.__version__) >= parse_version("1.9")
FEWEST = 47 if NEW else 37
WEIGHTED = 56 if NEW else 45
CLASSIFYING = 63 if NEW else 50
LEAST = {
    "HeavyTailedSQFA": WEIGHTED,
    "LinearClassifier": CLASSIFYING,
    "QDA": CLASSIFYING,
    "SQFA": WEIGHTED,
    "SecondMomentSQFA": WEIGHTED,
}

_WHY = (
    "the check has 15 samples of 30 features, and a robust scatter needs more samples per class than "
    "features; test_weights_repeat_samples makes the same comparison with enough samples"
)
EXPECTED = {
    "HeavyTailedSQFA": {
        "check_sample_weight_equivalence_on_dense_data": _WHY,
        "check_sample_weight_equivalence_on_sparse_data": _WHY,
    }
}


def expected(estimator):
    return EXPECTED.get(type(estimator).__name__, {})


def test_the_list_holds_every_public_estimator():
    assert len(DEFAULTS) >= 18
    assert {type(one).__name__ for one in DEFAULTS} >= {"HeavyTailedSQFA", "KNN", "LMNN", "Lift", "SAVE"}


@parametrize_with_checks(DEFAULTS + SETTINGS, expected_failed_checks=expected)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", DEFAULTS, ids=lambda estimator: type(estimator).__name__)
def test_every_check_ran_and_none_was_skipped(estimator):
    results = check_estimator(
        estimator, on_skip=None, on_fail=None, expected_failed_checks=expected(estimator)
    )
    status = Counter(result["status"] for result in results)
    assert len(results) >= LEAST.get(type(estimator).__name__, FEWEST)
    # An expected failure that passes is no longer one.
    assert status["xfail"] == len(expected(estimator))
    assert status["passed"] == len(results) - status["xfail"]


@pytest.mark.parametrize("sparse", [False, True])
def test_weights_repeat_samples(sparse):
    from scipy.sparse import csr_array

    rng = np.random.default_rng(0)
    X, y = rng.standard_t(3, size=(90, 3)), np.arange(90) % 3
    X[:, 0] += y
    weight = rng.integers(0, 4, 90)
    repeated, labels = X.repeat(weight, axis=0), y.repeat(weight)
    order = rng.permutation(90)
    kind = csr_array if sparse else np.asarray
    once = HeavyTailedSQFA(2).fit(kind(X[order]), y[order], sample_weight=weight[order])
    often = HeavyTailedSQFA(2).fit(kind(repeated), labels)
    np.testing.assert_allclose(once.transform(X), often.transform(X), rtol=1e-6, atol=1e-7)
