"""scikit-learn's own checks of every estimator, and that they really ran."""

from collections import Counter

import pytest
import sklearn
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.fixes import parse_version

from sqfa_rs import QDA, SQFA, SecondMomentSQFA

TRANSFORMERS = [
    SQFA(),
    SQFA(distance="hellinger", constraint="orthonormal", covariance_estimator="oas"),
    SQFA(distance="wasserstein", init="pca", noise=0.1, sequential=1),
    SQFA(noise="scale", n_init=1),
    SecondMomentSQFA(),
    SecondMomentSQFA(constraint="orthonormal", n_init=2, n_jobs=1),
]
CLASSIFIERS = [QDA(), QDA(shrinkage=0.1, n_jobs=1)]

NEW = parse_version(sklearn.__version__) >= parse_version("1.9")
CHECKS_OF_A_TRANSFORMER = 56 if NEW else 45
CHECKS_OF_A_CLASSIFIER = 63 if NEW else 50


# With a parameter cv, these checks fit 15 distinct samples in 30 columns. The objective is nearly flat
# there, so that filters of repeated and of weighted samples agree to three digits. test_groups.py
# compares them on other data.
FLAT = {
    f"check_sample_weight_equivalence_on_{kind}_data": "the objective is nearly flat"
    for kind in ("dense", "sparse")
}


def expected_failures(estimator):
    return {} if isinstance(estimator, QDA) else FLAT


@parametrize_with_checks(TRANSFORMERS + CLASSIFIERS, expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", TRANSFORMERS + CLASSIFIERS, ids=lambda e: type(e).__name__)
def test_every_check_ran_and_none_was_skipped(estimator):
    results = check_estimator(
        estimator, on_skip=None, on_fail=None, expected_failed_checks=expected_failures(estimator)
    )
    status = Counter(result["status"] for result in results)
    least = CHECKS_OF_A_CLASSIFIER if isinstance(estimator, QDA) else CHECKS_OF_A_TRANSFORMER
    assert len(results) >= least
    assert status["passed"] + status["xfail"] == len(results)
    assert status["xfail"] <= len(expected_failures(estimator))
