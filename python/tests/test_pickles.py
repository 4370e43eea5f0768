"""Pickles: estimators and accumulators come back as they were."""

import pickle

import numpy as np
import pytest

from sqfa_rs import QDA, SQFA, ClassAccumulator, SecondMomentSQFA
from sqfa_rs.baselines import AMA, KNN, LAD, LDA, LFDA, LMNN, PCA, WDA, LinearClassifier, SupervisedPCA

FITTED = [
    SQFA(2, noise="auto", n_init=1, random_state=0),
    SecondMomentSQFA(2, random_state=0),
    PCA(2),
    LDA(2, random_state=0),
    SupervisedPCA(2),
    LFDA(2, n_neighbors=3),
    LMNN(2, n_neighbors=2),
    WDA(2, reg=1.0, random_state=0),
    AMA(2, random_state=0),
    LAD(2, random_state=0),
    QDA(),
    LinearClassifier(),
    KNN(),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", FITTED, ids=lambda estimator: type(estimator).__name__)
def test_estimators(blobs, estimator):
    X, y = blobs
    estimator.fit(X, y)
    answer = "predict" if hasattr(estimator, "predict") else "transform"
    expected = getattr(estimator, answer)(X)
    again = pickle.loads(pickle.dumps(estimator))
    assert type(again) is type(estimator)
    np.testing.assert_array_equal(getattr(again, answer)(X), expected)


def test_accumulators_and_partial_fits(blobs):
    X, y = blobs
    sums = ClassAccumulator().update(X, y)
    model = SQFA(2, random_state=0).partial_fit(X, y)
    assert pickle.loads(pickle.dumps(sums)).to_bytes() == sums.to_bytes()
    again = pickle.loads(pickle.dumps(model)).partial_fit(X, y)
    assert again.class_counts_.tolist() == [120, 120, 120]
