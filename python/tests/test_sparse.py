"""Sparse matrices stay sparse where dense covariances would not pay, and learn the same components."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from sqfa_rs import SQFA, class_statistics


def documents(n_samples, n_features, density, seed=0):
    """Classes that use some columns more often than others."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 3
    X = sparse.random_array(
        (n_samples, n_features), density=density, format="lil", rng=rng, dtype=np.float64
    )
    own = n_features // 10
    for row in range(n_samples):
        columns = y[row] * own + rng.integers(0, own, size=6)
        X[row, columns] = rng.exponential(2.0 + y[row], size=6)
    return X.tocsr(), y


# Both climb from the same start until the objective changes by less than 1e-10, by different arithmetic.
ALIKE = {"rtol": 1e-7}
RECIPE = {"noise": 0.1, "n_init": 1, "random_state": 0, "tol": 1e-10, "max_iter": 5000}


@pytest.mark.parametrize("form", ["csr_array", "csc_array", "csr_matrix", "coo_array"])
def test_agrees_with_the_dense_fit(form):
    X, y = documents(300, 400, 0.01)
    kept = SQFA(2, **RECIPE).fit(getattr(sparse, form)(X), y)
    # Which optimizer climbs depends on what a pass over the form costs, so both begin at one optimum.
    dense = SQFA(2, **{**RECIPE, "init": kept.components_}).fit(X.toarray(), y)
    np.testing.assert_allclose(dense.objective_trace_[0], kept.objective_, **ALIKE)
    np.testing.assert_allclose(kept.objective_, dense.objective_, **ALIKE)
    np.testing.assert_allclose(kept.mean_, dense.mean_, atol=1e-12)
    np.testing.assert_allclose(kept.components_, dense.components_, atol=1e-3)


def test_few_samples_reach_an_optimum_of_the_dense_fit():
    # Fewer samples than half the dimensions are fitted in their span, from a start of their own.
    X, y = documents(90, 400, 0.01)
    kept = SQFA(2, **RECIPE).fit(X, y)
    dense = SQFA(2, **{**RECIPE, "init": kept.components_}).fit(X.toarray(), y)
    np.testing.assert_allclose(dense.objective_trace_[0], kept.objective_, **ALIKE)
    np.testing.assert_allclose(dense.objective_, kept.objective_, **ALIKE)


def test_single_precision_and_bytes():
    X, y = documents(90, 400, 0.01)
    X.data = np.round(X.data).clip(1, 9)
    recipe = {"noise": 0.1, "n_init": 1, "random_state": 0, "tol": 1e-9}
    double = SQFA(2, **recipe).fit(X, y)
    for dtype in (np.float32, np.uint8):
        single = SQFA(2, **recipe).fit(X.astype(dtype), y)
        np.testing.assert_allclose(single.objective_, double.objective_, rtol=1e-5)


@pytest.mark.parametrize("scaling", ["none", "common", "per-feature", "within-class"])
def test_weights_count_repetitions_with_specified_scaling(scaling):
    X, y = documents(60, 400, 0.01)
    weights = 1 + np.arange(60) % 3
    rows = np.repeat(np.arange(60), weights)
    recipe = {"noise": 0.1, "scaling": scaling, "n_init": 1, "random_state": 0}
    weighted = SQFA(2, **recipe).fit(X, y, sample_weight=weights)
    repeated = SQFA(2, **recipe).fit(X[rows], y[rows])
    np.testing.assert_array_equal(weighted.components_, repeated.components_)


def test_weights_and_repetitions_have_one_selection_and_optimum():
    X, y = documents(60, 400, 0.01)
    weights = 1 + np.arange(60) % 3
    rows = np.repeat(np.arange(60), weights)
    recipe = {"noise": 0.1, "n_init": 1, "random_state": 0, "tol": 1e-12, "max_iter": 3000}
    weighted = SQFA(2, **recipe).fit(X, y, sample_weight=weights)
    repeated = SQFA(2, **recipe).fit(X[rows], y[rows])
    assert weighted.selection_[:4] == repeated.selection_[:4]
    np.testing.assert_allclose(weighted.objective_, repeated.objective_, rtol=1e-10)
    np.testing.assert_allclose(weighted.components_, repeated.components_, atol=1e-3)


def test_shrinkage_needs_no_dense_covariance():
    X, y = documents(300, 400, 0.01)
    for covariance in ("oas", "ledoit-wolf", 0.2):
        kept = SQFA(2, covariance_estimator=covariance, **RECIPE).fit(X, y)
        dense = SQFA(2, covariance_estimator=covariance, **RECIPE).fit(X.toarray(), y)
        np.testing.assert_allclose(kept.objective_, dense.objective_, **ALIKE)


def test_refused_values_are_named():
    X, y = documents(90, 400, 0.01)
    X.data[7] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        SQFA(2).fit(X, y)


def test_statistics_of_sparse_points_have_covariances():
    X, y = documents(90, 400, 0.01)
    dense = class_statistics(X.toarray(), y)
    np.testing.assert_allclose(class_statistics(X, y).covariances, dense.covariances, atol=1e-12)


def test_ledoit_wolf_sees_the_samples_of_a_sparse_matrix():
    X, y = documents(90, 40, 0.05)
    dense = class_statistics(X.toarray(), y, covariance_estimator="ledoit-wolf")
    found = class_statistics(X, y, covariance_estimator="ledoit-wolf")
    np.testing.assert_allclose(found.covariances, dense.covariances, atol=1e-12)
    weights = 1 + np.arange(90) % 3
    dense = class_statistics(X.toarray(), y, covariance_estimator="ledoit-wolf", sample_weight=weights)
    found = class_statistics(X, y, covariance_estimator="ledoit-wolf", sample_weight=weights)
    np.testing.assert_allclose(found.covariances, dense.covariances, atol=1e-12)


MEMORY = """
import resource
import numpy as np
from scipy import sparse
from sqfa_rs import SQFA

X = sparse.random_array((2000, 200_000), density=1e-4, format="csr", rng=np.random.default_rng(0))
y = np.arange(2000) % 4
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = SQFA(4, n_init=1, random_state=0, max_iter=20).fit(X, y)
features = model.transform(X)
assert features.shape == (2000, 4) and np.isfinite(features).all()
assert np.isfinite(model.objective_) and model.objective_ > 0
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux alone")
def test_many_columns_take_bounded_memory():
    command = [sys.executable, "-W", "ignore", "-c", MEMORY]
    grown = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    # The points alone would take 3.2 GB as numbers, one covariance 320 GB; the span of the samples takes
    # four matrices of 2000 × 2000 and their Gram matrix, 160 MB, and work on them some times that.
    assert grown * 1024 < 1.2e9, f"{grown / 1e6:.2f} GB"
