"""Select the distance, the noise and the number of components by held-out accuracy.

Run with ``python examples/python/choosing.py``.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from sqfa_rs import QDA, SQFA

X, y = load_digits(return_X_y=True)

# The distance. The score of an estimator is the accuracy of QDA, so cross-validation can compare them.
print("distance        accuracy in 3-fold cross-validation, 6 components")
for distance in ("calvo-oller", "hellinger", "bhattacharyya", "wasserstein"):
    constraint = "orthonormal" if distance == "wasserstein" else "sphere"
    sqfa = SQFA(6, distance=distance, constraint=constraint, n_init=1, random_state=0)
    print(f"{distance:15s} {cross_val_score(sqfa, X, y, cv=3).mean():.1%}")

# The noise and the scaling are selected on held-out samples unless you specify them.
auto = SQFA(6, distance="hellinger", n_init=1).fit(X, y)
selected = auto.selection_[:2]
print("\nscaling        noise   held-out accuracy")
for scaling, noise, _, _, accuracy in auto.selection_.tried:
    mark = "   selected" if (scaling, noise) == selected else ""
    print(f"{scaling:12s} {noise:>7.6s}   {accuracy:.1%}{mark}")

# The number of components. SQFA("auto") selects one; here, a grid search shows the whole curve.
search = GridSearchCV(
    make_pipeline(SQFA(distance="hellinger", n_init=1, random_state=0), QDA()),
    {"sqfa__n_components": [2, 4, 6, 8, 12]},
    cv=3,
).fit(X, y)
print("\ncomponents   accuracy")
counts = search.cv_results_["param_sqfa__n_components"]
for count, mean, spread in zip(
    counts, search.cv_results_["mean_test_score"], search.cv_results_["std_test_score"], strict=True
):
    print(f"{count:10d}   {mean:.1%} ± {spread:.1%}")

# The smallest number whose accuracy is within one standard deviation of the best is often enough.
means, spreads = search.cv_results_["mean_test_score"], search.cv_results_["std_test_score"]
enough = counts[int(np.argmax(means >= means.max() - spreads[means.argmax()]))]
print(f"\nbest: {search.best_params_['sqfa__n_components']} components; enough: {enough}")
