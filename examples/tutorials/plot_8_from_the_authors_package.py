"""
From the authors' package
=========================

The authors' ``sqfa`` is built on torch. Here the same model is fitted without it, line by line. The
lines of the other package stand in comments.
"""

# %%
# Data
# ----
# Labels need not be whole numbers from 0 on, and arrays need not be tensors.

from sklearn.datasets import load_iris

from sqfa_rs import SQFA, class_statistics, distances, plots

iris = load_iris()
X, y = iris.data, iris.target_names[iris.target]

# %%
# The same model
# --------------
# Without ``noise`` this package chooses it, together with units of its own. A number gives the
# original's fit; theirs adds none unless told, which is ``noise=0.0`` here.

# model = sqfa.model.SQFA(n_dim=4, n_filters=2, feature_noise=0.01)
# model.fit(X=torch.tensor(X), y=torch.tensor(labels))
model = SQFA(2, noise=0.01).fit(X, y)

# model.filters.detach()
print(model.components_.round(3))

# %%
# ``return_loss=True`` has a counterpart that is always there. Their loss is minus the objective.

plots.objective_trace(model)

# %%
# Features
# --------

# z = model.transform(torch.tensor(X)).detach()
z = model.transform(X)

# sqfa.plot.scatter_data(z, labels); sqfa.plot.statistics_ellipses(...)
ax = plots.scatter(z, y, per_class=40)
plots.ellipses(model, ax=ax, legend=False)

# %%
# Statistics and distances
# ------------------------
# Statistics answer to the same names.

# statistics = sqfa.statistics.class_statistics(X, y)
statistics = class_statistics(X, y)
print(statistics["means"].shape, statistics["covariances"].shape, statistics["second_moments"].shape)

# model.fit(data_statistics=statistics)
same = SQFA(2, noise=0.01).fit_statistics(statistics)
print("the same objective:", round(same.objective_, 6) == round(model.objective_, 6))

# %%
# Distances between the classes in feature space: as the fit saw them, without its noise, or of
# other statistics.

# model.get_class_distances(statistics, regularized=True)
print(distances.pairwise(model).round(3))
# model.get_class_distances(statistics, regularized=False)
print(distances.pairwise(model, noise=0.0).round(3))
# model.transform_scatters(statistics["covariances"])
print(model.transform_scatters(statistics["covariances"]).shape)

# %%
# Other distances
# ---------------

# sqfa.model.SQFA(..., distance_fun=sqfa.distances.hellinger)
bounded = SQFA(2, noise=0.01, distance=distances.hellinger).fit(X, y)
plots.distance_matrix(bounded)

# %%
# Second moments
# --------------

from sqfa_rs import SecondMomentSQFA

# sqfa.model.SecondMomentsSQFA(n_dim=4, n_filters=2, feature_noise=0.01)
second = SecondMomentSQFA(2, noise=0.01).fit(X, y)
print(f"{second.score(X, y):.1%} of the training points right")
