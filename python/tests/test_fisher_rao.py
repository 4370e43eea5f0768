"""The Fisher–Rao distance and geodesics against closed forms."""

import numpy as np
import pytest

from sqfa_rs.geometry import exponential, fisher_rao, geodesic, logarithm

# Residual 1e-8; distances are of second order in it, points on geodesics of first.
CLOSE = 1e-9
POINT = 1e-6


def univariate(mean_a, sd_a, mean_b, sd_b):
    """√2 arccosh(1 + ((μ₁−μ₂)²/2 + (σ₁−σ₂)²)/(2σ₁σ₂)): the half plane's distance."""
    gap = (mean_a - mean_b) ** 2 / 2 + (sd_a - sd_b) ** 2
    return np.sqrt(2) * np.arccosh(1 + gap / (2 * sd_a * sd_b))


def random_gaussian(rng, n):
    root = rng.normal(size=(n, n))
    return rng.normal(size=n), root @ root.T + 0.5 * np.eye(n)


@pytest.mark.parametrize("b", [(0.0, 2.0), (1.0, 1.0), (3.0, 0.2)])
def test_one_dimension(b):
    mean, sd = b
    assert fisher_rao(0.5, 0.49, mean, sd**2) == pytest.approx(univariate(0.5, 0.7, mean, sd), rel=CLOSE)


def test_equal_means_are_affine_invariant():
    rng = np.random.default_rng(0)
    (mean, a), (_, b) = random_gaussian(rng, 4), random_gaussian(rng, 4)
    logs = np.log(np.linalg.eigvals(np.linalg.solve(a, b)).real)
    found = fisher_rao(mean, a, mean, b, return_bounds=True)
    assert found.distance == pytest.approx(np.sqrt((logs**2).sum() / 2), rel=CLOSE)
    assert found.exact and found.residual < 1e-8


def test_bounds_and_invariance():
    rng = np.random.default_rng(1)
    a, b = random_gaussian(rng, 3), random_gaussian(rng, 3)
    found = fisher_rao(*a, *b, return_bounds=True)
    assert found.lower <= found.distance * (1 + CLOSE) and found.distance <= found.upper * (1 + CLOSE)
    assert fisher_rao(*b, *a) == pytest.approx(found.distance, rel=CLOSE)
    A, t = rng.normal(size=(3, 3)), rng.normal(size=3)
    move = lambda g: (A @ g[0] + t, A @ g[1] @ A.T)
    assert fisher_rao(*move(a), *move(b)) == pytest.approx(found.distance, rel=1e-7)


def test_geodesics_have_constant_speed_and_meet_their_ends():
    rng = np.random.default_rng(2)
    a, b = random_gaussian(rng, 3), random_gaussian(rng, 3)
    path = geodesic(*a, *b)
    length = fisher_rao(*a, *b)
    assert path.length == pytest.approx(length, rel=CLOSE)
    for t, end in ((0.0, a), (1.0, b)):
        mean, cov = path.point(t)
        np.testing.assert_allclose(mean, end[0], atol=POINT)
        np.testing.assert_allclose(cov, end[1], atol=POINT)
    assert fisher_rao(*a, *path.point(0.3)) == pytest.approx(0.3 * length, rel=POINT)
    assert fisher_rao(*path.midpoint(), *b) == pytest.approx(0.5 * length, rel=POINT)
    means, covariances = path.curve(5)
    assert means.shape == (5, 3) and covariances.shape == (5, 3, 3)
    np.testing.assert_allclose(means[2], path.midpoint()[0])


def test_exponential_undoes_logarithm():
    rng = np.random.default_rng(3)
    a, b = random_gaussian(rng, 3), random_gaussian(rng, 3)
    mean, cov = exponential(*a, logarithm(*a, *b))
    np.testing.assert_allclose(mean, b[0], atol=POINT)
    np.testing.assert_allclose(cov, b[1], atol=POINT)
    # From N(0, 1) with no change of mean: σ²(t) = exp(t v).
    mean, cov = geodesic(0.0, 1.0, velocity=(0.0, 0.7)).point(2.0)
    assert cov.item() == pytest.approx(np.exp(1.4), rel=CLOSE) and mean.item() == 0


def test_refusals():
    eye = np.eye(2)
    with pytest.raises(ValueError, match="first Gaussian"):
        fisher_rao([0, 0], -eye, [0, 0], eye)
    with pytest.raises(ValueError, match="dimension 2, the second 1"):
        fisher_rao([0, 0], eye, 0.0, 1.0)
    with pytest.raises(ValueError, match=r"Gaussian b has a mean of shape \(3,\)"):
        fisher_rao([0, 0], eye, [0, 0, 0], eye)
    with pytest.raises(ValueError, match="only one of them"):
        geodesic(0.0, 1.0, 0.0, 2.0, velocity=(0.0, 1.0))
    with pytest.raises(ValueError, match="or a velocity"):
        geodesic(0.0, 1.0)
