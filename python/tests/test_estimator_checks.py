"""scikit-learn's own checks of every estimator, and that they really ran."""

from collections import Counter

import pytest
import sklearn
from sklearn.base import is_classifier
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.fixes import parse_version

from sqfa_rs import QDA, SQFA, SecondMomentSQFA
from sqfa_rs.baselines import LDA, PCA, SupervisedPCA

BOTH = [
    SQFA(),
    SQFA(distance="hellinger", constraint="orthonormal", covariance_estimator="oas"),
    SQFA(distance="wasserstein", init="pca", noise=0.1, sequential=1),
    SQFA(noise="scale", n_init=1),
    SecondMomentSQFA(),
    SecondMomentSQFA(constraint="orthonormal", n_init=2, n_jobs=1),
    LDA(),
    LDA(shrinkage=None),
    SupervisedPCA(),
]
TRANSFORMERS = [PCA(), PCA(None)]
CLASSIFIERS = [QDA(), QDA(shrinkage=0.1, n_jobs=1)]
ESTIMATORS = BOTH + TRANSFORMERS + CLASSIFIERS

NEW = parse_version(sklearn.__version__) >= parse_version("1.9")
CHECKS_OF_A_TRANSFORMER = 56 if NEW else 45
CHECKS_OF_A_CLASSIFIER = 63 if NEW else 50
CHECKS_OF_BOTH = 67 if NEW else 54


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_every_check_ran_and_none_was_skipped(estimator):
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    status = Counter(result["status"] for result in results)
    least = CHECKS_OF_BOTH
    if not is_classifier(estimator):
        least = CHECKS_OF_A_TRANSFORMER
    elif not hasattr(estimator, "transform"):
        least = CHECKS_OF_A_CLASSIFIER
    assert len(results) >= least
    assert status["passed"] == len(results)
