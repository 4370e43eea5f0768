"""Programs written for scikit-learn's LinearDiscriminantAnalysis and PCA, with another import."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.decomposition import PCA as TheirPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from sqfa_rs import QDA, class_statistics
from sqfa_rs.baselines import LDA, PCA


def two_classes():
    X, y = load_wine(return_X_y=True)
    return X[y != 1], y[y != 1]


DATA = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "two classes": two_classes,
}


def aligned(ours, theirs):
    """Columns with the signs of other ones, which eigenvectors leave open."""
    return ours * np.sign((ours * theirs).sum(axis=0))


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("equal", [False, True], ids=["frequencies", "priors"])
def test_lda_is_scikit_learns(name, equal):
    X, y = DATA[name]()
    classes = len(np.unique(y))
    priors = np.arange(1, classes + 1) / (classes * (classes + 1) / 2) if equal else None
    train, test = np.arange(len(X)) % 3 > 0, np.arange(len(X)) % 3 == 0
    ours = LDA(shrinkage=None, priors=priors).fit(X[train], y[train])
    theirs = LinearDiscriminantAnalysis(priors=priors).fit(X[train], y[train])
    assert ours.n_components_ == classes - 1
    for part in (train, test):
        np.testing.assert_array_equal(ours.predict(X[part]), theirs.predict(X[part]))
        np.testing.assert_allclose(ours.predict_proba(X[part]), theirs.predict_proba(X[part]), atol=1e-6)
        expected = theirs.decision_function(X[part])
        scale = np.abs(expected).max()
        np.testing.assert_allclose(ours.decision_function(X[part]) / scale, expected / scale, atol=1e-6)
    assert ours.score(X[test], y[test]) == theirs.score(X[test], y[test])
    assert ours.coef_.shape == theirs.coef_.shape and ours.intercept_.shape == theirs.intercept_.shape
    np.testing.assert_allclose(
        X @ ours.coef_.T + ours.intercept_,
        X @ theirs.coef_.T + theirs.intercept_,
        atol=1e-6 * np.abs(theirs.decision_function(X)).max(),
    )
    np.testing.assert_allclose(ours.means_, theirs.means_)
    np.testing.assert_allclose(ours.priors_, theirs.priors_)
    np.testing.assert_allclose(ours.xbar_, theirs.xbar_)
    if not equal:
        np.testing.assert_allclose(
            ours.explained_variance_ratio_, theirs.explained_variance_ratio_, atol=1e-8
        )


def test_coefficients_of_well_conditioned_data_are_scikit_learns():
    X, y = load_iris(return_X_y=True)
    ours, theirs = LDA(shrinkage=None).fit(X, y), LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)


def test_features_are_scikit_learns_up_to_scale():
    X, y = load_wine(return_X_y=True)
    Z, theirs = LDA(shrinkage=None).fit_transform(X, y), LinearDiscriminantAnalysis().fit_transform(X, y)
    Z = Z - Z.mean(axis=0)
    Z = Z / Z.std(axis=0) * theirs.std(axis=0)
    np.testing.assert_allclose(aligned(Z, theirs), theirs, atol=1e-7)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_fewer_components_explain_the_same_and_classify_in_the_reduced_space(count):
    X, y = load_digits(return_X_y=True)
    ours = LDA(count, shrinkage=None).fit(X, y)
    theirs = LinearDiscriminantAnalysis(n_components=count).fit(X, y)
    np.testing.assert_allclose(
        ours.explained_variance_ratio_, theirs.explained_variance_ratio_, atol=1e-8
    )
    # The linear rule on scikit-learn's features.
    Z = theirs.transform(X)
    reduced = LinearDiscriminantAnalysis().fit(Z, y)
    np.testing.assert_array_equal(ours.predict(X), reduced.predict(Z))
    np.testing.assert_allclose(ours.predict_proba(X), reduced.predict_proba(Z), atol=1e-7)


def test_shrinkage_and_solver_are_accepted():
    X, y = load_iris(return_X_y=True)
    first = LDA(shrinkage=0.2).fit(X, y)
    for solver in ("lsqr", "eigen"):
        other = LDA(shrinkage=0.2, solver=solver).fit(X, y)
        np.testing.assert_array_equal(other.predict_proba(X), first.predict_proba(X))
    np.testing.assert_array_equal(
        LDA(shrinkage=None).fit(X, y).components_, LDA(shrinkage=0.0).fit(X, y).components_
    )
    with pytest.raises(ValueError, match="solver is 'qr'"):
        LDA(solver="qr").fit(X, y)


def test_priors_are_checked():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="do not sum to 1"):
        model = LDA(priors=[1, 2, 1], shrinkage=0.1).fit(X, y)
    np.testing.assert_allclose(model.priors_, [0.25, 0.5, 0.25])
    with pytest.raises(ValueError, match="non-negative"):
        LDA(priors=[-0.5, 0.75, 0.75]).fit(X, y)
    with pytest.raises(ValueError, match="2 values for 3 classes"):
        LDA(priors=[0.5, 0.5]).fit(X, y)


def test_no_components_of_one_dimension():
    # As many components as min(n_features, n_classes − 1).
    X, y = make_blobs(200, n_features=2, centers=6, random_state=0)
    assert LDA().fit(X, y).n_components_ == 2
    assert LDA().fit_transform(X, y).shape == (200, 2)
    statistics = class_statistics(X, y)
    assert LDA(shrinkage=None).fit_statistics(statistics).n_components_ == 2


# -- patterns of use -------------------------------------------------------------------------


@pytest.mark.parametrize("discriminant", [LinearDiscriminantAnalysis, LDA], ids=["theirs", "ours"])
def test_pattern_reduce_for_a_figure_then_classify(discriminant):
    X, y = load_wine(return_X_y=True)
    names = np.array(["barolo", "grignolino", "barbera"])[y]
    X_train, X_test, y_train, y_test = train_test_split(X, names, stratify=names, random_state=0)
    lda = discriminant(n_components=2)
    Z = lda.fit(X_train, y_train).transform(X_train)
    assert Z.shape == (len(X_train), 2)
    assert list(lda.get_feature_names_out()) == [f"{discriminant.__name__.lower()}{i}" for i in range(2)]
    assert lda.explained_variance_ratio_.sum() == pytest.approx(1.0)
    assert set(lda.predict(X_test)) <= set(lda.classes_)
    assert lda.score(X_test, y_test) > 0.95
    assert lda.predict_proba(X_test).max(axis=1).min() > 0.4


@pytest.mark.parametrize("discriminant", [LinearDiscriminantAnalysis, LDA], ids=["theirs", "ours"])
def test_pattern_shrinkage_where_there_are_few_samples(discriminant):
    # One feature tells classes apart, the others are noise, as in the example of scikit-learn.
    rng = np.random.default_rng(0)
    X, y = make_blobs(300, n_features=1, centers=[[-2], [2]], random_state=0)
    X = np.hstack([X, rng.standard_normal((300, 29))])
    accuracies = []
    for shrinkage in (None, 0.5):
        model = discriminant(solver="lsqr", shrinkage=shrinkage).fit(X[:34], y[:34])
        accuracies.append(model.score(X[34:], y[34:]))
    assert accuracies[1] > accuracies[0] and accuracies[1] > 0.9


@pytest.mark.parametrize("discriminant", [LinearDiscriminantAnalysis, LDA], ids=["theirs", "ours"])
def test_pattern_pipelines_and_searches(discriminant):
    X, y = load_iris(return_X_y=True)
    pipeline = Pipeline([("scale", StandardScaler()), ("lda", discriminant())])
    search = GridSearchCV(
        pipeline,
        {"lda__shrinkage": [None, 0.1, "auto"], "lda__solver": ["lsqr"]},
        cv=StratifiedKFold(3),
        scoring=["accuracy", "neg_log_loss"],
        refit="accuracy",
    )
    search.fit(X, y)
    assert search.best_score_ > 0.95
    assert search.predict_log_proba(X).shape == (150, 3)
    scores = cross_validate(discriminant(), X, y, cv=3, scoring="roc_auc_ovr")
    assert scores["test_score"].min() > 0.99
    reduced = make_pipeline(discriminant(n_components=1), QDA()).fit(X, y)
    assert reduced.score(X, y) > 0.95
    assert clone(discriminant(priors=[0.2, 0.3, 0.5])).fit(X, y).priors_.tolist() == [0.2, 0.3, 0.5]


# -- principal components --------------------------------------------------------------------


@pytest.mark.parametrize("labeled", [False, True], ids=["without labels", "with labels"])
def test_pca_is_scikit_learns(labeled):
    X, y = load_iris(return_X_y=True)
    for count in (2, None):
        ours, theirs = PCA(count), TheirPCA(count).fit(X)
        Z = ours.fit(X, y).transform(X) if labeled else ours.fit_transform(X)
        np.testing.assert_allclose(aligned(Z, theirs.transform(X)), theirs.transform(X), atol=1e-9)
        np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(
            ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-8
        )
        np.testing.assert_allclose(ours.mean_, theirs.mean_)
        assert ours.n_components_ == theirs.n_components_
        np.testing.assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), atol=1e-9)


def test_pca_of_digits_with_constant_columns():
    X, _ = load_digits(return_X_y=True)
    ours, theirs = PCA(10, scaling="none").fit(X), TheirPCA(10).fit(X)
    np.testing.assert_allclose(
        ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-7
    )
    np.testing.assert_allclose(
        aligned(ours.transform(X), theirs.transform(X)), theirs.transform(X), atol=1e-6
    )


def test_pca_with_scaled_columns():
    X, _ = load_wine(return_X_y=True)
    ours = PCA(3, scaling="per-feature").fit(X)
    theirs = make_pipeline(StandardScaler(), TheirPCA(3)).fit(X)
    np.testing.assert_allclose(
        ours.explained_variance_ratio_, theirs[-1].explained_variance_ratio_, rtol=1e-8
    )


def test_pca_without_labels_needs_none_of_what_labels_give():
    X, y = load_iris(return_X_y=True)
    unlabeled = PCA(2).fit(X)
    assert not hasattr(unlabeled, "classes_") and not hasattr(unlabeled, "feature_means_")
    for settings in ({"n_components": "auto"}, {"refine": True}, {"scaling": "within-class"}):
        with pytest.raises(ValueError, match="needs class labels"):
            PCA(**settings).fit(X)
    with pytest.raises(ValueError, match="at least 4 samples"):
        PCA().fit(X[:3])
    assert "150" not in repr(unlabeled.summary()) and "components" in repr(unlabeled.summary())
    assert unlabeled._repr_html_() if hasattr(unlabeled, "_repr_html_") else True
    assert make_pipeline(PCA(3), LDA(shrinkage=0.1)).fit(X, y).score(X, y) > 0.95
