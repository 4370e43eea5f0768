"""Fits the authors' package to given statistics, one random start a seed, at its defaults.

Reads mnist.npz, svhn.npz and synthetic.npz (means, covariances) from a folder and writes, beside them,
peer-SET-METHOD.json with seconds and the files that hold the filters.
"""

import argparse
import json
import platform
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import sqfa
import torch

CASES = [
    ("mnist", "sqfa", 5.0),
    ("mnist", "smsqfa", 5.0),
    ("svhn", "sqfa", 1.0),
    ("synthetic", "sqfa", 0.001),
]
FILTERS = 8


def fit(statistics, method, noise, seed):
    torch.manual_seed(seed)
    dimension = statistics["means"].shape[1]
    if method == "smsqfa":
        model = sqfa.model.SecondMomentsSQFA(dimension, feature_noise=noise, n_filters=FILTERS)
        means, covariances = statistics["means"], statistics["covariances"]
        given = covariances + torch.einsum("ci,cj->cij", means, means)
    else:
        model = sqfa.model.SQFA(dimension, feature_noise=noise, n_filters=FILTERS)
        given = statistics
    began = time.perf_counter()
    model.fit(data_statistics=given, show_progress=False)
    seconds = time.perf_counter() - began
    return seconds, model.filters.detach().numpy()


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--seeds", type=int, default=5)
    arguments.add_argument("--synthetic-seeds", type=int, help="fewer, because each takes minutes")
    options = arguments.parse_args()
    for name, method, noise in CASES:
        with np.load(options.folder / f"{name}.npz") as file:
            statistics = {key: torch.from_numpy(file[key]) for key in ("means", "covariances")}
        runs = []
        fewer = options.synthetic_seeds if name == "synthetic" else None
        for seed in range(fewer or options.seeds):
            seconds, filters = fit(statistics, method, noise, seed)
            file = f"peer-{name}-{method}-{seed}.npy"
            np.save(options.folder / file, filters)
            runs.append({"seed": seed, "seconds": seconds, "filters": file})
            print(f"{name} {method} seed {seed}: {seconds:.2f} s", flush=True)
        record = {
            "package": f"sqfa {version('sqfa')}",
            "torch": torch.__version__,
            "python": platform.python_version(),
            "threads": torch.get_num_threads(),
            "runs": runs,
        }
        (options.folder / f"peer-{name}-{method}.json").write_text(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
