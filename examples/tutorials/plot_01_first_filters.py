"""
Your first filters
==================

This tutorial goes from a table to two features, a figure and a model file in about five minutes.

The table is the wine data set of scikit-learn: 178 wines from three growers, with thirteen chemical
measurements per wine.
"""

# %%
# Fit two filters
# ---------------
# A *filter* is a weighted sum of the columns. ``SQFA`` finds filters that separate the classes as
# well as possible, by their means *and* by their covariances. Here the classes are the growers.

from sklearn.datasets import load_wine

from sqfa_rs import SQFA, plots

wine = load_wine(as_frame=True)
X, y = wine.data, wine.target_names[wine.target]

sqfa = SQFA(2).fit(X, y)
sqfa

# %%
# The table above shows the settings that ``fit`` selected by cross-validation. The *scaling* makes
# the result independent of the units of the columns. The *noise* is a variance that is added to
# every feature, so that filters do not rely on differences that are due to chance. The *held-out
# accuracy* is the cross-validated accuracy of a quadratic classifier that sees only the two features.
#
# ``summary`` returns the same as text:

print(sqfa.summary())

# %%
# Plot the features
# -----------------
# ``transform`` computes the two features of each wine. The method describes each class by a Gaussian.
# The ellipses show these Gaussians at two standard deviations.

ax = plots.scatter(sqfa.transform(X), y, size=14)
ax = plots.ellipses(sqfa, ax=ax, legend=False)
ax.set_title("178 wines in two features")

# %%
# Which columns matter?
# ---------------------
# The weights of a filter can be compared if each one is multiplied by the standard deviation of its
# column. A long bar means that the column contributes much to the feature.

import matplotlib.pyplot as plt
import numpy as np

weights = sqfa.components_ * X.std().to_numpy()
with plots.style():
    figure, ax = plt.subplots(figsize=(6, 4))
    rows = np.arange(X.shape[1])
    for i, weight in enumerate(weights):
        ax.barh(rows + 0.2 - 0.4 * i, weight / abs(weight).max(), height=0.4, label=f"filter {i}")
    ax.set_yticks(rows, X.columns)
    ax.axvline(0, color="0.5", linewidth=0.8)
    ax.set_xlabel("weight (largest of each filter: 1)")
    ax.legend()

for i, weight in enumerate(weights):
    print(f"filter {i}: largest weights for", ", ".join(X.columns[np.argsort(-abs(weight))[:3]]))

# %%
# Predict the class of new samples
# --------------------------------
# The filters followed by ``QDA``, a classifier with one Gaussian per class, form an ordinary pipeline
# of scikit-learn. Here ``cross_val_score`` fits the whole pipeline, including the filters, to four
# fifths of the wines and tests it on the rest, five times.

from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from sqfa_rs import QDA

scores = cross_val_score(make_pipeline(SQFA(2), QDA()), X, y, cv=5)
print(f"test accuracy {scores.mean():.1%}")

# %%
# Save the model
# --------------
# The model file contains numbers and names but no code, so it is safe to load. The command ``sqfa``
# can read it, too.

import pathlib
import tempfile

import sqfa_rs

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "wine.sqfa"
    sqfa_rs.save(sqfa, path)
    loaded = sqfa_rs.load(path)
print("same features after loading:", np.array_equal(loaded.transform(X), sqfa.transform(X)))

# %%
# The same steps on the command line, for a file ``wine.csv`` with a column ``grower``::
#
#    sqfa fit wine.csv --label grower --filters 2 --out wine.sqfa
#    sqfa transform wine.sqfa wine.csv --out features.csv
