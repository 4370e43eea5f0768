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


@parametrize_with_checks(TRANSFORMERS + CLASSIFIERS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", TRANSFORMERS + CLASSIFIERS, ids=lambda e: type(e).__name__)
def test_every_check_ran_and_none_was_skipped(estimator):
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    status = Counter(result["status"] for result in results)
    least = CHECKS_OF_A_CLASSIFIER if isinstance(estimator, QDA) else CHECKS_OF_A_TRANSFORMER
    assert len(results) >= least
    assert status["passed"] == len(results)
