"""Groups of samples and predefined folds, on which a fit selects what is not specified."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)

import sqfa_rs
from sqfa_rs import SQFA
from sqfa_rs.baselines import LDA, LFDA, LMNN, NCA, PCA, WDA, SupervisedPCA

REDUCERS = [SQFA, PCA, LDA, SupervisedPCA, LFDA, LMNN, WDA, NCA]


def grouped(
    per_class: int = 8, seed: int = 0, features: int = 10
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Samples whose noise is that of their group: the samples of a group are nearly equal."""
    rng = np.random.default_rng(seed)
    y = np.arange(3 * per_class) % 3
    centers = rng.normal(size=(len(y), features)) + 1.0 * np.eye(3, features)[y]
    X = np.repeat(centers, 12, axis=0)
    X += 0.05 * rng.normal(size=X.shape)
    return X, np.repeat(y, 12), np.repeat(np.arange(len(y)), 12)


def accuracy(reducer: Any) -> float:
    assert reducer.selection_ is not None
    assert reducer.selection_.accuracy is not None
    return float(reducer.selection_.accuracy)


def test_held_out_accuracy_is_that_of_unseen_groups() -> None:
    X, y, groups = grouped()
    new_X, new_y, _ = grouped(400, seed=1)
    apart = SQFA(4).fit(X, y)
    assert accuracy(apart) > apart.score(new_X, new_y) + 0.25
    together = SQFA(4).fit(X, y, groups=groups)
    assert abs(accuracy(together) - together.score(new_X, new_y)) < 0.15


@pytest.mark.parametrize("name", [str, "{:03d}".format, float])
def test_groups_may_have_any_names(name: Any) -> None:
    X, y, groups = grouped(4)
    named = [name(group) for group in groups]
    expected = SQFA(2).fit(X, y, groups=groups)
    found = SQFA(2).fit(X, y, groups=named)
    np.testing.assert_array_equal(found.components_, expected.components_)


@pytest.mark.parametrize("reducer", REDUCERS)
def test_every_reducer_accepts_weights_and_groups(reducer: Any) -> None:
    X, y, groups = grouped(4, features=5)
    weights = np.arange(len(y)) % 3
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = reducer(2).fit(X, y, sample_weight=weights, groups=groups)
    repeated = reducer(2).fit(X[rows], y[rows], groups=groups[rows])
    assert weighted.components_.shape == (2, 5)
    # The same subspace; rounding differs between weighted and repeated samples.
    _, cosines, _ = np.linalg.svd(
        np.linalg.qr(weighted.components_.T)[0].T @ np.linalg.qr(repeated.components_.T)[0]
    )
    assert cosines.min() > 1 - 1e-3


def test_sparse_samples_and_many_columns() -> None:
    X, y, groups = grouped(6, features=300)
    together = SQFA(2).fit(X, y, groups=groups)
    assert accuracy(SQFA(2).fit(X, y)) > accuracy(together) + 0.1
    again = SQFA(2).fit(sparse.csr_matrix(X), y, groups=groups)
    np.testing.assert_array_equal(again.components_, together.components_)


def test_samples_of_weight_zero_are_in_no_group() -> None:
    X, y, groups = grouped(4)
    weights = (groups % 4 > 0).astype(int)
    kept = weights > 0
    found = SQFA(2).fit(X, y, sample_weight=weights, groups=groups)
    expected = SQFA(2).fit(X[kept], y[kept], groups=groups[kept])
    np.testing.assert_array_equal(found.components_, expected.components_)


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ([0, 1], "groups has 2 values for 144 samples"),
        ([None] * 144, "groups are missing"),
        ([float("nan")] * 144, "groups is NaN at row 0"),
        ([7] * 144, "one group only"),
    ],
)
def test_wrong_groups_are_refused(groups: list[Any], words: str) -> None:
    X, y, _ = grouped(4)
    with pytest.raises(ValueError, match=words):
        SQFA(2).fit(X, y, groups=groups)


def test_folds_of_a_splitter_are_those_of_its_indices() -> None:
    X, y, groups = grouped(6)
    splitter = StratifiedGroupKFold(3)
    one = SQFA(2, cv=splitter).fit(X, y, groups=groups)
    other = SQFA(2, cv=list(splitter.split(X, y, groups))).fit(X, y)
    np.testing.assert_array_equal(one.components_, other.components_)
    assert one.selection_ is not None
    assert one.selection_.folds == 3
    mask = StratifiedKFold(4).split(X, y)
    masks = [(np.isin(np.arange(len(y)), train), test) for train, test in mask]
    assert SQFA(2, cv=masks).fit(X, y).selection_.folds == 4
    assert SQFA(2, cv=4).fit(X, y, groups=groups).selection_.folds == 4
    assert accuracy(SQFA(2, cv=4).fit(X, y)) > accuracy(one) + 0.1


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        (1, "cv is 1"),
        (RepeatedKFold(n_splits=3), "in the test sets of splits"),
        (TimeSeriesSplit(3), "neither trains on nor tests sample"),
        ([([0, 1], [1, 2])], "both trains on and tests sample 1"),
        ([([0], [999])], "not valid"),
        ([], "hold out no sample"),
        (KFold(3), "leaves 0 sample"),
    ],
)
def test_wrong_folds_are_refused(cv: Any, words: str) -> None:
    X, y, _ = grouped(2)
    order = np.argsort(y, kind="stable")
    with pytest.raises(ValueError, match=words):
        SQFA(2, cv=cv).fit(X[order], y[order])
    with pytest.raises(TypeError, match="cv is 'five'"):
        SQFA(2, cv="five").fit(X, y)


def test_searches_pass_groups_on_with_metadata_routing() -> None:
    X, y, groups = grouped(4)
    plain = GridSearchCV(SQFA(2), {"n_components": [1, 2]}, cv=StratifiedGroupKFold(2)).fit(
        X, y, groups=groups
    )
    with sklearn.config_context(enable_metadata_routing=True):
        routed = GridSearchCV(
            SQFA(2).set_fit_request(groups=True), {"n_components": [1, 2]}, cv=StratifiedGroupKFold(2)
        ).fit(X, y, groups=groups)
        scores = cross_val_score(
            SQFA(2).set_fit_request(groups=True),
            X,
            y,
            cv=StratifiedGroupKFold(2),
            params={"groups": groups},
        )
    assert len(scores) == 2
    # Without routing, the groups reach the splitter alone.
    own = {"n_components": routed.best_params_["n_components"]}
    expected = SQFA(**own).fit(X, y, groups=groups)
    np.testing.assert_array_equal(routed.best_estimator_.components_, expected.components_)
    expected = SQFA(plain.best_params_["n_components"]).fit(X, y)
    np.testing.assert_array_equal(plain.best_estimator_.components_, expected.components_)


def test_a_stream_has_no_groups() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    X, y, groups = grouped(4)
    table = pyarrow.table({**{f"x{at}": column for at, column in enumerate(X.T)}, "y": y})
    stream = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches())
    with pytest.raises(ValueError, match="groups cannot be used"):
        SQFA(2).fit(stream, "y", groups=groups)


def test_cv_is_a_parameter_that_clones() -> None:
    reducer = SQFA(2, cv=GroupKFold(3))
    assert isinstance(sklearn.base.clone(reducer).cv, GroupKFold)
    assert sqfa_rs.SQFA().cv is None


def test_time_series_are_noticed() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 4))
    for row in range(1, len(X)):
        X[row] += 0.9 * X[row - 1]
    y = np.repeat([0, 1], 2000)
    with pytest.warns(UserWarning, match=r"correlation of 0\.\d+.*fit\(X, y, groups=\.\.\.\)"):
        SQFA(1).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SQFA(1).fit(X, y, groups=np.arange(len(y)) // 200)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits, load_breast_cancer])
def test_ordinary_tables_are_not_time_series(load: Any) -> None:
    X, y = load(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SQFA(1).fit(X, y)
