"""Every container scientists keep numbers in gives the same components."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone

from sqfa_rs import QDA, SQFA, ClassAccumulator, class_statistics
from sqfa_rs.baselines import KNN, LDA


class DLPackOnly:
    """What a tensor of another library looks like: DLPack and nothing else."""

    def __init__(self, array, device=None):
        self._array, self._device = array, device
        self.shape = array.shape

    def __dlpack__(self, **keywords):
        return self._array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._device or self._array.__dlpack_device__()


@pytest.fixture
def reference(blobs):
    X, y = blobs
    return SQFA(2, random_state=0).fit(X, y)


NAMES = [f"x{i}" for i in range(5)]


@pytest.mark.parametrize(
    "container",
    [
        pytest.param(lambda X: X.tolist(), id="lists"),
        pytest.param(lambda X: pd.DataFrame(X, columns=NAMES), id="pandas"),
        pytest.param(lambda X: pl.DataFrame(X, schema=NAMES), id="polars"),
        pytest.param(lambda X: pa.table(dict(zip(NAMES, X.T, strict=True))), id="pyarrow"),
        pytest.param(DLPackOnly, id="dlpack"),
        pytest.param(sparse.csr_matrix, id="csr_matrix"),
        pytest.param(sparse.csc_array, id="csc_array"),
        pytest.param(sparse.coo_array, id="coo_array"),
    ],
)
def test_containers(blobs, reference, container):
    X, y = blobs
    sqfa = SQFA(2, random_state=0).fit(container(X), y)
    np.testing.assert_allclose(sqfa.components_, reference.components_, atol=1e-9)
    np.testing.assert_allclose(sqfa.transform(container(X)), reference.transform(X), atol=1e-9)
    assert sqfa.score(container(X), y) == reference.score(X, y)
    qda = QDA().fit(container(X), y)
    np.testing.assert_array_equal(qda.predict(container(X)), QDA().fit(X, y).predict(X))


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint16, np.float16, ">f8", ">f4", "<f4"])
def test_number_types(blobs, dtype):
    X, y = blobs
    X = np.round(10 * X).clip(0, 100)
    sqfa = SQFA(2, random_state=0).fit(X.astype(dtype), y)
    reference = SQFA(2, random_state=0).fit(X, y)
    # Two starts may reach one optimum with filters in another order; rounding decides which is ahead.
    same, other = (model.components_.T @ model.components_ for model in (sqfa, reference))
    np.testing.assert_allclose(same, other, atol=1e-5)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_names_are_kept_and_output_follows(blobs, library):
    X, y = blobs
    frame = pd.DataFrame(X, columns=NAMES) if library == "pandas" else pl.DataFrame(X, schema=NAMES)
    sqfa = SQFA(2, random_state=0).set_output(transform=library).fit(frame, y)
    assert sqfa.feature_names_in_.tolist() == NAMES
    features = sqfa.transform(frame)
    assert type(features) is type(frame)
    assert list(features.columns) == ["sqfa0", "sqfa1"]
    with pytest.raises(ValueError, match="feature names"):
        sqfa.transform(frame[NAMES[::-1]] if library == "pandas" else frame.select(NAMES[::-1]))


def test_pyarrow_names(blobs):
    X, y = blobs
    table = pa.table(dict(zip(NAMES, X.T, strict=True)))
    assert SQFA(2).fit(table, y).feature_names_in_.tolist() == NAMES


def test_labels_of_frames(blobs, reference):
    X, y = blobs
    for labels in (pd.Series(y), pl.Series(y), pa.array(y), y.tolist(), y[:, None][:, 0]):
        sqfa = SQFA(2, random_state=0).fit(X, labels)
        np.testing.assert_array_equal(sqfa.components_, reference.components_)
    categories = pd.Series(np.array(["a", "b", "c"])[y]).astype("category")
    assert SQFA(2).fit(X, categories).classes_.tolist() == ["a", "b", "c"]


def batches(X, y, size=50):
    names = [*NAMES, "label"]
    for first in range(0, len(X), size):
        part = slice(first, first + size)
        arrays = [pa.array(column) for column in (*X[part].T, y[part])]
        yield pa.record_batch(arrays, names=names)


def reader(X, y):
    made = list(batches(X, y))
    return pa.RecordBatchReader.from_batches(made[0].schema, made)


@pytest.mark.parametrize("names", [np.arange(3), np.array(["a", "b", "c"])])
def test_arrow_streams(blobs, names):
    X, y = blobs
    sqfa = SQFA(2, random_state=0).fit(reader(X, names[y]), "label")
    alone = SQFA(2, random_state=0).fit_statistics(class_statistics(X, y))
    np.testing.assert_allclose(sqfa.components_, alone.components_, atol=1e-7)
    assert sqfa.feature_names_in_.tolist() == NAMES
    assert sqfa.classes_.tolist() == names.tolist()
    statistics = class_statistics(reader(X, names[y]), "label")
    np.testing.assert_allclose(statistics.means, class_statistics(X, y).means)
    table = pa.table(dict(zip(NAMES, X.T, strict=True)))
    stream = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    features = sqfa.transform(stream)
    assert features.dtype == np.float64
    np.testing.assert_allclose(features, X @ sqfa.components_.T + sqfa.offset_, rtol=1e-9, atol=1e-9)
    wrong = table.select(NAMES[::-1])
    with pytest.raises(ValueError, match="feature names"):
        sqfa.transform(pa.RecordBatchReader.from_batches(wrong.schema, wrong.to_batches()))


def test_arrow_vectors_and_precisions(blobs):
    X, y = blobs
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(X.astype(np.float32).ravel()), 5)
    table = pa.table({"points": vectors, "label": pa.array(y)})
    sqfa = SQFA(2, random_state=0).fit(table.to_reader(), "label")
    assert sqfa.n_features_in_ == 5 and sqfa._record["precision"] == "f32"
    single = SQFA(2, random_state=0).fit_statistics(class_statistics(X.astype(np.float32), y))
    np.testing.assert_allclose(sqfa.components_, single.components_, atol=1e-4)


def test_bad_streams(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="no column 'klass'"):
        SQFA().fit(reader(X, y), "klass")
    frame = pl.DataFrame(X, schema=NAMES).with_columns(label=pl.Series(y))
    for points in (X, frame, frame.to_arrow(), frame.to_pandas()):
        with pytest.raises(ValueError, match="y is the text 'label': pass the labels themselves"):
            SQFA().fit(points, "label")
    missing = pa.table({"a": [1.0, None], "label": [0, 1]})
    with pytest.raises(ValueError, match="missing values"):
        ClassAccumulator().update(missing, "label")
    with pytest.raises(ValueError, match="must be numbers"):
        ClassAccumulator().update(pa.table({"a": ["x"], "label": [0]}), "label")


def test_memory_elsewhere_is_refused(blobs):
    X, y = blobs
    with pytest.raises(TypeError, match="CPU"):
        SQFA().fit(DLPackOnly(X, device=(2, 0)), y)


def test_dlpack_is_borrowed_not_copied(blobs):
    from sqfa_rs.data._inputs import contiguous, unwrap

    X, _ = blobs
    assert np.shares_memory(unwrap(DLPackOnly(X)), X)
    for same in (X, np.asfortranarray(X)):
        assert contiguous(same) is same


def test_read_only_and_memory_mapped(blobs, reference, tmp_path):
    X, y = blobs
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    sqfa = SQFA(2, random_state=0).fit(mapped, y)
    np.testing.assert_array_equal(sqfa.components_, reference.components_)
    frozen = X.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(sqfa.transform(frozen), sqfa.transform(X))


@pytest.mark.parametrize("dispatch", [False, True])
def test_arrays_of_other_libraries_are_borrowed(blobs, dispatch):
    xp = pytest.importorskip("array_api_strict")
    X, y = blobs
    given, labels = xp.asarray(X), xp.asarray(y)
    with sklearn.config_context(array_api_dispatch=dispatch):
        for estimator in (SQFA(2), QDA(), LDA(), KNN()):
            expected = clone(estimator).fit(X, y)
            fitted = estimator.fit(given, labels)
            assert fitted.score(given, labels) == expected.score(X, y)
            if hasattr(fitted, "transform"):
                np.testing.assert_array_equal(fitted.transform(given), expected.transform(X))
        means = class_statistics(given, labels).means
        np.testing.assert_array_equal(means, class_statistics(X, y).means)
        again = ClassAccumulator().update(given, labels).finish()
        np.testing.assert_allclose(again.means, means, rtol=0, atol=1e-12)


def test_a_tensor_with_a_gradient_is_rejected_with_the_remedy(blobs):
    X, y = blobs

    class WithGradient(DLPackOnly):
        def __dlpack__(self, **keywords):
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")

    for ask in (lambda X: SQFA(1).fit(X, y), lambda X: class_statistics(X, y)):
        with pytest.raises(TypeError, match=r"cannot be read: .*use tensor\.detach"):
            ask(WithGradient(X))


def test_a_query_that_has_not_run_is_rejected_with_the_remedy(blobs, reference):
    X, y = blobs
    frame = pl.DataFrame(X, schema=list("abcde"))
    lazy = frame.lazy()
    for ask in (
        lambda: SQFA(1).fit(lazy, y),
        lambda: reference.transform(lazy),
        lambda: class_statistics(lazy, y),
    ):
        with pytest.raises(TypeError, match=r"LazyFrame, which has no values yet: .*X\.collect\(\)"):
            ask()


def test_dates_as_labels_keep_their_type(blobs):
    X, y = blobs
    dates = np.array(["2020-01-01", "2020-02-01", "2020-03-01"], dtype="datetime64[D]")
    for labels in (dates[y], pd.Series(dates[y]), pl.Series(dates[y])):
        model, classifier = SQFA(2).fit(X, labels), QDA().fit(X, labels)
        assert model.classes_.dtype.kind == "M" and (model.classes_ == dates).all()
        assert classifier.predict(X).dtype.kind == "M"
        assert classifier.score(X, labels) == QDA().fit(X, y).score(X, y)
        sums = ClassAccumulator().update(X, labels)
        assert (ClassAccumulator.from_bytes(sums.to_bytes()).classes == dates).all()
