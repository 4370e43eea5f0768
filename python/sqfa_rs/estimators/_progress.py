"""Progress of a running fit: one line that is updated in terminals and notebooks, as in tqdm."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from ._results import Progress


def watcher(estimator: Any) -> Callable[..., bool] | None:
    """Return the function that the core calls after each iteration, or None."""
    callback, verbose = getattr(estimator, "callback", None), int(getattr(estimator, "verbose", 0))
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be callable, not {callback!r}")
    if callback is None and verbose < 1:
        return None
    name, live = type(estimator).__name__, _is_live()
    began = last = time.monotonic()
    seen = 0
    # A line that is updated in place can be written more often.
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
    """Return the iterations of all trials and initializations so far, their time and their rate."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"
    return f"{count}it [{clock}, {count / seconds if seconds > 0 else 0.0:.1f}it/s]"


def _state(progress: Progress) -> str:
    told = f"objective {progress.objective:.6g}"
    if progress.frozen:
        told += f", {progress.frozen} components fixed"
    if progress.starts > 1:
        told += f", {progress.active} of {progress.starts} initializations running"
    return told


def padded(line: str) -> str:
    """Return a line, padded so that it covers the line of progress that it overwrites."""
    return f"{line:<78}" if _is_live() else line


def _is_live() -> bool:
    """Return whether a carriage return moves to the start of the line."""
    return "ipykernel" in sys.modules or bool(getattr(sys.stdout, "isatty", lambda: False)())
