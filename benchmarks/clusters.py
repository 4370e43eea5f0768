"""What Dask, Spark and Ray add to class statistics of points that their workers already hold.

Usage: clusters.py FOLDER [--quick --engines dask,spark,ray,parquet --out FOLDER --date D]. Tables are
made in FOLDER/clusters and removed again; --quick takes a tenth of the rows and two runs. Two workers of
one thread each, warm; the same parts are summed in this process, in turn with the engine, so that what
else the machine does falls on both. Every run is recorded; the bound of a case is for its median.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import sqfa_rs

CLASSES = 10
# Seconds that an engine may add to one process's own time.
ALLOWED = {"dask": 0.5, "ray": 2.0, "spark": 3.0}
# How much longer than the engine's own reading, in local sums.
READING = 1.3


def part(seed: int, rows: int, columns: int) -> tuple[Any, Any]:
    """Single-precision points and labels of one part."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, rows)
    X = rng.standard_normal((rows, columns), dtype=np.float32)
    X[:, 0] += y
    return X, y


def timed(works: dict[str, Callable[[], Any]], repeats: int) -> dict[str, list[float]]:
    """Seconds of every run, one work after the other in turn, after a first round that warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(repeats + 1):
        for name, work in works.items():
            began = time.perf_counter()
            work()
            if turn:
                seconds[name].append(time.perf_counter() - began)
    return seconds


def here(parts: list[tuple[Any, Any]], threads: int | None = None) -> Callable[[], None]:
    """The sums of the same parts in this process."""

    def summed() -> None:
        sums = sqfa_rs.ClassAccumulator(n_jobs=threads)
        for X, y in parts:
            sums.update(X, y)
        sums.finish()

    return summed


def beside(args: argparse.Namespace, work: Callable[[], Any]) -> dict[str, list[float]]:
    """An engine's statistics and those of one process, in turn."""
    rows = args.rows // args.parts
    parts = [part(seed, rows, args.columns) for seed in range(args.parts)]
    works = {"one process": here(parts), "one thread": here(parts, 1), "statistics": work}
    return timed(works, args.repeats)


@contextmanager
def dask_client() -> Iterator[Any]:
    import distributed

    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def on_dask(args: argparse.Namespace) -> dict[str, list[float]]:
    import dask
    import dask.array as da
    import distributed

    import sqfa_rs.dask as engine

    rows = args.rows // args.parts
    with dask_client() as client:
        made = [dask.delayed(part)(seed, rows, args.columns) for seed in range(args.parts)]
        X = da.concatenate([da.from_delayed(one[0], (rows, args.columns), np.float32) for one in made])
        y = da.concatenate([da.from_delayed(one[1], (rows,), np.int64) for one in made])
        X, y = client.persist([X, y])
        distributed.wait([X, y])
        model = engine.SQFA(4, random_state=0, client=client)
        fit = timed({"fit with choices": lambda: model.fit(X, y)}, 1)
        return beside(args, lambda: engine.class_statistics(X, y, client=client)) | fit


def on_ray(args: argparse.Namespace) -> dict[str, list[float]]:
    # Read when Ray is imported.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
    os.environ["RAY_AUTH_MODE"] = "disabled"
    os.environ["HOME"] = str(args.folder)
    import ray

    import sqfa_rs.ray as engine

    ray.init(
        num_cpus=2,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        log_to_driver=False,
        logging_level="ERROR",
    )
    rows = args.rows // args.parts

    def make(batch: dict[str, Any]) -> dict[str, Any]:
        X, y = part(int(batch["id"][0]), rows, args.columns)
        return {"x": X, "label": y}

    try:
        seeds = ray.data.range(args.parts, override_num_blocks=args.parts)
        dataset = seeds.map_batches(make, batch_size=None).materialize()
        return beside(args, lambda: engine.class_statistics(dataset, "label"))
    finally:
        ray.shutdown()


def on_spark(args: argparse.Namespace) -> dict[str, list[float]]:
    import pyarrow
    from pyspark.sql import SparkSession

    import sqfa_rs.spark as engine

    rows, columns, folder = args.rows // args.parts, args.columns, args.folder / "spark"
    os.environ |= {"SPARK_WORKER_DIR": str(folder / "work"), "PYSPARK_PYTHON": sys.executable}
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    session = (
        SparkSession.builder.master("local-cluster[2,1,2048]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.local.dir", str(folder / "local"))
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")

    def make(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for seed in batch.column("id").to_pylist():
                X, y = part(seed, rows, columns)
                offsets = pyarrow.array(np.arange(rows + 1, dtype=np.int32) * columns)
                lists = pyarrow.ListArray.from_arrays(offsets, pyarrow.array(X.ravel()))
                yield pyarrow.RecordBatch.from_arrays(
                    [lists, pyarrow.array(y)], names=["features", "label"]
                )

    try:
        seeds = session.range(0, args.parts, 1, args.parts)
        frame = seeds.mapInArrow(make, "features array<float>, label bigint").cache()
        frame.count()
        return beside(args, lambda: engine.class_statistics(frame))
    finally:
        session.stop()


def parquet(args: argparse.Namespace) -> dict[str, Any]:
    """Bytes in parquet on Dask, beside the engine's own reading and summing of the same columns."""
    import dask.dataframe as dd
    import pyarrow
    import pyarrow.parquet

    import sqfa_rs.dask as engine

    folder = args.folder / "points.parquet"
    folder.mkdir(parents=True, exist_ok=True)
    rows, columns = args.parquet_rows // args.parts, args.parquet_columns
    names = [f"x{column}" for column in range(columns)]
    parts = []
    for seed in range(args.parts):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 256, (rows, columns), dtype=np.uint8)
        y = rng.integers(0, CLASSES, rows)
        table = pyarrow.table({**dict(zip(names, X.T, strict=True)), "label": y})
        pyarrow.parquet.write_table(table, folder / f"{seed:04}.parquet")
        parts.append((X, y))
    with dask_client() as client:
        lazy = dd.read_parquet(folder)
        works = {
            "local sums": here(parts),
            "reading and summing": lambda: client.compute(lazy.sum(), sync=True),
            "statistics": lambda: engine.class_statistics(lazy, "label", client=client),
        }
        seconds = timed(works, args.parquet_repeats)
    bound = median(seconds["reading and summing"]) + READING * median(seconds["local sums"])
    case = f"{args.parquet_rows} × {columns} bytes in parquet"
    met = median(seconds["statistics"]) <= bound
    return {"engine": "dask", "case": case, **seconds, "bound": bound, "met": met}


def main() -> None:
    """Run what was asked for and write a record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--note", default="", help="what else the machine did")
    parser.add_argument("--engines", default="dask,spark,ray,parquet")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--parquet-rows", type=int, default=2_000_000)
    parser.add_argument("--parquet-columns", type=int, default=784)
    parser.add_argument("--parquet-repeats", type=int, default=3)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--date", default="undated")
    args = parser.parse_args()
    args.folder = (args.folder / "clusters").absolute()
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.quick:
        args.rows, args.parquet_rows = args.rows // 10, args.parquet_rows // 10
        args.repeats = args.parquet_repeats = 2
    wanted = args.engines.split(",")
    engines = {"dask": on_dask, "spark": on_spark, "ray": on_ray}
    load = os.getloadavg()[0]
    cases: list[dict[str, Any]] = []
    for name in (name for name in wanted if name in engines):
        seconds = engines[name](args)
        bound = median(seconds["one process"]) + ALLOWED[name]
        case = f"{args.rows} × {args.columns} in single precision, {args.parts} parts"
        taken = median(seconds["statistics"])
        cases.append({"engine": name, "case": case, **seconds, "bound": bound, "met": taken <= bound})
        print(f"{name}: {taken:.2f} s, at most {bound:.2f} s allowed", flush=True)
    if "parquet" in wanted:
        cases.append(parquet(args))
        print(f"parquet: {median(cases[-1]['statistics']):.2f} s, {cases[-1]['bound']:.2f} s allowed")
    shutil.rmtree(args.folder, ignore_errors=True)
    packages = ["sqfa-rs", "dask", "distributed", "pyspark", "ray", "numpy"]
    versions = {}
    for package in packages:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    machine = {"processors": os.cpu_count(), "load before": load, "note": args.note}
    record = {"date": args.date, "machine": machine, "versions": versions}
    record["cases"] = cases
    if args.out is not None:
        args.out.mkdir(parents=True, exist_ok=True)
        path = args.out / f"{args.date}-clusters.json"
        path.write_text(json.dumps(record, indent=1) + "\n")
        print(path)


if __name__ == "__main__":
    main()
