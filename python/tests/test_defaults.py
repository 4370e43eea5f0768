"""What is chosen when nothing is given: the same as by the command, told and kept."""

import os
import pathlib
import pickle
import subprocess
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from baselines import BASELINES
from patience import PATIENCE
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import sqfa_rs
from sqfa_rs import SQFA, SecondMomentSQFA, class_statistics
from sqfa_rs.baselines import LDA, LFDA, LMNN, PCA, WDA

COMMAND = pathlib.Path(
    os.environ.get("SQFA_COMMAND", pathlib.Path(__file__).parents[2] / "target" / "debug" / "sqfa")
)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def by_command(folder, X, y, *flags):
    np.savez(folder / "data.npz", X=X, y=y)
    arguments = [COMMAND, "fit", "data.npz", *flags, "-o", "theirs"]
    subprocess.run(arguments, cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    return sqfa_rs.load(folder / "theirs")


def same_model(ours, theirs):
    np.testing.assert_array_equal(ours.components_, theirs.components_)
    np.testing.assert_array_equal(ours.offset_, theirs.offset_)
    np.testing.assert_array_equal(ours.feature_means_, theirs.feature_means_)
    np.testing.assert_array_equal(ours.feature_covariances_, theirs.feature_covariances_)
    assert ours.selection_ == theirs.selection_
    assert ours.scaling_ == theirs.scaling_
    assert ours.dropped_features_.tolist() == theirs.dropped_features_.tolist()
    assert ours.noise_ == theirs.noise_


@pytest.mark.skipif(not COMMAND.exists(), reason="the command sqfa was not built; set SQFA_COMMAND")
@pytest.mark.parametrize(
    ("estimator", "flags"),
    [
        (SQFA(2), ("-m", "2")),
        (SQFA(4, distance="hellinger"), ("-m", "4", "--method", "sqfa-h")),
        (SQFA(2, scaling="common"), ("-m", "2", "--scaling", "common")),
        (SQFA(2, covariance_estimator="oas"), ("-m", "2", "--covariance-estimator", "oas")),
        (SQFA(2, refine=True), ("-m", "2", "--refine")),
        (SQFA("auto", max_components=4), ("-m", "auto", "--max-filters", "4")),
        (SecondMomentSQFA(2), ("-m", "2", "--method", "smsqfa")),
        (PCA(2, scaling="per-feature"), ("-m", "2", "--method", "pca", "--scaling", "per-feature")),
        *((cls(2), ("-m", "2", "--method", cls._method)) for cls in BASELINES),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_same_as_by_the_command(wine, tmp_path, estimator, flags):
    X, y = wine
    # A column that tells nothing is set aside by both.
    X = np.c_[X[:, :5], np.full(len(X), 7.0), X[:, 5:]]
    ours, theirs = estimator.fit(X, y), by_command(tmp_path, X, y, *flags)
    assert ours.dropped_features_.tolist() == [5]
    same_model(ours, theirs)
    if hasattr(ours, "curve_"):
        assert ours.curve_ == theirs.curve_ and len(ours.components_) == len(theirs.components_)
    # What was chosen survives our files as it does the command's.
    sqfa_rs.save(ours, tmp_path / "ours")
    same_model(ours, sqfa_rs.load(tmp_path / "ours"))


@pytest.mark.skipif(not COMMAND.exists(), reason="the command sqfa was not built; set SQFA_COMMAND")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_the_same_as_by_the_command_in_every_precision(digits, tmp_path, dtype):
    X, y = digits
    X = X.astype(dtype)
    same_model(SQFA(8).fit(X, y), by_command(tmp_path, X, y, "-m", "8"))


def held_out(estimator, X, y):
    """Points classified rightly in five folds."""
    right = 0
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        right += estimator.fit(X[train], y[train]).score(X[test], y[test]) * len(test)
    return round(right)


def test_a_table_of_unlike_columns(wine):
    X, y = wine
    plain = held_out(SQFA(2), X, y)
    assert plain >= 0.96 * len(y)
    for column, factor in ((0, 1000.0), (4, 0.001)):
        other = X.copy()
        other[:, column] *= factor
        assert abs(held_out(SQFA(2), other, y) - plain) <= 1


def test_what_was_chosen_is_told(digits, capsys):
    X, y = digits
    sqfa = SQFA(4, verbose=1).fit(X, y)
    selection = sqfa.selection_
    assert selection.folds == 5 and selection.scaling in ("within-class", "per-feature", "common")
    chosen = [one for one in selection.tried if one[:2] == (selection.scaling, selection.noise)]
    best = max(one.log_posterior for one in selection.tried if one.points == len(X))
    assert len(chosen) == 1 and chosen[0].points == len(X) and chosen[0].log_posterior > best - 0.1
    assert set(np.flatnonzero(X.std(axis=0) == 0)) <= set(sqfa.dropped_features_)
    assert not sqfa.components_[:, sqfa.dropped_features_].any()
    told = capsys.readouterr().out
    assert f"scaling {selection.scaling}" in told and "dropped constant columns: 0," in told
    again = pickle.loads(pickle.dumps(sqfa))
    assert again.selection_ == selection


def test_the_number_of_components(wine, tmp_path):
    X, y = wine
    sqfa = SQFA("auto", max_components=6).fit(X, y)
    counts = [point.n_components for point in sqfa.curve_]
    assert counts == [1, 2, 3, 4, 6] and len(sqfa.components_) in counts
    accuracy = {point.n_components: point.accuracy for point in sqfa.curve_}
    # Three cultivars: one component is clearly too few, and two do as well as any.
    assert accuracy[1] < accuracy[2] and len(sqfa.components_) == 2
    assert sqfa.transform(X).shape == (len(X), 2)
    sqfa_rs.save(sqfa, tmp_path / "model")
    assert sqfa_rs.load(tmp_path / "model").curve_ == sqfa.curve_
    assert not hasattr(sqfa.set_params(n_components=2).fit(X, y), "curve_")
    with pytest.raises(ValueError, match="only class statistics were given"):
        SQFA("auto").fit_statistics(class_statistics(X, y))
    with pytest.raises(TypeError, match="whole number"):
        LMNN("auto").fit(X, y)


def test_the_closed_form_where_no_point_is_kept(wine):
    X, y = wine
    given = SQFA(2).fit_statistics(class_statistics(X, y))
    assert given.selection_[:6] == ("within-class", "0.3x", "default", 0, None, [])
    table = pa.table({**{f"x{i}": column for i, column in enumerate(X.T)}, "kind": y})
    stream = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=50))
    streamed = SQFA(2).fit(stream, "kind")
    np.testing.assert_allclose(streamed.components_, given.components_, rtol=1e-6, atol=1e-9)
    added = SQFA(2)
    for part in np.array_split(np.random.default_rng(0).permutation(len(X)), 3):
        added.partial_fit(X[part], y[part])
    for sqfa in (streamed, added):
        assert sqfa.selection_ == given.selection_ and sqfa.score(X, y) > 0.97
    assert added.objective_ == pytest.approx(given.objective_, rel=1e-4)


def test_second_moments_alone_have_the_noise_of_their_scale(wine):
    X, y = wine
    statistics = class_statistics(X, y)
    moments = statistics.covariances + np.einsum("ki,kj->kij", statistics.means, statistics.means)
    sqfa = SecondMomentSQFA(2).fit_statistics(None, moments)
    assert sqfa.selection_[:6] == ("none", "1x", "default", 0, None, [])
    assert sqfa.noise_ == pytest.approx(np.trace(moments.mean(axis=0)) / 13)


@pytest.mark.parametrize("settings", [{}, {"refine": True}], ids=str)
def test_a_weighted_row_is_a_repeated_row(wine, settings):
    X, y = wine
    weights = 1 + np.arange(len(y)) % 3
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(len(y)), weights))
    weighted = SQFA(2, **settings).fit(X, y, sample_weight=weights)
    repeated = SQFA(2, **settings).fit(X[rows], y[rows])
    twice = SQFA(2, **settings).fit(X, y, sample_weight=np.full(len(y), 2))
    doubled = SQFA(2, **settings).fit(np.r_[X, X], np.r_[y, y])
    for one, other in ((weighted, repeated), (twice, doubled)):
        np.testing.assert_allclose(one.transform(X), other.transform(X), atol=1e-5)
        assert one.selection_[:4] == other.selection_[:4]
        for mine, theirs in zip(one.selection_.tried, other.selection_.tried, strict=True):
            assert mine[:3] == theirs[:3]
            np.testing.assert_allclose(mine[3:], theirs[3:], atol=1e-6)


def test_searches_over_anything(wine):
    X, y = wine
    grid = {
        "noise": ["auto", "scale", 0.1],
        "scaling": ["auto", "per-feature"],
        "n_components": ["auto", 2],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folds = StratifiedKFold(3, shuffle=True, random_state=0)
        search = GridSearchCV(SQFA(n_init=1), grid, cv=folds).fit(X, y)
    tried = map(str, search.cv_results_["params"])
    scores = dict(zip(tried, search.cv_results_["mean_test_score"], strict=True))
    assert not [name for name, score in scores.items() if np.isnan(score)]
    assert search.best_score_ > 0.95


def test_given_filters_are_where_it_starts(wine):
    X, y = wine
    first = SQFA(2).fit(X, y)
    again = SQFA(2, init=first.components_, n_init=1).fit(X, y)
    assert again.selection_ == first.selection_
    assert again.objective_trace_[0] == pytest.approx(first.objective_, rel=1e-6)


def test_tables_that_tell_nothing(blobs):
    X, y = blobs
    for estimator in (SQFA(2), PCA(2), LDA(2), LFDA(2), LMNN(2), WDA(2)):
        with pytest.raises(ValueError, match="all 5 columns are constant"):
            estimator.fit(np.full_like(X, 3.0), y)
    with pytest.raises(ValueError, match="all 5 columns are constant"):
        SQFA(2).fit_statistics(class_statistics(np.full_like(X, 3.0), y))
    for estimator in (SQFA(2), LDA(2), LFDA(2)):
        with pytest.raises(ValueError, match="180 different labels for 180 samples"):
            estimator.fit(X, [f"id{i}" for i in range(len(y))])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_constant_columns_are_set_aside_for_every_method(blobs):
    X, y = blobs
    wide = np.insert(X, 2, 4.0, axis=1)
    for estimator in [SQFA(2), *(cls(2) for cls in BASELINES)]:
        plain = estimator.fit(X, y).transform(X)
        with_constant = estimator.fit(wide, y)
        assert with_constant.dropped_features_.tolist() == [2]
        # Which filter is first may not depend on the column.
        np.testing.assert_allclose(with_constant.transform(wide), plain, atol=1e-6)


def test_small_classes(blobs):
    X, y = blobs
    # Three points of class 0 and two of class 1: fewer than there are folds.
    rows = np.r_[np.flatnonzero(y == 0)[:3], np.flatnonzero(y == 1)[:2], np.flatnonzero(y == 2)]
    sqfa = SQFA(2).fit(X[rows], y[rows])
    assert sqfa.selection_.folds > 0 and sqfa.class_counts_.tolist() == [3, 2, 60]
    # Where no class has three, nothing is held out.
    rows = np.r_[[np.flatnonzero(y == k)[:2] for k in range(3)]].ravel()
    few = SQFA(2).fit(X[rows], y[rows])
    assert few.selection_.reason == "default"


def test_columns_have_names():
    iris = load_iris(as_frame=True)
    X, y = iris.data, iris.target
    sqfa = SQFA(2).fit(X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        sqfa.transform(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="feature names should match"):
        sqfa.transform(X.rename(columns={X.columns[0]: "other"}))
    twice = pd.concat([X, X.iloc[:, :1]], axis=1)
    for estimator in (SQFA(2), LDA(2), sqfa_rs.QDA()):
        with pytest.raises(ValueError, match="sepal length"):
            estimator.fit(twice, y)
