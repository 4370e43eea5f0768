"""
Choosing distance, noise and number of filters
==============================================

``SQFA(m).fit(X, y)`` chooses units and noise by itself. This tutorial looks at what it chose, why, and
when to take the decision back.
"""

# %%
# The data: handwritten digits of scikit-learn, a third kept for the test.

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
# Noise is added to every feature, so that filters cannot win by finding a direction in which a
# class hardly varies. It is a fraction of the mean within-class variance. ``selection_`` keeps all
# candidates; among those as good as the best, the one nearest to the default is selected.

model = SQFA(4, n_init=2).fit(X, y)
chosen = model.selection_
print(f"noise {chosen.noise}, {chosen.scaling} scaling ({chosen.reason}, {chosen.folds} folds)")


def fraction(noise):
    """Return the number in a noise such as "0.3x"."""
    return float(noise.rstrip("x"))


with plots.style():
    figure, ax = plt.subplots(figsize=(5.6, 3.6))
    for scaling, mark in zip(("within-class", "per-feature", "common"), "os^", strict=True):
        own = [one for one in chosen.tried if one.scaling == scaling]
        tried = sorted((fraction(one.noise), one.accuracy) for one in own)
        if tried:
            noises, accuracy = np.transpose(tried)
            ax.semilogx(noises, 100 * accuracy, mark + "-", label=scaling)
    ax.axvline(fraction(chosen.noise), color="0.6", linestyle=":")
    ax.set(xlabel="noise, fraction of the within-class variance", ylabel="held-out accuracy (%)")
    ax.legend(title="scaling")

# %%
# Candidates that were clearly worse were dropped early, so their accuracy is that of fewer samples.
# ``noise=0.1`` and ``scale="none"`` override the selection.

# %%
# The number of filters
# ---------------------
# ``"auto"`` takes the fewest filters within one standard error of the best, and keeps the curve.

auto = SQFA("auto", max_components=12, distance="hellinger", n_init=1).fit(X, y)
with plots.style():
    figure, ax = plt.subplots(figsize=(5.6, 3.6))
    ax.plot(
        [point.n_components for point in auto.curve_],
        [100 * point.accuracy for point in auto.curve_],
        "o-",
    )
    ax.axvline(len(auto.components_), color="0.6", linestyle=":")
    ax.set(xlabel="filters", ylabel="right on held-out points (%)")
print(f"taken: {len(auto.components_)} filters, {auto.score(X_test, y_test):.1%} right on test images")

# %%
# The distance
# ------------
# All distances agree where classes are close. They differ in how much a pair that is far apart
# already still pulls. Hellinger is bounded by 1 and turns to the pairs that are still confused;
# Calvo–Oller, the default, grows slowly; Bhattacharyya and Jeffreys grow with the square.

from sqfa_rs import distances

gap = np.linspace(0.01, 6, 80)
center = (np.zeros((1, 1)), np.ones((1, 1, 1)))
apart = (gap[:, None], np.ones((80, 1, 1)))
names = ("calvo-oller", "hellinger", "bhattacharyya")
with plots.style():
    figure, ax = plt.subplots(figsize=(5.6, 3.6))
    for name, line in zip(names, ("-", "--", "-."), strict=True):
        ax.plot(gap, distances.pairwise(center, apart, name)[0], line, label=name)
    ax.set(xlabel="gap of two means, in standard deviations", ylabel="distance")
    ax.legend()

# %%
# Where accuracy is what counts, compare them on held-out points. ``score`` is the accuracy of QDA
# on the features, so that every search of scikit-learn can choose.

from sklearn.model_selection import GridSearchCV

search = GridSearchCV(SQFA(4, noise="scale", n_init=1), {"distance": list(names)}, cv=3).fit(X, y)
for name, score in zip(names, search.cv_results_["mean_test_score"], strict=True):
    print(f"{name:15s} {score:.1%}")

# %%
# Weights of pairs
# ----------------
# Where only some pairs matter, weigh them: here only 3 against 8 counts.

weights = np.zeros((10, 10))
weights[3, 8] = weights[8, 3] = 1
pair = SQFA(2, pair_weights=weights, noise="scale").fit(X, y)
plots.scatter(pair.transform(X_test), y_test, classes=[3, 8]).set_title("filters for one pair")
