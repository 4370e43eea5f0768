"""Data sets made from a formula and a seed, and the file format of MNIST."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from . import _core
from ._threads import thread_count

__all__ = ["load_idx", "make_neural", "make_scaling", "make_speed", "make_toy"]


def make_speed(
    n_train: int = 500,
    n_test: int = 0,
    *,
    tenths: Sequence[int] | None = None,
    random_state: int = 1,
    n_jobs: int | None = None,
) -> Bunch:
    """Make videos of textures that move behind an aperture, labeled by their speed.

    Class means nearly vanish, so that speed lives in the covariances, of which LDA sees nothing.

    Parameters
    ----------
    n_train, n_test : int
        Videos per speed for training and testing.
    tenths : sequence of int, default=None
        The speeds in tenths of a degree per second, ascending, from −80 to 80; 41 from −60 to 60 by
        default.
    random_state : int, default=1
        Seed.
    n_jobs : int, default=None
        Threads; the data do not depend on them.

    Returns
    -------
    Bunch
        ``data`` (float32, of shape (n_videos, 450)), ``target`` (tenths of a degree per second),
        ``data_test`` and ``target_test`` if asked for, ``image_shape`` (frames × pixels).

    References
    ----------
    Burge & Geisler, "Optimal speed estimation in natural image movies predicts human performance",
    Nature Communications 6, 2015.

    Examples
    --------
    >>> from sqfa_rs.datasets import make_speed
    >>> make_speed(3, tenths=[-30, 0, 30]).data.shape
    (9, 450)
    """
    speeds = None if tenths is None else [int(speed) for speed in tenths]
    threads = thread_count(n_jobs)
    sizes = _size("n_train", n_train), _size("n_test", n_test)
    return Bunch(**_core.make_speed(speeds, *sizes, _size("random_state", random_state), threads))


def make_neural(
    session: int = 0,
    n_trials: int = 400,
    *,
    random_state: int = 1,
    n_jobs: int | None = None,
) -> Bunch:
    """Spike counts of a simulated V1 population that sees one of eight orientations.

    Rates are tuned to orientation; counts in 50 ms are Poisson under gains of tuning and of the base
    that the population shares, a fluctuation along the slope of tuning and a gain of every neuron's own.
    A few trials are disturbed and a few neurons burst, for :func:`sqfa_rs.neural.clean` to find. Nothing
    of it was recorded.

    Parameters
    ----------
    session : int, default=0
        One of five sessions, 0 to 4, of 70, 88, 106, 124 and 142 neurons.
    n_trials : int, default=400
        Trials of every orientation.
    random_state : int, default=1
        Seed.
    n_jobs : int, default=None
        Threads; the data do not depend on them.

    Returns
    -------
    Bunch
        ``data`` (spike counts as float32, trials × neurons), ``target`` (tenths of a degree) and
        ``window_seconds``.

    References
    ----------
    Goris, Movshon & Simoncelli, "Partitioning neuronal variability", Nature Neuroscience 17, 2014.
    Lin, Okun, Carandini & Harris, "The nature of shared cortical variability", Neuron 87, 2015.

    Examples
    --------
    >>> from sqfa_rs.datasets import make_neural
    >>> recording = make_neural(n_trials=10)
    >>> recording.data.shape, int(recording.target[10])
    ((80, 70), 225)
    """
    sizes = _size("session", session), _size("n_trials", n_trials)
    made = _core.make_neural(*sizes, _size("random_state", random_state), thread_count(n_jobs))
    return Bunch(data=made["data"], target=made["target"], window_seconds=0.05)


def make_toy(
    name: str = "toy-6d",
    n_train: int = 500,
    n_test: int = 0,
    *,
    random_state: int = 0,
) -> Bunch:
    """Small problems whose statistics are known exactly.

    Parameters
    ----------
    name : {"toy-6d", "toy-4d", "toy-lda"}
        "toy-6d": three classes that differ in covariance in two dimensions and in mean in two others;
        "toy-4d" and "toy-lda": problems on which second moments or LDA look the wrong way.
    n_train, n_test : int
        Points per class for training and testing.
    random_state : int, default=0
        Seed.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``data_test`` and ``target_test`` if asked for, and the exact ``means`` and
        ``covariances``.

    Examples
    --------
    >>> from sqfa_rs.datasets import make_toy
    >>> make_toy("toy-6d", 10).covariances.shape
    (3, 6, 6)
    """
    sizes = _size("n_train", n_train), _size("n_test", n_test)
    seed = _size("random_state", random_state)
    return Bunch(**_core.make_toy(str(name), *sizes, seed, thread_count(None)))


def make_scaling(
    n_features: int = 100,
    n_informative: int = 8,
    *,
    spread: float = 3.8,
    a: float = 2.2,
    b: float = 0.35,
    random_state: int = 8,
    dtype: Any = np.float64,
    n_jobs: int | None = None,
) -> Bunch:
    """Exact statistics of five classes that differ in a hidden subspace of any size.

    Parameters
    ----------
    n_features : int, default=100
        Dimensions.
    n_informative : int, default=8
        Dimensions of the hidden subspace: even, at least 4.
    spread : float, default=3.8
        Spread of the means.
    a, b : float
        Variances along the two axes of every informative block.
    random_state : int, default=8
        Seed of the subspace.
    dtype : {numpy.float64, numpy.float32}
        Precision of the covariances.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    Bunch
        ``means`` (5, n), ``covariances`` (5, n, n) and the orthonormal ``basis`` (n_informative, n).

    Examples
    --------
    >>> from sqfa_rs import SQFA
    >>> from sqfa_rs.datasets import make_scaling
    >>> problem = make_scaling(50)
    >>> SQFA(2, random_state=0).fit_statistics(problem.means, problem.covariances).converged_
    True
    """
    kind = np.dtype(dtype)
    if kind not in (np.float64, np.float32):
        raise ValueError(f"dtype is {kind}: choose float64 or float32")
    return Bunch(
        **_core.make_scaling(
            _size("n_features", n_features),
            _size("n_informative", n_informative),
            float(spread),
            float(a),
            float(b),
            _size("random_state", random_state),
            kind == np.float32,
            thread_count(n_jobs),
        )
    )


def load_idx(path: str | os.PathLike[str]) -> NDArray[Any]:
    """Read an array in the format of the MNIST files, compressed with gzip or not.

    Parameters
    ----------
    path : path-like
        The file, such as ``train-images-idx3-ubyte.gz``.

    Returns
    -------
    ndarray
        The array, with as many dimensions as the file says.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sqfa_rs.datasets import load_idx
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "labels-idx1-ubyte"
    ...     _ = path.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9]))
    ...     load_idx(path).tolist()
    [7, 8, 9]
    """
    return _core.load_idx(os.fspath(path))


def _size(name: str, value: int) -> int:
    if int(value) != value or value < 0:
        raise ValueError(f"{name} is {value}: give a whole number from 0 on")
    return int(value)
