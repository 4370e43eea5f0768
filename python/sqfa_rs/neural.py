"""Neural recordings: from spikes to counts, and from counts to clean trials and neurons."""

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
    """Counts, and how many spikes no trial has."""

    counts: NDArray[np.int64]
    """Spikes of every neuron (columns) in every trial (rows)."""
    outside: NDArray[np.int64]
    """Spikes of every neuron in no window."""


class Recording(NamedTuple):
    """A population's counts with their labels."""

    counts: NDArray[np.int64]
    """Spikes of every neuron (columns) in every trial (rows)."""
    labels: NDArray[Any]
    """The label of every trial."""
    neurons: NDArray[Any]
    """The neurons' own names or numbers."""
    window_seconds: float
    """Seconds in which spikes were counted."""
    outside: NDArray[np.int64]
    """Spikes of every neuron in no window."""


def spike_counts(
    spike_times: Iterable[ArrayLike] | Mapping[Any, ArrayLike],
    starts: ArrayLike,
    window: float | tuple[float, float],
) -> SpikeCounts:
    """Count every neuron's spikes in a window after the start of every trial.

    Parameters
    ----------
    spike_times : iterable or mapping of array-like
        The times of every neuron's spikes, in seconds, in any order. Of a mapping (names to times) the
        values count, in their order.
    starts : array-like of shape (n_trials,)
        When the trials start, in seconds.
    window : float or tuple of float
        The window after each start: its length, or its first and last second. The first belongs to it,
        the last does not.

    Returns
    -------
    SpikeCounts
        Counts of shape (n_trials, n_neurons), and the spikes of every neuron that lie in no window.

    Examples
    --------
    >>> from sqfa_rs.neural import spike_counts
    >>> spike_counts([[0.1, 0.2, 1.3], [1.4, 9.0]], starts=[0.0, 1.0], window=0.5).counts.tolist()
    [[2, 0], [1, 1]]
    """
    begins = column_or_1d(starts).astype(np.float64)
    first, last = (0.0, float(window)) if np.ndim(window) == 0 else map(float, window)  # type: ignore[arg-type]
    if not np.isfinite([first, last]).all() or last <= first:
        raise ValueError(f"the window goes from {first} to {last}: give a later end than its beginning")
    if not np.isfinite(begins).all():
        trial = int(np.flatnonzero(~np.isfinite(begins))[0])
        raise ValueError(f"trial {trial} starts at {begins[trial]}: give every trial a start")
    counts, outside = [], []
    trains = spike_times.values() if isinstance(spike_times, Mapping) else spike_times
    for neuron, times in enumerate(trains):
        if np.ndim(times) == 0:
            raise ValueError(
                f"neuron {neuron} is the single value {times!r}: give the times of one neuron as [times]"
            )
        spikes = np.sort(np.asarray(times, dtype=np.float64).ravel())
        if not np.isfinite(spikes).all():
            raise ValueError(f"neuron {neuron} has a spike at {spikes[~np.isfinite(spikes)][0]}")
        low, high = np.searchsorted(spikes, begins + first), np.searchsorted(spikes, begins + last)
        counts.append(high - low)
        # Windows may overlap: a spike is outside when none of them has it.
        edges = np.zeros(len(spikes) + 1, dtype=np.int64)
        np.add.at(edges, low, 1)
        np.add.at(edges, high, -1)
        outside.append(int((np.cumsum(edges)[:-1] == 0).sum()))
    if not counts:
        raise ValueError("there are no neurons: give the spike times of at least one")
    table, left = np.stack(counts, axis=1), np.array(outside)
    if left.sum() and not table.sum():
        warnings.warn(
            f"all {int(left.sum())} spikes lie outside every trial: are times and starts in one unit?",
            stacklevel=2,
        )
    return SpikeCounts(table, left)


def raster_counts(raster: Any, window: tuple[int, int] | None = None) -> Any:
    """Count spikes in some bins of a raster.

    Parameters
    ----------
    raster : array-like of shape (n_trials, n_neurons, n_bins)
        Spikes of every neuron in every bin of every trial. Arrays of xarray keep their names.
    window : tuple of int, default=None
        The first bin and the one after the last; all bins by default.

    Returns
    -------
    counts : array of shape (n_trials, n_neurons)
        The spikes of every neuron in every trial.

    Examples
    --------
    >>> import numpy as np
    >>> from sqfa_rs.neural import raster_counts
    >>> raster_counts(np.ones((2, 3, 10), dtype=int), window=(4, 10)).tolist()
    [[6, 6, 6], [6, 6, 6]]
    """
    spikes = np.asarray(raster)
    if spikes.ndim != 3:
        raise ValueError(
            f"a raster has trials, neurons and bins, and this has {spikes.ndim} dimension(s)"
        )
    first, last = (0, spikes.shape[2]) if window is None else map(_bin, window)
    if not 0 <= first < last <= spikes.shape[2]:
        raise ValueError(
            f"the window goes from bin {first} to {last}, and the raster has {spikes.shape[2]} bins"
        )
    part = spikes[:, :, first:last]
    bad = np.argwhere(~((part >= 0) & (part == np.floor(part))))
    if len(bad):
        trial, neuron, bin_ = (int(one) for one in bad[0])
        value = part[trial, neuron, bin_]
        raise ValueError(
            f"{value} at trial {trial}, neuron {neuron}, bin {first + bin_}: spikes are whole numbers"
        )
    counts = np.asarray(part.sum(axis=2, dtype=np.int64))
    if hasattr(raster, "isel"):
        return raster.isel({raster.dims[2]: 0}, drop=True).copy(data=counts)
    return counts


def _bin(edge: Any) -> int:
    """A bin's number."""
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
    """Count the spikes of an NWB file's units in its trials, with the labels.

    Parameters
    ----------
    path : path-like
        The file.
    label : str
        The column of the trials table that holds the labels.
    window : float or tuple of float
        The window after each trial's start, in seconds, as for :func:`spike_counts`.
    start : str, default="start_time"
        The column of the trials table to count from, such as the onset of the stimulus.
    units : sequence of int, default=None
        Rows of the units table; all by default.

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
                raise ValueError(f"{os.fspath(path)} has no table of {what}")
        for name in (label, start):
            if name not in trials.colnames:
                raise ValueError(
                    f"the trials have no column '{name}'; there are: {', '.join(trials.colnames)}"
                )
        if "spike_times" not in table.colnames:
            raise ValueError(f"the units of {os.fspath(path)} have no spike times")
        rows = list(range(len(table))) if units is None else [operator.index(row) for row in units]
        beyond = [row for row in rows if not 0 <= row < len(table)]
        if beyond:
            raise ValueError(f"there is no unit {beyond[0]}: the table has rows 0 to {len(table) - 1}")
        spikes = [np.asarray(table["spike_times"][row]) for row in rows]
        found = spike_counts(spikes, np.asarray(trials[start][:]), window)
        labels = np.asarray(trials[label][:])
        names = np.asarray(table.id[:])[rows]
    length = float(window) if np.ndim(window) == 0 else float(window[1] - window[0])  # type: ignore[arg-type,index]
    return Recording(found.counts, labels, names, length, found.outside)


@dataclass(frozen=True)
class Cleaned:
    """What :func:`clean` keeps and what it removed; printing it tells.

    Attributes
    ----------
    counts : array-like of shape (n_trials_kept, n_neurons_kept)
        What stays of the given counts, of their own type.
    labels : ndarray of shape (n_trials_kept,)
        Its labels.
    trials, neurons : ndarray of int
        The positions that stay.
    quiet_neurons : list of (int, float)
        Neurons that fire too little, with their mean rates.
    outlying_trials : list of (int, float)
        Trials that lie too far out, with their squared distances.
    unstable_neurons : list of (int, int)
        Neurons with too many outlying trials, with their numbers.
    limit : float
        The squared distance beyond which trials went.
    class_counts : dict
        Trials of every class before and after.
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
            f"{trials} of {trials + lost} trials and {neurons} of "
            f"{neurons + quiet + unstable} neurons stay",
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
    """Remove quiet neurons, outlying trials and unstable neurons, in this order.

    Rates are z-scored within classes; in each class the minimum covariance determinant of the leading
    principal components gives every trial a squared distance, and trials beyond the median and
    ``max_deviations`` standard deviations of all of them go. Neurons with ``max_outlying_trials`` or
    more trials beyond ``outlying_z`` go afterwards.

    Parameters
    ----------
    counts : array-like of shape (n_trials, n_neurons)
        Spike counts, or rates. Frames of pandas and arrays of xarray keep their names.
    labels : array-like of shape (n_trials,)
        The stimulus of every trial.
    window_seconds : float, default=None
        Seconds in which spikes were counted. Without it, ``counts`` are rates.
    min_rate : float, default=2.0
        Neurons stay whose mean rate is above this, in spikes a second.
    n_components : int, default=10
        Principal components of each class.
    support_fraction : float, default=0.8
        The share of a class's trials that are no outliers.
    max_deviations : float, default=4.0
        Standard deviations above the median at which a trial is outlying.
    outlying_z : float, default=3.0
        The z-score beyond which a trial is outlying for one neuron.
    max_outlying_trials : int, default=60
        Neurons with so many outlying trials go.
    random_state : int, RandomState instance or None, default=0
        Seed of the robust covariance.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    Cleaned
        What was kept and what was removed.

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
        raise ValueError(f"{len(given)} labels for {len(points)} trials: give one label per trial")
    missing = np.flatnonzero([one is None or one != one for one in given.tolist()])
    if len(missing):
        raise ValueError(
            f"trial {missing[0]} has no label ({len(missing)} such in all): leave blank trials out"
        )
    # Not scikit-learn's check of targets: orientations such as 22.5 are labels here.
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
            f"whole numbers were taken for rates, and {len(found['quiet'])} of {points.shape[1]} "
            f"neurons are below {min_rate:g} Hz; if they are counts, "
            "say in how many seconds (window_seconds)",
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
    """Some rows and columns, with the names they had."""
    if hasattr(counts, "iloc"):
        return counts.iloc[trials, neurons]
    if hasattr(counts, "isel"):
        return counts.isel({counts.dims[0]: trials, counts.dims[1]: neurons})
    return np.asarray(counts)[np.ix_(trials, neurons)]
