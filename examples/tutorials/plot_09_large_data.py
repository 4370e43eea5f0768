"""
Data larger than memory
=======================

A fit needs only the counts, means and covariances of the classes. These can be computed from one
piece of the data after the other, so the whole data set never has to fit into memory.
"""

# %%
# Pieces on disk
# --------------
# Three files with videos of moving textures stand for data that do not fit into memory.

import pathlib
import tempfile

import numpy as np

from sqfa_rs import SQFA, ClassAccumulator, plots
from sqfa_rs.datasets import make_speed

folder = pathlib.Path(tempfile.mkdtemp())
for part in range(3):
    videos = make_speed(12, tenths=(-60, -30, 0, 30, 60), random_state=part)
    np.savez(folder / f"part-{part}.npz", X=videos.data, y=videos.target)

# %%
# Accumulate the class statistics
# -------------------------------
# ``update`` adds the samples of one file. The size of the accumulator does not depend on the number
# of samples: for n columns, it keeps about n²/2 numbers per class.

accumulator = ClassAccumulator()
for path in sorted(folder.glob("part-*.npz")):
    piece = np.load(path)
    accumulator.update(piece["X"], piece["y"])
print(dict(zip(accumulator.classes.tolist(), accumulator.counts.tolist(), strict=True)))

model = SQFA(4, n_init=1).fit_statistics(accumulator.finish())
print(model.summary())

# %%
# No samples were kept, so cross-validation is not possible, and scaling and noise have their
# default values.

test = make_speed(30, tenths=(-60, -30, 0, 30, 60), random_state=99)
print(f"test accuracy {model.score(test.data, test.target):.1%}")
plots.ellipses(model, values=model.classes_ / 10).set_title("speed in degrees per second")

# %%
# Several machines
# ----------------
# Each machine can accumulate its own part of the data and send the result as bytes. The driver
# merges the parts and fits. The same parts in the same order always give the same bits. In another
# order, only the last digits differ.


def accumulate(path):
    """Return what one machine sends."""
    piece = np.load(path)
    return ClassAccumulator().update(piece["X"], piece["y"]).to_bytes()


parts = [accumulate(path) for path in sorted(folder.glob("part-*.npz"))]
merged = ClassAccumulator.merge_all(ClassAccumulator.from_bytes(part) for part in parts)
again = SQFA(4, n_init=1).fit_statistics(merged.finish())
print(f"{len(parts)} messages of {len(parts[0]) / 1e6:.1f} MB")
print(f"objectives: {model.objective_:.4f} and {again.objective_:.4f}")

# %%
# Data that keep arriving
# -----------------------
# ``partial_fit`` adds samples and improves the present filters, so there is a model after every
# piece.

import matplotlib.pyplot as plt

online, scores = SQFA(4, n_init=1), []
for path in sorted(folder.glob("part-*.npz")):
    piece = np.load(path)
    online.partial_fit(piece["X"], piece["y"])
    scores.append(online.score(test.data, test.target))
print("test accuracy after each piece:", " ".join(f"{score:.1%}" for score in scores))
with plots.style():
    figure, ax = plt.subplots(figsize=(5.2, 3.4))
    ax.plot(range(1, 4), [100 * score for score in scores], "o-")
    ax.set(xlabel="pieces", ylabel="test accuracy (%)", xticks=range(1, 4))

# %%
# The same on the command line::
#
#    sqfa stats 'part-*.npz' --out all.stats
#    sqfa fit all.stats --filters 4 --out model.sqfa
#
# Arrow streams, Dask, Spark and Ray are supported as well. The user guide has a page about clusters.

import shutil

shutil.rmtree(folder)
