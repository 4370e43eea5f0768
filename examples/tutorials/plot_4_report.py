"""
Comparing methods and reading the report
========================================

``compare`` runs many methods on the same held-out points. It returns a data frame and one HTML page that
needs no network: the same page as ``sqfa compare --report``.
"""

# %%
# Run a comparison
# ----------------
# The videos that come with the package: textures that move behind an aperture. Their speed is the
# class. Every pixel is gray on average at every speed, so that means tell nothing.

from sqfa_rs import compare
from sqfa_rs.datasets import make_speed

videos = make_speed(120, 60, tenths=range(-60, 61, 30), random_state=1)
table = compare(
    videos.data,
    videos.target,
    videos.data_test,
    videos.target_test,
    methods=["sqfa", "sqfa-h", "smsqfa", "lda", "pca"],
    n_components=[2, 4],
    seeds=2,
    noise="scale",
    name="moving textures",
    image_shape=videos.image_shape,
)
table[["method", "n_components", "seed", "qda_accuracy", "n_iter", "converged"]]

# %%
# One row a fit. Methods whose result depends on a seed have one row for each.

import matplotlib.pyplot as plt

from sqfa_rs import plots

best = table.groupby(["method", "n_components"]).qda_accuracy.median().unstack()
with plots.style():
    figure, ax = plt.subplots(figsize=(5.6, 3.4))
    (100 * best.sort_values(4)).plot.barh(ax=ax)
    ax.set(xlabel="right on test videos (%)", ylabel="")
    ax.axvline(100 / 5, color="0.6", linestyle=":")
    ax.legend(title="filters")

# %%
# The dotted line is chance. LDA, which compares means alone, comes last.

# %%
# Read the report
# ---------------
# ``table.show()`` opens it, in a notebook or in the browser; ``table.report("page.html")`` writes
# it. From top to bottom it says
#
# **the recommendation**: which method and how many filters, how far ahead with which interval.
# Where several cannot be told apart on these test points it says so and takes the simplest.
#
# **methods**: accuracy against filters and against time. Names are buttons that hide and show;
# heads of tables sort.
#
# **filters**: as images or lines, and how every filter's output changes from class to class
# (tuning).
#
# **feature space**: any two filters against each other, points and ellipses.
#
# **classes**: distances, confusions, and what separates the classes that are confused most.
#
# **convergence and settings**: every start, and what was chosen on which points.

import pathlib
import tempfile

with tempfile.TemporaryDirectory() as folder:
    page = pathlib.Path(folder) / "report.html"
    table.report(page)
    print(f"{page.stat().st_size / 1e6:.2f} MB, one file")

# %%
# One model has such a page as well, here with test points to classify.

from sqfa_rs import SQFA

model = SQFA(4, noise="scale").fit(videos.data, videos.target)
with tempfile.TemporaryDirectory() as folder:
    page = pathlib.Path(folder) / "model.html"
    model.report(page, videos.data_test, videos.target_test, image_shape=videos.image_shape)
    print(f"{page.stat().st_size / 1e6:.2f} MB")

# %%
# What the filters look like: time runs down, space to the right. Slanted stripes follow a motion.

plots.filters(model, videos.image_shape, columns=4)

# %%
# The output of two filters for videos of every speed. The classes share their mean; what changes
# with speed is the shape.

plots.ellipses(model, values=model.classes_ / 10).set_title("speed in degrees per second")
