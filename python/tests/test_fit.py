"""What a fit promises: attributes, determinism, precision, warnings, interruption by callbacks."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import sqfa_rs
from sqfa_rs import QDA, SQFA, SecondMomentSQFA, class_statistics, distances


def test_attributes(digits):
    X, y = digits
    sqfa = SQFA(3, noise="scale", scaling="none", random_state=0).fit(X, y)
    assert sqfa.selection_ is None and sqfa.scaling_ == "none" and not sqfa.offset_.any()
    assert sqfa.components_.shape == (3, 64)
    np.testing.assert_allclose(np.linalg.norm(sqfa.components_, axis=1), 1, rtol=1e-12)
    assert np.all(sqfa.components_[np.arange(3), abs(sqfa.components_).argmax(axis=1)] > 0)
    assert sqfa.classes_.tolist() == list(range(10))
    assert sqfa.class_counts_.sum() == len(X)
    varying = np.delete(X, sqfa.dropped_features_, axis=1)
    assert sqfa.noise_ == pytest.approx(class_statistics(varying, y).noise_scale)
    assert sqfa.converged_ and sqfa.termination_ in ("small-change", "small-gradient")
    assert len(sqfa.objective_trace_) == sqfa.n_iter_ + 1
    assert sqfa.objective_ == pytest.approx(sqfa.objective_trace_[-1])
    assert len(sqfa.initializations_) == 16 // 3
    assert sqfa.objective_ == max(start.objective for start in sqfa.initializations_)
    assert sqfa.get_feature_names_out().tolist() == ["sqfa0", "sqfa1", "sqfa2"]


def test_the_objective_is_the_mean_distance(digits):
    X, y = digits
    sqfa = SQFA(3, random_state=0, distance="hellinger").fit(X, y)
    matrix = distances.pairwise(sqfa, distance="hellinger")
    upper = matrix[np.triu_indices(10, 1)]
    assert upper.mean() == pytest.approx(sqfa.objective_, rel=1e-9)


def test_the_same_bits_at_any_number_of_threads(digits):
    X, y = digits
    first, second = (SQFA(2, random_state=3, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(first.components_, second.components_)
    other = SQFA(2, random_state=4, n_init=1).fit(X, y)
    assert not np.array_equal(first.components_, other.components_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_precision_follows_the_data(digits, dtype):
    X, y = digits
    sqfa = SQFA(2, random_state=0).fit(X.astype(dtype), y)
    features = sqfa.transform(X.astype(dtype))
    assert features.dtype == (np.float64 if dtype == np.float64 else np.float32)
    np.testing.assert_allclose(features, X @ sqfa.components_.T + sqfa.offset_, rtol=1e-4, atol=1e-3)
    reference = SQFA(2, random_state=0).fit(X, y)
    assert sqfa.objective_ == pytest.approx(reference.objective_, rel=1e-4)


def test_fortran_order_and_slices_give_the_same(digits):
    X, y = digits
    reference = SQFA(2, random_state=0).fit(X, y)
    padded = np.zeros((len(X), 2 * X.shape[1]))
    padded[:, ::2] = X
    for same in (np.asfortranarray(X), padded[:, ::2], X[::-1][::-1]):
        sqfa = SQFA(2, random_state=0).fit(same, y)
        np.testing.assert_array_equal(sqfa.components_, reference.components_)
        np.testing.assert_allclose(sqfa.transform(same), reference.transform(X), rtol=1e-12)


def test_text_and_boolean_labels(digits):
    X, y = digits
    reference = SQFA(2, random_state=0).fit(X, y)
    names = np.array(list("abcdefghij"))
    texts = SQFA(2, random_state=0).fit(X, names[y])
    assert texts.classes_.tolist() == list("abcdefghij")
    assert texts.score(X, names[y]) == reference.score(X, y)
    odd = SQFA(2, random_state=0).fit(X, y % 2 == 1)
    assert odd.classes_.dtype == bool


def test_weights_are_repetition_counts(digits):
    X, y = digits
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = SQFA(2, random_state=0).fit(X, y, sample_weight=weights)
    repeated = SQFA(2, random_state=0).fit(X.repeat(weights, axis=0), y.repeat(weights))
    np.testing.assert_allclose(weighted.components_, repeated.components_, atol=1e-6)
    assert weighted.class_counts_.tolist() == repeated.class_counts_.tolist()
    qda, other = QDA().fit(weighted.transform(X), y, weights), QDA()
    other.fit(weighted.transform(X.repeat(weights, axis=0)), y.repeat(weights))
    np.testing.assert_allclose(qda.covariances_, other.covariances_, rtol=1e-9)
    with pytest.raises(ValueError, match="repetition counts"):
        SQFA().fit(X, y, sample_weight=np.linspace(0.5, 2.0, len(y)))


def test_metadata_routing_reaches_fit(digits):
    import sklearn

    X, y = digits
    weights = np.random.default_rng(0).integers(1, 3, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        sqfa = SQFA(2, random_state=0).set_fit_request(sample_weight=True)
        qda = QDA().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(sqfa, qda).fit(X, y, sample_weight=weights)
    assert pipeline[-1].class_counts_.sum() == weights.sum()


def test_statistics_are_enough(digits):
    X, y = digits
    reference = SQFA(2, noise="scale", scaling="none").fit(X, y)
    statistics = class_statistics(X, y)
    one = SQFA(2, noise="scale", scaling="none").fit_statistics(statistics)
    two = SQFA(2, noise="scale", scaling="none").fit_statistics(
        statistics.means, statistics.covariances, statistics.counts
    )
    for sqfa in (one, two):
        np.testing.assert_array_equal(sqfa.components_, reference.components_)
        assert sqfa.score(X, y) == reference.score(X, y)


def test_second_moments_alone(digits):
    X, y = digits
    statistics = class_statistics(X, y)
    moments = statistics.covariances + np.einsum("ki,kj->kij", statistics.means, statistics.means)
    sqfa = SecondMomentSQFA(2, random_state=0, noise=10.0, scaling="none")
    full = clone(sqfa).fit_statistics(statistics).objective_
    assert sqfa.fit_statistics(None, moments).objective_ == pytest.approx(full, rel=1e-6)


def test_partial_fit_reaches_the_same_statistics(digits):
    X, y = digits
    whole = SQFA(2, noise="scale", scaling="none").fit(X, y)
    streamed = SQFA(2, noise="scale", scaling="none")
    for part in np.array_split(np.arange(len(X)), 4):
        streamed.partial_fit(X[part], y[part])
    assert streamed.class_counts_.tolist() == whole.class_counts_.tolist()
    assert streamed.noise_ == pytest.approx(whole.noise_, rel=1e-12)
    assert streamed.objective_ > 0.97 * whole.objective_
    again = pickle.loads(pickle.dumps(streamed)).partial_fit(X[:100], y[:100])
    assert again.class_counts_.sum() == len(X) + 100
    with pytest.raises(ValueError, match="features"):
        streamed.partial_fit(X[:, :-1], y)


def test_partial_fit_waits_for_every_class(digits):
    X, y = digits
    first = y < 5
    sqfa = SQFA(2, random_state=0)
    with pytest.warns(UserWarning, match="fewer than 2 samples"):
        sqfa.partial_fit(X[first], y[first], classes=range(10))
    with pytest.raises(NotFittedError):
        sqfa.transform(X)
    assert sqfa.partial_fit(X[~first], y[~first]).classes_.tolist() == list(range(10))
    with pytest.raises(ValueError, match="not one of the 10 known classes"):
        sqfa.partial_fit(X[:5], [10] * 5)


def test_inverse_transform_projects(digits):
    X, y = digits
    sqfa = SQFA(4, random_state=0).fit(X, y)
    features = sqfa.transform(X)
    back = sqfa.inverse_transform(features)
    np.testing.assert_allclose(sqfa.transform(back), features, atol=1e-9)
    np.testing.assert_allclose(back.mean(axis=0), X.mean(axis=0), atol=1e-9)
    assert sqfa.inverse_transform(features.astype(np.float32)).dtype == np.float32


def test_warm_start_begins_where_the_last_fit_ended(digits):
    X, y = digits
    sqfa = SQFA(2, random_state=0, warm_start=True).fit(X, y)
    objective, cold = sqfa.objective_, sqfa.n_iter_
    sqfa.fit(X, y)
    # The same value to begin with, up to the round-off of unit length, and less to do.
    np.testing.assert_allclose(sqfa.objective_trace_[0], objective, rtol=1e-9)
    assert sqfa.n_iter_ < cold
    assert len(sqfa.initializations_) == 1


def test_convergence_is_told(digits):
    X, y = digits
    with pytest.warns(ConvergenceWarning, match="max-iterations"):
        sqfa = SQFA(2, max_iter=2, random_state=0).fit(X, y)
    assert not sqfa.converged_ and sqfa.n_iter_ == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SQFA(2, random_state=0).fit(X, y)


def test_the_callback_sees_and_stops(digits):
    X, y = digits
    seen = []

    def stop_at_three(progress):
        seen.append(progress)
        return progress.iteration == 3

    with pytest.warns(ConvergenceWarning, match="cancelled"):
        sqfa = SQFA(2, random_state=0, callback=stop_at_three).fit(X, y)
    assert [progress.iteration for progress in seen] == [1, 2, 3]
    assert isinstance(seen[0], sqfa_rs.Progress) and sqfa.termination_ == "cancelled"

    def fail(progress):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        SQFA(2, callback=fail).fit(X, y)


def test_verbose_prints(digits, capsys):
    X, y = digits
    SQFA(2, random_state=0, verbose=2, n_init=1).fit(X, y)
    text = capsys.readouterr().out
    assert "iteration 1," in text and "objective" in text


def squared_euclidean(mean_p, cov_p, mean_q, cov_q):
    gap = mean_p - mean_q
    zero = np.zeros_like(cov_p)
    return float(gap @ gap), (2 * gap, zero, -2 * gap, zero)


def test_a_distance_of_ones_own(digits):
    X, y = digits
    sqfa = SQFA(
        2, distance=squared_euclidean, constraint="orthonormal", noise="scale", scaling="none"
    ).fit(X, y)
    statistics = class_statistics(X, y)
    gaps = statistics.means[:, None] - statistics.means[None]
    scatter = np.einsum("ijk,ijl->kl", gaps, gaps) / 90
    best = np.linalg.eigvalsh(scatter)[-2:].sum()
    assert sqfa.objective_ == pytest.approx(best, rel=1e-4)
    again = pickle.loads(pickle.dumps(sqfa))
    np.testing.assert_array_equal(again.transform(X), sqfa.transform(X))


def test_exceptions_of_ones_own_distance_come_through(digits):
    X, y = digits

    class Mine(Exception):
        pass

    def fail(*arguments):
        raise Mine("here")

    with pytest.raises(Mine, match="here"):
        SQFA(2, distance=fail).fit(X, y)
    with pytest.raises(TypeError, match="must return"):
        SQFA(2, distance=lambda *arguments: 1.0).fit(X, y)
    with pytest.raises(ValueError, match="derivative of shape"):
        SQFA(2, distance=lambda *a: (1.0, (np.zeros(3),) * 4)).fit(X, y)


def test_a_distance_may_call_us_back(digits):
    X, y = digits

    def nested(mean_p, cov_p, mean_q, cov_q):
        distances.hellinger((mean_p, cov_p), (mean_q, cov_q))
        return squared_euclidean(mean_p, cov_p, mean_q, cov_q)

    with pytest.warns(ConvergenceWarning):
        SQFA(2, distance=nested, random_state=0, max_iter=2, n_init=1).fit(X, y)


def test_pickle_and_clone(digits):
    X, y = digits
    sqfa = SQFA(2, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(sqfa))
    np.testing.assert_array_equal(again.transform(X), sqfa.transform(X))
    assert again.initializations_[0].objective == sqfa.initializations_[0].objective
    assert clone(sqfa).get_params() == sqfa.get_params()
    with pytest.raises(NotFittedError):
        clone(sqfa).transform(X)


def test_pipelines_and_searches(digits):
    X, y = digits
    pipeline = make_pipeline(SQFA(random_state=0), QDA())
    search = GridSearchCV(pipeline, {"sqfa__n_components": [2, 6]}, cv=3).fit(X, y)
    assert search.best_params_ == {"sqfa__n_components": 6}
    scores = cross_val_score(SQFA(4, random_state=0), X, y, cv=3)
    assert scores.min() > 0.8


def test_more_components_than_classes(digits):
    X, y = digits
    two = y < 2
    sqfa = SQFA(5, random_state=0).fit(X[two], y[two])
    assert sqfa.components_.shape == (5, 64)


def test_sequential_pairs_and_pair_weights(digits):
    X, y = digits
    sqfa = SQFA(4, sequential=2, random_state=0).fit(X, y)
    assert sqfa.components_.shape == (4, 64)
    weights = np.zeros((10, 10))
    weights[3, 8] = weights[8, 3] = 1
    focused = SQFA(2, pair_weights=weights, random_state=0).fit(X, y)
    plain = SQFA(2, random_state=0).fit(X, y)
    between = [distances.pairwise(model)[3, 8] for model in (focused, plain)]
    assert between[0] > between[1]


@pytest.mark.parametrize(
    "settings",
    [{}, {"n_init": 3}, {"sequential": 1}, {"noise": "scale", "n_init": 1}, {"refine": True}],
    ids=str,
)
def test_the_trace_has_the_start_and_every_iteration(digits, tmp_path, settings):
    X, y = digits
    sqfa = SQFA(2, random_state=0, **settings).fit(X, y)
    assert len(sqfa.objective_trace_) == sqfa.n_iter_ + 1
    assert sqfa.objective_ == pytest.approx(sqfa.objective_trace_[-1])
    sqfa_rs.save(sqfa, tmp_path / "model")
    again = sqfa_rs.load(tmp_path / "model")
    assert len(again.objective_trace_) == again.n_iter_ + 1 == sqfa.n_iter_ + 1
