"""Accumulators: pure merges in a fixed order, labels that keep their type, parts without points."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from sqfa_rs import SQFA, ClassAccumulator, class_statistics

LABELS = {
    "int64": np.array([3, 5, 9]),
    "int32": np.array([3, 5, 9], dtype=np.int32),
    "uint8": np.array([0, 7, 255], dtype=np.uint8),
    "float64": np.array([0.0, 1.0, 2.0]),
    "halves": np.array([0.5, 1.0, 2.5]),
    "float32": np.array([0, 1, 2], dtype=np.float32),
    "text": np.array(["left", "right", "Ω"]),
    "objects": np.array(["left", "right", "Ω"], dtype=object),
    "bool": np.array([False, True]),
}


def parts(X, y, count):
    rows = np.array_split(np.arange(len(X)), count)
    return [ClassAccumulator().update(X[part], y[part]) for part in rows]


def test_a_merge_changes_neither_part(blobs):
    a, b = parts(*blobs, 2)
    before = a.to_bytes(), b.to_bytes()
    merged = ClassAccumulator().merge(a).merge(b)
    assert (a.to_bytes(), b.to_bytes()) == before
    assert merged.counts.tolist() == [60, 60, 60]
    # A task that runs again on the same parts finds the same.
    assert ClassAccumulator().merge(a).merge(b).to_bytes() == merged.to_bytes()
    assert a.merge(b).to_bytes() == merged.to_bytes()
    # What is done to the result does not reach the parts.
    merged.update(*blobs)
    assert (a.to_bytes(), b.to_bytes()) == before


def test_a_merge_is_what_both_have_seen(blobs):
    X, y = blobs
    merged = ClassAccumulator.merge_all(parts(X, y, 7)).finish()
    whole = class_statistics(X, y)
    np.testing.assert_allclose(merged.means, whole.means, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(merged.covariances, whole.covariances, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 11])
def test_many_are_merged_by_a_tree_of_neighbors(blobs, count):
    made = parts(*blobs, count)
    before = [part.to_bytes() for part in made]
    merged = ClassAccumulator.merge_all(iter(made))

    def by_hand(level):
        while len(level) > 1:
            level = [
                level[i].merge(level[i + 1]) if i + 1 < len(level) else level[i]
                for i in range(0, len(level), 2)
            ]
        return level[0]

    assert merged.to_bytes() == by_hand(made).to_bytes()
    assert [part.to_bytes() for part in made] == before
    merged.update(*blobs)
    assert [part.to_bytes() for part in made] == before


def test_nothing_merges_to_nothing(blobs):
    empty = ClassAccumulator.merge_all([])
    assert empty.counts.tolist() == [] and empty.n_features is None
    whole = ClassAccumulator().update(*blobs)
    for merged in (empty.merge(whole), whole.merge(empty), ClassAccumulator.merge_all([empty, whole])):
        assert merged.to_bytes() == whole.to_bytes()
    with pytest.raises(TypeError, match="expects a ClassAccumulator"):
        whole.merge(whole.to_bytes())


@pytest.mark.parametrize("name", LABELS)
def test_labels_keep_their_type(blobs, name):
    X, y = blobs
    labels = LABELS[name][y % len(LABELS[name])]
    sums = ClassAccumulator().update(X, labels)
    for again in (ClassAccumulator.from_bytes(sums.to_bytes()), pickle.loads(pickle.dumps(sums))):
        assert again.classes.dtype == sums.classes.dtype == labels.dtype
        assert again.classes.tolist() == sums.classes.tolist()
        assert again.to_bytes() == sums.to_bytes()
        np.testing.assert_array_equal(again.finish().covariances, sums.finish().covariances)
    model = SQFA(1, random_state=0).fit_statistics(ClassAccumulator.from_bytes(sums.to_bytes()).finish())
    assert model.classes_.dtype == labels.dtype


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float64])
def test_parts_that_traveled_meet_new_classes(blobs, dtype):
    X, y = blobs
    labels = y.astype(dtype)
    first = ClassAccumulator().update(X[y < 2], labels[y < 2])
    rest = ClassAccumulator().update(X[y == 2], labels[y == 2])
    merged = ClassAccumulator.from_bytes(first.to_bytes()).merge(
        ClassAccumulator.from_bytes(rest.to_bytes())
    )
    assert merged.classes.dtype == dtype and merged.classes.tolist() == [0, 1, 2]
    np.testing.assert_allclose(merged.finish().covariances, class_statistics(X, y).covariances)
    # Numbers of different types are the same classes.
    mixed = first.merge(ClassAccumulator().update(X[y > 0], y[y > 0]))
    assert mixed.classes.tolist() == [0, 1, 2] and mixed.counts.tolist() == [60, 120, 60]


def test_text_and_numbers_do_not_mix(blobs):
    X, y = blobs
    numbers, text = ClassAccumulator().update(X, y), ClassAccumulator().update(X, y.astype(str))
    before = numbers.to_bytes()
    for mix in (lambda: numbers.merge(text), lambda: numbers.update(X, y.astype(str))):
        with pytest.raises(ValueError, match="use only text or only numbers"):
            mix()
    assert numbers.to_bytes() == before


def test_parts_without_points(blobs):
    X, y = blobs
    sums = ClassAccumulator().update(X[:0], y[:0])
    assert sums.counts.tolist() == [] and sums.n_features is None
    sums.update(X, y).update(X[:0], np.array([])).update(sparse.csr_array(X[:0]), [])
    assert sums.to_bytes() == ClassAccumulator().update(X, y).to_bytes()
    with pytest.raises(ValueError, match="4 features cannot be added"):
        sums.update(X[:0, :4], y[:0])


def test_bytes_before_any_point(blobs):
    X, y = blobs
    again = ClassAccumulator.from_bytes(ClassAccumulator().to_bytes())
    assert again.counts.tolist() == []
    assert again.update(X, y).to_bytes() == ClassAccumulator().update(X, y).to_bytes()
    known = ClassAccumulator.from_bytes(ClassAccumulator(["a", "b", "c"]).to_bytes())
    assert known.classes.tolist() == ["a", "b", "c"] and known.counts.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="not one of the 3 known classes"):
        known.update(X[:1], ["d"])


def test_a_failed_update_adds_no_class(blobs):
    X, y = blobs
    sums = ClassAccumulator().update(X[y < 2], y[y < 2])
    poisoned = X[y == 2].copy()
    poisoned[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        sums.update(poisoned, y[y == 2])
    assert sums.classes.tolist() == [0, 1]


def test_given_classes_are_part_of_a_merge(blobs):
    X, y = blobs
    merged = ClassAccumulator().update(X, y).merge(ClassAccumulator([2, 3]))
    assert merged.classes.tolist() == [0, 1, 2, 3] and merged.counts.tolist() == [60, 60, 60, 0]
    with pytest.raises(ValueError, match="not one of the 2 known classes"):
        ClassAccumulator([0, 1]).merge(ClassAccumulator().update(X, y))


def test_damaged_envelopes(blobs):
    X, y = blobs
    good = ClassAccumulator().update(X, y.astype(np.uint8)).to_bytes()
    for damaged in (good[:8], good[:20], good[:-1], good + b"0", good[:30] + b"!" + good[31:]):
        with pytest.raises(ValueError, match="not class statistics"):
            ClassAccumulator.from_bytes(damaged)
    mixed = np.array([1, (2, 3)], dtype=object)
    sums = ClassAccumulator()
    sums.classes = mixed
    with pytest.raises(TypeError, match="neither numbers nor text"):
        sums.to_bytes()


@pytest.mark.parametrize("form", ["dense", "sketch:3"])
def test_ledoit_wolf_needs_the_samples(blobs, form):
    X, y = blobs
    sums = ClassAccumulator(form=form).update(X, y)
    with pytest.raises(ValueError, match="ledoit-wolf.*(use oas or a fraction|a shrinkage)"):
        sums.finish("ledoit-wolf")
    with pytest.raises(ValueError, match="ledoit-wolf"):
        SQFA(2, covariance_estimator="ledoit-wolf").fit_statistics(sums.finish())
    assert sums.finish(0.1).means.shape == (3, X.shape[1])
