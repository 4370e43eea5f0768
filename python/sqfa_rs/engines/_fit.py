"""Fits of samples on an engine: class statistics of folds, and one pass for each request of the search.

The core's search decides which candidates to score. This module passes the candidates to the engine
and returns the scores to the search.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._methods import METHODS
from .._threads import thread_count
from ..data import ClassAccumulator
from ..data._accumulator import _widened
from ..data._labels import check_room, class_names, has_room
from ..data._statistics import estimator_name, needs_points, sketch_size
from ..estimators._base import Reducer
from ..estimators._progress import watcher
from ..estimators._settings import before_data, core_settings, with_count
from ..typing import CovarianceEstimator, Form
from ._work import Counted, FoldSums, Sampled, Scored, Sums, Work, added, all_counts

# Number of parts into which samples are divided, each with its own class statistics, and the
# maximum number of columns for this. With more columns, one part in seven is used, so that only two
# sets of statistics are transferred.
_FOLDS, _NARROW = (5, 5), 256
_SPLIT = (7, 1)
# Number of samples per class in a subsample, if there are that many.
_LEAST = 50
# Default limit for the bytes of samples or features that are collected on the driver.
MAX_BYTES = 1 << 30


class Engine(Protocol):
    """Engine that holds the samples."""

    # Maximum number of bytes of results on the driver.
    room: float

    @property
    def width(self) -> int | None:
        """Return the number of columns if it is known before the samples are read, otherwise None."""

    def reduced(self, work: Work, merge: Callable[[Any, Any], Any]) -> Any:
        """Return the results of all parts, merged in a fixed order."""

    def listed(self, work: Work) -> list[Any]:
        """Return the result of each part, in order."""


def fit_on(estimator: Any, engine: Engine, max_bytes: int | None = None) -> Any:
    """Fit a local estimator on samples that an engine holds.

    Parameters
    ----------
    estimator : Reducer or QDA
        Estimator to fit, in place.
    engine : Engine
        Engine that holds the samples.
    max_bytes : int, default=None
        Maximum number of bytes of samples or features to collect on the driver. If there are more,
        a random subsample is used.

    Returns
    -------
    The fitted estimator.
    """
    limit = min(MAX_BYTES if max_bytes is None else int(max_bytes), engine.room)
    if not isinstance(estimator, Reducer):
        if engine.width is not None:
            check_room(2, engine.width)
        covariance: CovarianceEstimator = getattr(estimator, "covariance_estimator", "empirical")
        return estimator.fit_statistics(total(engine).finish(covariance))
    start = estimator._forget()
    # Before the pass over the data, which may take long.
    settings = core_settings(estimator, None, 0)
    if METHODS[estimator._method]["needs_points"] or _is_robust(estimator):
        return _fit_sample(estimator, engine, settings["seed"], limit)
    width = engine.width
    if width is not None and not has_room(2, width):
        return _fit_sketches(estimator, engine, start, settings, width)
    if not estimator.refine and not _core.chooses(estimator._core_method(), before_data(settings)):
        statistics = total(engine).finish("empirical")
        settings = _started(estimator, start, settings, statistics.n_features)
        return _done(
            estimator, statistics.n_features, lambda: estimator._fit_moments(statistics, settings)
        )
    return _Choosing(estimator, engine, start, settings).fit(limit)


def _is_robust(estimator: Any) -> bool:
    """Return whether the default covariance estimator of a method needs samples, as for heavy tails."""
    own = getattr(estimator, "covariance_estimator", "empirical") is None
    return own and needs_points(estimator._covariance())


def total(engine: Engine, form: Form = "dense") -> ClassAccumulator:
    """Return the class statistics of all samples."""
    sketch_size(form)
    sums: ClassAccumulator = engine.reduced(Sums(form), added)
    if not sums.counts.sum():
        raise ValueError("the data have no samples")
    return sums


def _started(estimator: Any, start: Any, settings: dict[str, Any], width: int) -> dict[str, Any]:
    """Return the settings, with the components of an earlier fit as the initialization."""
    if start is not None and start.shape == (estimator.n_components, width):
        return settings | {"init": start, "n_init": "1"}
    return settings


def _done(estimator: Any, width: int, fit: Callable[[], Any]) -> Any:
    estimator.__dict__.pop("feature_names_in_", None)
    estimator.n_features_in_ = width
    fit()
    return estimator


class _Choosing:
    """Fit with settings that are selected on samples held out on the engine."""

    def __init__(self, estimator: Any, engine: Engine, start: Any, settings: dict[str, Any]) -> None:
        self.estimator, self.engine, self.seed = estimator, engine, int(settings["seed"])
        method = estimator._core_method()
        held = _core.chooses(method, before_data(settings))
        narrow = engine.width is not None and engine.width <= _NARROW
        self.parts, folds = _FOLDS if narrow else _SPLIT
        sums = engine.reduced(FoldSums(self.parts, folds if held else 0, self.seed), added)
        whole = ClassAccumulator.merge_all(sums)
        if not whole.counts.sum():
            raise ValueError("the data have no samples")
        self.classes, self.width = whole.classes, int(whole.n_features or 0)
        self.counts = whole.counts.astype(np.int64)
        check_room(len(sums) * len(self.classes), self.width)
        *parts, rest = [self._placed(one) for one in sums]
        self.remote = _core.Remote(
            method,
            parts,
            rest,
            estimator_name(estimator._covariance()),
            _started(
                estimator,
                start,
                with_count(estimator, settings, int(self.counts.sum()), self.width, len(self.classes)),
                self.width,
            ),
        )

    def _placed(self, sums: ClassAccumulator) -> _core.Accumulator:
        """Return statistics with a place for each class."""
        wide = _widened(sums._sums, self.classes)
        return _core.Accumulator(class_names(self.classes), self.width) if wide is None else wide

    def fit(self, limit: float) -> Any:
        """Answer the requests of the search until all settings are selected, then fit and refine."""
        threads, watch = thread_count(self.estimator.n_jobs), watcher(self.estimator)
        while (asked := self.remote.ask(watch, threads)) is not None:
            folds, held = asked
            work = Scored(folds, held, self.classes, self.parts, self.seed)
            # Arrays from another process may be unaligned.
            sums = np.require(self.engine.reduced(work, added), requirements=["C", "A"])
            self.remote.answer(sums)
        result = self.remote.fit(watch, threads)
        if self.estimator.refine:
            components, offset = self.remote.coordinates(threads)
            shares = _shares(self.counts, 4 * len(components), limit)
            sample = Sampled(self.classes, shares, self.seed, components, offset)
            coordinates, codes = _gathered(self.engine.listed(sample))
            _tell(self.estimator, len(codes), int(self.counts.sum()), "the refinement needs samples")
            result = self.remote.refine(coordinates, codes, watch, threads)
        return _done(self.estimator, self.width, lambda: self.estimator._adopt(result, self.classes))


def _fit_sketches(
    estimator: Any, engine: Engine, start: Any, settings: dict[str, Any], width: int
) -> Any:
    """Fit on sketches, because the entries of two class covariances do not fit on the driver."""
    if estimator.refine or settings["n_components"] == "auto" or estimator._needs_entries():
        # Settings that need covariance entries or folds are not available with sketches.
        check_room(2, width)
    statistics = total(engine, "sketch").finish("empirical")
    assert statistics.bounds is not None
    warnings.warn(
        f"class statistics of {width} columns need {8e-9 * width**2:.0f} GB per class, so "
        f"sketches of {_core.SKETCH_SIZE} rows were used, with an error of at most "
        f"{statistics.bounds.max():.3g} in every direction, and with noise and scaling as "
        "specified or by default; to use another number of rows, pass class_statistics(..., "
        "form='sketch:ROWS') to fit_statistics",
        UserWarning,
        stacklevel=4,
    )
    settings = _started(estimator, start, settings, width)
    return _done(estimator, width, lambda: estimator._fit_moments(statistics, settings))


def _fit_sample(estimator: Any, engine: Engine, seed: int, limit: float) -> Any:
    """Fit a method that needs samples on a subsample."""
    classes, counts, width, size = all_counts(engine.listed(Counted()))
    points, codes = _gathered(
        engine.listed(Sampled(classes, _shares(counts, size * width, limit), seed))
    )
    _tell(estimator, len(codes), int(counts.sum()), f"{type(estimator).__name__} needs samples")
    return estimator.fit(points, classes[codes])


def _shares(counts: NDArray[np.int64], size: int, limit: float) -> NDArray[np.float64]:
    """Return the fraction of each class to sample: equal for all classes, but all of the smallest."""
    share = limit / max(1.0, float(size) * float(counts.sum()))
    return np.minimum(1.0, np.maximum(share, _LEAST / np.maximum(counts, 1)))


def _gathered(parts: list[tuple[Any, NDArray[np.uint32]]]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    blocks = [points for points, codes in parts if len(codes)]
    if not blocks:
        raise ValueError("the data have no samples")
    return np.concatenate(blocks), np.concatenate([codes for _, codes in parts])


def _tell(estimator: Any, kept: int, there: int, why: str) -> None:
    if kept < there:
        warnings.warn(
            f"{why}: a random subsample of {kept} of {there} was used, from every class; increase "
            "max_bytes to use more",
            UserWarning,
            stacklevel=5,
        )
