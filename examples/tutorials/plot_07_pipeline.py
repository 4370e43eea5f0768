"""
From a grid search to a model file to the command line
======================================================

This tutorial searches the best parameters of a scikit-learn pipeline, saves the filters that it
found, and applies them with the command ``sqfa predict``, which needs no Python code.
"""

# %%
# Search
# ------
# The data are 30 measurements of cell nuclei from 569 tissue samples, which are malignant or
# benign. As for any other estimator, a grid search selects the number of filters and the distance
# by cross-validation. A test set of 30 % is kept for the end.

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
print(f"test accuracy {search.score(X_test, y_test):.1%}")

# %%
# The error bars show the standard deviation over the three folds. Differences that are smaller than
# the bars do not mean much.

with plots.style():
    figure, ax = plt.subplots(figsize=(5.2, 3.4))
    for distance, mark in zip(grid["filters__distance"], "os", strict=True):
        rows = search.cv_results_["param_filters__distance"] == distance
        mean, error = (search.cv_results_[key][rows] for key in ("mean_test_score", "std_test_score"))
        ax.errorbar(grid["filters__n_components"], 100 * mean, 100 * error, marker=mark, label=distance)
    ax.set(xlabel="filters", ylabel="accuracy in cross-validation (%)", xticks=[1, 2, 3])
    ax.legend()

# %%
# Look at the best model
# ----------------------

filters = search.best_estimator_.named_steps["filters"]
filters.summary()

# %%
# Save it
# -------
# The model file contains the filters, the scaling, the class statistics and the names of the columns.

import pathlib
import subprocess
import sys
import tempfile

folder = pathlib.Path(tempfile.mkdtemp())
sqfa_rs.save(filters, folder / "cells.sqfa")
X_test.to_csv(folder / "new.csv", index=False)

# %%
# Use it on the command line
# --------------------------
# The Python package includes the command. It matches columns by name. In a terminal, you type
# ``sqfa predict cells.sqfa new.csv``. Here, the command is started from Python.

command = [sys.executable, "-m", "sqfa_command", "predict", "cells.sqfa", "new.csv"]
output = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
print("\n".join(output.splitlines()[:5]))

# %%
# These are the predictions of the pipeline in Python:

predicted = search.predict(X_test)
print("differences:", int(np.sum(np.array(output.splitlines()) != predicted)), "of", len(predicted))

import shutil

shutil.rmtree(folder)
