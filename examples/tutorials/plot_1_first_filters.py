"""
Your first filters
==================

A table with a label column, two filters, a picture, a file: five minutes.

The table is the wine data of scikit-learn: 178 wines, thirteen measurements each, three growers.
"""

# %%
# Learn two filters
# -----------------
# A *filter* is a weighted sum of the columns. ``SQFA`` looks for the few filters that keep the
# classes as far apart as they can be, in their means *and* in their covariances.

from sklearn.datasets import load_wine

from sqfa_rs import SQFA, plots

wine = load_wine(as_frame=True)
X, y = wine.data, wine.target_names[wine.target]

sqfa = SQFA(2).fit(X, y)
sqfa

# %%
# The table above says what was decided for you. Columns with large units do not drown the others,
# because *units* were chosen; a little *noise* keeps the filters from leaning on differences that
# are chance. Both were chosen on points that were held out.

print(sqfa.summary())

# %%
# Look at the features
# --------------------
# ``transform`` gives the two features of every wine. The ellipses are the classes as the method
# sees them: Gaussians, drawn at two standard deviations.

ax = plots.scatter(sqfa.transform(X), y, size=14)
ax = plots.ellipses(sqfa, ax=ax, legend=False)
ax.set_title("178 wines in two features")

# %%
# Which columns matter?
# ---------------------
# The weights say it, once every column is measured in its own standard deviation.

import matplotlib.pyplot as plt
import numpy as np

weights = sqfa.components_ * X.std().to_numpy()
with plots.style():
    figure, ax = plt.subplots(figsize=(6, 4))
    where = np.arange(X.shape[1])
    for i, weight in enumerate(weights):
        ax.barh(where + 0.2 - 0.4 * i, weight / abs(weight).max(), height=0.4, label=f"filter {i}")
    ax.set_yticks(where, X.columns)
    ax.axvline(0, color="0.5", linewidth=0.8)
    ax.set_xlabel("weight, the largest 1")
    ax.legend()

# %%
# Use them
# --------
# Followed by the matching classifier, the filters are a model like any other in scikit-learn.

from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from sqfa_rs import QDA

scores = cross_val_score(make_pipeline(SQFA(2), QDA()), X, y, cv=5)
print(f"{scores.mean():.1%} of the wines are given to the right grower")

# %%
# Keep them
# ---------
# The file has no code in it, and the command ``sqfa`` reads it as well.

import pathlib
import tempfile

import sqfa_rs

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "wine.sqfa"
    sqfa_rs.save(sqfa, path)
    again = sqfa_rs.load(path)
print("the same features:", np.array_equal(again.transform(X), sqfa.transform(X)))

# %%
# In a shell the same is::
#
#    sqfa fit wine.csv --label grower --filters 2 --out wine.sqfa
#    sqfa transform wine.sqfa wine.csv --out features.csv
