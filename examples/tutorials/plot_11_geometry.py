"""
Class geometry with the exact Fisher–Rao distance
=================================================

The Fisher information turns the set of all Gaussians of a given dimension into a curved space. The
Fisher–Rao distance between two Gaussians is the length of the shortest path between them. This
tutorial computes the exact distance and the path, first for simple examples and then for digits.
"""

# %%
# A path between two Gaussians
# ----------------------------
# The two Gaussians have the same variance. Along the shortest path, the variance first increases
# and then decreases, because moving the mean of a wide Gaussian changes the distribution less than
# moving the mean of a narrow one.

import matplotlib.pyplot as plt
import numpy as np

from sqfa_rs import plots
from sqfa_rs.geometry import fisher_rao, geodesic

path = geodesic([-2.0], [[0.25]], [2.0], [[0.25]])
print(f"distance {path.length:.4f}")
means, covariances = path.curve(9)

x = np.linspace(-6, 6, 400)
with plots.style():
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    colors = plots.palette(11)[1:-1]
    for mean, variance, color in zip(means[:, 0], covariances[:, 0, 0], colors, strict=True):
        left.plot(
            x, np.exp(-((x - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance), color=color
        )
    left.set(title="nine Gaussians on the path", xlabel="x", ylabel="density")
    fine_means, fine_covariances = path.curve(60)
    right.plot(fine_means[:, 0], np.sqrt(fine_covariances[:, 0, 0]))
    right.set(
        title="mean and standard deviation along the path",
        xlabel="mean",
        ylabel="standard deviation",
        ylim=(0, None),
    )

# %%
# In one dimension, there is a closed form: with the coordinates (μ/√2, σ), the distance is √2 times
# the distance in the hyperbolic half-plane. The computed distance agrees with it.

a, b = (-2 / np.sqrt(2), 0.5), (2 / np.sqrt(2), 0.5)
closed = np.sqrt(2) * np.arccosh(1 + ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) / (2 * a[1] * b[1]))
print(f"closed form {closed:.10f}, computed {fisher_rao([-2.0], [[0.25]], [2.0], [[0.25]]):.10f}")

# %%
# In two dimensions
# -----------------
# The start is a flat ellipse, and the end is a tall one with another center.

path = geodesic([0.0, 0.0], [[2.0, 0.0], [0.0, 0.1]], [3.0, 2.0], [[0.1, 0.0], [0.0, 2.0]])
ax = plots.ellipses(path.curve(7), deviations=1, values=range(7), legend=False)
ax.set(
    title=f"seven Gaussians on a path of length {path.length:.2f}",
    xlabel="x",
    ylabel="y",
    aspect="equal",
)

# %%
# Distances between digits
# ------------------------
# In the space of four SQFA filters, each digit is described by a Gaussian. The matrix shows the
# distances between them.

from sklearn.datasets import load_digits

from sqfa_rs import SQFA, distances

X, y = load_digits(return_X_y=True)
model = SQFA(4, n_init=2).fit(X, y)
matrix = distances.pairwise(model, distance="fisher-rao")
plots.distance_matrix(matrix, labels=model.classes_).set_title("exact Fisher–Rao distances")

# %%
# The default objective of SQFA is a lower bound of this distance, the Calvo–Oller distance. Here it
# is a close one:

bound = distances.pairwise(model, distance="calvo-oller")
above = np.triu_indices(10, 1)
print(f"mean ratio of bound and distance: {(bound[above] / matrix[above]).mean():.1%}")

# %%
# A map of the classes
# --------------------
# Classical multidimensional scaling places ten points in the plane so that their distances are
# similar to those in the matrix. It uses the two leading eigenvectors of the doubly centered
# squared distances.

centering = np.eye(10) - 0.1
values, vectors = np.linalg.eigh(-0.5 * centering @ matrix**2 @ centering)
places = vectors[:, -2:] * np.sqrt(values[-2:])
with plots.style():
    figure, ax = plt.subplots(figsize=(4.8, 4.4))
    ax.scatter(*places.T, s=420, color="0.93")
    for place, digit in zip(places, model.classes_, strict=True):
        ax.annotate(str(digit), place, ha="center", va="center", fontsize=13, color=plots.palette(1)[0])
    fraction = values[-2:].sum() / values[values > 0].sum()
    ax.set(
        title=f"digits in the plane ({fraction:.0%} of the variation)",
        xticks=[],
        yticks=[],
        aspect="equal",
    )

# %%
# Halfway between two digits
# --------------------------
# The midpoint of the path between the digits 3 and 8 is a Gaussian with the same distance to both.

means, covariances = model.feature_means_, model.feature_covariances_ + model.noise_ * np.eye(4)
path = geodesic(means[3], covariances[3], means[8], covariances[8])
ax = plots.ellipses(path.curve(3), deviations=1, labels=["3", "midpoint", "8"])
ax.set_title("from 3 to 8")
