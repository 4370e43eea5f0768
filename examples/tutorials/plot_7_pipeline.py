"""
From a search to a model file to a shell
========================================

A scikit-learn pipeline is searched, the winner is saved, and the command ``sqfa predict`` uses it
where no Python code is wanted.
"""

# %%
# Search
# ------
# The number of filters and the distance by cross-validation, as for any estimator.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline

import sqfa_rs
from sqfa_rs import QDA, SQFA, plots

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)

pipeline = Pipeline([("filters", SQFA()), ("classes", QDA())])
grid = {"filters__n_components": [1, 2, 3], "filters__distance": ["calvo-oller", "hellinger"]}
search = GridSearchCV(pipeline, grid, cv=3).fit(X_train, y_train)
print(search.best_params_)
print(f"{search.score(X_test, y_test):.1%} right on test points")

# %%
with plots.style():
    figure, ax = plt.subplots(figsize=(5.2, 3.4))
    for distance, mark in zip(grid["filters__distance"], "os", strict=True):
        rows = search.cv_results_["param_filters__distance"] == distance
        mean, error = (search.cv_results_[key][rows] for key in ("mean_test_score", "std_test_score"))
        ax.errorbar(grid["filters__n_components"], 100 * mean, 100 * error, marker=mark, label=distance)
    ax.set(xlabel="filters", ylabel="right in cross-validation (%)", xticks=[1, 2, 3])
    ax.legend()

# %%
# Look at the winner
# ------------------

filters = search.best_estimator_.named_steps["filters"]
filters.summary()

# %%
# Save it
# -------
# The model file holds filters, units, classes and the names of the columns.

import pathlib
import subprocess
import sys
import tempfile

folder = pathlib.Path(tempfile.mkdtemp())
sqfa_rs.save(filters, folder / "cells.sqfa")
X_test.to_csv(folder / "new.csv", index=False)

# %%
# Use it in a shell
# -----------------
# The Python package contains the command. Columns are matched by name. In a terminal
# it is just ``sqfa predict cells.sqfa new.csv``; here the command is started through Python.

command = [sys.executable, "-m", "sqfa_command", "predict", "cells.sqfa", "new.csv"]
answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
print("\n".join(answer.stdout.splitlines()[:5]))

# %%
# The same answers as in Python:

told = answer.stdout.splitlines()
here = search.predict(X_test)
print("different answers:", int(np.sum(np.array(told) != here)), "of", len(here))

import shutil

shutil.rmtree(folder)
