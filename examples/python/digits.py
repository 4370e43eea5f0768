"""Classify handwritten digits with a few features of SQFA, compared with LDA and PCA.

Run with ``python examples/python/digits.py``; with Matplotlib installed, it also draws ``digits.png``.
"""

import time

from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from sqfa_rs import QDA, SQFA

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
print(f"{len(X_train)} training and {len(X_test)} test images of {X.shape[1]} pixels")

# LDA has at most 9 components for 10 classes; SQFA and PCA can have more.
print("\ncomponents     SQFA      LDA      PCA   (QDA accuracy on test images)")
for count in (2, 4, 6, 9, 12):
    reducers = {
        "SQFA": SQFA(count, distance="hellinger", random_state=0),
        "LDA": LinearDiscriminantAnalysis(n_components=count) if count <= 9 else None,
        "PCA": PCA(count, random_state=0),
    }
    cells = []
    for reducer in reducers.values():
        if reducer is None:
            cells.append("     —  ")
            continue
        model = make_pipeline(reducer, QDA()).fit(X_train, y_train)
        cells.append(f"{model.score(X_test, y_test):8.1%}")
    print(f"{count:10d} {' '.join(cells)}")

began = time.perf_counter()
sqfa = SQFA(6, distance="hellinger", random_state=0).fit(X_train, y_train)
print(f"\nSQFA with 6 components took {time.perf_counter() - began:.2f} s")

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from sqfa_rs import plots
except ImportError:
    print("Matplotlib is not installed: no figure is drawn")
else:
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
    plots.filters(sqfa, (8, 8), ax=axes[0, 0], columns=3).set_title("components")
    plots.scatter(sqfa.transform(X_test), y_test, ax=axes[0, 1]).set_title("test images")
    plots.distance_matrix(sqfa, ax=axes[1, 0]).set_title("distances between digits")
    plots.objective_trace(sqfa, ax=axes[1, 1]).set_title("objective during the fit")
    figure.savefig("digits.png", dpi=100)
    print("drew digits.png")
