"""What a fit tells while it runs: one line that changes in terminals and notebooks, as tqdm's does."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from ._results import Progress


def watcher(estimator: Any) -> Callable[..., bool] | None:
    """What the core calls after every iteration, or nothing when nobody wants to know."""
    callback, verbose = getattr(estimator, "callback", None), int(getattr(estimator, "verbose", 0))
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be callable, not {callback!r}")
    if callback is None and verbose < 1:
        return None
    name, live = type(estimator).__name__, _is_live()
    began = last = time.monotonic()
    seen = 0
    # One line that changes where it is shown can follow closely.
    patience = 0.2 if live else 1.0

    def watch(*numbers: Any) -> bool:
        nonlocal last, seen
        progress = Progress(*numbers)
        seen += 1
        if verbose > 1:
            print(f"[{name}] iteration {progress.iteration}, {_state(progress)}", flush=True)
        elif verbose == 1 and (now := time.monotonic()) - last > patience:
            last = now
            told = f"{name}: {meter(seen, now - began)}, {_state(progress)}"
            print(padded(told), end="\r" if live else "\n", flush=True)
        return callback is not None and bool(callback(progress))

    return watch


def meter(count: int, seconds: float) -> str:
    """Iterations of all trials and starts so far, the time they took and how many a second."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"
    return f"{count}it [{clock}, {count / seconds if seconds > 0 else 0.0:.1f}it/s]"


def _state(progress: Progress) -> str:
    told = f"objective {progress.objective:.6g}"
    if progress.frozen:
        told += f", {progress.frozen} components fixed"
    if progress.starts > 1:
        told += f", {progress.active} of {progress.starts} starts climbing"
    return told


def padded(line: str) -> str:
    """A line that covers the line of progress it may be written over."""
    return f"{line:<78}" if _is_live() else line


def _is_live() -> bool:
    """Whether a carriage return goes back to the start of the line: in terminals and notebooks."""
    return "ipykernel" in sys.modules or bool(getattr(sys.stdout, "isatty", lambda: False)())
