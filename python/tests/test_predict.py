"""Supervised reducers as classifiers: predictions, probabilities, accuracy, folds of a search."""

import os
import pathlib
import subprocess

import numpy as np
import pandas as pd
import pytest
from patience import PATIENCE
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

import sqfa_rs
from sqfa_rs import QDA, SQFA, HeavyTailedSQFA, SecondMomentSQFA, class_statistics, estimators
from sqfa_rs.baselines import LDA, PCA, LinearClassifier
from sqfa_rs.estimators._predicting import SupervisedReducer

COMMAND = pathlib.Path(
    os.environ.get("SQFA_COMMAND", pathlib.Path(__file__).parents[2] / "target" / "debug" / "sqfa")
)
has_command = pytest.mark.skipif(
    not COMMAND.exists(), reason="the command sqfa was not built; set SQFA_COMMAND"
)


def run_command(folder, *arguments):
    return subprocess.run(
        [COMMAND, *arguments], cwd=folder, check=True, capture_output=True, text=True, timeout=PATIENCE
    )


SUPERVISED = [
    cls
    for name in estimators.__all__
    if isinstance(cls := getattr(estimators, name), type) and issubclass(cls, SupervisedReducer)
]


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def small(cls):
    """An estimator whose fit is quick."""
    return cls(2, **{"noise": 0.3} if "noise" in cls._get_param_names() else {})


@pytest.mark.parametrize("cls", SUPERVISED, ids=lambda cls: cls.__name__)
def test_predictions_agree_with_probabilities_and_the_score(cls, wine):
    X, y = wine
    names = np.array(["a", "b", "c"])[y]
    model = small(cls).fit(X[::2], names[::2])
    assert is_classifier(model)
    predicted, chances = model.predict(X), model.predict_proba(X)
    assert predicted.dtype == model.classes_.dtype
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.classes_[chances.argmax(axis=1)], predicted)
    np.testing.assert_array_equal(model.classes_[model.decision_function(X).argmax(axis=1)], predicted)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), chances)
    assert model.score(X, names) == np.mean(predicted == names)


def test_every_reducer_but_pca_is_a_classifier():
    assert {SQFA, SecondMomentSQFA, HeavyTailedSQFA, LDA} <= set(SUPERVISED)
    assert len(SUPERVISED) == 13
    assert not is_classifier(PCA())
    assert not any(hasattr(PCA, name) for name in ("predict", "predict_proba", "score"))


def test_qda_and_the_linear_rule_on_the_features(wine):
    X, y = wine
    sqfa = SQFA(2, noise=0.3).fit(X, y)
    qda = QDA().fit(sqfa.transform(X), y)
    np.testing.assert_allclose(sqfa.predict_proba(X), qda.predict_proba(sqfa.transform(X)), atol=1e-9)
    refined = LDA(2, shrinkage=0.1, refine=True).fit(X, y)
    qda = QDA().fit(refined.transform(X), y)
    np.testing.assert_allclose(
        refined.predict_proba(X), qda.predict_proba(refined.transform(X)), atol=1e-9
    )
    with pytest.raises(AttributeError, match="quadratic"):
        _ = refined.coef_
    lda = LDA(2, shrinkage=0.1).fit(X, y)
    linear = LinearClassifier().fit(lda.transform(X), y)
    np.testing.assert_allclose(lda.predict_proba(X), linear.predict_proba(lda.transform(X)), atol=1e-9)


def test_two_classes_have_one_decision_value(wine):
    X, y = wine
    two = y < 2
    for model in (SQFA(1, noise=0.3), LDA(shrinkage=0.1)):
        model.fit(X[two], y[two])
        values, logs = model.decision_function(X), model.predict_log_proba(X)
        assert values.shape == (len(X),)
        np.testing.assert_array_equal(values, logs[:, 1] - logs[:, 0])
        np.testing.assert_array_equal(model.predict(X) == model.classes_[1], values > 0)


def test_searches_have_stratified_folds(wine):
    # Sorted by class, plain folds would leave out whole classes.
    X, y = wine
    assert np.all(np.diff(y) >= 0)
    search = GridSearchCV(SQFA(2), {"noise": ["0.3x", "1x"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert search.score(X, y) == search.best_estimator_.score(X, y)
    assert cross_val_score(LDA(shrinkage=None), X, y, cv=3).min() > 0.9
    chances = cross_val_predict(SQFA(2, noise=0.3), X, y, cv=3, method="predict_proba")
    assert chances.shape == (len(X), 3) and np.isfinite(chances).all()


def test_within_a_pipeline_it_still_transforms(wine):
    X, y = wine
    pipeline = make_pipeline(SQFA(2, noise=0.3), QDA()).fit(X, y)
    Z = pipeline[0].transform(X)
    assert Z.shape == (len(X), 2)
    np.testing.assert_array_equal(pipeline.predict(X), pipeline[1].predict(Z))
    last = make_pipeline(PCA(5, scaling="per-feature"), SQFA(2, noise=0.3)).fit(X, y)
    assert last.score(X, y) > 0.9 and last.transform(X).shape == (len(X), 2)


def test_score_counts_unseen_labels_as_errors_as_scikit_learn_does(wine):
    X, y = wine
    model = SQFA(1, noise=0.3).fit(X[y < 2], y[y < 2])
    assert model.score(X, y) == accuracy_score(y, model.predict(X))
    weights = np.arange(len(y), dtype=float)
    assert model.score(X, y, weights) == accuracy_score(y, model.predict(X), sample_weight=weights)
    with pytest.warns(UserWarning, match=r"none of the labels in y is one of the 2 classes"):
        assert model.score(X, y + 10) == 0.0


def test_score_rejects_labels_of_another_type(wine):
    X, y = wine
    names = np.array(["0", "1", "2"])[y]
    numbers, text = SQFA(2, noise=0.3).fit(X, y), SQFA(2, noise=0.3).fit(X, names)
    for labels in (names, names.astype(object), list(names), pd.Series(names)):
        with pytest.raises(ValueError, match="are text .* numbers"):
            numbers.score(X, labels)
    with pytest.raises(ValueError, match="are numbers .* text"):
        text.score(X, y)
    with pytest.raises(ValueError, match="not finite"):
        numbers.score(X, np.where(y == 0, np.nan, y))
    with pytest.raises(ValueError, match="missing"):
        text.score(X, np.where(y == 0, None, names))
    assert text.score(X, names.astype(object)) == text.score(X, names)
    assert numbers.score(X, y.astype(float)) == numbers.score(X, y)


def test_fractional_labels_are_classes(wine):
    X, y = wine
    angles = np.array([0.0, 22.5, 45.0])[y]
    model = SQFA(2, noise=0.3).fit(X, angles)
    assert model.predict(X).dtype == np.float64
    assert model.score(X, angles) == np.mean(model.predict(X) == angles) > 0.9


MODELS = {
    "sqfa": (SQFA(2), ()),
    "smsqfa": (SecondMomentSQFA(2), ()),
    "lda": (LDA(2), ()),
    "lda-refined": (LDA(2, refine=True), ()),
    "heavy": (HeavyTailedSQFA(2), ()),
    "priors": (LDA(2, shrinkage=0.1, priors=[0.05, 0.05, 0.9]), ()),
}


@has_command
@pytest.mark.parametrize("name", MODELS)
def test_predictions_are_those_of_the_command(name, tmp_path):
    model = clone(MODELS[name][0])
    X, y = load_iris(return_X_y=True)
    model.fit(X[::2], y[::2])
    np.save(tmp_path / "X.npy", X)
    sqfa_rs.save(model, tmp_path / "m.sqfa")
    run_command(tmp_path, "predict", "m.sqfa", "X.npy", "--out", "p.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), model.predict(X))
    run_command(tmp_path, "predict", "m.sqfa", "X.npy", "--probabilities", "--out", "p.csv")
    table = pd.read_csv(tmp_path / "p.csv")
    np.testing.assert_allclose(table.iloc[:, 1:], model.predict_proba(X), atol=1e-6)
    again = sqfa_rs.load(tmp_path / "m.sqfa")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.score(X, y) == model.score(X, y)


@has_command
def test_a_model_of_the_command_predicts_by_the_classifier_of_its_method(tmp_path, wine):
    X, y = wine
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    data = ("X.npy", "--labels", "y.npy")
    for method in ("lda", "sqfa"):
        run_command(tmp_path, "fit", *data, "-m", "2", "--method", method, "--out", "m.sqfa")
        run_command(tmp_path, "predict", "m.sqfa", "X.npy", "--out", "p.npy")
        model = sqfa_rs.load(tmp_path / "m.sqfa")
        np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), model.predict(X))
        told = run_command(tmp_path, "evaluate", "m.sqfa", *data).stdout
        title = "LDA" if method == "lda" else "QDA"
        assert f"{title} accuracy" in told
        run_command(tmp_path, "predict", "m.sqfa", "X.npy", "--classifier", "qda", "--out", "q.npy")
        qda = QDA().fit(model.transform(X), y)
        np.testing.assert_array_equal(np.load(tmp_path / "q.npy"), qda.predict(model.transform(X)))


def test_a_file_without_a_classifier_is_quadratic(tmp_path, wine):
    # As the versions that wrote such files predicted.
    X, y = wine
    model = LDA(2, shrinkage=0.1).fit(X, y)
    del model._record["classifier"]
    sqfa_rs.save(model, tmp_path / "m.sqfa")
    old = sqfa_rs.load(tmp_path / "m.sqfa")
    qda = QDA().fit(old.transform(X), y)
    np.testing.assert_array_equal(old.predict(X), qda.predict(old.transform(X)))


def test_fits_of_statistics_predict(wine):
    X, y = wine
    for model in (SQFA(2, noise=0.3), LDA(2, shrinkage=None)):
        whole = clone(model).fit(X, y) if isinstance(model, LDA) else None
        model.fit_statistics(class_statistics(X, y))
        assert model.score(X, y) > 0.9
        if whole is not None:
            np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), atol=1e-6)
    sqfa = SQFA(2, noise=0.3)
    for part in range(3):
        sqfa.partial_fit(X[part::3], y[part::3], classes=[0, 1, 2] if part == 0 else None)
    assert sqfa.score(X, y) > 0.9
    with pytest.raises(TypeError):
        sqfa.partial_fit(X)


def test_the_name_of_a_column_is_no_label(wine):
    X, y = wine
    table = pd.DataFrame(X).rename(columns=str).assign(kind=y)
    for model in (SQFA(2), LDA(), QDA(), make_pipeline(SQFA(2), QDA())):
        with pytest.raises(ValueError, match=r"y is the text 'kind': pass the labels themselves"):
            model.fit(table, "kind")
    fitted = SQFA(2, noise=0.3).fit(table.drop(columns="kind"), table["kind"])
    with pytest.raises(ValueError, match="pass the labels themselves"):
        fitted.score(table.drop(columns="kind"), "kind")


def test_orthonormal_components_span_the_same_subspace(wine):
    X, y = wine
    for model in (
        SQFA(3, constraint="orthonormal", noise=0.3, scaling="per-feature"),
        LDA(shrinkage=0.1),
    ):
        model.fit(X, y)
        basis = model.orthonormal_components_
        np.testing.assert_allclose(basis @ basis.T, np.eye(model.n_components_), atol=1e-12)
        inside = model.components_ @ basis.T @ basis
        np.testing.assert_allclose(inside, model.components_, atol=1e-9 * abs(model.components_).max())
    repeated = SQFA(2, noise=0.3).fit(X, y)
    repeated.components_ = repeated.components_[[0, 0]]
    assert repeated.orthonormal_components_.shape == (1, 13)
