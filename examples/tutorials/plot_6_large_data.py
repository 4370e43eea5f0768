"""
Data larger than memory
=======================

A fit needs counts, means and covariances of the classes, and these are sums. So points may come in
pieces: read a piece, add it, forget it.
"""

# %%
# Pieces on disk
# --------------
# Four files of moving textures stand for data that do not fit.

import pathlib
import tempfile

import numpy as np

from sqfa_rs import SQFA, ClassAccumulator, plots
from sqfa_rs.datasets import make_speed

folder = pathlib.Path(tempfile.mkdtemp())
for part in range(4):
    videos = make_speed(40, tenths=(-60, -30, 0, 30, 60), random_state=part)
    np.savez(folder / f"part-{part}.npz", X=videos.data, y=videos.target)

# %%
# Sum up, one piece at a time
# ---------------------------
# What an accumulator keeps does not grow with the number of points: n²/2 numbers a class.

sums = ClassAccumulator()
for path in sorted(folder.glob("part-*.npz")):
    piece = np.load(path)
    sums.update(piece["X"], piece["y"])
print(dict(zip(sums.classes.tolist(), sums.counts.tolist(), strict=True)))

model = SQFA(4).fit_statistics(sums.finish())
print(model.summary())

# %%
# No samples were kept, so none could be held out: scaling and noise have their defaults.

test = make_speed(60, tenths=(-60, -30, 0, 30, 60), random_state=99)
print(f"{model.score(test.data, test.target):.1%} of new videos right")
plots.ellipses(model, values=model.classes_ / 10).set_title("speed in degrees per second")

# %%
# Many machines
# -------------
# Accumulators travel as bytes and merge in a fixed order. Each machine sums what it holds; the fit
# runs where the sums meet. The
# same parts in the same order give the same bits every time; another order changes the last digits only.


def sum_up(path):
    """What one machine does."""
    piece = np.load(path)
    return ClassAccumulator().update(piece["X"], piece["y"]).to_bytes()


parts = [sum_up(path) for path in sorted(folder.glob("part-*.npz"))]
merged = ClassAccumulator.merge_all(ClassAccumulator.from_bytes(part) for part in parts)
again = SQFA(4).fit_statistics(merged.finish())
print(f"{len(parts)} messages of {len(parts[0]) / 1e6:.1f} MB")
print(f"objectives: {model.objective_:.5f} and {again.objective_:.5f}")

# %%
# Points that keep coming
# -----------------------
# ``partial_fit`` adds points and improves the filters from where they are.

import matplotlib.pyplot as plt

online, scores = SQFA(4, n_init=1), []
for path in sorted(folder.glob("part-*.npz")):
    piece = np.load(path)
    online.partial_fit(piece["X"], piece["y"])
    scores.append(online.score(test.data, test.target))
with plots.style():
    figure, ax = plt.subplots(figsize=(5.2, 3.4))
    ax.plot(range(1, 5), [100 * score for score in scores], "o-")
    ax.set(xlabel="pieces seen", ylabel="right on new videos (%)")

# %%
# Without Python the same is::
#
#    sqfa stats 'part-*.npz' --out all.stats
#    sqfa fit all.stats --filters 4 --out model.sqfa
#
# Arrow streams, Dask, Spark and Ray are explained in the user guide, on the page about clusters.

import shutil

shutil.rmtree(folder)
