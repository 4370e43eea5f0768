"""scikit-learn's own checks of every estimator, and that they really ran."""

from collections import Counter

import pytest
import sklearn
from sklearn.base import is_classifier
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.fixes import parse_version
from sklearn.utils.validation import has_fit_parameter

from sqfa_rs import QDA, SQFA, SecondMomentSQFA
from sqfa_rs.baselines import LDA, PCA, SupervisedPCA

BOTH = [
    SQFA(),
    SQFA(distance="hellinger", constraint="orthonormal", covariance_estimator="oas"),
    SQFA(distance="wasserstein", init="pca", noise=0.1, sequential=1),
    SQFA(noise="scale", n_init=1),
    SecondMomentSQFA(),
    SecondMomentSQFA(constraint="orthonormal", n_init=2, n_jobs=1),
    LDA(shrinkage=0.1),
    SupervisedPCA(2),
]
TRANSFORMERS = [PCA(), PCA(None)]
CLASSIFIERS = [QDA(), QDA(shrinkage=0.1, n_jobs=1)]
ESTIMATORS = BOTH + TRANSFORMERS + CLASSIFIERS

NEW = parse_version(sklearn.__version__) >= parse_version("1.9")
# The fewest checks of a classifier alone, of a transformer alone, and of estimators that are both;
# fits that accept sample weights have more.
ALONE, TRANSFORMS, PREDICTS_TOO, WEIGHTED = (63, 47, 61, 69) if NEW else (50, 38, 50, 54)


# With a parameter cv, these checks fit 15 distinct samples in 30 columns. The objective is nearly flat
# there, so that filters of repeated and of weighted samples agree to three digits. test_groups.py
# compares them on other data.
FLAT = {
    f"check_sample_weight_equivalence_on_{kind}_data": "the objective is nearly flat"
    for kind in ("dense", "sparse")
}


def expected_failures(estimator):
    return {} if isinstance(estimator, QDA) else FLAT


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_every_check_ran_and_none_was_skipped(estimator):
    results = check_estimator(
        estimator, on_skip=None, on_fail=None, expected_failed_checks=expected_failures(estimator)
    )
    status = Counter(result["status"] for result in results)
    if not is_classifier(estimator):
        least = TRANSFORMS
    elif not hasattr(estimator, "transform"):
        least = ALONE
    else:
        least = WEIGHTED if has_fit_parameter(estimator, "sample_weight") else PREDICTS_TOO
    assert len(results) >= least
    assert status["passed"] + status["xfail"] == len(results)
    assert status["xfail"] <= len(expected_failures(estimator))
