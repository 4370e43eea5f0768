"""The estimators on Dask: the same numbers as at home, lazily, and with workers that die."""

import doctest
import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

dask = pytest.importorskip("dask", reason="Dask is not installed")
da = pytest.importorskip("dask.array", reason="Dask is not installed")
dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")

import sqfa_rs
import sqfa_rs.dask as on_dask
from sqfa_rs import ClassAccumulator, estimators
from sqfa_rs.data._accumulator import merged_in_pairs
from sqfa_rs.engines._fit import fit_on
from sqfa_rs.engines._parts import run_part


class Home:
    """The parts that Dask makes of the points, in this process."""

    room = float("inf")

    def __init__(self, parts):
        self.parts, self.width = parts, parts[0][0].shape[1]

    def listed(self, work):
        return [run_part(work, *part) for part in self.parts]

    def reduced(self, work, merge):
        return merged_in_pairs(self.listed(work), merge)


@pytest.fixture(scope="module")
def client():
    """A cluster of two worker processes on the loopback device."""
    cluster = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=50,
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 600)
    X = rng.normal(size=(600, 6)) * (1 + y[:, None] * np.array([0, 1, 0, 0.5, 0, 0])) + y[:, None]
    return X, y


@pytest.fixture(scope="module")
def lazy(points):
    X, y = points
    return da.from_array(X, chunks=(70, 4)), da.from_array(y, chunks=150)


def chunked(X, y, rows=70):
    """The parts that Dask makes of the points."""
    return [ClassAccumulator().update(X[i : i + rows], y[i : i + rows]) for i in range(0, len(X), rows)]


def test_statistics_are_those_of_the_parts_bit_for_bit(client, points, lazy):
    X, y = points
    there = on_dask.class_statistics(*lazy, client=client)
    here = ClassAccumulator.merge_all(chunked(X, y)).finish()
    assert (there.means == here.means).all()
    assert (there.covariances == here.covariances).all()
    assert there.counts.tolist() == here.counts.tolist()
    whole = sqfa_rs.class_statistics(X, y)
    np.testing.assert_allclose(there.covariances, whole.covariances, rtol=1e-12, atol=1e-13)


def test_sketches_are_those_of_the_parts_bit_for_bit(client, points, lazy):
    X, y = points
    there = on_dask.class_accumulator(*lazy, form="sketch:4", client=client)
    here = [
        ClassAccumulator(form="sketch:4").update(X[i : i + 70], y[i : i + 70]) for i in range(0, 600, 70)
    ]
    assert there.to_bytes() == ClassAccumulator.merge_all(here).to_bytes()
    exact, sketch = sqfa_rs.class_statistics(X, y), there.finish()
    gaps = np.linalg.norm(sketch.project(np.eye(6))[1] - exact.covariances, ord=2, axis=(1, 2))
    assert (gaps <= sketch.bounds).all() and (sketch.bounds > 0).all()


def test_components_are_those_of_a_local_fit_on_the_same_parts(client, points, lazy):
    fitted = on_dask.SQFA(2, noise=0.1, scaling="none", random_state=0, client=client).fit(*lazy)
    local = sqfa_rs.SQFA(2, noise=0.1, scaling="none", random_state=0)
    local.fit_statistics(ClassAccumulator.merge_all(chunked(*points)).finish())
    assert (fitted.components_ == local.components_).all()


def test_choices_and_refinement_are_those_of_the_same_parts_at_home(client, points, lazy):
    X, y = points
    home = Home([(X[i : i + 70], y[i : i + 70]) for i in range(0, 600, 70)])
    for settings in ({"n_components": 2}, {"n_components": "auto", "max_components": 2, "refine": True}):
        there = on_dask.SQFA(random_state=0, client=client, **settings).fit(*lazy)
        here = fit_on(sqfa_rs.SQFA(random_state=0, **settings), home)
        assert there.selection_ == here.selection_
        assert there.selection_.folds == 5
        assert (there.components_ == here.components_).all()
    assert there.refinement_ == here.refinement_


def test_methods_that_look_at_points_get_a_sample(client, points, lazy):
    with pytest.warns(UserWarning, match=r"LFDA needs samples: .*\d+ of 600 was used"):
        fitted = on_dask.LFDA(2, n_neighbors=5, client=client, max_bytes=8 * 6 * 200).fit(*lazy)
    assert type(fitted.to_local()) is sqfa_rs.baselines.LFDA
    assert fitted.transform(lazy[0]).shape == (600, 2)
    whole = on_dask.LFDA(2, n_neighbors=5, client=client).fit(*lazy)
    assert (whole.components_ == sqfa_rs.baselines.LFDA(2, n_neighbors=5).fit(*points).components_).all()


CLOSED = ["LDA", "PCA", "SupervisedPCA"]
NOISY = ["SQFA", "SecondMomentSQFA", "LAD", "AMA", "SAVE", "DirectionalRegression"]


@pytest.mark.parametrize("name", CLOSED + NOISY)
def test_features_are_lazy_and_equal_the_local_ones(client, points, lazy, name):
    X, y = points
    settings = {"noise": 0.1, "random_state": 0} if name in NOISY else {}
    fitted = getattr(on_dask, name)(2, client=client, **settings).fit(*lazy)
    features = fitted.transform(lazy[0])
    assert isinstance(features, da.Array)
    assert features.shape == (600, 2)
    assert features.dtype == np.float64
    np.testing.assert_array_equal(features.compute(), fitted.to_local().transform(X))
    if name != "PCA":
        assert fitted.score(*lazy) == fitted.to_local().score(X, y)


def test_every_estimator_is_there_or_left_out_for_a_reason():
    names = {name for name in estimators.__all__ if hasattr(getattr(estimators, name), "get_params")}
    # KNN keeps all samples, and a map of single samples needs no estimator: it is applied to blocks.
    assert {name for name in on_dask.__all__ if name[0].isupper()} == names - {"KNN", "Lift"}


def test_heavy_tails_are_fitted_to_samples(client, points, lazy):
    fitted = on_dask.HeavyTailedSQFA(2, noise=0.1, client=client).fit(*lazy)
    local = sqfa_rs.HeavyTailedSQFA(2, noise=0.1).fit(*points)
    np.testing.assert_array_equal(fitted.components_, local.components_)
    with pytest.warns(UserWarning, match=r"HeavyTailedSQFA needs samples: .*\d+ of 600 was used"):
        on_dask.HeavyTailedSQFA(2, noise=0.1, client=client, max_bytes=8 * 6 * 200).fit(*lazy)


@pytest.mark.parametrize("name", ["QDA", "LinearClassifier"])
def test_the_classifiers_predict_lazily(client, points, lazy, name):
    X, y = points
    fitted = getattr(on_dask, name)(client=client).fit(*lazy)
    local = fitted.to_local()
    assert type(local) is getattr(estimators, name)
    np.testing.assert_array_equal(fitted.predict(lazy[0]).compute(), local.predict(X))
    np.testing.assert_array_equal(fitted.predict_proba(lazy[0]).compute(), local.predict_proba(X))
    assert fitted.predict(lazy[0]).dtype == y.dtype
    assert fitted.score(*lazy) == local.score(X, y)


def test_frames_keep_their_names(client, points):
    X, y = points
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(kind=np.array(["x", "y", "z"])[y])
    lazy = dd.from_pandas(frame, npartitions=4)
    fitted = on_dask.SQFA(2, noise=0.1, scaling="none", random_state=0, client=client).fit(lazy, "kind")
    assert fitted.feature_names_in_.tolist() == list("abcdef")
    assert fitted.classes_.tolist() == ["x", "y", "z"]
    features = fitted.transform(lazy)
    assert features.columns.tolist() == ["sqfa0", "sqfa1"]
    expected = fitted.to_local().transform(frame[list("abcdef")])
    np.testing.assert_array_equal(features.compute().to_numpy(), expected)
    # Columns in another order are put right, as the names say.
    other = lazy[["f", "e", "d", "c", "b", "a"]]
    np.testing.assert_array_equal(fitted.transform(other).compute().to_numpy(), expected)
    assert fitted.score(lazy, "kind") == fitted.to_local().score(frame[list("abcdef")], frame["kind"])


def test_parquet_in(client, points, tmp_path):
    X, y = points
    pd.DataFrame(X, columns=list("abcdef")).assign(kind=y).to_parquet(tmp_path / "points.parquet")
    lazy = dd.read_parquet(tmp_path / "points.parquet")
    there = on_dask.class_statistics(lazy, "kind", client=client)
    np.testing.assert_allclose(there.means, sqfa_rs.class_statistics(X, y).means, rtol=1e-12)


def test_parquet_of_many_columns_and_files(client, tmp_path):
    # Dask reads few columns of several small files at once, so that labels alone come in fewer parts.
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 256, (400, 200), dtype=np.uint8), rng.integers(0, 3, 400)
    names = [f"x{column}" for column in range(200)]
    for part in range(8):
        rows = slice(50 * part, 50 * (part + 1))
        frame = pd.DataFrame(X[rows], columns=names).assign(kind=y[rows])
        frame.to_parquet(tmp_path / f"{part}.parquet")
    lazy = dd.read_parquet(tmp_path)
    there = on_dask.class_statistics(lazy, "kind", client=client)
    np.testing.assert_allclose(there.means, sqfa_rs.class_statistics(X, y).means, rtol=1e-12)
    fitted = on_dask.LDA(2, shrinkage=0.1, client=client).fit(lazy, "kind")
    assert fitted.score(lazy, "kind") > 0.3


def test_weights_count_points_more_than_once(client, points, lazy):
    X, y = points
    weights = np.arange(600) % 3
    there = on_dask.class_statistics(
        *lazy, sample_weight=da.from_array(weights, chunks=100), client=client
    )
    here = sqfa_rs.class_statistics(X, y, sample_weight=weights)
    assert there.counts.tolist() == here.counts.tolist()
    np.testing.assert_allclose(there.covariances, here.covariances, rtol=1e-11, atol=1e-13)


def test_a_killed_worker_changes_nothing(client, points, lazy, tmp_path):
    X, y = points
    marker = tmp_path / "killed"

    def deadly(block, marker=str(marker)):
        if len(block) and block[0, 0] == X[70, 0] and not os.path.exists(marker):
            open(marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    once = da.from_array(X, chunks=(70, 6)).map_blocks(deadly, dtype=float, meta=np.empty((0, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        there = on_dask.class_statistics(once, lazy[1], client=client)
    assert marker.exists()
    marker.unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = on_dask.SQFA(2, random_state=0, client=client).fit(once, lazy[1])
    assert marker.exists()
    home = Home([(X[i : i + 70], y[i : i + 70]) for i in range(0, 600, 70)])
    assert (chosen.components_ == fit_on(sqfa_rs.SQFA(2, random_state=0), home).components_).all()
    here = ClassAccumulator.merge_all(chunked(X, y)).finish()
    assert (there.covariances == here.covariances).all()
    assert there.counts.sum() == 600


def test_empty_partitions_and_late_classes(client, points):
    X, y = points
    order = np.argsort(y, kind="stable")
    sizes = (0, 100, 0, 300, 200)
    lazy = da.from_array(X[order], chunks=(sizes, 6)), da.from_array(y[order], chunks=(sizes,))
    there = on_dask.class_statistics(*lazy, client=client)
    np.testing.assert_allclose(there.means, sqfa_rs.class_statistics(X, y).means, rtol=1e-12)


def test_bad_partitions_are_named(client, points):
    X, y = points
    bad = X.copy()
    bad[333, 2] = np.nan
    with pytest.raises(ValueError, match=r"partition 3: .*(NaN|nan|finite)"):
        on_dask.class_statistics(
            da.from_array(bad, chunks=(100, 6)), da.from_array(y, chunks=100), client=client
        )
    with pytest.raises(ValueError, match="500 values for 600 samples"):
        on_dask.class_statistics(da.from_array(X, chunks=(100, 6)), da.from_array(y[:500], chunks=100))
    with pytest.raises(ValueError, match="there is no column 'kind'"):
        on_dask.class_statistics(
            dd.from_pandas(pd.DataFrame(X, columns=list("abcdef")), npartitions=2), "kind"
        )
    with pytest.raises(TypeError, match="dask array or data frame"):
        on_dask.class_statistics(X, y)
    mixed = [da.from_array(y[:300], chunks=300), da.from_array(y[300:].astype(str), chunks=300)]
    labels = da.concatenate([part.astype(object) for part in mixed])
    with pytest.raises(
        ValueError, match="partition 0 and partition 1 cannot be merged: .* only text or only numbers"
    ):
        on_dask.class_statistics(da.from_array(X, chunks=(300, 6)), labels, client=client)
    empty = (
        da.from_array(np.empty((0, 3)), chunks=(1, 3)),
        da.from_array(np.empty(0, dtype=int), chunks=1),
    )
    with pytest.raises(ValueError, match="no samples"):
        on_dask.class_statistics(*empty, client=client)


def test_partitions_of_other_columns_and_types_are_named(client, points):
    X, y = points

    def frames(second):
        first = pd.DataFrame(X[:300], columns=list("abcdef")).assign(kind=y[:300])
        parts = [dask.delayed(first), dask.delayed(second)]
        return dd.from_delayed(parts, meta=first.iloc[:0], verify_meta=False)

    rest = pd.DataFrame(X[300:], columns=list("abcdef")).assign(kind=y[300:])
    cases = [
        (rest.rename(columns={"b": "z"}), "b|z"),
        (rest.assign(b="pear"), "pear|str|object|number"),
    ]
    for second, words in cases:
        with pytest.raises((ValueError, TypeError, KeyError), match=words):
            on_dask.class_statistics(frames(second), "kind", client=client)
    # Other precisions are no other kind: they join.
    narrow = rest.astype(dict.fromkeys("abcdef", np.float32))
    there = on_dask.class_statistics(frames(narrow), "kind", client=client)
    np.testing.assert_allclose(there.means, sqfa_rs.class_statistics(X, y).means, rtol=1e-6)


def test_a_closed_client_is_a_lost_connection(lazy):
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50
    )
    client = distributed.Client(cluster, set_as_default=False)
    client.close()
    cluster.close()
    with pytest.raises(ConnectionError, match="the connection to Dask's scheduler was lost"):
        on_dask.class_statistics(*lazy, client=client)


def test_a_scheduler_that_dies_is_a_lost_connection(lazy, tmp_path):
    """The scheduler, a process of this test, is killed by a task in the middle of the sums."""
    settings = {"TIMEOUTS__CONNECT": "20s", "TIMEOUTS__TCP": "30s"}
    environment = os.environ | {f"DASK_DISTRIBUTED__COMM__{k}": v for k, v in settings.items()}
    place = ["--scheduler-file", str(tmp_path / "scheduler.json")]

    def started(*words):
        command = [sys.executable, "-m", *words, *place, "--no-dashboard"]
        return subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, cwd=tmp_path)

    scheduler = started("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0")
    worker = started(
        "distributed.cli.dask_worker", "--nworkers", "1", "--no-nanny", "--death-timeout", "20"
    )

    def deadly(block, pid=scheduler.pid):
        if len(block):
            os.kill(pid, signal.SIGKILL)
        return block

    points = lazy[0].rechunk((70, 6)).map_blocks(deadly, dtype=float, meta=np.empty((0, 0)))
    try:
        # The default client: the call does not name it.
        with (
            dask.config.set({"distributed.comm.timeouts.connect": "20s"}),
            distributed.Client(scheduler_file=place[1], timeout=600),
            pytest.raises(ConnectionError, match="the connection to Dask's scheduler was lost: connect"),
        ):
            on_dask.class_statistics(points, lazy[1])
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


def test_workers_out_of_memory_are_said_with_the_remedy(lazy):
    def hungry(block):
        # More than the limit, held until the nanny ends the process; never for long.
        held = np.ones(120 << 20) if len(block) else None
        began = time.monotonic()
        while held is not None and time.monotonic() - began < 120:
            time.sleep(0.05)
        return block

    cluster = distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=True,
        memory_limit="600MiB",
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=50,
    )
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
        points = lazy[0].rechunk((600, 6)).map_blocks(hungry, dtype=float, meta=np.empty((0, 0)))
        with pytest.raises(RuntimeError, match="memory ran out.*use smaller partitions"):
            on_dask.class_statistics(points, lazy[1].rechunk(600), client=client)


def test_what_befalls_the_cluster_is_said_with_its_remedy(client, points, lazy, monkeypatch):
    # What the scheduler says once a task has cost it several workers, as one without memory does.
    killed = distributed.scheduler.KilledWorker("sums", SimpleNamespace(address="tcp://127.0.0.1:0"), 3)
    plain = KeyError("x")

    def failing(error):
        def compute(*_, **__):
            raise error

        return compute

    with monkeypatch.context() as patch:
        patch.setattr(client, "compute", failing(killed))
        with pytest.raises(RuntimeError, match="memory ran out.*use smaller partitions"):
            on_dask.class_statistics(*lazy, client=client)
        patch.setattr(client, "compute", failing(plain))
        with pytest.raises(KeyError):
            on_dask.class_statistics(*lazy, client=client)
    lost = SimpleNamespace(status="closed", compute=failing(OSError("the stream is closed")))
    with pytest.raises(ConnectionError, match="the connection to Dask's scheduler was lost"):
        on_dask.class_statistics(*lazy, client=lost)


def test_no_client_in_a_pickle_and_clones_keep_theirs(client, lazy):
    fitted = on_dask.SQFA(2, noise=0.1, scaling="none", random_state=0, client=client).fit(*lazy)
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy.client is None
    assert (copy.components_ == fitted.components_).all()
    again = clone(fitted)
    assert again.client is client
    assert again.get_params()["noise"] == 0.1
    assert not hasattr(again, "components_")


def test_local_points_are_fitted_locally(points):
    X, y = points
    fitted = on_dask.SQFA(2, noise=0.1, scaling="none", random_state=0).fit(X, y)
    assert (
        fitted.components_
        == sqfa_rs.SQFA(2, noise=0.1, scaling="none", random_state=0).fit(X, y).components_
    ).all()
    assert fitted.transform(X).shape == (600, 2)


def test_the_document_runs(block_of):
    block = doctest.DocTestParser().get_doctest(
        block_of("user-guide/clusters.md", "Dask"), {}, "clusters.md", None, 0
    )
    result = doctest.DocTestRunner().run(block)
    assert result.attempted > 5 and result.failed == 0
