"""
Digits: what SQFA finds that LDA cannot
=======================================

Linear discriminant analysis (LDA) compares the means of classes. It cannot separate classes with
equal means, however different they are otherwise. This tutorial starts with such classes and
continues with handwritten digits, which differ in means and covariances.
"""

# %%
# Equal means
# -----------
# Two classes in four columns have equal means. In columns 1 and 2, their variances differ. Columns
# 3 and 4 have a large variance that is the same in both classes.

import matplotlib.pyplot as plt
import numpy as np

from sqfa_rs import QDA, SQFA, plots
from sqfa_rs.baselines import LDA

rng = np.random.default_rng(0)
y = np.repeat(["a", "b"], 400)
spread = np.where((y == "a")[:, None], [3.0, 0.6, 4.0, 4.0], [0.6, 3.0, 4.0, 4.0])
X = rng.normal(size=(800, 4)) * spread

sqfa, lda = SQFA(2).fit(X, y), LDA(1).fit(X, y)
lda_accuracy = QDA().fit(lda.transform(X), y).score(lda.transform(X), y)

# %%
# For two classes, LDA has only one filter, and no direction separates these means. SQFA finds the
# plane in which the classes differ. The titles show the training accuracy of a quadratic
# classifier.

with plots.style():
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    for name, color in zip("ab", plots.palette(2), strict=True):
        left.hist(lda.transform(X[y == name])[:, 0], bins=30, alpha=0.6, color=color, label=name)
    left.set(title=f"LDA: {lda_accuracy:.0%} correct", xlabel="feature 0", yticks=[])
    left.legend()
    plots.scatter(sqfa.transform(X), y, ax=right)
    right.set_title(f"SQFA: {sqfa.score(X, y):.0%} correct")

# %%
# Digits
# ------
# The digits are 1797 images of 8 × 8 pixels. Half of them are kept for the test. With
# ``noise="scale"``, the noise is as large as the mean variance of a pixel within the classes. This
# gives smooth filters, which are easy to look at.

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)

digits = SQFA(6, distance="hellinger", noise="scale").fit(X_train, y_train)
digits.summary(image_shape=(8, 8))

# %%
# Six numbers per image are enough to recognize most of them:

print(f"test accuracy {digits.score(X_test, y_test):.1%}")

# %%
# The filters can be shown as images. A bright red pixel increases the feature, a bright blue pixel
# decreases it.

plots.filters(digits, (8, 8), columns=6)

# %%
# Accuracy and number of filters
# ------------------------------
# Each method is followed by the same classifier, QDA, with one Gaussian per class. LDA has at most
# nine filters for ten classes. SQFA has no such limit.

from sklearn.pipeline import make_pipeline

from sqfa_rs.baselines import PCA

counts = [1, 2, 4, 6, 9, 12]
with plots.style():
    figure, ax = plt.subplots(figsize=(5.6, 3.8))
    for make, label, mark in (
        (lambda m: SQFA(m, distance="hellinger", n_init=1), "SQFA, Hellinger", "o"),
        (lambda m: make_pipeline(LDA(m), QDA()), "LDA", "s"),
        (lambda m: make_pipeline(PCA(m), QDA()), "PCA", "^"),
    ):
        possible = [m for m in counts if m <= 9 or label != "LDA"]
        scores = [make(m).fit(X_train, y_train).score(X_test, y_test) for m in possible]
        print(
            f"{label:16s}",
            " ".join(f"{m}: {score:.1%} " for m, score in zip(possible, scores, strict=True)),
        )
        ax.plot(possible, [100 * score for score in scores], marker=mark, label=label)
    ax.set(xlabel="filters", ylabel="test accuracy (%)")
    ax.legend()

# %%
# The advantage of SQFA is largest with few filters.
#
# Which digits are confused? The distances between the classes in feature space predict this: a
# small distance means that two digits are difficult to distinguish.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
plots.distance_matrix(digits, distance="calvo-oller", ax=left)
left.set_title("distances between classes (Calvo–Oller)")
predicted = QDA().fit(digits.transform(X_train), y_train).predict(digits.transform(X_test))
mistakes = np.zeros((10, 10))
np.add.at(mistakes, (y_test, predicted), 1)
np.fill_diagonal(mistakes, np.nan)
image = right.imshow(mistakes, cmap="Greys", vmin=0)
right.set(
    title="mistakes on test images",
    xlabel="predicted",
    ylabel="digit",
    xticks=range(10),
    yticks=range(10),
)
figure.colorbar(image, ax=right, fraction=0.046, pad=0.04)
