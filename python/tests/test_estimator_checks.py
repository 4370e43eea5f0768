"""scikit-learn's own checks of every estimator, and that they really ran."""

from collections import Counter

import pytest
import sklearn
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.fixes import parse_version

from sqfa_rs import QDA, SQFA, SecondMomentSQFA

TRANSFORMERS = [
    SQFA(),
    SQFA(distance="hellinger", constraint="orthonormal", covariance="oas"),
    SQFA(distance="wasserstein", init="pca", noise=0.1, sequential=1),
    SQFA(noise="scale", restarts=1),
    SecondMomentSQFA(),
    SecondMomentSQFA(constraint="orthonormal", restarts=2, n_jobs=1),
]
CLASSIFIERS = [QDA(), QDA(shrinkage=0.1, n_jobs=1)]

ONE_POINT = "one class of the check is a single point repeated: QDA refuses it, never guesses"
CLASSIFIER = {
    "check_sample_weight_equivalence_on_dense_data": ONE_POINT,
    "check_sample_weight_equivalence_on_sparse_data": ONE_POINT,
}

NEW = parse_version(sklearn.__version__) >= parse_version("1.9")
CHECKS_OF_A_TRANSFORMER = 56 if NEW else 45
CHECKS_OF_A_CLASSIFIER = 63 if NEW else 50


def expected_failures(estimator):
    return CLASSIFIER if isinstance(estimator, QDA) else {}


@parametrize_with_checks(TRANSFORMERS + CLASSIFIERS, expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", TRANSFORMERS + CLASSIFIERS, ids=lambda e: type(e).__name__)
def test_every_check_ran_and_none_was_skipped(estimator):
    failures = expected_failures(estimator)
    results = check_estimator(estimator, expected_failed_checks=failures, on_skip=None, on_fail=None)
    status = Counter(result["status"] for result in results)
    least = CHECKS_OF_A_CLASSIFIER if isinstance(estimator, QDA) else CHECKS_OF_A_TRANSFORMER
    assert len(results) >= least
    assert status["passed"] == len(results) - len(failures)
    assert status["xfail"] == len(failures)
