"""
Digits: what SQFA sees that LDA cannot
======================================

LDA compares means. Two classes with the same mean are one class to it, however different they are.
This tutorial starts with such classes and then goes to handwritten digits, where both matter.
"""

# %%
# Equal means
# -----------
# Two classes of four dimensions. Their means are equal; in the first two dimensions one class is
# long where the other is short. The last two dimensions have large variance and tell nothing.

import matplotlib.pyplot as plt
import numpy as np

from sqfa_rs import QDA, SQFA, plots
from sqfa_rs.baselines import LDA

rng = np.random.default_rng(0)
y = np.repeat(["a", "b"], 400)
spread = np.where((y == "a")[:, None], [3.0, 0.6, 4.0, 4.0], [0.6, 3.0, 4.0, 4.0])
X = rng.normal(size=(800, 4)) * spread

sqfa, lda = SQFA(2).fit(X, y), LDA(1).fit(X, y)

# %%
# LDA has one direction to offer for two classes (at most c − 1), and none is good. SQFA finds the
# plane in which the classes differ.

with plots.style():
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    for name, mark in zip("ab", plots.palette(2), strict=True):
        left.hist(lda.transform(X[y == name])[:, 0], bins=30, alpha=0.6, color=mark, label=name)
    left.set(title=f"LDA: {lda.score(X, y):.0%} right", xlabel="feature 0", yticks=[])
    left.legend()
    plots.scatter(sqfa.transform(X), y, ax=right)
    right.set_title(f"SQFA: {sqfa.score(X, y):.0%} right")

# %%
# Digits
# ------
# 1797 images of 8 × 8 pixels. Half of them are kept for the test. ``noise="scale"`` keeps one unit for
# all pixels and adds as much noise as they vary on average: smooth filters, good to look at.

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)

digits = SQFA(6, distance="hellinger", noise="scale").fit(X_train, y_train)
digits.summary(image_shape=(8, 8))

# %%
# Six numbers an image are enough for most of them.

print(f"{digits.score(X_test, y_test):.1%} of the test images are recognized")

# %%
# The filters as images: red pixels count for, blue ones against.

plots.filters(digits, (8, 8), columns=6)

# %%
# Accuracy against the number of filters
# --------------------------------------
# The classifier is the same for all: QDA, one Gaussian a class. LDA ends at nine filters, SQFA need
# not.

from sklearn.pipeline import make_pipeline

from sqfa_rs.baselines import PCA

counts = [1, 2, 4, 6, 9, 12]
with plots.style():
    figure, ax = plt.subplots(figsize=(5.6, 3.8))
    for make, label, mark in (
        (lambda m: SQFA(m, distance="hellinger", n_init=1), "SQFA, Hellinger", "o"),
        (lambda m: LDA(m), "LDA", "s"),
        (lambda m: make_pipeline(PCA(m), QDA()), "PCA", "^"),
    ):
        possible = [m for m in counts if m <= 9 or label != "LDA"]
        scores = [make(m).fit(X_train, y_train).score(X_test, y_test) for m in possible]
        ax.plot(possible, [100 * score for score in scores], marker=mark, label=label)
    ax.set(xlabel="filters", ylabel="right on test images (%)")
    ax.legend()

# %%
# SQFA is ahead with few filters, and goes on where LDA runs out of means to compare.
#
# Which digits are confused? The distances in feature space tell before any point is classified:
# small ones are the hard pairs.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
plots.distance_matrix(digits, distance="calvo-oller", ax=left)
left.set_title("distances of the classes (Calvo–Oller)")
answers = QDA().fit(digits.transform(X_train), y_train).predict(digits.transform(X_test))
wrong = np.zeros((10, 10))
np.add.at(wrong, (y_test, answers), 1)
np.fill_diagonal(wrong, np.nan)
image = right.imshow(wrong, cmap="Greys", vmin=0)
right.set(
    title="mistakes on test images", xlabel="answer", ylabel="digit", xticks=range(10), yticks=range(10)
)
figure.colorbar(image, ax=right, fraction=0.046, pad=0.04)
