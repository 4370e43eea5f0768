"""Spark's data frames: the same numbers as at home, in pipelines, and with executors that die."""

import json
import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pyarrow
import pytest

pyspark = pytest.importorskip("pyspark", reason="Spark is not installed")

from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.linalg import Vectors
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import SparkSession

import sqfa_rs
import sqfa_rs.spark as on_spark
from sqfa_rs.engines import _spark as parts
from sqfa_rs.engines._fit import fit_on

REAL = pyarrow.float64()
LIST = pyarrow.list_(REAL)


class Home:
    """All points as one part, in this process."""

    room = float("inf")

    def __init__(self, X, y):
        self.X, self.y, self.width = X, y, X.shape[1]

    def listed(self, work):
        return [work(self.X, self.y.astype(float), None, 0)]

    def reduced(self, work, merge):
        return self.listed(work)[0]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """Two executors in processes of their own, everything they write in a temporary folder."""
    home = tmp_path_factory.mktemp("spark")
    os.environ["SPARK_WORKER_DIR"] = str(home / "work")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("sqfa")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.local.dir", str(home / "local"))
        .config("spark.sql.warehouse.dir", str(home / "warehouse"))
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", ""))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 400)
    return rng.normal(size=(400, 4)) * (1 + y[:, None]) + y[:, None], y


@pytest.fixture(scope="module")
def frame(spark, points):
    X, y = points
    rows = [
        (Vectors.dense(x), x.tolist(), *x.tolist(), float(label), 1 + i % 2)
        for i, (x, label) in enumerate(zip(X, y, strict=True))
    ]
    names = ["features", "array", "a", "b", "c", "d", "label", "times"]
    return spark.createDataFrame(rows, names).repartition(3).cache()


@pytest.mark.parametrize("features", ["features", "array", ["a", "b", "c", "d"]])
def test_statistics_of_every_kind_of_column(frame, points, features):
    there = on_spark.class_statistics(frame, features)
    here = sqfa_rs.class_statistics(*points)
    np.testing.assert_allclose(there.covariances, here.covariances, rtol=1e-12, atol=1e-13)
    assert there.classes.tolist() == [0.0, 1.0, 2.0]
    again = on_spark.class_statistics(frame, features)
    assert (again.covariances == there.covariances).all()


def test_weights_count_points_more_than_once(frame, points):
    X, y = points
    there = on_spark.class_statistics(frame, weight="times")
    here = sqfa_rs.class_statistics(X, y, sample_weight=1 + np.arange(400) % 2)
    assert there.counts.tolist() == here.counts.tolist()
    np.testing.assert_allclose(there.means, here.means, rtol=1e-12)


def test_sums_that_do_not_fit_the_driver_merge_on_the_executors(frame, monkeypatch):
    plain = on_spark.class_statistics(frame)
    one = len(pickle.dumps(on_spark.class_accumulator(frame)))
    monkeypatch.setattr(parts, "_driver_limit", lambda session: 2 * 2.5 * one)
    grouped = on_spark.class_statistics(frame)
    assert (grouped.covariances == plain.covariances).all()
    monkeypatch.setattr(parts, "_driver_limit", lambda session: one / 2)
    with pytest.raises(ValueError, match="increase spark.driver.maxResultSize"):
        on_spark.class_statistics(frame)


def test_noise_and_the_number_of_filters_are_chosen_on_the_executors(frame, points):
    fitted = on_spark.SQFA("auto", max_components=2, random_state=0, outputCol="z").fit(frame)
    local = fitted.to_local()
    assert local.selection_.folds == 5
    assert all(one.points == 400 for one in local.selection_.tried)
    assert [one.n_components for one in local.curve_] == [1, 2]
    # Folds are made of the points' own values, so that what they say is the same in one part at home.
    home = fit_on(sqfa_rs.SQFA("auto", max_components=2, random_state=0), Home(*points))
    assert local.selection_[:3] == home.selection_[:3]
    np.testing.assert_allclose(abs(local.components_), abs(home.components_), atol=1e-4)


def test_a_refinement_brings_coordinates_to_the_driver(frame, points):
    whole = on_spark.SQFA(1, noise=0.1, scaling="none", refine=True, random_state=0, outputCol="z").fit(
        frame
    )
    assert "refinement_steps" in whole.to_local().refinement_
    some = on_spark.SQFA(1, noise=0.1, scaling="none", refine=True, random_state=0, maxBytes=4 * 4 * 200)
    with pytest.warns(UserWarning, match=r"\d+ of 400 was used"):
        some.setParams(outputCol="z").fit(frame)


def test_methods_that_look_at_points_get_a_sample(frame, points, tmp_path):
    some = on_spark.LFDA(2, n_neighbors=5, outputCol="z", maxBytes=8 * 4 * 200)
    with pytest.warns(UserWarning, match=r"LFDA needs samples: .*\d+ of 400 was used"):
        model = some.fit(frame)
    assert type(model.to_local()) is sqfa_rs.baselines.LFDA
    assert len(model.transform(frame).select("z").first()["z"]) == 2
    model.write().overwrite().save(f"file://{tmp_path}/lfda")
    again = on_spark.LFDAModel.load(f"file://{tmp_path}/lfda")
    assert (again.to_local().components_ == model.to_local().components_).all()
    for method in (on_spark.LMNN, on_spark.WDA, on_spark.NCA):
        fitted = method(2, outputCol="z").fit(frame).to_local()
        assert fitted.components_.shape == (2, 4)


def test_sketches_are_made_on_the_executors(frame, points):
    there = on_spark.class_statistics(frame, form="sketch:4")
    here = sqfa_rs.class_statistics(*points)
    assert there.bounds.tolist() == [0, 0, 0]
    np.testing.assert_allclose(there.means, here.means, rtol=1e-12)
    expected = here.project(np.eye(4))[1]
    np.testing.assert_allclose(there.project(np.eye(4))[1], expected, rtol=1e-10, atol=1e-12)


def test_a_pipeline_fits_predicts_and_travels(frame, tmp_path):
    steps = [
        on_spark.SQFA(2, noise=0.1, scaling="none", random_state=0, outputCol="z"),
        on_spark.QDA(featuresCol="z"),
    ]
    model = Pipeline(stages=steps).fit(frame)
    filters, classifier = (stage.to_local() for stage in model.stages)
    assert type(filters) is sqfa_rs.SQFA
    rows = model.transform(frame).select("array", "z", "prediction", "probability").collect()
    there = np.array([row["z"].toArray() for row in rows])
    here = filters.transform(np.array([row["array"] for row in rows]))
    np.testing.assert_allclose(there, here, rtol=1e-12)
    assert [row["prediction"] for row in rows] == classifier.predict(here).tolist()
    model.write().overwrite().save(f"file://{tmp_path}/pipeline")
    again = PipelineModel.load(f"file://{tmp_path}/pipeline")
    assert (again.stages[0].to_local().components_ == filters.components_).all()
    same = [row["prediction"] for row in again.transform(frame).select("prediction").collect()]
    assert same == [row["prediction"] for row in rows]


def test_a_search_over_the_number_of_filters(frame):
    filters = on_spark.LDA(1, shrinkage=0.1, outputCol="z")
    grid = ParamGridBuilder().addGrid(filters.n_components, [1, 2]).build()
    search = CrossValidator(
        estimator=Pipeline(stages=[filters, on_spark.QDA(featuresCol="z")]),
        estimatorParamMaps=grid,
        evaluator=MulticlassClassificationEvaluator(metricName="accuracy"),
        numFolds=2,
        seed=1,
    ).fit(frame)
    assert len(search.avgMetrics) == 2
    assert all(0.3 < metric <= 1 for metric in search.avgMetrics)


def test_a_killed_executor_changes_nothing(spark, frame, points, tmp_path):
    marker = str(tmp_path / "killed")

    def deadly(batches):
        for batch in batches:
            if not os.path.exists(marker):
                open(marker, "w").close()
                # The executor is the parent of the daemon that made this worker.
                with open(f"/proc/{os.getppid()}/stat") as stat:
                    os.kill(int(stat.read().rsplit(")", 1)[1].split()[1]), signal.SIGKILL)
            yield batch

    plain = frame.select("array", "label")
    there = on_spark.class_statistics(plain.mapInArrow(deadly, plain.schema), "array")
    assert os.path.exists(marker)
    here = sqfa_rs.class_statistics(*points)
    assert there.counts.sum() == 400
    np.testing.assert_allclose(there.covariances, here.covariances, rtol=1e-12, atol=1e-13)


def test_bad_data_are_named(spark, frame):
    with pytest.raises(ValueError, match="there is no column 'x'"):
        on_spark.class_statistics(frame, "x")
    bad = spark.createDataFrame([([1.0, 2.0], 0), ([1.0], 1)], ["features", "label"]).coalesce(1)
    with pytest.raises(ValueError, match="partition 0: row 1 has 1 features, but the first row has 2"):
        on_spark.class_statistics(bad)
    nan = spark.createDataFrame([([1.0, float("nan")], 0)] * 4, ["features", "label"])
    with pytest.raises(ValueError, match=r"partition \d+: .*(NaN|nan|finite)"):
        on_spark.class_statistics(nan)
    kinds = bad.selectExpr("features", "cast(label as string) as label").limit(1)
    numbers = spark.createDataFrame([([1.0, 2.0], "a"), ([2.0, 1.0], None)], ["features", "label"])
    with pytest.raises(ValueError, match="labels are missing"):
        on_spark.class_statistics(kinds.union(numbers).coalesce(1))
    with pytest.raises(ValueError, match=r"partition \d+: .*(NaN|nan|finite)"):
        on_spark.SQFA(1, outputCol="z").fit(nan)
    with pytest.raises(TypeError, match="there is no parameter 'components'"):
        on_spark.SQFA(components=2)
    with pytest.raises(ValueError, match="no samples"):
        on_spark.class_statistics(frame.filter("label > 7"))


def test_partitions_that_differ_are_named(spark, frame, points, monkeypatch):
    X, y = points

    def parted(*parts):
        """One partition of every part; Spark would put the partitions of a union together."""
        rows = [(X.tolist(), y.tolist()) for X, y in parts]

        def make(batches):
            for batch in batches:
                for part in batch.column("id").to_pylist():
                    columns = [pyarrow.array(rows[part][0], LIST), pyarrow.array(rows[part][1], REAL)]
                    yield pyarrow.RecordBatch.from_arrays(columns, names=["features", "label"])

        numbers = spark.range(0, len(parts), 1, len(parts))
        return numbers.mapInArrow(make, "features array<double>, label double")

    first, second = (X[:200], y[:200]), (X[200:, :3], y[200:])
    assert on_spark.class_statistics(parted(first, (X[200:], y[200:]))).counts.sum() == 400
    message = "partition 0 and partition 1 cannot be merged"
    with pytest.raises(ValueError, match=message):
        on_spark.class_statistics(parted(first, second))
    with pytest.raises(ValueError, match=message):
        on_spark.SQFA(1, noise=0.1, scaling="none", outputCol="z").fit(parted(first, second))
    # The same where sums merge on the executors.
    one = len(pickle.dumps(on_spark.class_accumulator(parted(first))))
    with monkeypatch.context() as patch:
        patch.setattr(parts, "_driver_limit", lambda session: 2 * 1.5 * one)
        with pytest.raises(ValueError, match=message):
            on_spark.class_statistics(parted(first, second))
    with pytest.raises(ValueError, match="partitions have 3 to 4 columns"):
        on_spark.LFDA(1, outputCol="z").fit(parted(first, second))
    # Not a number in one partition only, and in a late batch of it.
    bad = X[200:].copy()
    bad[150, 2] = np.nan
    with pytest.raises(ValueError, match="partition 1: .*row 150, column 2"):
        on_spark.class_statistics(parted(first, (bad, y[200:])))
    # Classes of one partition only, and a partition without points.
    order = np.argsort(y, kind="stable")
    halves = parted((X[order[:150]], y[order[:150]]), (X[:0], y[:0]), (X[order[150:]], y[order[150:]]))
    there = on_spark.class_statistics(halves)
    np.testing.assert_allclose(there.means, sqfa_rs.class_statistics(X, y).means, rtol=1e-12)


def test_columns_of_other_types_are_named(spark, frame, tmp_path):
    for features, words in (
        (["a", "features"], "column 'features' is of type .* must be numbers"),
        ("a", "column 'a' is of type double: give a column of vectors or arrays"),
        ([], "no feature columns"),
    ):
        with pytest.raises(ValueError, match=words):
            on_spark.class_statistics(frame, features)
    text = frame.selectExpr("cast(a as string) as a", "b", "label")
    with pytest.raises(ValueError, match="column 'a' is of type string, but features must be numbers"):
        on_spark.class_statistics(text, ["a", "b"])
    with pytest.raises(ValueError, match="there is no column 'kind'"):
        on_spark.class_statistics(frame, label="kind")
    with pytest.raises(ValueError, match="there is no column 'often'"):
        on_spark.class_statistics(frame, weight="often")
    # Files of other columns: Spark fills in nulls, which are no numbers.
    frame.select("a", "b", "label").coalesce(1).write.parquet(f"file://{tmp_path}/first")
    frame.select("a", "label").coalesce(1).write.parquet(f"file://{tmp_path}/second")
    files = spark.read.option("mergeSchema", "true").parquet(
        f"file://{tmp_path}/first", f"file://{tmp_path}/second"
    )
    with pytest.raises(ValueError, match=r"partition \d+: some features are missing"):
        on_spark.class_statistics(files, ["a", "b"])
    # Labels of all kinds of numbers are numbers; of text, text.
    for kind, first in (("decimal(4,1)", 0.0), ("int", 0), ("string", "0.0"), ("boolean", False)):
        cast = frame.selectExpr("array as features", f"cast(label as {kind}) as label")
        assert on_spark.class_statistics(cast).classes.tolist()[0] == first
    mixed = frame.selectExpr("array", "cast(label as string) as label").union(
        frame.selectExpr("array", "'pear'")
    )
    assert on_spark.class_statistics(mixed, "array").classes.tolist() == ["0.0", "1.0", "2.0", "pear"]


def test_what_befalls_the_cluster_is_said_with_its_remedy(spark):
    for words, kind, remedy in (
        ("java.lang.OutOfMemoryError: Java heap space", RuntimeError, "increase spark.executor.memory"),
        (
            "Total size is bigger than spark.driver.maxResultSize",
            ValueError,
            "increase spark.driver.max",
        ),
        ("StatusCode.UNAVAILABLE", ConnectionError, "create a new session"),
        ("ModuleNotFoundError: No module named 'sqfa_rs'", RuntimeError, "set PYSPARK_PYTHON"),
    ):
        told = parts._explained(Exception(words))
        assert isinstance(told, kind) and remedy in str(told)
    plain = KeyError("x")
    assert parts._explained(plain) is plain


def test_the_document_runs(frame, block_of):
    names = {"frame": frame}
    exec(block_of("user-guide/clusters.md", "Spark"), names)
    assert names["answers"].columns == ["label", "prediction", "probability"]
    assert names["filters"].components_.shape == (2, 4)


# A process of its own: one cannot hold a classic and a Connect session.
CONNECT = """
import json
import sys

import numpy as np
from pyspark.sql import SparkSession

import sqfa_rs
import sqfa_rs.spark as on_spark

session = (
    SparkSession.builder.remote("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.sql.warehouse.dir", sys.argv[1])
    .getOrCreate()
)
rng = np.random.default_rng(3)
y = rng.integers(0, 3, 300)
X = rng.normal(size=(300, 4)) * (1 + y[:, None]) + y[:, None]
rows = [(*x, float(label)) for x, label in zip(X.tolist(), y, strict=True)]
frame = session.createDataFrame(rows, ["a", "b", "c", "d", "label"]).repartition(3)
columns = ["a", "b", "c", "d"]
there = on_spark.class_statistics(frame, columns)
here = sqfa_rs.class_statistics(X, y)
model = on_spark.SQFA(2, random_state=0, featuresCol=columns, outputCol="z").fit(frame)
judge = on_spark.QDA(featuresCol="z")
answers = judge.fit(model.transform(frame)).transform(model.transform(frame))
right = sum(row["prediction"] == row["label"] for row in answers.select("prediction", "label").collect())
print(
    json.dumps(
        {
            "connect": "connect" in type(session).__module__,
            "difference": float(abs(there.covariances - here.covariances).max()),
            "folds": model.to_local().selection_.folds,
            "right": right / 300,
        }
    )
)
session.stop()
"""


def test_a_connect_session_does_the_same(tmp_path):
    pytest.importorskip("grpc_status", reason="Spark Connect's own dependencies are not installed")
    # SPARK_TESTING makes the server take a free port.
    settings = {"SPARK_TESTING": "1", "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    gone = ("SPARK_WORKER_DIR", "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET")
    environment = {name: value for name, value in os.environ.items() if name not in gone} | settings
    ran = subprocess.run(
        [sys.executable, "-c", CONNECT, str(tmp_path)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    told = json.loads(ran.stdout.strip().splitlines()[-1])
    assert told["connect"] and told["folds"] == 5
    assert told["difference"] < 1e-12 * 100
    assert told["right"] > 0.5
