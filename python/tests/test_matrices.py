"""Functions of positive definite matrices: against SciPy, on stacks, and with clear errors."""

import numpy as np
import pytest
import scipy.linalg

from sqfa_rs import distances, geometry


def matrices(seed, *shape, order=4):
    factors = np.random.default_rng(seed).normal(size=(*shape, order, order + 2))
    return factors @ np.swapaxes(factors, -1, -2)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
@pytest.mark.parametrize(
    ("function", "oracle"),
    [
        (geometry.spd_sqrt, scipy.linalg.sqrtm),
        (geometry.spd_inv_sqrt, lambda one: np.linalg.inv(scipy.linalg.sqrtm(one))),
        (geometry.spd_log, scipy.linalg.logm),
    ],
)
def test_functions_are_those_of_scipy_for_every_matrix_of_a_stack(function, oracle, shape):
    stack = matrices(0, *shape)
    found = function(stack)
    assert found.shape == stack.shape
    expected = [oracle(one) for one in stack.reshape(-1, 4, 4)]
    np.testing.assert_allclose(found.reshape(-1, 4, 4), expected, atol=1e-9)


def test_the_exponential_is_that_of_scipy_and_inverts_the_logarithm():
    stack = matrices(1, 5)
    indefinite = geometry.spd_log(stack) - 2 * np.eye(4)
    expected = [scipy.linalg.expm(one) for one in indefinite]
    np.testing.assert_allclose(geometry.sym_exp(indefinite), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(geometry.sym_exp(geometry.spd_log(stack)), stack, rtol=1e-9)


def test_generalized_eigenvalues_are_those_of_scipy_for_all_pairs():
    a, b = matrices(2, 3), matrices(3, 2)
    values = geometry.generalized_eigenvalues(a[:, None], b)
    vectors, same = geometry.generalized_eigenvectors(a[:, None], b)
    assert values.shape == (3, 2, 4) and vectors.shape == (3, 2, 4, 4)
    np.testing.assert_allclose(same, values)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=-2), 1)
    for i in range(3):
        for j in range(2):
            expected = scipy.linalg.eigh(a[i], b[j], eigvals_only=True)[::-1]
            np.testing.assert_allclose(values[i, j], expected, rtol=1e-9)
            left = a[i] @ vectors[i, j]
            right = b[j] @ vectors[i, j] * values[i, j]
            np.testing.assert_allclose(left, right, atol=1e-9 * abs(left).max())


def test_the_affine_invariant_distance_is_a_function_of_the_eigenvalues():
    a, b = matrices(4), matrices(5)
    values = geometry.generalized_eigenvalues(a, b)
    means = np.zeros((1, 4))
    distance = distances.affine_invariant((means, a[None]), (means, b[None]), "covariances")
    assert distance.item() == pytest.approx(np.linalg.norm(np.log(values)), rel=1e-9)


def test_a_singular_matrix_has_a_square_root_and_no_logarithm():
    singular = np.array([[1.0, 1.0], [1.0, 1.0]])
    root = geometry.spd_sqrt(singular)
    np.testing.assert_allclose(root @ root, singular, atol=1e-12)
    for function in (geometry.spd_log, geometry.spd_inv_sqrt):
        with pytest.raises(ValueError, match=r"matrix at \[1\] of matrices is not positive definite"):
            function(np.stack([np.eye(2), singular]))
    with pytest.raises(ValueError, match="semidefinite: its smallest eigenvalue is -1"):
        geometry.spd_sqrt(np.diag([1.0, -1.0]))
    with pytest.raises(ValueError, match="b is not positive definite"):
        geometry.generalized_eigenvalues(np.eye(2), singular)


def test_what_is_no_symmetric_matrix_is_rejected():
    with pytest.raises(ValueError, match=r"not symmetric: entry \[0, 1\]"):
        geometry.spd_log([[1.0, 0.5], [0.0, 1.0]])
    with pytest.raises(ValueError, match=r"shape \(\.\.\., n, n\), not \(2, 3\)"):
        geometry.spd_log(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="not finite"):
        geometry.sym_exp(np.full((2, 2), np.nan))
    with pytest.raises(TypeError, match="real numbers"):
        geometry.spd_sqrt(np.eye(2) * 1j)
    with pytest.raises(ValueError, match="order 2 and b of order 3"):
        geometry.generalized_eigenvalues(np.eye(2), np.eye(3))
    # Symmetric to single precision is symmetric enough for data in single precision.
    single = matrices(6).astype(np.float32)
    single[0, 1] = np.nextafter(single[0, 1], np.float32(np.inf))
    assert geometry.spd_sqrt(single).dtype == np.float64
