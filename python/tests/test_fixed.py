"""Components that the user gives stay, and every group that was learned tells its objective."""

import numpy as np
import pytest

import sqfa_rs
from sqfa_rs import SQFA, HeavyTailedSQFA, SecondMomentSQFA, class_statistics


@pytest.mark.parametrize("scale", ["none", "per-feature"])
@pytest.mark.parametrize("estimator", [SQFA, SecondMomentSQFA, HeavyTailedSQFA])
def test_fixed_components_stay_up_to_their_length(digits, estimator, scale):
    X, y = digits
    given = np.zeros((2, 64))
    given[0, 20], given[1, 43] = -2.0, 1.0
    if estimator is HeavyTailedSQFA:
        # Pixels that hardly vary have no t distribution.
        X, given = X[:, 18:22], np.array([[0.0, 0.0, -2.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    model = estimator(3, fixed=given, noise=0.1, scaling=scale, random_state=0).fit(X, y)
    kept = model.components_[:2]
    directions = kept / np.linalg.norm(kept, axis=1, keepdims=True)
    wanted = given / np.linalg.norm(given, axis=1, keepdims=True)
    np.testing.assert_allclose(directions, wanted, rtol=0, atol=1e-15)


def test_what_was_learned_before_can_be_kept(digits):
    X, y = digits
    first = SQFA(2, noise=0.5, scaling="none", random_state=0).fit(X, y)
    more = SQFA(4, fixed=first.components_, noise=0.5, scaling="none", random_state=0).fit(X, y)
    np.testing.assert_allclose(more.components_[:2], first.components_, rtol=0, atol=1e-15)
    assert more.objective_ > first.objective_
    # The same from statistics alone.
    statistics = class_statistics(X, y)
    same = SQFA(4, fixed=first.components_, noise=0.5, scaling="none", random_state=0).fit_statistics(
        statistics
    )
    np.testing.assert_allclose(same.components_, more.components_, rtol=0, atol=1e-12)


def test_every_group_tells_its_objective(digits, tmp_path):
    X, y = digits
    model = SQFA(4, sequential=2, noise=0.5, scaling="none", random_state=0).fit(X, y)
    pair = SQFA(2, noise=0.5, scaling="none", random_state=0, n_init=4).fit(X, y)
    assert len(model.group_traces_) == 2
    assert model.group_traces_[0][-1] == pytest.approx(pair.objective_, rel=1e-12)
    assert model.group_traces_[1][-1] == model.objective_ > model.group_traces_[0][-1]
    np.testing.assert_array_equal(model.group_traces_[-1], model.objective_trace_)
    sqfa_rs.save(model, tmp_path / "model")
    assert sqfa_rs.load(tmp_path / "model").group_traces_[-1][-1] == model.objective_
