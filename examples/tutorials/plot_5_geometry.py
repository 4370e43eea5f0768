"""
Class geometry with the exact Fisher–Rao distance
=================================================

The Fisher information makes the Gaussians of a given dimension a curved space. The Fisher–Rao distance
is the length of the shortest path between two of them. Here it is exact, with its path.
"""

# %%
# A path between two Gaussians
# ----------------------------
# Two bell curves with the same width. The shortest path does not move straight from one to the
# other: on the way the curve grows wide, because a wide curve is cheap to move.

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
    left.set(title="nine stations of the path", xlabel="x", ylabel="density")
    fine_means, fine_covariances = path.curve(60)
    right.plot(fine_means[:, 0], np.sqrt(fine_covariances[:, 0, 0]))
    right.set(title="the same path: an arc", xlabel="mean", ylabel="standard deviation", ylim=(0, None))

# %%
# In one dimension there is a closed form to check against: with the coordinates (μ/√2, σ) it is √2
# times the distance in the hyperbolic half-plane.

a, b = (-2 / np.sqrt(2), 0.5), (2 / np.sqrt(2), 0.5)
closed = np.sqrt(2) * np.arccosh(1 + ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) / (2 * a[1] * b[1]))
print(f"closed form {closed:.10f}, computed {fisher_rao([-2.0], [[0.25]], [2.0], [[0.25]]):.10f}")

# %%
# In two dimensions
# -----------------
# A flat ellipse turns into an upright one, and moves.

path = geodesic([0.0, 0.0], [[2.0, 0.0], [0.0, 0.1]], [3.0, 2.0], [[0.1, 0.0], [0.0, 2.0]])
ax = plots.ellipses(path.curve(7), deviations=1, values=range(7), legend=False)
ax.set(title=f"seven stations, {path.length:.2f} apart in all", xlabel="x", ylabel="y", aspect="equal")

# %%
# Digits as points of the space
# -----------------------------
# Learn four filters, then measure how far the ten digits are from each other in feature space.

from sklearn.datasets import load_digits

from sqfa_rs import SQFA, distances

X, y = load_digits(return_X_y=True)
model = SQFA(4, n_init=2).fit(X, y)
matrix = distances.pairwise(model, distance="fisher-rao")
plots.distance_matrix(matrix, labels=model.classes_).set_title("exact Fisher–Rao distances")

# %%
# The default objective is a lower bound of this distance (Calvo–Oller). How tight is it?

bound = distances.pairwise(model, distance="calvo-oller")
above = np.triu_indices(10, 1)
print(f"the bound is {(bound[above] / matrix[above]).mean():.1%} of the distance on average")

# %%
# A map of the classes
# --------------------
# Multidimensional scaling places ten points so that their distances are as close to the matrix as a
# plane allows: squared distances, doubly centered, and the two leading eigenvectors.

centring = np.eye(10) - 0.1
values, vectors = np.linalg.eigh(-0.5 * centring @ matrix**2 @ centring)
places = vectors[:, -2:] * np.sqrt(values[-2:])
with plots.style():
    figure, ax = plt.subplots(figsize=(4.8, 4.4))
    ax.scatter(*places.T, s=420, color="0.93")
    for place, digit in zip(places, model.classes_, strict=True):
        ax.annotate(str(digit), place, ha="center", va="center", fontsize=13, color=plots.palette(1)[0])
    share = values[-2:].sum() / values[values > 0].sum()
    ax.set(
        title=f"digits in the plane ({share:.0%} of the spread)", xticks=[], yticks=[], aspect="equal"
    )

# %%
# Half way between two digits
# ---------------------------
# The middle of the path between 3 and 8 is a Gaussian in feature space that belongs to neither.

means, covariances = model.feature_means_, model.feature_covariances_ + model.noise_ * np.eye(4)
path = geodesic(means[3], covariances[3], means[8], covariances[8])
ax = plots.ellipses(path.curve(3), deviations=1, labels=["3", "half way", "8"])
ax.set_title("from 3 to 8")
