"""
Comparing methods and reading the report
========================================

``compare`` runs several methods on the same held-out samples. It returns a data frame and writes an
HTML page with tables and figures, the same page as ``sqfa compare --report``.
"""

# %%
# Run a comparison
# ----------------
# The data are simulated videos of a texture that moves behind an aperture. The class is the speed.
# On average, every pixel is gray at every speed, so the class means contain almost no information.

from sqfa_rs import compare
from sqfa_rs.datasets import make_speed

videos = make_speed(60, 40, tenths=range(-60, 61, 30), random_state=1)
table = compare(
    videos.data,
    videos.target,
    videos.data_test,
    videos.target_test,
    methods=["sqfa", "smsqfa", "lda", "pca"],
    n_components=[2, 4],
    seeds=1,
    noise="scale",
    name="moving textures",
    image_shape=videos.image_shape,
)
table[["method", "n_components", "seed", "qda_accuracy", "n_iter", "converged"]]

# %%
# The table has one row per fit. With ``seeds=3``, methods with random initialization would have one
# row per seed.

import matplotlib.pyplot as plt

from sqfa_rs import plots

best = table.groupby(["method", "n_components"]).qda_accuracy.median().unstack()
print(best.map("{:.1%}".format).to_string())
with plots.style():
    figure, ax = plt.subplots(figsize=(5.6, 3.4))
    (100 * best.sort_values(4)).plot.barh(ax=ax)
    ax.set(xlabel="test accuracy (%)", ylabel="")
    ax.axvline(100 / 5, color="0.6", linestyle=":")
    ax.legend(title="filters")

# %%
# The dotted line is chance for five classes. LDA and PCA are less accurate than the others, because
# they do not use the differences between class covariances.

# %%
# Read the report
# ---------------
# ``table.report("page.html")`` writes the report, and ``table.show()`` opens it in a notebook or in
# the browser. It has six parts:
#
# 1. **Recommendation**: the recommended method and number of filters, with a confidence interval of
#    its lead. If several methods are not significantly different on these test samples, the
#    simplest one is recommended.
# 2. **Methods**: accuracy against the number of filters and against time. Click a name to hide or
#    show a method, and the head of a column to sort a table.
# 3. **Filters**: shown as images or lines, with the mean output of each filter per class (its
#    tuning).
# 4. **Feature space**: samples and class ellipses for any two filters.
# 5. **Classes**: distances, confusions, and what separates the classes that are confused most
#    often.
# 6. **Convergence and settings**: each initialization, and which settings were selected on which
#    samples.

import pathlib
import tempfile

with tempfile.TemporaryDirectory() as folder:
    page = pathlib.Path(folder) / "report.html"
    table.report(page)
    print(f"one file of {page.stat().st_size / 1e6:.2f} MB")

# %%
# A single model has a report as well. Test samples are optional.

from sqfa_rs import SQFA

model = SQFA(4, noise="scale", n_init=1).fit(videos.data, videos.target)
with tempfile.TemporaryDirectory() as folder:
    page = pathlib.Path(folder) / "model.html"
    model.report(page, videos.data_test, videos.target_test, image_shape=videos.image_shape)
    print(f"one file of {page.stat().st_size / 1e6:.2f} MB")

# %%
# Figures of your own
# -------------------
# The filters are shown as images of space (horizontal) and time (downward). A filter with slanted
# stripes responds to motion.

plots.filters(model, videos.image_shape, columns=4)

# %%
# The ellipses show the outputs of two filters for each speed. The classes have nearly the same
# center; the shape changes with the speed.

plots.ellipses(model, values=model.classes_ / 10).set_title("speed in degrees per second")
