"""
Choosing distance, noise and number of filters
==============================================

``SQFA(m).fit(X, y)`` selects scaling and noise by itself. This tutorial shows what was selected and
why, how to select the number of filters and the distance, and how to specify everything yourself.
"""

# %%
# The data are the handwritten digits of scikit-learn. A third is kept for the test.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from sqfa_rs import SQFA, plots

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=0)

# %%
# The noise
# ---------
# Noise is a variance that is added to every feature. Without it, filters could favor a direction in
# which one class hardly varies by chance. ``"0.3x"`` means 0.3 times the mean within-class
# variance. ``fit`` tries several values with several scalings by cross-validation. ``selection_``
# contains all candidates and the selected one.

model = SQFA(4, n_init=2).fit(X, y)
selected = model.selection_
print(f"noise {selected.noise}, scaling {selected.scaling} ({selected.reason}, {selected.folds} folds)")


def fraction(noise):
    """Return the number in a noise such as "0.3x"."""
    return float(noise.rstrip("x"))


with plots.style():
    figure, ax = plt.subplots(figsize=(5.6, 3.6))
    for scaling, mark in zip(("within-class", "per-feature", "common"), "os^", strict=True):
        candidates = [one for one in selected.tried if one.scaling == scaling]
        tried = sorted((fraction(one.noise), one.accuracy) for one in candidates)
        if tried:
            noises, accuracy = np.transpose(tried)
            ax.semilogx(noises, 100 * accuracy, mark + "-", label=scaling)
    ax.axvline(fraction(selected.noise), color="0.6", linestyle=":")
    ax.set(xlabel="noise / mean within-class variance", ylabel="held-out accuracy (%)")
    ax.legend(title="scaling")

# %%
# The dotted line marks the selected noise. Candidates that were clearly worse were dropped early, so
# their accuracy was measured with fewer samples.
#
# To specify the settings yourself, use for example ``SQFA(4, noise="0.1x", scaling="per-feature")``.

# %%
# The number of filters
# ---------------------
# ``SQFA("auto")`` selects the smallest number of filters whose held-out accuracy is within one
# standard error of the best. ``curve_`` contains the accuracy for each number that was tried.

auto = SQFA("auto", max_components=12, distance="hellinger", n_init=1).fit(X, y)
with plots.style():
    figure, ax = plt.subplots(figsize=(5.6, 3.6))
    ax.plot(
        [point.n_components for point in auto.curve_],
        [100 * point.accuracy for point in auto.curve_],
        "o-",
    )
    ax.axvline(len(auto.components_), color="0.6", linestyle=":")
    ax.set(xlabel="filters", ylabel="held-out accuracy (%)")
print(f"selected: {len(auto.components_)} filters, test accuracy {auto.score(X_test, y_test):.1%}")

# %%
# The distance
# ------------
# The objective is the mean distance over all pairs of classes. Distances differ in how much they
# still grow if two classes are already far apart. Hellinger is at most 1, so the filters improve
# pairs that are still confused. Calvo–Oller, the default, grows slowly. Bhattacharyya grows with
# the square, so pairs that are far apart dominate.

from sqfa_rs import distances

gap = np.linspace(0.01, 6, 80)
center = (np.zeros((1, 1)), np.ones((1, 1, 1)))
apart = (gap[:, None], np.ones((80, 1, 1)))
names = ("calvo-oller", "hellinger", "bhattacharyya")
with plots.style():
    figure, ax = plt.subplots(figsize=(5.6, 3.6))
    for name, line in zip(names, ("-", "--", "-."), strict=True):
        ax.plot(gap, distances.pairwise(center, apart, name)[0], line, label=name)
    ax.set(xlabel="distance of two means in standard deviations", ylabel="distance of the classes")
    ax.legend()

# %%
# To find out which distance gives the most accurate features, use cross-validation. ``score`` is
# the accuracy of QDA on the features, so ``GridSearchCV`` can compare distances.

from sklearn.model_selection import GridSearchCV

search = GridSearchCV(SQFA(4, noise="scale", n_init=1), {"distance": list(names)}, cv=3).fit(X, y)
for name, score in zip(names, search.cv_results_["mean_test_score"], strict=True):
    print(f"{name:15s} {score:.1%}")

# %%
# Weights of pairs
# ----------------
# If you care about some pairs of classes more than about others, give them a larger weight. Here,
# only the pair 3 and 8 counts.

weights = np.zeros((10, 10))
weights[3, 8] = weights[8, 3] = 1
pair = SQFA(2, pair_weights=weights, noise="scale").fit(X, y)
plots.scatter(pair.transform(X_test), y_test, classes=[3, 8]).set_title("filters for the pair 3 and 8")
