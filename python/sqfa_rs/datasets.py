"""Synthetic data sets, and the file format of MNIST."""

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

    The class means nearly vanish, so only the covariances depend on the speed, and LDA cannot
    separate the classes.

    Parameters
    ----------
    n_train, n_test : int
        Number of videos per speed for training and testing.
    tenths : sequence of int, default=None
        Speeds in tenths of a degree per second, in ascending order, between −80 and 80. None uses
        41 speeds from −60 to 60.
    random_state : int, default=1
        Seed of all random numbers.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The data do not depend on it.

    Returns
    -------
    Bunch
        ``data`` (float32, of shape (n_videos, 450)), ``target`` (tenths of a degree per second),
        ``image_shape`` (frames × pixels), and with ``n_test`` also ``data_test`` and
        ``target_test``.

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
    """Make spike counts of a simulated V1 population that responds to one of eight orientations.

    Firing rates are tuned to orientation, and counts in 50 ms have Poisson distributions. Rates are
    multiplied by random gains: one for the tuning and one for the baseline that all neurons share,
    and one of each neuron. Fluctuations along the slope of the tuning are shared as well. A few
    trials and neurons are disturbed, so that :func:`sqfa_rs.neural.clean` has outliers to find. All
    data are simulated.

    Parameters
    ----------
    session : int, default=0
        One of five sessions, 0 to 4, with 70, 88, 106, 124 and 142 neurons.
    n_trials : int, default=400
        Number of trials per orientation.
    random_state : int, default=1
        Seed of all random numbers.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The data do not depend on it.

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
    """Make a small problem with known class statistics.

    Parameters
    ----------
    name : {"toy-6d", "toy-4d", "toy-lda"}
        "toy-6d" has three classes that differ in covariance in two dimensions and in mean in two
        others. "toy-4d" and "toy-lda" are problems in which second moments and LDA, respectively,
        find the wrong directions.
    n_train, n_test : int
        Number of samples per class for training and testing.
    random_state : int, default=0
        Seed of all random numbers.

    Returns
    -------
    Bunch
        ``data``, ``target``, the exact ``means`` and ``covariances``, and with ``n_test`` also
        ``data_test`` and ``target_test``.

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
    """Make exact class statistics of five classes that differ in a hidden subspace.

    Parameters
    ----------
    n_features : int, default=100
        Number of features.
    n_informative : int, default=8
        Dimension of the hidden subspace: even, at least 4.
    spread : float, default=3.8
        Spread of the class means.
    a, b : float
        Variances along the two axes of each informative block.
    random_state : int, default=8
        Seed of the subspace.
    dtype : {numpy.float64, numpy.float32}
        Data type of the covariances.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.

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
        raise ValueError(f"dtype is {kind}: use float64 or float32")
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
        Path of the file, such as ``train-images-idx3-ubyte.gz``.

    Returns
    -------
    ndarray
        Array with the shape that the file specifies.

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
        raise ValueError(f"{name} is {value}: give a whole number of at least 0")
    return int(value)
