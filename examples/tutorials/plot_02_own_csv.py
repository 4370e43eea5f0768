"""
Your own CSV file from start to finish
======================================

Real tables have missing values, columns in different units, an id column and repeated measurements
of the same subject. This tutorial starts with such a file and ends with an accuracy that you can
trust.
"""

# %%
# The file
# --------
# The data are simulated: 30 subjects, half of them patients, visit a laboratory twelve times each.
# Each row is one visit. In patients, reaction times vary more, and the two gaze coordinates are
# correlated with the opposite sign. The class means are almost equal.

import pathlib
import tempfile

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
subject = np.repeat(np.arange(30), 12)
patient = subject % 2 == 1
rows = len(subject)
trait = rng.normal(size=(30, 3))[subject]  # differs between subjects, constant over visits
drift = rng.normal(size=rows)
table = pd.DataFrame(
    {
        "visit_id": np.arange(1, rows + 1),
        "subject": [f"S{number:02d}" for number in subject],
        "reaction_ms": 420 + 20 * trait[:, 0] + rng.normal(size=rows) * np.where(patient, 60, 25),
        "pupil_mm": 4 + 0.4 * trait[:, 1] + 0.16 * rng.normal(size=rows),
        "skin_siemens": 5e-6 * (1 + 0.2 * trait[:, 2] + 0.08 * rng.normal(size=rows)),
        "gaze_x": drift + 0.5 * rng.normal(size=rows),
        "gaze_y": np.where(patient, -drift, drift) + 0.5 * rng.normal(size=rows),
        "room": 2,
        "diagnosis": np.where(patient, "patient", "control"),
    }
)
table.loc[rng.random(rows) < 0.04, "pupil_mm"] = np.nan

folder = pathlib.Path(tempfile.mkdtemp())
table.to_csv(folder / "visits.csv", index=False, float_format="%.6g")
table = pd.read_csv(folder / "visits.csv")
table.head(4)

# %%
# Look before you fit
# -------------------
# Three questions decide which columns are features: is the column an id, does it name a group of
# rows, and is it known for new samples?

print(table.isna().sum()[lambda missing: missing > 0].to_string())
print(table.nunique().to_string())

# %%
# - ``visit_id`` numbers the rows. It must not be used as a feature.
# - ``subject`` says which rows belong together. It is needed for cross-validation.
# - ``room`` is constant. You may keep it, because constant columns are dropped.
# - ``pupil_mm`` has missing values.

y = table["diagnosis"]
X = table.drop(columns=["visit_id", "subject", "diagnosis"])

# %%
# Missing values
# --------------
# ``fit`` does not guess what a missing value means. It raises an error that says where the first
# one is:

from sqfa_rs import QDA, SQFA, plots

try:
    SQFA(2).fit(X, y)
except ValueError as error:
    print(error)

# %%
# You can drop the rows (``X.dropna()``) or fill in a value. ``SimpleImputer`` fills in the mean of
# the column. In a pipeline, it computes the mean of the training samples only.

from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

imputer = SimpleImputer().set_output(transform="pandas")
model = SQFA(2)
pipeline = make_pipeline(imputer, model, QDA()).fit(X, y)
print(model.summary())
print("dropped:", list(X.columns[model.dropped_features_]))

# %%
# Units
# -----
# ``skin_siemens`` is smaller than ``reaction_ms`` by a factor of about 100 million. This does not
# matter, because ``fit`` selects a scaling of the columns. With other units, the features are the
# same up to rounding:

other = X.assign(skin_siemens=1e6 * X["skin_siemens"], reaction_ms=X["reaction_ms"] / 1000)
again = SQFA(2).fit(imputer.fit_transform(other), y)
difference = again.transform(imputer.transform(other)) - model.transform(imputer.fit_transform(X))
print("largest difference below 0.001:", bool(abs(difference).max() < 1e-3))

# %%
# What separates the classes?
# ---------------------------
# The features show what the averages hide: the two groups have the same center but different shapes.

features = model.transform(imputer.transform(X))
ax = plots.scatter(features, y.to_numpy(), size=12)
plots.ellipses(model, ax=ax, legend=False).set_title("30 subjects, 12 visits each")

weights = pd.DataFrame(
    model.components_.T * X.std().to_numpy()[:, None], X.columns, ["filter 0", "filter 1"]
)
print((weights / weights.abs().max()).round(2).to_string())

# %%
# Is the accuracy real?
# ---------------------
# Visits of the same subject resemble each other. If some of them are used for fitting and others
# for testing, a classifier can recognize the subject instead of the disease. ``GroupKFold`` keeps
# all visits of a subject together, so the test measures how well the model works for *new*
# subjects.

import matplotlib.pyplot as plt
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score

from sqfa_rs.baselines import LDA

mixed = StratifiedKFold(5, shuffle=True, random_state=0)
separate = GroupKFold(5)
accuracy = {}
for name, reducer in {"SQFA, 2": SQFA(2), "SQFA, 4": SQFA(4), "LDA, 1": LDA(1)}.items():
    whole = make_pipeline(SimpleImputer(), reducer, QDA())
    accuracy[name] = {
        "visits mixed": cross_val_score(whole, X, y, cv=mixed).mean(),
        "new subjects": cross_val_score(whole, X, y, cv=separate, groups=table["subject"]).mean(),
    }
accuracy = pd.DataFrame(accuracy).T
print(accuracy.map("{:.1%}".format).to_string())

with plots.style():
    figure, ax = plt.subplots(figsize=(5.6, 3), layout="constrained")
    (100 * accuracy[::-1]).plot.barh(ax=ax)
    ax.axvline(50, color="0.6", linestyle=":")
    ax.set(xlabel="test accuracy (%)", xlim=(0, 100))
    ax.legend(loc="lower right", fontsize=8)

# %%
# Report the accuracy for new subjects. The accuracy with mixed visits is higher for all methods,
# because part of it comes from recognizing subjects. LDA is closest to chance (dotted line),
# because it compares means only.
#
# The accuracy in ``summary()`` above is that of mixed visits, because ``fit`` did not know the
# subjects. With ``groups``, ``fit`` keeps the visits of each subject together when it selects its
# settings, and the held-out accuracy is an estimate for new subjects. With only 30 subjects, such
# estimates depend much on how the subjects are divided into folds.

filled = imputer.fit_transform(X)
for filters in (2, 4):
    without = SQFA(filters).fit(filled, y).selection_.accuracy
    grouped = SQFA(filters).fit(filled, y, groups=table["subject"]).selection_.accuracy
    print(f"{filters} filters: held out {without:.1%} without groups, {grouped:.1%} with groups")

# %%
# The same on the command line
# ----------------------------
# The command reads the file as it is. Its messages say what to do about text and missing values::
#
#    sqfa fit visits.csv --label diagnosis --ignore visit_id --group subject --missing mean \
#        --filters 2 --out visits.sqfa
#    sqfa compare visits.csv --label diagnosis --ignore visit_id --group subject --missing mean \
#        --methods sqfa,lda --filters 1,2 --seeds 1
#
# Here is the output of the second command, started from Python:

import subprocess
import sys

command = "compare visits.csv --label diagnosis --ignore visit_id --group subject --missing mean"
command += " --methods sqfa,lda --filters 1,2 --seeds 1"
run = subprocess.run(
    [sys.executable, "-m", "sqfa_command", *command.split()],
    cwd=folder,
    capture_output=True,
    text=True,
    check=True,
)
print(run.stdout)

import shutil

shutil.rmtree(folder)
