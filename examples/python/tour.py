"""A tour of the package: components, features, distances, class statistics and model files.

Run with ``python examples/python/tour.py``.
"""

import tempfile
from pathlib import Path

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline

import sqfa_rs
from sqfa_rs import QDA, SQFA, ClassAccumulator, distances
from sqfa_rs.datasets import make_speed

# Videos of moving textures. The class is the speed. The class means are nearly zero, so classes differ
# in the covariances of their pixels only.
speed = make_speed(300, 100, tenths=range(-60, 61, 20), random_state=1)
X, y, X_test, y_test = speed.data, speed.target, speed.data_test, speed.target_test
print(f"{len(X)} videos of {X.shape[1]} numbers, {len(np.unique(y))} speeds")

# A scikit-learn transformer: fit, transform, score.
sqfa = SQFA(n_components=4, random_state=0).fit(X, y)
print(f"objective {sqfa.objective_:.3f} after {sqfa.n_iter_} iterations ({sqfa.termination_})")
features = sqfa.transform(X_test)
print(f"features: {features.shape}, {features.dtype}")

# SQFA and LDA in a pipeline with a quadratic classifier. LDA selects its components by class means only.
for name, reducer in {
    "SQFA": SQFA(4, random_state=0),
    "LDA": LinearDiscriminantAnalysis(n_components=4),
}.items():
    accuracy = make_pipeline(reducer, QDA()).fit(X, y).score(X_test, y_test)
    print(f"{name} + QDA: test accuracy {accuracy:.1%}")

# Distances between the classes in feature space, with the noise of the fit.
matrix = distances.pairwise(sqfa)
closest = np.unravel_index(np.where(matrix > 0, matrix, np.inf).argmin(), matrix.shape)
print("closest pair of classes:", " and ".join(str(sqfa.classes_[i]) for i in closest))

# A fit needs class statistics only. They can be accumulated in parts, sent as bytes and merged.
here = ClassAccumulator().update(X[::2], y[::2])
there = ClassAccumulator().update(X[1::2], y[1::2]).to_bytes()
statistics = here.merge(ClassAccumulator.from_bytes(there)).finish()
streamed = SQFA(4, random_state=0).fit_statistics(statistics)
print(f"from streamed statistics: objective {streamed.objective_:.3f}")

# A model file contains numbers and names but no code. The command `sqfa` reads it as well.
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "speed.safetensors"
    sqfa_rs.save(sqfa, path)
    again = sqfa_rs.load(path)
    same = (again.transform(X_test) == features).all()
    print(f"saved {path.stat().st_size} bytes; same features: {same}")
