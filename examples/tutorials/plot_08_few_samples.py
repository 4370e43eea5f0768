"""
Few samples, many columns
=========================

With many columns and few samples, every supervised method can separate the training samples, even
if there is nothing to find. This tutorial shows how to notice that, and what helps.
"""

# %%
# Data
# ----
# Two classes in 100 columns, as in a table of gene expressions or voxels. In the first four
# columns, the variance of class 1 is nine times that of class 0. In the next four, the means
# differ. The other columns are noise.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sqfa_rs import SQFA, plots
from sqfa_rs.baselines import LDA

rng = np.random.default_rng(0)


def sample(count):
    """Draw samples of both classes."""
    y = np.arange(count) % 2
    X = rng.normal(size=(count, 100))
    X[y == 1, :4] *= 3
    X[y == 1, 4:8] += 1
    return X, y


X, y = sample(100)
X_test, y_test = sample(1000)

# %%
# Training accuracy is useless here
# ---------------------------------
# Shuffled labels have nothing to do with the data. Without regularization, SQFA separates the
# training samples anyway. On new samples it is near chance, which is one half.

shuffled = rng.permutation(y)
weak = SQFA(2, scaling="none", noise=0.01).fit(X, shuffled)
print(f"training {weak.score(X, shuffled):.0%}, new samples {weak.score(X_test, y_test):.0%}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
plots.scatter(weak.transform(X), shuffled, ax=left, legend=False).set_title(
    "training samples, shuffled labels"
)
plots.scatter(weak.transform(X_test), y_test, ax=right, per_class=200).set_title("new samples")

# %%
# Look at the held-out accuracy
# -----------------------------
# By default, ``fit`` selects scaling and noise by cross-validation and reports the accuracy on
# held-out samples. It is close to chance for shuffled labels, and close to the test accuracy for
# the real ones.

rows = {}
for name, labels in {"shuffled labels": shuffled, "real labels": y}.items():
    model = SQFA(2).fit(X, labels)
    rows[name] = {
        "noise": f"{float(model.selection_.noise.rstrip('x')):.3g}x",
        "training": f"{model.score(X, labels):.0%}",
        "held out": f"{model.selection_.accuracy:.0%}",
        "new samples": f"{model.score(X_test, y_test):.0%}",
    }
print(pd.DataFrame(rows).T.to_string())

# %%
# The selected noise is much larger than the default of 0.3 times the mean within-class variance.
# With so much noise, filters depend less on the samples that happened to be drawn. The training
# accuracy is still too high, so do not report it.

# %%
# If you are in doubt about a result, shuffle the labels of your own data and fit again, with the
# same settings. The held-out accuracy of the real labels should be clearly higher than that of
# every shuffle.

shuffles = [SQFA(1).fit(X, rng.permutation(y)).selection_.accuracy for _ in range(10)]
real = SQFA(1).fit(X, y).selection_.accuracy
print(f"held out: real labels {real:.0%}, best of {len(shuffles)} shuffles {max(shuffles):.0%}")

# %%
# How many samples are enough?
# ----------------------------
# Draw the test accuracy against the number of samples. In your own data, use subsets of the
# training samples.

counts = [50, 100, 200, 400]
makers = {
    "SQFA, 1 filter": lambda: SQFA(1),
    "SQFA, 4 filters": lambda: SQFA(4),
    "LDA, 1 filter": lambda: LDA(1),
}
curves = {}
for count in counts:
    part, labels = sample(count)
    curves[count] = {
        name: make().fit(part, labels).score(X_test, y_test) for name, make in makers.items()
    }
curves = pd.DataFrame(curves).T
print(curves.map("{:.0%}".format).to_string())

with plots.style():
    figure, ax = plt.subplots(figsize=(5.8, 3.6), layout="constrained")
    for name, mark in zip(curves, "os^", strict=True):
        ax.semilogx(counts, 100 * curves[name], marker=mark, label=name)
    ax.axhline(50, color="0.6", linestyle=":")
    ax.set(
        xlabel="training samples",
        ylabel="accuracy on new samples (%)",
        xticks=counts,
        xticklabels=counts,
    )
    ax.minorticks_off()
    ax.legend()

# %%
# With few samples, one filter of SQFA is about as accurate as LDA. With more samples, the variances
# of the classes can be estimated, and four filters become clearly better. LDA has only one filter
# for two classes.
#
# In summary, with few samples and many columns:
#
# - Report the accuracy on held-out or new samples, never the training accuracy.
# - Keep the default settings, which include a large noise if cross-validation finds that it helps.
# - Use few filters, and compare with LDA.
# - Remove columns that cannot matter before you look at the labels. If you select columns *by their
#   labels*, do it within each fold, for example in a pipeline.
