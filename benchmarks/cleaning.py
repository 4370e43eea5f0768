"""Robust statistics against the clock: cleaning of a recording, and the MCD beside scikit-learn's.

    python benchmarks/cleaning.py --out benchmarks/runs --date 2026-11-17

Runs of ours and of scikit-learn's alternate, so that both see the machine alike. Install a release wheel
first (`pip install .`), and leave the machine alone while it runs; the record keeps the load it found.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.covariance import MinCovDet

from sqfa_rs import neural
from sqfa_rs.covariance import robust_covariance
from sqfa_rs.datasets import make_neural

REPEATS = 7
POINTS, COLUMNS, SUPPORT = 400, 10, 0.8


def seconds(work: Callable[[], object]) -> float:
    """Seconds of one run."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    """Run both and write a record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--date", default=time.strftime("%Y-%m-%d"))
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    recording = make_neural(4)
    trials, neurons = recording.data.shape

    def clean() -> object:
        window = recording.window_seconds
        return neural.clean(recording.data, recording.target, window_seconds=window)

    cleaning = [seconds(clean) for _ in range(REPEATS)]
    rng = np.random.default_rng(0)
    points = rng.normal(size=(POINTS, COLUMNS))
    points[: POINTS // 20] += 8
    ours, theirs = [], []
    for _ in range(REPEATS):
        ours.append(seconds(lambda: robust_covariance(points, support_fraction=SUPPORT)))
        peer = MinCovDet(support_fraction=SUPPORT, random_state=0)
        theirs.append(seconds(lambda peer=peer: peer.fit(points)))
    record = {
        "benchmark": "cleaning",
        "command": "python benchmarks/cleaning.py",
        "result": {
            "load": load,
            "cores": os.cpu_count(),
            "clean": {"trials": trials, "neurons": neurons, "seconds": cleaning},
            "mcd": {
                "points": POINTS,
                "columns": COLUMNS,
                "support": SUPPORT,
                "seconds": ours,
                "sklearn_seconds": theirs,
            },
        },
    }
    print(f"cleaning {trials} × {neurons}: {np.median(cleaning):.2f} s")
    ours_ms, theirs_ms = 1e3 * np.median(ours), 1e3 * np.median(theirs)
    print(f"MCD {POINTS} × {COLUMNS}: {ours_ms:.1f} ms, scikit-learn {theirs_ms:.1f} ms")
    if asked.out is not None:
        path = asked.out / f"{asked.date}-cleaning.json"
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
