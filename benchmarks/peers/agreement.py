"""Distances and statistics beside the authors' package, on the same random classes.

In the peers' environment ``agreement.py make FOLDER`` writes what their package says; in an environment
with sqfa_rs ``agreement.py check FOLDER`` compares. Their 1e-6 inside roots is added here, and their
missing ½ in the Calvo–Oller distance is a factor of √2.
"""

import sys
from pathlib import Path

import numpy as np

# Relative; theirs are computed in double precision, so that only round-off should be left.
TOLERANCE = 1e-5
EPSILON = 1e-6


def points():
    """Four classes in six dimensions that differ in mean and covariance."""
    rng = np.random.default_rng(0)
    y = np.arange(800) % 4
    maps, means = rng.normal(size=(4, 6, 6)), 2 * rng.normal(size=(4, 6))
    return np.einsum("kij,kj->ki", maps[y], rng.normal(size=(800, 6))) + means[y], y


def make(folder):
    """What the authors' package says."""
    import sqfa
    import torch

    X, y = points()
    told = sqfa.statistics.class_statistics(torch.tensor(X), torch.tensor(y))
    covariances = told["covariances"]
    np.savez(
        folder / "theirs.npz",
        means=told["means"].numpy(),
        covariances=covariances.numpy(),
        affine_invariant=sqfa.distances.affine_invariant(covariances, covariances).numpy(),
        log_euclidean=sqfa.distances.log_euclidean(covariances, covariances).numpy(),
        calvo_oller=sqfa.distances.fisher_rao_lower_bound(told, told).numpy(),
    )


def check(folder):
    """The largest relative difference of every quantity; the exit status says whether all are small."""
    from sqfa_rs import class_statistics, distances

    theirs = np.load(folder / "theirs.npz")
    X, y = points()
    ours = class_statistics(X, y)
    differences = {
        "means": (ours.means, theirs["means"]),
        "covariances": (ours.covariances, theirs["covariances"]),
    }
    gaussians = (theirs["means"], theirs["covariances"])
    factors = {"affine-invariant:covariances": 1.0, "log-euclidean:covariances": 1.0, "calvo-oller": 2.0}
    off = ~np.eye(4, dtype=bool)
    for name, factor in factors.items():
        told = theirs[name.split(":")[0].replace("-", "_")]
        squared = factor * distances.pairwise(gaussians, distance=name) ** 2
        differences[name] = (np.sqrt(squared + EPSILON)[off], told[off])
    worst = 0.0
    for name, (mine, told) in differences.items():
        difference = float(abs(mine - told).max() / abs(told).max())
        worst = max(worst, difference)
        print(f"{name:30} {difference:.1e}")
    return 0 if worst < TOLERANCE else 1


if __name__ == "__main__":
    task, folder = sys.argv[1], Path(sys.argv[2])
    sys.exit(make(folder) if task == "make" else check(folder))
