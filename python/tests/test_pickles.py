"""Pickles: what goes in comes out, and those of earlier versions still load."""

import pickle

import numpy as np
import pytest

from sqfa_rs import (
    AMA,
    KNN,
    LAD,
    LDA,
    LFDA,
    LMNN,
    PCA,
    QDA,
    SQFA,
    WDA,
    ClassAccumulator,
    LinearClassifier,
    SecondMomentSQFA,
    SupervisedPCA,
)

# Where earlier versions kept their classes.
EARLIER = {
    "sqfa_rs.estimators._classifiers": "sqfa_rs._classifiers",
    "sqfa_rs.estimators._eigen": "sqfa_rs._eigen",
    "sqfa_rs.estimators._likelihood": "sqfa_rs._likelihood",
    "sqfa_rs.estimators._neighbours": "sqfa_rs._neighbours",
    "sqfa_rs.estimators._qda": "sqfa_rs._qda",
    "sqfa_rs.estimators._sqfa": "sqfa_rs._sqfa",
    "sqfa_rs.data._accumulator": "sqfa_rs._statistics",
}
# These stood in two modules, by class.
TUPLES = {"Trial": "_baseline", "Restart": "_results", "Selection": "_results", "Candidate": "_results"}

FITTED = [
    SQFA(2, noise="auto", restarts=1, random_state=0),
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


def as_earlier(thing):
    """The pickle that an earlier version would have made: names are plain text in protocol 2."""
    data = pickle.dumps(thing, protocol=2)
    for name, module in TUPLES.items():
        data = data.replace(
            f"csqfa_rs.estimators._results\n{name}\n".encode(), f"csqfa_rs.{module}\n{name}\n".encode()
        )
    for new, old in EARLIER.items():
        data = data.replace(f"c{new}\n".encode(), f"c{old}\n".encode())
    assert b"csqfa_rs.estimators" not in data and b"csqfa_rs.data" not in data
    return data


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", FITTED, ids=lambda estimator: type(estimator).__name__)
def test_estimators(blobs, estimator):
    X, y = blobs
    estimator.fit(X, y)
    answer = "predict" if hasattr(estimator, "predict") else "transform"
    expected = getattr(estimator, answer)(X)
    for data in (pickle.dumps(estimator), as_earlier(estimator)):
        again = pickle.loads(data)
        assert type(again) is type(estimator)
        np.testing.assert_array_equal(getattr(again, answer)(X), expected)


def test_accumulators_and_partial_fits(blobs):
    X, y = blobs
    sums = ClassAccumulator().update(X, y)
    model = SQFA(2, random_state=0).partial_fit(X, y)
    for pack in (pickle.dumps, as_earlier):
        assert pickle.loads(pack(sums)).to_bytes() == sums.to_bytes()
        again = pickle.loads(pack(model)).partial_fit(X, y)
        assert again.class_counts_.tolist() == [120, 120, 120]
