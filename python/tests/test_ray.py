"""Ray datasets: the same numbers as at home, in the order of the blocks, and with workers that die."""

import os
import signal

import numpy as np
import pandas as pd
import pytest

ray = pytest.importorskip("ray", reason="Ray is not installed")
pytest.importorskip("ray.data", reason="Ray Data is not installed")

import sqfa_rs
import sqfa_rs.ray as on_ray
from sqfa_rs import ClassAccumulator
from sqfa_rs.engines._fit import fit_on
from sqfa_rs.engines._parts import merged_in_order


class Home:
    """The blocks that Ray holds, in this process."""

    room = float("inf")

    def __init__(self, parts):
        self.parts, self.width = parts, parts[0][0].shape[1]

    def listed(self, work):
        return [work(*part, None, 0) for part in self.parts]

    def reduced(self, work, merge):
        return merged_in_order(enumerate(self.listed(work)), merge)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A Ray of two processors, alone on the loopback device, with its home in a temporary folder."""
    home = tmp_path_factory.mktemp("ray")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
    os.environ["RAY_AUTH_MODE"] = "disabled"
    before = os.environ.get("HOME")
    os.environ["HOME"] = str(home)
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        object_store_memory=200 * 2**20,
        log_to_driver=False,
        logging_level="ERROR",
    )
    yield
    ray.shutdown()
    if before is not None:
        os.environ["HOME"] = before


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 600)
    return rng.normal(size=(600, 4)) * (1 + y[:, None]) + y[:, None], y


def blocks(X, y, count=5):
    """A dataset of so many blocks."""
    rows = np.array_split(np.arange(len(X)), count)
    columns = [{"a": X[i, 0], "b": X[i, 1], "rest": list(X[i, 2:]), "kind": y[i]} for i in rows]
    return ray.data.from_blocks([pd.DataFrame(block) for block in columns])


def parts(X, y, count=5):
    """What the blocks should become."""
    return [ClassAccumulator().update(X[i], y[i]) for i in np.array_split(np.arange(len(X)), count)]


def test_statistics_are_those_of_the_blocks_bit_for_bit(cluster, points):
    there = on_ray.class_statistics(blocks(*points), "kind")
    here = ClassAccumulator.merge_all(parts(*points)).finish()
    assert (there.means == here.means).all()
    assert (there.covariances == here.covariances).all()


def test_sketches_are_made_where_the_blocks_are(cluster, points):
    there = on_ray.class_accumulator(blocks(*points), "kind", form="sketch:3")
    X, y = points
    rows = np.array_split(np.arange(len(X)), 5)
    here = [ClassAccumulator(form="sketch:3").update(X[i], y[i]) for i in rows]
    assert there.to_bytes() == ClassAccumulator.merge_all(here).to_bytes()
    assert (there.finish().bounds > 0).all()


def test_features_and_predictions_are_added_as_columns(cluster, points):
    X, y = points
    dataset = blocks(X, y)
    columns = ["a", "b", "rest"]
    model = sqfa_rs.SQFA(2, noise=0.1, scaling="none", random_state=0)
    model.fit_statistics(on_ray.class_statistics(dataset, "kind", columns=columns))
    features = np.stack(
        [row["features"] for row in on_ray.transform(model, dataset, columns=columns).take_all()]
    )
    np.testing.assert_allclose(
        np.sort(features, axis=0), np.sort(model.transform(X), axis=0), rtol=1e-12
    )
    rows = on_ray.predict(model, dataset, columns=columns).take_all()
    right = sum(row["prediction"] == row["kind"] for row in rows)
    assert right / len(rows) == model.score(X, y)


def test_choices_refinement_and_samples_are_those_of_the_same_blocks(cluster, points):
    X, y = points
    rows = np.array_split(np.arange(600), 5)
    home = Home([(X[i], y[i]) for i in rows])
    for settings in ({"n_components": 2}, {"n_components": 1, "noise": 0.1, "refine": True}):
        there = on_ray.fit(sqfa_rs.SQFA(random_state=0, **settings), blocks(X, y), "kind")
        here = fit_on(sqfa_rs.SQFA(random_state=0, **settings), home)
        assert there.selection_ == here.selection_
        assert (there.components_ == here.components_).all()
    with pytest.warns(UserWarning, match=r"LFDA needs samples: .*\d+ of 600"):
        on_ray.fit(sqfa_rs.baselines.LFDA(2, n_neighbors=5), blocks(X, y), "kind", max_bytes=8 * 4 * 200)


def test_a_killed_worker_changes_nothing(cluster, points, tmp_path):
    X, y = points
    marker, first = str(tmp_path / "killed"), float(X[0, 0])

    def deadly(batch):
        if batch["a"][0] == first and not os.path.exists(marker):
            open(marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return batch

    there = on_ray.class_statistics(blocks(X, y).map_batches(deadly, batch_size=None), "kind")
    assert os.path.exists(marker)
    here = ClassAccumulator.merge_all(parts(X, y)).finish()
    assert (there.covariances == here.covariances).all()


def test_bad_data_are_named(cluster, points):
    X, y = points
    bad = X.copy()
    bad[399, 0] = np.nan
    dataset = blocks(bad, y)
    with pytest.raises(ValueError, match=r"partition 3: .*(NaN|nan|finite)"):
        on_ray.class_statistics(dataset, "kind")
    with pytest.raises(ValueError, match=r"partition 3: .*(NaN|nan|finite)"):
        on_ray.fit(sqfa_rs.SQFA(2), dataset, "kind")
    mixed = ray.data.from_blocks(
        [
            pd.DataFrame({"a": X[:300, 0], "kind": y[:300]}),
            pd.DataFrame({"a": X[300:, 0], "kind": y[300:].astype(str)}),
        ]
    )
    with pytest.raises(
        ValueError, match="partition 0 and partition 1 cannot be merged: .* only text or only numbers"
    ):
        on_ray.class_statistics(mixed, "kind")
    with pytest.raises(ValueError, match="no samples"):
        on_ray.class_statistics(blocks(X, y).filter(lambda row: row["kind"] > 7), "kind", columns=["a"])
    with pytest.raises(ValueError, match="there is no column 'label'"):
        on_ray.class_statistics(blocks(X, y), "label")
    with pytest.raises(ValueError, match="without column names"):
        on_ray.transform(sqfa_rs.SQFA(2, noise=0.1, scaling="none").fit(X, y), dataset)


def test_blocks_that_differ_are_named(cluster, points):
    X, y = points
    order = np.argsort(y, kind="stable")
    there = on_ray.class_statistics(blocks(X[order], y[order], 12), "kind")
    np.testing.assert_allclose(there.means, sqfa_rs.class_statistics(X, y).means, rtol=1e-12)

    def pair(second):
        first = pd.DataFrame({"a": X[:300, 0], "b": X[:300, 1], "kind": y[:300]})
        return ray.data.from_blocks([first, pd.DataFrame(second)])

    other = {"a": X[300:, 0], "c": X[300:, 1], "kind": y[300:]}
    with pytest.raises((ValueError, KeyError), match="partition 1: .*b|columns"):
        on_ray.class_statistics(pair(other), "kind", columns=["a", "b"])
    text = {"a": X[300:, 0], "b": ["pear"] * 300, "kind": y[300:]}
    with pytest.raises((ValueError, TypeError), match="partition 1"):
        on_ray.class_statistics(pair(text), "kind", columns=["a", "b"])


def test_what_befalls_the_cluster_is_said_with_its_remedy(cluster):
    told = on_ray._explained(ray.exceptions.OutOfMemoryError("a node is full"))
    assert isinstance(told, RuntimeError) and "use smaller blocks" in str(told)
    lost = on_ray._explained(ray.exceptions.RaySystemError("gone"))
    assert isinstance(lost, ConnectionError) and "initialize Ray again" in str(lost)
    plain = KeyError("x")
    assert on_ray._explained(plain) is plain


def test_the_document_runs(cluster, points, block_of):
    X, y = points
    dataset = ray.data.from_pandas(pd.DataFrame(X[:, :3], columns=list("abc")).assign(label=y))
    names = {"dataset": dataset}
    exec(block_of("user-guide/clusters.md", "Ray"), names)
    assert names["answers"].count() == len(X)
