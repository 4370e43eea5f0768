"""
From the authors' package
=========================

The authors of the paper publish a Python package ``sqfa``, which is built on PyTorch. This tutorial
fits the same model with ``sqfa_rs``, line by line. The corresponding lines of the authors' package
are shown as comments.
"""

# %%
# Data
# ----
# Labels can be of any type, and arrays do not have to be tensors.

from sklearn.datasets import load_iris

from sqfa_rs import SQFA, class_statistics, distances, plots

iris = load_iris()
X, y = iris.data, iris.target_names[iris.target]

# %%
# The same model
# --------------
# By default, ``sqfa_rs`` selects scaling and noise by cross-validation. With ``scaling="none"`` and
# a number for ``noise``, it computes the same as the authors' package with this ``feature_noise``.
# Their default, no noise, corresponds to ``noise=0.0``.

# model = sqfa.model.SQFA(n_dim=4, n_filters=2, feature_noise=0.01)
# model.fit(X=torch.tensor(X), y=torch.tensor(labels))
model = SQFA(2, noise=0.01, scaling="none").fit(X, y)

# model.filters.detach()
print(model.components_.round(3))

# %%
# The attribute ``objective_trace_`` corresponds to ``return_loss=True``. Their loss is the negative
# objective.

plots.objective_trace(model)

# %%
# Features
# --------
# ``transform`` returns a NumPy array.

# z = model.transform(torch.tensor(X)).detach()
z = model.transform(X)

# sqfa.plot.scatter_data(z, labels); sqfa.plot.statistics_ellipses(...)
ax = plots.scatter(z, y, per_class=40)
plots.ellipses(model, ax=ax, legend=False)

# %%
# Statistics and distances
# ------------------------
# Class statistics have the same names as in the authors' package.

# statistics = sqfa.statistics.class_statistics(X, y)
statistics = class_statistics(X, y)
print(statistics["means"].shape, statistics["covariances"].shape, statistics["second_moments"].shape)

# model.fit(data_statistics=statistics)
same = SQFA(2, noise=0.01, scaling="none").fit_statistics(statistics)
print("same objective:", round(same.objective_, 6) == round(model.objective_, 6))

# %%
# Distances between the classes in feature space, with the noise of the fit and without it:

# model.get_class_distances(statistics, regularized=True)
print(distances.pairwise(model).round(3))
# model.get_class_distances(statistics, regularized=False)
print(distances.pairwise(model, noise=0.0).round(3))
# model.transform_scatters(statistics["covariances"])
print(model.transform_scatters(statistics["covariances"]).shape)

# %%
# Other distances
# ---------------
# ``distance`` accepts a function of ``sqfa_rs.distances`` or its name.

# sqfa.model.SQFA(..., distance_fun=sqfa.distances.hellinger)
bounded = SQFA(2, noise=0.01, scaling="none", distance=distances.hellinger).fit(X, y)
plots.distance_matrix(bounded)

# %%
# Second moments
# --------------
# ``SecondMomentSQFA`` uses second moments instead of means and covariances.

from sqfa_rs import SecondMomentSQFA

# sqfa.model.SecondMomentsSQFA(n_dim=4, n_filters=2, feature_noise=0.01)
second = SecondMomentSQFA(2, noise=0.01, scaling="none").fit(X, y)
print(f"training accuracy {second.score(X, y):.1%}")
