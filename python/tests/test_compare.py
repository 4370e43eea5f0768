"""Comparisons as data frames and reports."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

from sqfa_rs import compare

COMMAND = pathlib.Path(
    os.environ.get("SQFA_COMMAND", pathlib.Path(__file__).parents[2] / "target" / "debug" / "sqfa")
)


def test_records_and_report(digits, tmp_path):
    X, y = digits
    page = tmp_path / "out.html"
    table = compare(
        X[::2],
        y[::2],
        X[1::2],
        y[1::2],
        methods=["pca", "lda", "sqfa"],
        n_components=[2, 12],
        seeds=2,
        classifiers=["qda", "knn"],
        noise="scale",
        report=page,
    )
    # The closed forms run once, sqfa with both seeds.
    assert len(table) == 2 * (1 + 1 + 2)
    lda = table[table.method == "lda"].set_index("n_components")
    assert lda.status[2] == "done" and lda.status[12] == "not-applicable"
    assert "at most 9" in lda.message[12]
    done = table[table.status == "done"]
    assert done.qda_accuracy.between(0.3, 1).all() and done.knn_accuracy.between(0.3, 1).all()
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_refusals(blobs, tmp_path):
    X, y = blobs
    with pytest.raises(ValueError, match="did you mean"):
        compare(X, y, methods=["sqfaa"])
    with pytest.raises(ValueError, match="cannot be used together"):
        compare(X, y, test_fraction=0.2, cv=3)
    with pytest.raises(ValueError, match="only one of X_test"):
        compare(X, y, X)
    with pytest.raises(OSError):
        compare(X, y, methods=["pca"], report=tmp_path / "no" / "out.html")


def recordings(sizes=(4, 6), trials=20, seed=0):
    """Sessions of tuned counts: four orientations, neurons of their own."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 45, 90, 135], trials)
    X = []
    for neurons in sizes:
        preferred = rng.uniform(0, 180, neurons)
        X.append(rng.poisson(4 + 3 * np.cos(np.deg2rad(2 * (y[:, None] - preferred)))).astype(float))
    return X, [y] * len(sizes)


QUICK = {"methods": ["pca", "lda", "sqfa-h"], "n_components": [1, 2], "seeds": 1}


def test_sessions_have_filters_of_their_own(tmp_path):
    X, y = recordings()
    page = tmp_path / "sessions.html"
    names = ["monday", "tuesday"]
    table = compare(X, y, splits=3, sessions=names, circular=180, report=page, **QUICK)
    assert len(table) == 3 * 2 * 2 * 3
    assert sorted(set(table.session)) == names and set(table.fold) == {0, 1, 2}
    text = page.read_text(encoding="utf-8")
    assert "monday" in text and "tuesday" in text
    # Orientations need not be whole numbers.
    halves = compare(X, [labels / 2 for labels in y], splits=3, sessions=names, **QUICK)
    assert halves.qda_accuracy.tolist() == table.qda_accuracy.tolist()
    # The first session does not depend on the others.
    alone = compare(X[0], y[0], splits=3, name="monday", **QUICK)
    key = ["method", "n_components", "fold"]
    both = table[table.session == "monday"].merge(alone, on=key, suffixes=("", "_alone"))
    assert len(both) == len(alone) == 18
    assert (both.qda_accuracy == both.qda_accuracy_alone).all()


def test_sessions_of_a_column_are_sessions_of_a_list():
    X, y = recordings(sizes=(5, 5))
    column = np.repeat(["a", "b"], len(y[0]))
    one = compare(np.vstack(X), np.concatenate(y), splits=2, sessions=column, **QUICK)
    other = compare(X, y, splits=2, sessions=["a", "b"], **QUICK)
    key = ["method", "n_components", "session", "fold"]
    both = one.merge(other, on=key, suffixes=("", "_list"))
    assert len(both) == len(one) == len(other)
    assert (both.qda_accuracy == both.qda_accuracy_list).all()


@pytest.mark.skipif(not COMMAND.exists(), reason="the command sqfa was not built; set SQFA_COMMAND")
def test_the_command_says_the_same_of_sessions(tmp_path):
    X, y = recordings()
    for at, (points, labels) in enumerate(zip(X, y, strict=True)):
        np.savez(tmp_path / f"s{at}.npz", X=points, y=labels)
    table = compare(X, y, splits=2, **QUICK)
    flags = "--splits 2 --seeds 1 --filters 1,2 --json --methods " + ",".join(QUICK["methods"])
    answer = subprocess.run(
        [COMMAND, "compare", "s0.npz", "s1.npz", "--per-file", *flags.split()],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        text=True,
    )
    rows = json.loads(answer.stdout)["rows"]
    ours = dict(
        zip(
            zip(table.method, table.n_components, table.session, table.fold, strict=True),
            table.qda_accuracy,
            strict=True,
        )
    )
    assert len(rows) == len(ours)
    for row in rows:
        session = f"data {row['session'] + 1}"
        assert ours[row["method"], row["filters"], session, row["fold"]] == row["qda"]


def test_groups_stay_on_one_side():
    # Every group has a mark of its own: who learns from a part of it knows the class of the rest.
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(150), 4)
    marks = rng.normal(size=(150, 3)) * 3
    y = np.repeat(rng.permutation(np.arange(150) % 2), 4)
    X = marks[groups] + 0.01 * rng.normal(size=(600, 3))
    settings = {
        "methods": ["pca"],
        "n_components": 3,
        "seeds": 1,
        "classifiers": ["knn"],
        "n_neighbors": 1,
    }
    for parts in ({"splits": 5}, {"cv": 5}):
        apart = compare(X, y, groups=groups, **settings, **parts).knn_accuracy.mean()
        mixed = compare(X, y, **settings, **parts).knn_accuracy.mean()
        # Chance is one half; 75 groups or more are held out, so that four standard deviations are 0.23.
        assert mixed > 0.98 and apart < 0.73, parts


def test_refusals_of_sessions():
    X, y = recordings()
    with pytest.raises(ValueError, match="cv and splits cannot be used together"):
        compare(X[0], y[0], cv=3, splits=2)
    with pytest.raises(ValueError, match="list of 2 arrays of labels"):
        compare(X, y[0])
    with pytest.raises(ValueError, match="sessions has 3 names"):
        compare(X, y, sessions=["a", "b", "c"])
    with pytest.raises(ValueError, match="give groups as a list of 2"):
        compare(X, y, groups=np.zeros(80))
    with pytest.raises(ValueError, match="sessions has 3 values for 80 samples"):
        compare(X[0], y[0], sessions=["a", "b", "c"])
    with pytest.raises(ValueError, match="groups has 79 values for 80 samples"):
        compare(X[0], y[0], groups=np.zeros(79), splits=2)
    with pytest.raises(ValueError, match="leave out splits"):
        compare(X[0], y[0], X[0], y[0], splits=2)
    with pytest.raises(ValueError, match="circular is -1"):
        compare(X[0], y[0], circular=-1)
    # A session without one of the classes cannot be compared with the others.
    few = y[1] != 45
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        compare(X, [y[0], y[1][few]], splits=2, **QUICK)
    with pytest.raises(ValueError, match="session 'data 2' has no sample of class .*45"):
        compare([X[0], X[1][few]], [y[0], y[1][few]], splits=2, **QUICK)


def test_numbers_of_components_follow_the_data():
    X, y = clouds(60, 3)
    table = compare(X, y, methods=["lda", "pca"], cv=3)
    assert sorted(set(table.n_components)) == [2, 3]
    table = compare(X[y < 2], y[y < 2], methods=["lda", "pca"], cv=3)
    assert sorted(set(table.n_components)) == [1, 2, 3]


def clouds(rows, columns):
    """Return three classes around different means."""
    rng = np.random.default_rng(3)
    y = np.arange(rows) % 3
    return rng.normal(size=(rows, columns)) + y[:, None], y
