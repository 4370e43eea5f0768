"""Neural recordings: spike counts from spike times, and removal of outlying trials and neurons."""

from __future__ import annotations

import operator
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from . import _core
from ._threads import thread_count
from .data._inputs import dense, loose_points
from .data._labels import class_names
from .estimators._settings import seed_of

__all__ = ["Cleaned", "Recording", "SpikeCounts", "clean", "from_nwb", "raster_counts", "spike_counts"]


class SpikeCounts(NamedTuple):
    """Spike counts, and the number of spikes that are in no trial."""

    counts: NDArray[np.int64]
    """Number of spikes of each neuron (columns) in each trial (rows)."""
    outside: NDArray[np.int64]
    """Number of spikes of each neuron outside all windows."""


class Recording(NamedTuple):
    """Spike counts of a population with the labels of the trials."""

    counts: NDArray[np.int64]
    """Number of spikes of each neuron (columns) in each trial (rows)."""
    labels: NDArray[Any]
    """Label of each trial."""
    neurons: NDArray[Any]
    """Names or numbers of the neurons."""
    window_seconds: float
    """Length of the window in seconds."""
    outside: NDArray[np.int64]
    """Number of spikes of each neuron outside all windows."""


def spike_counts(
    spike_times: Iterable[ArrayLike] | Mapping[Any, ArrayLike],
    starts: ArrayLike,
    window: float | tuple[float, float],
) -> SpikeCounts:
    """Count the spikes of each neuron in a window after the start of each trial.

    Parameters
    ----------
    spike_times : iterable or mapping of array-like
        Spike times of each neuron in seconds, in any order. For a mapping from names to times,
        neurons are in the order of the mapping.
    starts : array-like of shape (n_trials,)
        Start times of the trials in seconds.
    window : float or tuple of float
        Window after each start in seconds: its length, or a pair of its beginning and its end. The
        end is not included.

    Returns
    -------
    SpikeCounts
        Counts of shape (n_trials, n_neurons), and the number of spikes of each neuron outside all
        windows.

    Examples
    --------
    >>> from sqfa_rs.neural import spike_counts
    >>> spike_counts([[0.1, 0.2, 1.3], [1.4, 9.0]], starts=[0.0, 1.0], window=0.5).counts.tolist()
    [[2, 0], [1, 1]]
    """
    begins = column_or_1d(starts).astype(np.float64)
    first, last = (0.0, float(window)) if np.ndim(window) == 0 else map(float, window)  # type: ignore[arg-type]
    if not np.isfinite([first, last]).all() or last <= first:
        raise ValueError(
            f"the window ends at {last}, but it begins at {first}: give an end after the beginning"
        )
    if not np.isfinite(begins).all():
        trial = int(np.flatnonzero(~np.isfinite(begins))[0])
        raise ValueError(f"trial {trial} has the start {begins[trial]}: give each trial a finite start")
    counts, outside = [], []
    trains = spike_times.values() if isinstance(spike_times, Mapping) else spike_times
    for neuron, times in enumerate(trains):
        if np.ndim(times) == 0:
            raise ValueError(
                f"the spike times of neuron {neuron} are the single value {times!r}: give the "
                "times of one neuron as [times]"
            )
        spikes = np.sort(np.asarray(times, dtype=np.float64).ravel())
        if not np.isfinite(spikes).all():
            raise ValueError(
                f"neuron {neuron} has a spike at {spikes[~np.isfinite(spikes)][0]}: "
                "spike times must be finite"
            )
        low, high = np.searchsorted(spikes, begins + first), np.searchsorted(spikes, begins + last)
        counts.append(high - low)
        # Windows may overlap: a spike is outside if no window contains it.
        edges = np.zeros(len(spikes) + 1, dtype=np.int64)
        np.add.at(edges, low, 1)
        np.add.at(edges, high, -1)
        outside.append(int((np.cumsum(edges)[:-1] == 0).sum()))
    if not counts:
        raise ValueError("spike_times has no neurons: give the spike times of at least one")
    table, left = np.stack(counts, axis=1), np.array(outside)
    if left.sum() and not table.sum():
        warnings.warn(
            f"all {int(left.sum())} spikes are outside all windows: check that spike times and "
            "starts have the same unit",
            stacklevel=2,
        )
    return SpikeCounts(table, left)


def raster_counts(raster: Any, window: tuple[int, int] | None = None) -> Any:
    """Count spikes in a range of bins of a raster.

    Parameters
    ----------
    raster : array-like of shape (n_trials, n_neurons, n_bins)
        Number of spikes of each neuron in each bin of each trial. Arrays of xarray keep their
        coordinates.
    window : tuple of int, default=None
        First bin, and the bin after the last one. None uses all bins.

    Returns
    -------
    counts : array of shape (n_trials, n_neurons)
        Number of spikes of each neuron in each trial.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs.neural import raster_counts
    >>> raster_counts(np.ones((2, 3, 10), dtype=int), window=(4, 10)).tolist()
    [[6, 6, 6], [6, 6, 6]]
    """
    spikes = np.asarray(raster)
    if spikes.ndim != 3:
        raise ValueError(f"raster has {spikes.ndim} dimension(s): give trials × neurons × bins")
    first, last = (0, spikes.shape[2]) if window is None else map(_bin, window)
    if not 0 <= first < last <= spikes.shape[2]:
        raise ValueError(
            f"the window goes from bin {first} to {last}, but the raster has {spikes.shape[2]} bins"
        )
    part = spikes[:, :, first:last]
    bad = np.argwhere(~((part >= 0) & (part == np.floor(part))))
    if len(bad):
        trial, neuron, bin_ = (int(one) for one in bad[0])
        value = part[trial, neuron, bin_]
        raise ValueError(
            f"{value} at trial {trial}, neuron {neuron}, bin {first + bin_}: spike counts must be "
            "whole numbers"
        )
    counts = np.asarray(part.sum(axis=2, dtype=np.int64))
    if hasattr(raster, "isel"):
        return raster.isel({raster.dims[2]: 0}, drop=True).copy(data=counts)
    return counts


def _bin(edge: Any) -> int:
    """Return the number of a bin."""
    try:
        return operator.index(edge)
    except TypeError:
        raise ValueError(
            f"the window has an end at {edge}: give bins, which are whole numbers, not seconds"
        ) from None


def from_nwb(
    path: str | os.PathLike[str],
    *,
    label: str,
    window: float | tuple[float, float],
    start: str = "start_time",
    units: Sequence[int] | None = None,
) -> Recording:
    """Count the spikes of the units of an NWB file in its trials, with the labels of the trials.

    Parameters
    ----------
    path : path-like
        Path of the file to write.
    label : str
        Column of the trials table with the labels.
    window : float or tuple of float
        Window after each start in seconds, as in :func:`spike_counts`.
    start : str, default="start_time"
        Column of the trials table with the start times, such as the onset of the stimulus.
    units : sequence of int, default=None
        Rows of the units table. None uses all units.

    Returns
    -------
    Recording
        Counts, labels and names of the neurons.
    """
    try:
        from pynwb import NWBHDF5IO
    except ImportError as error:
        raise ImportError(
            "NWB files need pynwb: install it with pip install 'sqfa-rs[neural]'"
        ) from error
    with NWBHDF5IO(os.fspath(path), "r") as source:
        recording = source.read()
        trials, table = recording.trials, recording.units
        for what, found in (("trials", trials), ("units", table)):
            if found is None:
                raise ValueError(f"{os.fspath(path)} has no {what} table")
        for name in (label, start):
            if name not in trials.colnames:
                raise ValueError(
                    f"the trials table has no column '{name}'; the columns are: "
                    f"{', '.join(trials.colnames)}"
                )
        if "spike_times" not in table.colnames:
            raise ValueError(f"the units of {os.fspath(path)} have no spike times")
        rows = list(range(len(table))) if units is None else [operator.index(row) for row in units]
        beyond = [row for row in rows if not 0 <= row < len(table)]
        if beyond:
            raise ValueError(
                f"there is no unit {beyond[0]}: the units table has rows 0 to {len(table) - 1}"
            )
        spikes = [np.asarray(table["spike_times"][row]) for row in rows]
        found = spike_counts(spikes, np.asarray(trials[start][:]), window)
        labels = np.asarray(trials[label][:])
        names = np.asarray(table.id[:])[rows]
    length = float(window) if np.ndim(window) == 0 else float(window[1] - window[0])  # type: ignore[arg-type,index]
    return Recording(found.counts, labels, names, length, found.outside)


@dataclass(frozen=True)
class Cleaned:
    """Result of :func:`clean`: what it kept and what it removed. ``print`` shows a summary.

    Attributes
    ----------
    counts : array-like of shape (n_trials_kept, n_neurons_kept)
        Counts that are kept, with the type of the original counts.
    labels : ndarray of shape (n_trials_kept,)
        Labels of the trials that are kept.
    trials, neurons : ndarray of int
        Indices of the trials and neurons that are kept.
    quiet_neurons : list of (int, float)
        Neurons with low firing rates that were removed, with their mean rates.
    outlying_trials : list of (int, float)
        Trials that were removed as outliers, with their squared distances.
    unstable_neurons : list of (int, int)
        Neurons that were removed because of many outlying trials, with the numbers of these trials.
    limit : float
        Squared distance above which trials were removed.
    class_counts : dict
        Number of trials of each class before and after.
    """

    counts: Any
    labels: NDArray[Any]
    trials: NDArray[np.int64]
    neurons: NDArray[np.int64]
    quiet_neurons: list[tuple[int, float]]
    outlying_trials: list[tuple[int, float]]
    unstable_neurons: list[tuple[int, int]]
    limit: float
    class_counts: dict[Any, tuple[int, int]]

    def __str__(self) -> str:
        trials, neurons = len(self.trials), len(self.neurons)
        lost, quiet = len(self.outlying_trials), len(self.quiet_neurons)
        unstable = len(self.unstable_neurons)
        lines = [
            f"kept {trials} of {trials + lost} trials and {neurons} of "
            f"{neurons + quiet + unstable} neurons",
            f"  quiet neurons      {quiet}",
            f"  outlying trials    {lost}  (squared distance above {self.limit:.1f})",
            f"  unstable neurons   {unstable}",
        ]
        for name, (before, after) in self.class_counts.items():
            if after < before:
                lines.append(f"  class {name}: {before - after} of {before} trials removed")
        return "\n".join(lines)


def clean(
    counts: Any,
    labels: Any,
    *,
    window_seconds: float | None = None,
    min_rate: float = 2.0,
    n_components: int = 10,
    support_fraction: float = 0.8,
    max_deviations: float = 4.0,
    outlying_z: float = 3.0,
    max_outlying_trials: int = 60,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Cleaned:
    """Remove neurons with low rates, outlying trials and unstable neurons, in this order.

    Rates are z-scored within classes. For each class, the minimum covariance determinant estimate
    on the leading principal components gives each trial a squared distance. Trials are removed if
    their distance exceeds the median of all distances by more than ``max_deviations`` standard
    deviations. Finally, neurons are removed that have at least ``max_outlying_trials`` trials with
    z-scores beyond ``outlying_z``.

    Parameters
    ----------
    counts : array-like of shape (n_trials, n_neurons)
        Spike counts, or rates. Data frames of pandas and arrays of xarray keep their names.
    labels : array-like of shape (n_trials,)
        Label of each trial, such as its stimulus.
    window_seconds : float, default=None
        Length of the window in seconds. If it is None, ``counts`` are rates.
    min_rate : float, default=2.0
        Minimum mean rate in spikes per second. Neurons at or below it are removed.
    n_components : int, default=10
        Number of principal components per class.
    support_fraction : float, default=0.8
        Fraction of the trials of each class that are assumed to be no outliers.
    max_deviations : float, default=4.0
        Number of standard deviations above the median beyond which a trial is an outlier.
    outlying_z : float, default=3.0
        Absolute z-score beyond which a trial is an outlier for one neuron.
    max_outlying_trials : int, default=60
        Minimum number of outlying trials of a neuron that is removed.
    random_state : int, RandomState instance or None, default=0
        Seed of the robust covariance.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.

    Returns
    -------
    Cleaned
        Counts and labels that were kept, and a list of everything that was removed.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs.neural import clean
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 200)
    >>> counts = rng.poisson(3 + y[:, None], size=(400, 20))
    >>> counts[7] += 20
    >>> cleaned = clean(counts, y, window_seconds=0.05)
    >>> 7 in cleaned.trials
    False
    """
    points = dense(loose_points(counts))
    given = column_or_1d(labels, warn=True)
    if len(given) != len(points):
        raise ValueError(
            f"there are {len(given)} labels for {len(points)} trials: give one label per trial"
        )
    missing = np.flatnonzero([one is None or one != one for one in given.tolist()])
    if len(missing):
        raise ValueError(
            f"trial {missing[0]} has no label ({len(missing)} in total): remove trials without a label"
        )
    # scikit-learn's check of targets is not used, because orientations such as 22.5 are labels
    # here.
    classes, codes = np.unique(given, return_inverse=True)
    found = _core.clean(
        points,
        class_names(classes),
        codes.astype(np.uint32),
        None if window_seconds is None else float(window_seconds),
        float(min_rate),
        int(n_components),
        float(support_fraction),
        float(max_deviations),
        float(outlying_z),
        int(max_outlying_trials),
        seed_of(random_state),
        thread_count(n_jobs),
    )
    if window_seconds is None and found["quiet"] and np.all(points == np.floor(points)):
        warnings.warn(
            f"counts are whole numbers but were treated as rates, and {len(found['quiet'])} of "
            f"{points.shape[1]} neurons are below {min_rate:g} Hz; if they are spike counts, pass "
            "the length of the window in seconds as window_seconds",
            UserWarning,
            stacklevel=2,
        )
    trials, neurons = found["trials"], found["neurons"]
    return Cleaned(
        counts=_part(counts, trials, neurons),
        labels=given[trials],
        trials=trials,
        neurons=neurons,
        quiet_neurons=found["quiet"],
        outlying_trials=found["outlying"],
        unstable_neurons=[(index, int(count)) for index, count in found["unstable"]],
        limit=found["limit"],
        class_counts=dict(zip(classes.tolist(), found["counts"], strict=True)),
    )


def _part(counts: Any, trials: NDArray[np.int64], neurons: NDArray[np.int64]) -> Any:
    """Return some rows and columns, with their names."""
    if hasattr(counts, "iloc"):
        return counts.iloc[trials, neurons]
    if hasattr(counts, "isel"):
        return counts.isel({counts.dims[0]: trials, counts.dims[1]: neurons})
    return np.asarray(counts)[np.ix_(trials, neurons)]
