"""Every distance of the registry, by name and in closed form where there is one."""

import pickle

import numpy as np
import pytest
from scipy import linalg
from sklearn.base import clone

from sqfa_rs import SQFA, SecondMomentSQFA, _core, class_statistics, distances
from sqfa_rs.baselines import PCA


@pytest.fixture
def gaussians():
    rng = np.random.default_rng(1)
    roots = rng.normal(size=(4, 3, 5))
    return rng.normal(size=(4, 3)), roots @ roots.transpose(0, 2, 1) / 5 + 0.1 * np.eye(3)


# What must follow a name, by the kind of its parameter.
REQUIRED = {"exponent": (0.3,), "degrees": (5,)}
PARAMETERS = {name: REQUIRED.get(kind, ()) for name, _, kind in _core.distance_names()}


@pytest.mark.parametrize("name", distances.names())
def test_every_distance_is_a_function_and_a_matrix(gaussians, name):
    means, covariances = gaussians
    matrix = distances.pairwise(gaussians, distance=":".join([name, *map(str, PARAMETERS[name])]))
    assert matrix.shape == (4, 4) and np.all(np.diag(matrix) == 0)
    assert np.all(matrix[~np.eye(4, dtype=bool)] > 0)
    function = getattr(distances, name.replace("-", "_"))
    assert function.__name__ in dir(distances) and len(function.__doc__) > 20
    for i, j in [(0, 2), (2, 0)]:
        single = function((means[i], covariances[i]), (means[j], covariances[j]), *PARAMETERS[name])
        assert isinstance(single, float) and single == pytest.approx(matrix[i, j], rel=1e-9)


def closed_forms(mp, cp, mq, cq):
    gap, mixed = mp - mq, (cp + cq) / 2
    logdet = lambda matrix: np.linalg.slogdet(matrix)[1]
    mahalanobis = np.sqrt(gap @ np.linalg.solve(mixed, gap))
    bhattacharyya = mahalanobis**2 / 8 + (logdet(mixed) - (logdet(cp) + logdet(cq)) / 2) / 2
    root = np.real(linalg.sqrtm(linalg.sqrtm(cp) @ cq @ linalg.sqrtm(cp)))
    embed = lambda m, c: np.block([[c + np.outer(m, m), m[:, None]], [m[None], np.eye(1)]])
    inverse = np.linalg.inv(cp) + np.linalg.inv(cq)
    second = lambda m, c: c + np.outer(m, m)
    logs = lambda a, b: np.log(linalg.eigh(a, b, eigvals_only=True))
    return {
        "mahalanobis": mahalanobis,
        "bhattacharyya": bhattacharyya,
        "hellinger": np.sqrt(1 - np.exp(-bhattacharyya)),
        "jeffreys": (np.trace(np.linalg.solve(cp, cq)) + np.trace(np.linalg.solve(cq, cp))) / 2
        - len(mp)
        + gap @ inverse @ gap / 2,
        "wasserstein": np.sqrt(gap @ gap + np.trace(cp + cq - 2 * root)),
        "calvo-oller": np.sqrt((logs(embed(mp, cp), embed(mq, cq)) ** 2).sum() / 2),
        "affine-invariant": np.sqrt((logs(second(mp, cp), second(mq, cq)) ** 2).sum()),
        "affine-invariant:covariances": np.sqrt((logs(cp, cq) ** 2).sum()),
        "log-euclidean": np.linalg.norm(linalg.logm(second(mp, cp)) - linalg.logm(second(mq, cq))),
        "fisher-rao-equal-covariance": np.sqrt(2) * np.arccosh(1 + mahalanobis**2 / 4),
        "chernoff:0.5": bhattacharyya,
    }


def test_closed_forms(gaussians):
    means, covariances = gaussians
    p, q = (means[0], covariances[0]), (means[1], covariances[1])
    for name, value in closed_forms(*p, *q).items():
        assert distances.pairwise(p, q, name)[0, 0] == pytest.approx(value, rel=1e-8), name


def test_what_stands_for_gaussians(gaussians, digits, blobs):
    means, covariances = gaussians
    whole = distances.pairwise(gaussians)
    np.testing.assert_array_equal(
        distances.pairwise({"means": means, "covariances": covariances}), whole
    )
    np.testing.assert_array_equal(distances.pairwise((means[:1], covariances[:1]), gaussians), whole[:1])
    X, y = digits
    sqfa = SQFA(2, random_state=0).fit(X, y)
    assert distances.pairwise(sqfa).shape == (10, 10)
    assert distances.wasserstein(class_statistics(*blobs)).shape == (3, 3)


@pytest.mark.parametrize(
    "estimator",
    [
        SQFA(2, random_state=0),
        SQFA(2, distance="hellinger", random_state=0),
        SQFA(2, distance="chernoff:0.3", noise=0.2, scaling="none", random_state=0),
        SecondMomentSQFA(2, random_state=0),
    ],
    ids=str,
)
def test_an_estimator_is_measured_by_the_distance_it_maximized(blobs, estimator):
    estimator.fit(*blobs)
    matrix = distances.pairwise(estimator)
    pairs = matrix[np.triu_indices(3, 1)]
    # The objective is the mean over pairs of classes of what the matrix holds.
    assert pairs.mean() == pytest.approx(estimator.objective_, rel=1e-9)
    other = distances.pairwise(estimator, distance="wasserstein")
    np.testing.assert_array_equal(other, distances.wasserstein(estimator))


def test_an_estimator_without_a_distance_of_its_own(blobs):
    pca = PCA(2).fit(*blobs)
    np.testing.assert_array_equal(
        distances.pairwise(pca), distances.pairwise(pca, distance="calvo-oller")
    )


def test_functions_are_distances(blobs, gaussians):
    X, y = blobs
    by_name = SQFA(2, distance="hellinger", random_state=0).fit(X, y)
    by_function = SQFA(2, distance=distances.hellinger, random_state=0)
    assert clone(by_function).distance is distances.hellinger
    by_function.fit(X, y)
    np.testing.assert_array_equal(by_function.components_, by_name.components_)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(by_function)).transform(X), by_name.transform(X)
    )
    np.testing.assert_array_equal(
        distances.pairwise(gaussians, distance=distances.jeffreys), distances.jeffreys(gaussians)
    )
    with pytest.raises(ValueError, match="chernoff"):
        SQFA(2, distance=distances.chernoff).fit(X, y)


def test_a_callable_distance(gaussians):
    def gap(mean_p, cov_p, mean_q, cov_q):
        return float(abs(mean_p - mean_q).sum()), None

    matrix = distances.pairwise(gaussians, distance=gap)
    means = gaussians[0]
    np.testing.assert_allclose(matrix, abs(means[:, None] - means[None]).sum(axis=2))


def test_refusals(gaussians):
    means, covariances = gaussians
    with pytest.raises(ValueError, match="did you mean 'jeffreys'"):
        distances.pairwise(gaussians, distance="jefreys")
    with pytest.raises(ValueError, match="need covariances of shape"):
        distances.pairwise((means, covariances[:2]))
    with pytest.raises(ValueError, match="3 and 2 dimensions"):
        distances.pairwise(gaussians, (means[:, :2], covariances[:, :2, :2]))
    with pytest.raises(ValueError, match="not positive definite"):
        distances.pairwise((means, -covariances))
    with pytest.raises(ValueError, match="not symmetric"):
        distances.pairwise((means, covariances + np.triu(np.ones((3, 3)), 1)))
    with pytest.raises(TypeError, match="Gaussians must be"):
        distances.pairwise(7)
    with pytest.raises(ValueError, match="strictly between"):
        distances.chernoff((means, covariances), None, 2.0)
    with pytest.raises(AttributeError, match="no attribute 'euclid'"):
        distances.euclid


def test_value_and_gradient_are_those_of_the_mean_over_pairs():
    rng = np.random.default_rng(3)
    roots = rng.normal(size=(4, 3, 3))
    means, covariances = rng.normal(size=(4, 3)), roots @ roots.transpose(0, 2, 1) + np.eye(3)
    weights = np.array([[0, 1, 2, 0], [1, 0, 0.5, 3], [2, 0.5, 0, 1], [0, 3, 1, 0]])
    pairs = np.triu_indices(4, 1)

    def mean(means, covariances, name, weights=None):
        matrix = distances.pairwise((means, covariances), distance=name)
        return np.average(matrix[pairs], weights=None if weights is None else weights[pairs])

    for name in ("calvo-oller", "hellinger", "fisher-rao", "wasserstein"):
        for given in (None, weights):
            value, slopes, spreads = distances.value_and_gradient(means, covariances, name, given)
            assert value == pytest.approx(mean(means, covariances, name, given), rel=1e-9)
            step = rng.normal(size=means.shape)
            turn = rng.normal(size=covariances.shape)
            turn = turn + turn.transpose(0, 2, 1)
            h = 1e-5
            difference = (
                mean(means + h * step, covariances + h * turn, name, given)
                - mean(means - h * step, covariances - h * turn, name, given)
            ) / (2 * h)
            assert (slopes * step).sum() + (spreads * turn).sum() == pytest.approx(difference, rel=1e-6)


def test_several_sets_give_what_each_gives_alone():
    rng = np.random.default_rng(4)
    means = rng.normal(size=(3, 4, 2))
    covariances = np.tile(np.eye(2), (3, 4, 1, 1)) * rng.uniform(1, 2, size=(3, 4, 1, 1))
    values, slopes, spreads = distances.value_and_gradient(means, covariances, distances.hellinger)
    assert values.shape == (3,) and slopes.shape == means.shape and spreads.shape == covariances.shape
    for at in range(3):
        alone = distances.value_and_gradient(means[at], covariances[at], "hellinger", n_jobs=2)
        assert values[at] == alone[0]
        assert (slopes[at] == alone[1]).all() and (spreads[at] == alone[2]).all()


def test_value_and_gradient_say_what_is_wrong():
    means, covariances = np.zeros((2, 2)), np.tile(np.eye(2), (2, 1, 1))
    with pytest.raises(ValueError, match="give at least 2"):
        distances.value_and_gradient(means[:1], covariances[:1])
    with pytest.raises(ValueError, match="symmetric 2 × 2"):
        distances.value_and_gradient(means, covariances, weights=np.zeros((2, 2)))
    with pytest.raises(ValueError, match="not positive definite"):
        distances.value_and_gradient(np.eye(2), covariances * [[[1.0]], [[-1.0]]])
    with pytest.raises(ValueError, match="the same number of sets"):
        distances.value_and_gradient(means[None], covariances)


def test_second_moment_components_by_any_distance_of_second_moments(blobs):
    X, y = blobs
    settings = {"noise": 0.1, "scaling": "none", "random_state": 0}
    for distance in ("log-euclidean", distances.squared_affine_invariant):
        ours = SecondMomentSQFA(2, distance=distance, **settings).fit(X, y)
        general = SQFA(2, distance=distance, **settings).fit(X, y)
        np.testing.assert_array_equal(ours.components_, general.components_)
    for distance in ("hellinger", "affine-invariant:covariances", lambda a, b, c, d: (0.0, None)):
        with pytest.raises(ValueError, match="compares second moments.*use 'affine-invariant'.*or SQFA"):
            SecondMomentSQFA(2, distance=distance).fit(X, y)


def test_a_callable_of_other_parameters_is_rejected_before_the_fit(blobs):
    def between(first, second):
        return 0.0

    message = r"'between' has the parameters \(first, second\).*mean_p, cov_p, mean_q, cov_q"
    with pytest.raises(TypeError, match=message):
        SQFA(2, distance=between).fit(*blobs)
    with pytest.raises(TypeError, match=message):
        distances.pairwise(class_statistics(*blobs), distance=between)
