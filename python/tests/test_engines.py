"""Choices, refinement and samples of points in parts, without an engine: what each of them runs."""

import pickle

import numpy as np
import pytest

import sqfa_rs
from sqfa_rs import _core
from sqfa_rs.data import _labels
from sqfa_rs.data._accumulator import merged_in_pairs
from sqfa_rs.engines import _fit
from sqfa_rs.engines._fit import fit_on
from sqfa_rs.engines._parts import merged_in_order, run_part
from sqfa_rs.engines._work import FoldSums, Sampled, Scored, added


class Lists:
    """Parts in a list; whatever travels is pickled, as between processes."""

    room = float("inf")

    def __init__(self, X, y, rows, weights=None):
        cuts = range(0, max(len(X), 1), rows)
        own = [None] * len(X) if weights is None else weights
        self.parts = [(X[i : i + rows], y[i : i + rows], own[i : i + rows]) for i in cuts]
        self.parts = [(X, y, None if weights is None else w) for X, y, w in self.parts]
        self.width = X.shape[1]
        self.passes = []

    def listed(self, work):
        self.passes.append(type(work).__name__)
        work = pickle.loads(pickle.dumps(work))
        return [run_part(work, *part, part=at) for at, part in enumerate(self.parts)]

    def reduced(self, work, merge):
        return merged_in_pairs(self.listed(work), merge)


@pytest.fixture(scope="module")
def points():
    """Classes whose variances differ along two of six directions."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 900)
    X = rng.normal(size=(900, 6)) * np.array([3, 1, 2, 1, 1, 1])
    X[:, 1] *= 1 + 2 * y
    X[:, 3] += 2.5 * (y == 1)
    return X, y


def fit(points, rows=200, **settings):
    engine = Lists(*points, rows)
    model = fit_on(sqfa_rs.SQFA(**{"n_components": 2, "random_state": 0, **settings}), engine)
    return model, engine


def test_noise_and_scaling_take_few_passes_and_do_as_well_as_at_home(points):
    model, engine = fit(points)
    # The grid, its extensions, and the neighbors of the best.
    assert engine.passes[0] == "FoldSums"
    assert set(engine.passes[1:]) == {"Scored"}
    assert 2 <= len(engine.passes[1:]) <= 7
    selection = model.selection_
    assert selection.folds == 5
    assert {one.scaling for one in selection.tried} == {"within-class", "per-feature", "common"}
    assert all(one.points == 900 for one in selection.tried)
    assert model.noise_ > 0
    home = sqfa_rs.SQFA(2, random_state=0).fit(*points)
    assert model.score(*points) > home.score(*points) - 0.02


def test_choices_do_not_depend_on_how_points_lie(points):
    X, y = points
    order = np.random.default_rng(1).permutation(900)
    one, other = fit(points)[0], fit((X[order], y[order]), rows=77)[0]
    assert one.selection_[:3] == other.selection_[:3]
    right = [candidate.accuracy for candidate in one.selection_.tried]
    assert right == pytest.approx([candidate.accuracy for candidate in other.selection_.tried], abs=0.01)
    np.testing.assert_allclose(one.components_, other.components_, atol=1e-4)


def test_the_number_of_components_is_chosen_in_one_more_pass(points):
    model, engine = fit(points, n_components="auto", max_components=4, noise=0.1, scaling="none")
    assert engine.passes == ["FoldSums", "Scored"]
    model, engine = fit(points, n_components="auto", max_components=4)
    assert engine.passes[:3] == ["FoldSums", "Scored", "Scored"]
    assert [one.n_components for one in model.curve_] == [1, 2, 3, 4]
    # Two directions tell the classes apart, one of them alone does not.
    assert len(model.components_) == 2
    assert model.curve_[1].accuracy > model.curve_[0].accuracy + 0.03


def test_what_needs_no_choice_takes_one_pass(points):
    assert fit(points, noise=0.1, scaling="none")[1].passes == ["Sums"]
    engine = Lists(*points, 200)
    fit_on(sqfa_rs.baselines.LDA(1, shrinkage=0.1), engine)
    assert engine.passes == ["Sums"]
    counted = fit(points, noise=0.1, scaling="none", n_components="auto")[0]
    assert counted.selection_ is None and len(counted.curve_) > 1


def test_many_points_are_held_out_once(points):
    X, y = points
    rng = np.random.default_rng(2)
    many = np.concatenate([X] * 8) + rng.normal(size=(7200, 6)) * 0.01
    model, _ = fit((many, np.concatenate([y] * 8)), rows=1000)
    assert model.selection_.folds == 1
    held = model.selection_.tried[0].points
    assert 1200 < held < 1680


def test_equal_points_share_a_fold_wherever_they_lie(points):
    X, y = points
    twice = np.concatenate([X, X[::-1]]), np.concatenate([y, y[::-1]])
    folds = Lists(*twice, 130).reduced(FoldSums(5, 5, 3), added)
    counts = [one.counts for one in folds[:-1]]
    assert all((own % 2 == 0).all() for own in counts)
    assert sum(own.sum() for own in counts) == 1800


def test_weights_are_repeats(points):
    X, y = points
    weights = np.arange(900) % 3
    weighted = Lists(X, y, 200, weights).reduced(FoldSums(5, 5, 3), added)
    rows = np.repeat(np.arange(900), weights)
    repeated = Lists(X[rows], y[rows], 200).reduced(FoldSums(5, 5, 3), added)
    assert [one.counts.tolist() for one in weighted] == [one.counts.tolist() for one in repeated]


def test_scores_add_up_exactly(points):
    X, y = points
    candidate = (
        np.eye(2, 6),
        None,
        np.array([X[y == k, :2].mean(0) for k in range(3)]),
        np.array([np.cov(X[y == k, :2].T) for k in range(3)]),
        np.full(3, 1 / 3),
    )
    work = Scored([(at, [candidate, candidate]) for at in range(5)], [True] * 3, np.arange(3), 5, 3)
    whole = Lists(X, y, 900).reduced(work, added)
    assert (Lists(X, y, 31).reduced(work, added) == whole).all()
    assert whole[0, 0, 0] == whole[1, 0, 0] == 900
    judge = sqfa_rs.QDA(priors=[1 / 3] * 3)
    judge.fit_statistics(candidate[2], candidate[3])
    chances = judge.predict_proba(X[:, :2])
    own = np.maximum(np.log(chances[np.arange(900), y]), np.log(0.05))
    steps = np.round(own * 4096).astype(int)
    assert whole[0, 1, 0] == pytest.approx(steps.sum(), abs=3)
    assert whole[0, 1, 2] == pytest.approx((steps**2).sum(), rel=1e-5)
    assert whole[1, 1, 0] == (judge.predict(X[:, :2]) == y).sum()


def test_a_class_that_cannot_be_held_out_is_learned_from(points):
    X, y = points
    # Copies of two points share two parts at most, so that some part would leave fewer than two.
    few = np.concatenate([X, np.repeat([[9.0, 9, 9, 9, 9, 9], [9.5, 8, 9, 7, 9, 6]], [1, 2], axis=0)])
    model, _ = fit((few, np.concatenate([y, [7] * 3])))
    assert model.classes_.tolist() == [0, 1, 2, 7]
    assert model.selection_.tried[0].points == 900


def test_a_refinement_takes_coordinates(points):
    plain, _ = fit(points, n_components=1)
    refined, engine = fit(points, n_components=1, refine=True)
    assert (engine.passes[0], engine.passes[-1]) == ("FoldSums", "Sampled")
    assert set(engine.passes[1:-1]) == {"Scored"}
    assert "refinement_steps" in refined.refinement_
    assert refined.score(*points) >= plain.score(*points) - 0.02
    given, engine = fit(points, n_components=1, noise=0.1, scaling="none", refine=True)
    assert engine.passes == ["FoldSums", "Sampled"]
    assert given.noise_ == 0.1


def test_what_does_not_fit_is_a_sample_and_told(points):
    engine = Lists(*points, 200)
    model = sqfa_rs.SQFA(1, noise=0.1, scaling="none", refine=True, random_state=0)
    with pytest.warns(UserWarning, match=r"\d+ of 900 was used"):
        fit_on(model, engine, max_bytes=4 * 6 * 300)
    with pytest.warns(UserWarning, match=r"LFDA needs samples: .*\d+ of 900") as told:
        sample = fit_on(
            sqfa_rs.baselines.LFDA(2, n_neighbors=5), Lists(*points, 200), max_bytes=8 * 6 * 300
        )
    kept = int(sample.class_counts_.sum())
    assert f"{kept} of 900" in str(told[0].message)
    # 300 expected, with a standard deviation of 14.
    assert abs(kept - 300) < 60
    assert sample.components_.shape == (2, 6)


def test_a_sample_is_of_every_class_and_repeats(points):
    X, y = points
    rare = np.concatenate([y, [5] * 20])
    engine = Lists(np.concatenate([X, np.ones((20, 6))]), rare, 100)
    with pytest.warns(UserWarning, match="needs samples"):
        one = fit_on(sqfa_rs.baselines.LFDA(2, n_neighbors=5), engine, max_bytes=8 * 6 * 200)
    assert one.class_counts_.tolist()[-1] == 20
    with pytest.warns(UserWarning):
        again = fit_on(sqfa_rs.baselines.LFDA(2, n_neighbors=5), engine, max_bytes=8 * 6 * 200)
    assert (one.components_ == again.components_).all()


@pytest.mark.parametrize("name", ["LMNN", "WDA", "NCA"])
def test_methods_that_look_at_points_get_all_that_fit(points, name):
    X, y = points
    settings = {"LMNN": {"per_class": 40}, "WDA": {"per_class": 40}, "NCA": {}}[name]
    there = fit_on(getattr(sqfa_rs.baselines, name)(1, **settings), Lists(X[:240], y[:240], 100))
    here = getattr(sqfa_rs.baselines, name)(1, **settings).fit(X[:240], y[:240])
    assert (there.components_ == here.components_).all()


def test_samples_of_equal_points_are_independent():
    same = np.ones((4000, 2))
    sample = Sampled(np.array([0]), np.array([0.25]), 7)
    kept = len(sample(same, np.zeros(4000, dtype=int), None, 0)[1])
    # 1000 expected, with a standard deviation of 27.
    assert abs(kept - 1000) < 150


def test_bad_parts_are_named_in_every_pass(points):
    X, y = points
    bad = X.copy()
    bad[450, 2] = np.nan
    with pytest.raises(ValueError, match=r"partition 2: .*row 50"):
        fit((bad, y))
    with pytest.raises(ValueError, match=r"partition 2: .*row 50"):
        fit_on(sqfa_rs.baselines.LFDA(2), Lists(bad, y, 200))
    with pytest.raises(ValueError, match="no samples"):
        fit((X[:0], y[:0]))
    with pytest.raises(ValueError, match="no samples"):
        fit_on(sqfa_rs.baselines.LFDA(2), Lists(X[:0], y[:0], 10))
    with pytest.raises(ValueError, match="use only text or only numbers"):
        engine = Lists(X, y, 450)
        engine.parts[1] = (engine.parts[1][0], engine.parts[1][1].astype(str), None)
        fit_on(sqfa_rs.SQFA(2), engine)


def test_the_core_refuses_answers_to_other_questions(points):
    X, y = points
    sums = sqfa_rs.ClassAccumulator().update(X, y)._sums
    settings = {"n_components": 2, "scaling": "auto", "seed": 0}
    remote = _core.Remote("sqfa", [sums], sums, "empirical", settings)
    with pytest.raises(ValueError, match="not those of the candidates"):
        remote.answer(np.zeros((2, 4, 4), dtype=np.int64))
    with pytest.raises(ValueError, match="fit first"):
        remote.coordinates(1)


def test_trees_of_lists_and_of_streams_are_one(points):
    X, y = points
    parts = Lists(X, y, 70).listed(FoldSums(5, 5, 3))
    tree, stream = merged_in_pairs(parts, added), merged_in_order(enumerate(parts), added)
    assert [one.to_bytes() for one in tree] == [one.to_bytes() for one in stream]


def test_constant_columns_are_dropped_as_in_memory(points):
    X, y = points
    wide = np.c_[X, np.full(len(X), 7.0), np.zeros(len(X)), np.arange(len(X)) == 3]
    here = sqfa_rs.SQFA(2, random_state=0).fit(wide, y)
    assert here.dropped_features_.tolist() == [6, 7]
    for rows in (100, 250):
        there = fit_on(sqfa_rs.SQFA(2, random_state=0), Lists(wide, y, rows))
        assert there.dropped_features_.tolist() == [6, 7], rows
        assert not there.components_[:, 6:8].any()


def test_columns_too_many_for_sums_are_sketched_and_told(points, monkeypatch):
    X, y = points
    monkeypatch.setattr(_fit, "has_room", lambda classes, features: False)
    for settings in ({}, {"noise": 0.1}):
        engine = Lists(X, y, 200)
        with pytest.warns(UserWarning, match="sketches of 100 rows were used"):
            model = fit_on(sqfa_rs.SQFA(2, random_state=0, **settings), engine)
        assert engine.passes == ["Sums"]
        assert model.components_.shape == (2, 6)
    monkeypatch.setattr(_labels, "_memory", lambda: 8 * 2 * 21 - 1.0)
    for refused in (
        sqfa_rs.SQFA(2, refine=True),
        sqfa_rs.SQFA("auto"),
        sqfa_rs.QDA(),
    ):
        with pytest.raises(ValueError, match="6 features need .* GB"):
            fit_on(refused, Lists(X, y, 200))


def test_parts_that_differ_are_named(points):
    X, y = points

    def sums(rows, columns=6):
        return sqfa_rs.ClassAccumulator().update(X[rows : rows + 100, :columns], y[rows : rows + 100])

    parts = [sums(rows) for rows in range(0, 600, 100)]
    parts[4] = sums(400, 4)
    with pytest.raises(ValueError, match="^partition 4 and partition 5 cannot be merged: "):
        merged_in_order(enumerate(parts), added)
    parts[5] = sums(500, 4)
    with pytest.raises(ValueError, match="^partitions 0 to 3 and partitions 4 to 5 cannot be merged"):
        merged_in_order(enumerate(parts), added)
