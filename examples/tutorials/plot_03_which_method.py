"""
SQFA, LDA, PCA or UMAP?
=======================

Which method finds useful features depends on how the classes differ. This tutorial compares methods
on four small data sets, each of which suits a different one.
"""

# %%
# Four data sets
# --------------
# Three are simulated, so that we know how the classes differ:
#
# - **means**: three classes with different means and equal covariances. The classes differ in
#   columns 1 to 3; the other 17 columns are noise with a larger variance.
# - **covariances**: two classes with equal means. Columns 1 and 2 are correlated, with opposite
#   signs in the two classes. The other columns are noise with a larger variance.
# - **curved**: two interleaved half-moons, and one column of noise. No weighted sum of columns
#   separates them well.
# - **digits**: the images of handwritten digits that come with scikit-learn.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, make_moons
from sklearn.model_selection import train_test_split

from sqfa_rs import QDA, SQFA, plots
from sqfa_rs.baselines import LDA, PCA

rng = np.random.default_rng(0)


def means():
    """Return classes that differ in their means only."""
    y = np.arange(600) % 3
    X = 3 * rng.normal(size=(600, 20))
    X[:, :3] = 2.5 * np.eye(3)[y] + rng.normal(size=(600, 3))
    return X, y


def covariances():
    """Return classes that differ in one correlation only."""
    y = np.arange(800) % 2
    X = 2 * rng.normal(size=(800, 8))
    shared = rng.normal(size=800)
    X[:, 0] = shared + 0.4 * rng.normal(size=800)
    X[:, 1] = np.where(y == 0, shared, -shared) + 0.4 * rng.normal(size=800)
    return X, y


def curved():
    """Return two half-moons and a column of noise."""
    X, y = make_moons(800, noise=0.12, random_state=0)
    return np.hstack([X, rng.normal(size=(800, 1))]), y


data = {
    "means": means(),
    "covariances": covariances(),
    "curved": curved(),
    "digits": load_digits(return_X_y=True),
}

# %%
# Test accuracy of two features
# -----------------------------
# Each method learns two features from half of the samples. (LDA learns one if there are only two
# classes.) The classifier ``QDA`` is then tested on the features of the other half. The last column
# of the table is a support vector machine (SVM), a nonlinear classifier that uses all columns.

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

accuracy = {}
for name, (X, y) in data.items():
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    models = {
        "PCA": make_pipeline(PCA(2), QDA()),
        "LDA": make_pipeline(LDA(min(2, len(np.unique(y)) - 1)), QDA()),
        "SQFA": make_pipeline(SQFA(2), QDA()),
        "SVM, all columns": make_pipeline(StandardScaler(), SVC()),
    }
    accuracy[name] = {
        method: model.fit(X_train, y_train).score(X_test, y_test) for method, model in models.items()
    }
accuracy = pd.DataFrame(accuracy).T
print(accuracy.map("{:.1%}".format).to_string())

# %%
with plots.style():
    figure, ax = plt.subplots(figsize=(6.4, 3.4))
    (100 * accuracy).plot.bar(ax=ax, rot=0, width=0.75)
    ax.set(ylabel="test accuracy (%)", ylim=(0, 115), yticks=range(0, 101, 20))
    ax.legend(ncols=4, loc="upper center", fontsize=8)

# %%
# - **means**: LDA is as accurate as SQFA, and it is the simpler method, so use LDA. PCA keeps the
#   columns with the largest variance, which are noise here.
# - **covariances**: the class means are equal, so LDA is near chance. SQFA finds the two columns
#   that matter. The SVM is less accurate, because it cannot ignore the columns of noise.
# - **curved**: all linear methods miss a part of the structure. If only the accuracy matters, use a
#   nonlinear classifier.
# - **digits**: the classes differ in means and covariances. SQFA is the most accurate of the linear
#   methods, but two features are few for ten classes.

# %%
# A picture: t-SNE and UMAP
# -------------------------
# t-SNE and UMAP place the samples in the plane so that samples that are close in the data stay
# close. They do not use labels. Here is t-SNE next to SQFA on 400 digits. UMAP is not part of
# scikit-learn; its pictures are similar.

from sklearn.manifold import TSNE

X, y = (part[:400] for part in load_digits(return_X_y=True))
embedding = TSNE(random_state=0, method="exact", max_iter=500).fit_transform(X)
sqfa = SQFA(2, noise="scale").fit(X, y)  # much noise: smooth filters

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
plots.scatter(embedding, y, ax=left, legend=False, size=10).set(
    title="t-SNE", xlabel="no meaning", ylabel="no meaning", xticks=[], yticks=[]
)
plots.scatter(sqfa.transform(X), y, ax=right, size=10).set_title("SQFA")

# %%
# The t-SNE picture shows the ten digits as separate groups more clearly than any two linear
# features can. But it answers fewer questions:
#
# ======================================  ==========================  =============
# question                                SQFA, LDA, PCA              t-SNE, UMAP
# ======================================  ==========================  =============
# Which samples are similar?              roughly                     yes
# Which columns separate the classes?     yes, the weights            no
# Are distances in the plot meaningful?   yes                         only between neighbors
# Where does a new sample belong?         ``transform``               UMAP: yes, t-SNE: no
# Is the result the same every time?      yes                         with a fixed seed
# ======================================  ==========================  =============
#
# For example, the weights of the SQFA filters can be shown as images of 8 × 8 pixels:

plots.filters(sqfa, (8, 8), columns=2)

# %%
# Let the data decide
# -------------------
# ``compare`` fits several methods and scores them on samples that were not used for fitting. A
# small difference between methods does not mean much; prefer the simpler one.

from sqfa_rs import compare

table = compare(*data["means"], methods=["sqfa", "lda", "pca"], n_components=[1, 2], seeds=1, cv=3)
print(table.groupby(["method", "n_components"]).qda_accuracy.mean().unstack().round(3).to_string())
