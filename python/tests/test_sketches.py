"""Sketches of class statistics from Python: bounds, merges, bytes, fits, and what they refuse."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import sqfa_rs
from sqfa_rs import SQFA, ClassAccumulator, class_statistics


def points(rank=8, columns=60, noise=0.0, rows=300):
    rng = np.random.default_rng(5)
    y = np.arange(rows) % 3
    strengths = rng.normal(size=(rows, rank)) * (1 + y[:, None]) + 3 * y[:, None]
    X = strengths @ rng.normal(size=(rank, columns)) + 50
    return X + noise * rng.normal(size=X.shape), y


def entries(statistics):
    return statistics.project(np.eye(statistics.n_features))[1]


def test_rank_up_to_the_rows_is_exact():
    X, y = points()
    exact, sketch = class_statistics(X, y), class_statistics(X, y, form="sketch:8")
    assert exact.bounds is None
    assert sketch.bounds.tolist() == [0, 0, 0]
    np.testing.assert_allclose(sketch.means, exact.means, rtol=1e-12)
    np.testing.assert_allclose(entries(sketch), exact.covariances, rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="not kept entry by entry"):
        _ = sketch.covariances
    fitted = SQFA(2, noise=0.5, scaling="none", random_state=0).fit_statistics(sketch)
    local = SQFA(2, noise=0.5, scaling="none", random_state=0).fit_statistics(exact)
    assert fitted.objective_ == pytest.approx(local.objective_, rel=1e-6)


def test_the_bound_holds_for_parts_in_any_form_of_update():
    X, y = points(rank=20, noise=0.5)
    exact = class_statistics(X, y)
    whole = ClassAccumulator(form="sketch:10").update(X, y)
    batches = ClassAccumulator(form="sketch:10")
    for first in range(0, 300, 37):
        batches.update(X[first : first + 37], y[first : first + 37])
    assert batches.to_bytes() == whole.to_bytes()
    parts = [ClassAccumulator(form="sketch:10").update(X[i::4], y[i::4]) for i in range(4)]
    merged = ClassAccumulator.merge_all(parts)
    assert merged.to_bytes() == ClassAccumulator.merge_all(parts).to_bytes()
    for sums in (whole, merged):
        statistics = sums.finish()
        gaps = np.linalg.norm(entries(statistics) - exact.covariances, ord=2, axis=(1, 2))
        assert (statistics.bounds > 0).all()
        assert (gaps <= statistics.bounds).all()


def test_weights_sparse_points_and_streams():
    X, y = points()
    weights = np.arange(300) % 4
    exact = class_statistics(X, y, sample_weight=weights)
    for given in (X, sparse.csr_matrix(X)):
        sketch = class_statistics(given, y, sample_weight=weights, form="sketch:9")
        assert sketch.counts.tolist() == exact.counts.tolist()
        np.testing.assert_allclose(entries(sketch), exact.covariances, rtol=1e-8, atol=1e-8)


def test_bytes_pickles_and_empty_parts():
    X, y = points(noise=0.3)
    sums = ClassAccumulator(form="sketch:6").update(X, np.array(["a", "b", "c"])[y])
    for copy in (ClassAccumulator.from_bytes(sums.to_bytes()), pickle.loads(pickle.dumps(sums))):
        assert copy.form == "sketch:6"
        assert copy.to_bytes() == sums.to_bytes()
        assert (copy.finish().bounds == sums.finish().bounds).all()
    empty = ClassAccumulator(form="sketch:6")
    for both in (empty.merge(sums), sums.merge(empty), sums.merge(ClassAccumulator())):
        assert both.form == "sketch:6"
        assert both.to_bytes() == sums.to_bytes()
    assert ClassAccumulator.from_bytes(empty.to_bytes()).n_features is None
    damaged = bytearray(sums.to_bytes())
    damaged[-20] ^= 1
    with pytest.raises(ValueError, match="checksum"):
        ClassAccumulator.from_bytes(bytes(damaged))


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("sketch:0", "1 to 4096"),
        ("sketch:9999", "1 to 4096"),
        ("sketch:few", "'sketch:ROWS'"),
        ("sketch:", "'sketch:ROWS'"),
        ("sparse", "'sketch:ROWS'"),
    ],
)
def test_forms_that_are_none_are_refused(form, message):
    with pytest.raises(ValueError, match=message):
        ClassAccumulator(form=form)
    with pytest.raises(ValueError, match=message):
        class_statistics(*points(), form=form)
    with pytest.raises(TypeError, match="form must be"):
        ClassAccumulator(form=100)


def test_what_does_not_fit_together_is_refused():
    X, y = points()
    sketch = ClassAccumulator(form="sketch:6").update(X, y)
    with pytest.raises(ValueError, match="form 'dense' cannot be merged into one of form 'sketch:6'"):
        sketch.merge(ClassAccumulator().update(X, y))
    with pytest.raises(ValueError, match="form 'sketch:6' cannot be merged into one of form 'sketch:7'"):
        ClassAccumulator(form="sketch:7").update(X, y).merge(sketch)
    with pytest.raises(ValueError, match="cannot be computed from sketches"):
        sketch.finish("oas")
    before = sketch.to_bytes()
    bad = X.copy()
    bad[7, 3] = np.nan
    with pytest.raises(ValueError, match="row 7, column 3"):
        sketch.update(bad, y)
    assert sketch.to_bytes() == before


def test_many_dimensions_fit_where_entries_would_not():
    rng = np.random.default_rng(1)
    columns = 40_000
    directions = rng.normal(size=(6, columns)).astype(np.float32)
    y = np.arange(90) % 3
    strengths = rng.normal(size=(90, 6)) * (1 + y[:, None]) + y[:, None]
    X = strengths.astype(np.float32) @ directions
    statistics = class_statistics(X, y, form="sketch:12")
    fitted = sqfa_rs.SQFA(2, noise="scale", scaling="none", random_state=0).fit_statistics(statistics)
    assert fitted.components_.shape == (2, columns)
    assert fitted.score(X, y) > 0.6
