"""Every fitted estimator can be saved and loaded, with labels of their own type."""

import datetime
import zipfile

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sqfa_rs
from sqfa_rs import QDA, SQFA
from sqfa_rs.baselines import KNN, LDA, PCA, LinearClassifier
from sqfa_rs.preprocessing import Lift

LABELS = {
    "int64": np.array([3, 5, 8]),
    "int32": np.array([3, 5, 8], dtype=np.int32),
    "uint8": np.array([3, 5, 8], dtype=np.uint8),
    "whole floats": np.array([0.0, 1.0, 2.0]),
    "fractions": np.array([0.25, 22.5, 45.0]),
    "float32": np.array([0.1, 0.2, 0.3], dtype=np.float32),
    "text": np.array(["a", "b", "c"]),
    "digits as text": np.array(["1", "2", "3"]),
    "objects": np.array(["a", "b", "c"], dtype=object),
    "dates": np.array(["2020-01-01", "2020-01-02", "2021-05-03"], dtype="datetime64[D]"),
    "seconds": np.array(["2020-01-01T10:00:00", "2020-01-02", "2021"], dtype="datetime64[s]"),
}


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, y


def again(model, folder):
    sqfa_rs.save(model, folder / "model")
    return sqfa_rs.load(folder / "model")


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("model", [LDA(2, shrinkage=0.1), QDA()], ids=["model file", "archive"])
def test_labels_keep_their_type(kind, model, iris, tmp_path):
    X, y = iris
    labels = LABELS[kind][y]
    if labels.dtype.kind == "M":
        with pytest.warns() if False else np.errstate():
            model.fit(X, labels)
    else:
        model.fit(X, labels)
    found = again(model, tmp_path)
    assert found.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(found.classes_, model.classes_)
    predicted = found.predict(X)
    assert predicted.dtype == labels.dtype
    np.testing.assert_array_equal(predicted, model.predict(X))


def test_truth_values_stay_truth_values(iris, tmp_path):
    X, y = iris
    for model in (LDA(shrinkage=0.1), QDA(), KNN()):
        found = again(model.fit(X, y == 1), tmp_path)
        assert found.classes_.dtype == bool
        np.testing.assert_array_equal(found.predict(X), model.predict(X))


ESTIMATORS = {
    "qda": QDA(),
    "qda-t": QDA(nu=5.0, shrinkage=0.1),
    "priors": QDA(priors=[0.2, 0.3, 0.5]),
    "linear": LinearClassifier(shrinkage=0.1),
    "knn": KNN(3),
    "sqfa + qda": make_pipeline(SQFA(2, noise=0.3), QDA()),
    "lift + lda + knn": make_pipeline(Lift("quadratic"), LDA(2, shrinkage=0.1), KNN(3)),
    "pca + lda": make_pipeline(PCA(3), LDA(shrinkage=0.1)),
    "lift + lda": make_pipeline(Lift("quadratic"), LDA(2, shrinkage=0.1)),
    "lda alone": make_pipeline(LDA(2, shrinkage=0.1)),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_and_pipelines_survive(name, iris, tmp_path):
    X, y = iris
    model = ESTIMATORS[name].fit(X, y)
    found = again(model, tmp_path)
    assert type(found) is type(model)
    np.testing.assert_array_equal(found.predict(X), model.predict(X))
    np.testing.assert_array_equal(found.predict_proba(X), model.predict_proba(X))
    if name == "sqfa + qda":
        assert list(found.named_steps) == list(model.named_steps)
    if isinstance(model, QDA):
        assert repr(found.get_params()) == repr(model.get_params()) or name == "priors"


def test_what_only_transforms_survives(iris, tmp_path):
    X, _ = iris
    for model in (PCA(2).fit(X), PCA(None, scaling="per-feature").fit(X), Lift("fourier:8").fit(X)):
        np.testing.assert_array_equal(again(model, tmp_path).transform(X), model.transform(X))
    pca = again(PCA(2).fit(X), tmp_path)
    assert pca.explained_variance_ratio_.shape == (2,) and not hasattr(pca, "classes_")
    lda = again(LDA(2, shrinkage=0.1, priors=[0.2, 0.3, 0.5]).fit(X, load_iris().target), tmp_path)
    assert lda.priors_.tolist() == [0.2, 0.3, 0.5] and lda.explained_variance_ratio_.shape == (2,)


def test_names_of_columns_survive(tmp_path):
    frame = load_iris(as_frame=True)
    for model in (QDA(), KNN()):
        found = again(model.fit(frame.data, frame.target), tmp_path)
        assert found.feature_names_in_.tolist() == list(frame.data.columns)
        np.testing.assert_array_equal(found.predict(frame.data), model.predict(frame.data))


def test_other_steps_are_a_clear_error(iris, tmp_path):
    X, y = iris
    model = make_pipeline(StandardScaler(), SQFA(2, noise=0.3)).fit(X, y)
    with pytest.raises(TypeError, match="not a pipeline with the step StandardScaler"):
        sqfa_rs.save(model, tmp_path / "m")
    with pytest.raises(TypeError, match="not StandardScaler"):
        sqfa_rs.save(StandardScaler().fit(X), tmp_path / "m")
    with pytest.raises(ValueError, match="not fitted"):
        sqfa_rs.save(QDA(), tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_damaged_archives_are_errors(iris, tmp_path):
    X, y = iris
    sqfa_rs.save(QDA().fit(X, y), tmp_path / "m")
    whole = (tmp_path / "m").read_bytes()
    rng = np.random.default_rng(0)
    model = sqfa_rs.load(tmp_path / "m")
    for _ in range(200):
        damaged = bytearray(whole)
        damaged[rng.integers(4, len(damaged))] ^= 1 << rng.integers(8)
        (tmp_path / "m").write_bytes(
            damaged[: rng.integers(4, len(damaged))] if rng.random() < 0.3 else damaged
        )
        try:
            found = sqfa_rs.load(tmp_path / "m")
        except ValueError:
            continue
        # What no checksum covers, such as dates of entries, changes nothing.
        np.testing.assert_array_equal(found.predict(X), model.predict(X))
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("a.txt", str(datetime.date(2020, 1, 1)))
    with pytest.raises(ValueError, match="not an archive of fitted estimators"):
        sqfa_rs.load(tmp_path / "other.zip")
