"""scikit-learn's own checks of every public estimator, and that they really ran."""

from collections import Counter

import numpy as np
import pytest
import sklearn
from sklearn.base import is_classifier
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.fixes import parse_version
from sklearn.utils.validation import has_fit_parameter

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
    estimators.LDA(shrinkage=0.1),
    estimators.PCA(None),
    estimators.QDA(shrinkage=0.1, n_jobs=1),
]

NEW = parse_version(sklearn.__version__) >= parse_version("1.9")
# The fewest checks of a classifier alone, of a transformer alone, and of estimators that are both.
ALONE, TRANSFORMS, PREDICTS_TOO = (55, 47, 61) if NEW else (45, 38, 50)
# Estimators that accept weights have so many more.
OF_WEIGHTS = 8 if NEW else 4

CHECKS_OF_WEIGHTS = [
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
]
# The checks of weights use 15 samples of 30 features. test_weights_repeat_samples and test_groups.py
# make the same comparison with enough samples.
FEW = "a robust scatter needs more samples per class than features"
FLAT = (
    "the objective is nearly flat, so filters of repeated and of weighted samples agree to three digits"
)


def expected(estimator):
    """Return the checks that fail for a reason, which estimators without a parameter cv do not have."""
    if isinstance(estimator, HeavyTailedSQFA):
        return dict.fromkeys(CHECKS_OF_WEIGHTS, FEW)
    flat = dict.fromkeys(CHECKS_OF_WEIGHTS, FLAT) if hasattr(estimator, "cv") else {}
    if isinstance(estimator, estimators.LFDA):
        # Two different samples per class, in both classes along the same line.
        checks = ["check_sample_weights_shape", "check_sample_weights_not_overwritten"]
        flat |= dict.fromkeys(checks, "the local scatter is singular, which is a clear error")
    return flat


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
    if not is_classifier(estimator):
        least = TRANSFORMS
    elif not hasattr(estimator, "transform"):
        least = ALONE
    else:
        least = PREDICTS_TOO
    if is_classifier(estimator) and has_fit_parameter(estimator, "sample_weight"):
        least += OF_WEIGHTS
    assert len(results) >= least
    assert status["xfail"] <= len(expected(estimator))
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
