"""Functions of symmetric positive definite matrices, for single matrices and stacks of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Summation in another order changes entries by a few hundred rounding errors; larger differences
# are mistakes.
_ASYMMETRY = 1e-9


def spd_sqrt(matrices: ArrayLike) -> NDArray[np.float64]:
    """Return the symmetric square root of symmetric positive semidefinite matrices.

    Parameters
    ----------
    matrices : array-like of shape (..., n, n)
        One matrix or a stack of matrices.

    Returns
    -------
    ndarray of shape (..., n, n)
        Positive semidefinite matrices S with SS = M.

    See Also
    --------
    spd_inv_sqrt : Computes the inverse of the square root.

    Examples
    --------
    >>> from sqfa_rs.geometry import spd_sqrt
    >>> spd_sqrt([[4.0, 0.0], [0.0, 9.0]]).round(12).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return _spectral(matrices, np.sqrt, "spd_sqrt", definite=False)


def spd_inv_sqrt(matrices: ArrayLike) -> NDArray[np.float64]:
    """Return the symmetric inverse square root of symmetric positive definite matrices.

    S whitens M: S M S is the identity.

    Parameters
    ----------
    matrices : array-like of shape (..., n, n)
        One matrix or a stack of matrices.

    Returns
    -------
    ndarray of shape (..., n, n)
        Positive definite matrices S with SMS = I.

    See Also
    --------
    spd_sqrt : Computes the square root.

    Examples
    --------
    >>> from sqfa_rs.geometry import spd_inv_sqrt
    >>> spd_inv_sqrt([[4.0, 0.0], [0.0, 16.0]]).round(12).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return _spectral(matrices, lambda values: 1 / np.sqrt(values), "spd_inv_sqrt")


def spd_log(matrices: ArrayLike) -> NDArray[np.float64]:
    """Return the symmetric logarithm of symmetric positive definite matrices.

    Parameters
    ----------
    matrices : array-like of shape (..., n, n)
        One matrix or a stack of matrices.

    Returns
    -------
    ndarray of shape (..., n, n)
        Symmetric matrices L with exp(L) = M.

    See Also
    --------
    sym_exp : Computes the inverse function.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs.geometry import spd_log
    >>> spd_log(np.diag([1.0, np.e])).round(12).tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    return _spectral(matrices, np.log, "spd_log")


def sym_exp(matrices: ArrayLike) -> NDArray[np.float64]:
    """Return the exponential of symmetric matrices, which is positive definite.

    Parameters
    ----------
    matrices : array-like of shape (..., n, n)
        One symmetric matrix or a stack of them.

    Returns
    -------
    ndarray of shape (..., n, n)
        Positive definite matrices exp(L).

    See Also
    --------
    spd_log : Computes the inverse function.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs.geometry import spd_log, sym_exp
    >>> np.allclose(spd_log(sym_exp([[0.0, 1.0], [1.0, 0.0]])), [[0, 1], [1, 0]])
    True
    """
    values, vectors = np.linalg.eigh(_symmetric(matrices, "sym_exp"))
    return _composed(np.exp(values), vectors)


def generalized_eigenvalues(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Return the generalized eigenvalues of pairs of symmetric matrices, in descending order.

    These are the values λ with Av = λBv for a vector v. A large or small λ means that the variances
    of A and B along v are very different.

    Parameters
    ----------
    a : array-like of shape (..., n, n)
        Symmetric matrices A.
    b : array-like of shape (..., n, n)
        Symmetric positive definite matrices B. Stacks are broadcast as in NumPy: ``a[:, None]`` and
        ``b`` give all pairs of two stacks.

    Returns
    -------
    ndarray of shape (..., n)
        Generalized eigenvalues λ, in descending order.

    See Also
    --------
    generalized_eigenvectors : Computes the eigenvectors as well.
    sqfa_rs.distances.pairwise : Distances, many of which are functions of these eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs.geometry import generalized_eigenvalues
    >>> generalized_eigenvalues(np.diag([2.0, 6.0]), np.diag([1.0, 2.0])).round(12).tolist()
    [3.0, 2.0]
    """
    whitened, _ = _whitened(a, b, "generalized_eigenvalues")
    return np.asarray(np.linalg.eigvalsh(whitened)[..., ::-1], dtype=np.float64)


def generalized_eigenvectors(
    a: ArrayLike, b: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the generalized eigenvectors of pairs of symmetric matrices, and their eigenvalues.

    Parameters
    ----------
    a : array-like of shape (..., n, n)
        Symmetric matrices A.
    b : array-like of shape (..., n, n)
        Symmetric positive definite matrices B. Stacks are broadcast as in NumPy.

    Returns
    -------
    vectors : ndarray of shape (..., n, n)
        Eigenvectors v of unit length with Av = λBv, as columns.
    values : ndarray of shape (..., n)
        Eigenvalues λ, in descending order.

    See Also
    --------
    generalized_eigenvalues : Computes the eigenvalues alone.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs.geometry import generalized_eigenvectors
    >>> vectors, values = generalized_eigenvectors(np.diag([2.0, 6.0]), np.diag([1.0, 2.0]))
    >>> abs(vectors).round(12).tolist(), values.round(12).tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [3.0, 2.0])
    """
    whitened, whitener = _whitened(a, b, "generalized_eigenvectors")
    values, vectors = np.linalg.eigh(whitened)
    vectors = whitener @ vectors[..., ::-1]
    lengths = np.linalg.norm(vectors, axis=-2, keepdims=True)
    return np.asarray(vectors / lengths), values[..., ::-1]


def _whitened(a: ArrayLike, b: ArrayLike, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return SAS and the symmetric S with SBS = I."""
    left = _symmetric(a, name, "a")
    whitener = _spectral(b, lambda values: 1 / np.sqrt(values), name, "b")
    if left.shape[-1] != whitener.shape[-1]:
        raise ValueError(
            f"{name}: a has matrices of order {left.shape[-1]} and b of order "
            f"{whitener.shape[-1]}: give matrices of the same order"
        )
    whitened = whitener @ left @ whitener
    return (whitened + np.swapaxes(whitened, -1, -2)) / 2, whitener


def _spectral(
    matrices: ArrayLike,
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    name: str,
    argument: str = "matrices",
    *,
    definite: bool = True,
) -> NDArray[np.float64]:
    """Apply a function to the eigenvalues of positive definite matrices."""
    values, vectors = np.linalg.eigh(_symmetric(matrices, name, argument))
    # Eigenvalues of a matrix of order n have errors of about n rounding errors of the largest
    # eigenvalue.
    rounding = values.shape[-1] * np.finfo(np.float64).eps * abs(values).max(axis=-1, initial=0.0)
    least = values.min(axis=-1, initial=np.inf)
    bad = least <= rounding if definite else least < -rounding
    if np.any(bad):
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        what = "positive definite" if definite else "positive semidefinite"
        place = f"the matrix at {list(at)} of {argument}" if at else argument
        raise ValueError(
            f"{name}: {place} is not {what}: its smallest eigenvalue is {least[at]:.3g} and its "
            f"largest {values[at].max():.3g}; add a small number to its diagonal"
        )
    return _composed(function(values if definite else values.clip(min=0)), vectors)


def _composed(values: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((vectors * values[..., None, :]) @ np.swapaxes(vectors, -1, -2))


def _symmetric(matrices: ArrayLike, name: str, argument: str = "matrices") -> NDArray[np.float64]:
    """Return validated symmetric matrices in double precision."""
    array = np.asarray(matrices)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name}: {argument} must contain real numbers, but its type is {array.dtype}")
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise ValueError(f"{name}: {argument} must have shape (..., n, n), not {array.shape}")
    # Matrices in single precision are symmetric only to single precision.
    single = array.dtype.itemsize < 8 and array.dtype.kind == "f"
    rounding = float(np.finfo(array.dtype).eps) * 100 if single else _ASYMMETRY
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: {argument} contains values that are not finite")
    apart = abs(array - np.swapaxes(array, -1, -2))
    size = abs(array).max(axis=(-1, -2), keepdims=True, initial=0.0)
    if np.any(apart > rounding * size):
        at = tuple(int(i) for i in np.argwhere(apart > rounding * size)[0])
        raise ValueError(
            f"{name}: {argument} is not symmetric: entry {list(at)} differs from the entry across "
            f"the diagonal by {apart[at]:.3g}"
        )
    return np.asarray((array + np.swapaxes(array, -1, -2)) / 2)
