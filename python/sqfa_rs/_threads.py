"""Number of threads that a call uses."""

from __future__ import annotations

import os
from numbers import Integral

from . import _core

# Variables that job launchers set for the processes they start; the first one that is set is used.
_LIMITS = ("RAYON_NUM_THREADS", "OMP_NUM_THREADS")


def thread_count(n_jobs: object = None) -> int:
    """Return the number of threads for ``n_jobs``.

    ``None`` means all processors that this process may use, or fewer if ``RAYON_NUM_THREADS`` or
    ``OMP_NUM_THREADS`` is smaller; −1 means all processors, −2 all but one. Results do not depend
    on it.
    """
    available = int(_core.available_threads())
    if n_jobs is None:
        for name in _LIMITS:
            text = os.environ.get(name, "").strip()
            if text.isdigit() and int(text) > 0:
                return min(int(text), available)
        return available
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool):
        raise TypeError(f"n_jobs must be None or a whole number, not {n_jobs!r}")
    jobs = int(n_jobs)
    if jobs == 0:
        raise ValueError(
            "n_jobs is 0: give None, a positive number of threads, or -1 for all processors"
        )
    # More threads than processors would only wait for each other.
    return min(jobs, available) if jobs > 0 else max(1, available + 1 + jobs)
