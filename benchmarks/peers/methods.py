"""Methods that other packages have, too, on the same points: seconds and held-out accuracy of both.

    python benchmarks/peers/methods.py DATA [--out FILE.json] [--seeds 3]

DATA holds mnist/ (IDX files). NCA is scikit-learn's and metric-learn's, LMNN and LFDA are
metric-learn's, WDA is POT's; a package that does not import is left out and told. All learn two
components from the same 1000 digits in their first 30 principal components and are scored by the three
nearest neighbors among 5000 others. Settings are each package's defaults; LMNN takes three
neighbors everywhere. Leave the machine alone while it runs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import platform
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis

import sqfa_rs
from sqfa_rs import datasets
from sqfa_rs.baselines import LFDA, LMNN, NCA, WDA

POINTS, HELD, COMPONENTS, FILTERS, NEIGHBORS = 1000, 5000, 30, 2, 3


class PotWda:
    """POT's function as an estimator."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, x: np.ndarray, y: np.ndarray) -> PotWda:
        """Finds the projection, from a random start of the seed."""
        start = np.linalg.qr(np.random.default_rng(self.seed).normal(size=(x.shape[1], FILTERS)))[0]
        _, self.project = import_module("ot.dr").wda(x, y, p=FILTERS, P0=start)
        return self

    def transform(self, x: np.ndarray) -> np.ndarray:
        """The features."""
        return self.project(x)


def peers(seed: int) -> dict[str, tuple[str, Callable[[], Any], Callable[[], Any]]]:
    """Their estimator and ours, by name."""

    def learner(name: str, **parameters: Any) -> Callable[[], Any]:
        make = getattr(import_module("metric_learn"), name)
        return lambda: make(n_components=FILTERS, **parameters)

    made: dict[str, tuple[str, Callable[[], Any], Callable[[], Any]]] = {}

    def add(name: str, package: str, theirs: Callable[[], Callable[[], Any]], ours: Any) -> None:
        try:
            import_module({"POT": "ot.dr", "metric-learn": "metric_learn"}.get(package, "sklearn"))
            made[name] = (package, theirs(), ours)
        except ImportError as problem:
            print(f"{name}: {package} does not import ({problem})", flush=True)

    nca = lambda: NCA(FILTERS, random_state=seed)  # noqa: E731
    add(
        "NCA (scikit-learn)",
        "scikit-learn",
        lambda: lambda: NeighborhoodComponentsAnalysis(FILTERS, random_state=seed),
        nca,
    )
    add("NCA (metric-learn)", "metric-learn", lambda: learner("NCA", random_state=seed), nca)
    add(
        "LMNN (metric-learn)",
        "metric-learn",
        lambda: learner("LMNN", n_neighbors=NEIGHBORS, random_state=seed),
        lambda: LMNN(FILTERS, n_neighbors=NEIGHBORS, random_state=seed),
    )
    add(
        "LFDA (metric-learn)",
        "metric-learn",
        lambda: learner("LFDA"),
        lambda: LFDA(FILTERS, random_state=seed),
    )
    add("WDA (POT)", "POT", lambda: lambda: PotWda(seed), lambda: WDA(FILTERS, random_state=seed))
    return made


def timed(make: Callable[[], Any], data: tuple[np.ndarray, ...]) -> tuple[float, float]:
    """Seconds of a fit, and the share of held-out points that their neighbors tell."""
    x, y, held, truth = data
    model = make()
    began = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        model.fit(x, y)
    seconds = time.perf_counter() - began
    neighbors = KNeighborsClassifier(NEIGHBORS).fit(model.transform(x), y)
    return seconds, float(neighbors.score(model.transform(held), truth))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")

    def load(kind: str) -> np.ndarray:
        found = sorted((arguments.data / "mnist").glob(f"train-{kind}*"))
        if not found:
            parser.error(f"{arguments.data / 'mnist'} holds no train-{kind} file")
        return datasets.load_idx(found[0])

    images, labels = load("images").reshape(60000, -1) / 255.0, load("labels").ravel()
    found: dict[str, dict[str, Any]] = {}
    for seed in range(arguments.seeds):
        order = np.random.default_rng(seed).permutation(len(images))[: POINTS + HELD]
        points = PCA(COMPONENTS, random_state=0).fit(images[order[:POINTS]]).transform(images[order])
        y = labels[order].astype(int)
        data = (points[:POINTS], y[:POINTS], points[POINTS:], y[POINTS:])
        for name, (package, theirs, ours) in peers(seed).items():
            row = found.setdefault(name, {"package": f"{package} {version(package)}", "runs": []})
            try:
                slow, their_share = timed(theirs, data)
            except TypeError as problem:
                # A package that its own dependencies have left behind.
                print(f"{name}: {package} does not run here ({problem})", flush=True)
                del found[name]
                continue
            fast, our_share = timed(ours, data)
            row["runs"].append(
                {
                    "seed": seed,
                    "peer_seconds": slow,
                    "our_seconds": fast,
                    "peer_accuracy": their_share,
                    "our_accuracy": our_share,
                }
            )
            print(
                f"{name} seed {seed}: {slow:.2f} s, {100 * their_share:.1f} %;"
                f" ours {fast:.2f} s, {100 * our_share:.1f} %",
                flush=True,
            )
    for row in found.values():
        for key in ("peer_seconds", "our_seconds", "peer_accuracy", "our_accuracy"):
            row[f"median_{key}"] = median(run[key] for run in row["runs"])
        row["speedup"] = row["median_peer_seconds"] / row["median_our_seconds"]
    record = {
        "benchmark": "peer-methods",
        "command": "python benchmarks/peers/methods.py DIR",
        "version": sqfa_rs.__version__,
        "python": platform.python_version(),
        "result": [{"method": name, **row} for name, row in found.items()],
    }
    if arguments.out:
        arguments.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
