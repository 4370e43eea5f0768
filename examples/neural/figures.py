"""Tuning of filters on three public recordings, one SVG each.

Run with ``python examples/neural/figures.py FOLDER OUT``: FOLDER holds datahigh_ex1_reach7.npz,
zhang_desimone_it.npz and semedo_v1_residual_timebins.npz, OUT is where the figures go.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from sqfa_rs import SQFA

plt.switch_backend("svg")
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "sqfa", "font.size": 9})


def draw(path, title, reducer, X, y, names, axis, spread):
    """Draws the mean ± sd of every filter's output (or its sd alone) and the weights of the filters."""
    Z = reducer.transform(X)
    figure, (tuning, weights) = plt.subplots(1, 2, figsize=(7.2, 2.6))
    places = np.arange(len(names))
    for k, z in enumerate(Z.T):
        of = [z[y == label] for label in np.unique(y)]
        if spread:
            tuning.plot(places, [c.std() for c in of], marker="o", ms=3, label=f"filter {k + 1}")
        else:
            means, sds = [c.mean() for c in of], [c.std() for c in of]
            tuning.errorbar(places, means, sds, marker="o", ms=3, lw=1, label=f"filter {k + 1}")
        order = np.sort(np.abs(reducer.components_[k]))[::-1]
        weights.plot(np.arange(1, len(order) + 1), order / order[0], lw=1)
    tuning.set(xlabel=axis, ylabel="sd of output" if spread else "output (mean ± sd)", title=title)
    tuning.set_xticks(places, names, fontsize=7)
    tuning.legend(frameon=False, fontsize=7)
    weights.set(xlabel="neurons, the heaviest first", ylabel="weight of the largest")
    for panel in (tuning, weights):
        panel.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main(folder, out):
    out.mkdir(parents=True, exist_ok=True)
    reach = np.load(folder / "datahigh_ex1_reach7.npz")
    X, y = reach["counts"].astype(float), reach["labels"]
    names = [str(k + 1) for k in range(7)]
    draw(
        out / "neural-reach.svg", "reaches, motor cortex", SQFA(2).fit(X, y), X, y, names, "reach", False
    )

    it = np.load(folder / "zhang_desimone_it.npz")
    X, y, names = it["counts"].astype(float), it["labels"], it["class_names"]
    draw(out / "neural-it.svg", "objects, IT", SQFA(2).fit(X, y), X, y, list(names), "object", False)

    # Class means were removed over all trials: mirrored points have means of exactly zero in every part.
    v1 = np.load(folder / "semedo_v1_residual_timebins.npz")
    X, y = v1["residuals"].astype(float), v1["labels"]
    X, y = np.concatenate([X, -X]), np.concatenate([y, y])
    names = [str(k + 1) for k in range(10)]
    draw(out / "neural-v1.svg", "residuals, V1", SQFA(2).fit(X, y), X, y, names, "time bin", True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
