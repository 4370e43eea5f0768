"""Sketches of class covariances beside the exact form, in very many columns: memory and accuracy.

Usage: sketch.py SQFA FOLDER [--columns 100000 --rank 50 --noises 0.01,0.03,0.1 --seeds 0,1,2 --out F
--date D].
All classes vary in the same ``rank`` dimensions, each with axes of its own, and noise is in every
column. The same command fits the samples (``--form factor``) and sketches (``--form sketch``); what is
compared is the accuracy on other points, and the peak memory of the processes as the system counts it.
Single fits differ by a point or two, and optima of nearly one height by as much: both forms start from
their principal components, and a case is the mean over several seeds, with its standard error.
Points are made in FOLDER/sketch and removed again.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np

# The most that a sketch may take and lose.
MEMORY, POINTS = 1e9, 1.0


def written(path: Path, rng: np.random.Generator, args: Any, noise: float, count: int) -> None:
    """Points of a file of their own, a few at a time, and their labels beside them."""
    shared = np.random.default_rng(1).standard_normal((args.rank, args.columns), dtype=np.float32)
    shared /= np.sqrt(np.float32(args.columns))
    own = np.random.default_rng(2)
    turns = [np.linalg.qr(own.standard_normal((args.rank,) * 2))[0] for _ in range(args.classes)]
    spread = np.sqrt(np.geomspace(30.0, 1.0, args.rank))
    means = 0.5 * own.standard_normal((args.classes, args.rank))
    labels = np.arange(count) % args.classes
    points = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(count, args.columns))
    for first in range(0, count, 50):
        rows = labels[first : first + 50]
        strengths = np.stack(
            [means[k] + spread * rng.standard_normal(args.rank) @ turns[k] for k in rows]
        )
        block = strengths.astype(np.float32) @ shared
        block += noise * rng.standard_normal(block.shape, dtype=np.float32)
        points[first : first + len(rows)] = block
    points.flush()
    np.save(path.with_name(path.stem + "-labels.npy"), labels)


def run(command: list[str]) -> tuple[dict[str, Any], float, float]:
    """What a command says in JSON, its peak memory in bytes and its seconds."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return json.loads(said), usage.ru_maxrss * 1024.0, time.perf_counter() - began


def fitted(args: Any, noise: float, seed: int) -> dict[str, Any]:
    """Both forms on the points of one level of noise and one seed."""
    folder = args.folder / "sketch"
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    train, test = folder / "train.npy", folder / "test.npy"
    written(train, rng, args, noise, args.points)
    written(test, rng, args, noise, args.test_points)
    found: dict[str, Any] = {"seed": seed}
    for form in ("factor", f"sketch:{args.rows}"):
        model = folder / "model.sqfa"
        fit = [args.sqfa, "fit", str(train), "--labels", str(folder / "train-labels.npy"), "--json"]
        fit += ["-m", str(args.filters), "--noise", str(args.fit_noise), "--method", args.method]
        fit += ["--init", args.start]
        said, memory, seconds = run([*fit, "--form", form, "--out", str(model)])
        score = [args.sqfa, "evaluate", str(model), str(test)]
        score += ["--labels", str(folder / "test-labels.npy")]
        accuracy = run([*score, "--json"])[0]["qda_accuracy"]
        found[form.split(":")[0]] = {
            "accuracy": accuracy,
            "peak bytes": memory,
            "seconds": seconds,
            "passes": said["passes"],
            "objective": said["objective"],
            "sketch": said["sketch"],
        }
        print(
            f"noise {noise}, seed {seed}, {form}: {100 * accuracy:.1f} %, {memory / 1e9:.2f} GB, "
            f"{seconds:.0f} s",
            flush=True,
        )
    shutil.rmtree(folder)
    return found


def measured(args: Any, noise: float) -> dict[str, Any]:
    """One level of noise: what is lost on average, and the most memory."""
    runs = [fitted(args, noise, int(seed)) for seed in args.seeds.split(",")]
    lost = np.array([100 * (one["factor"]["accuracy"] - one["sketch"]["accuracy"]) for one in runs])
    error = float(lost.std(ddof=1) / np.sqrt(len(lost))) if len(lost) > 1 else None
    memory = max(one["sketch"]["peak bytes"] for one in runs)
    met = bool(lost.mean() <= POINTS and memory <= MEMORY)
    case = {"noise": noise, "lost points": float(lost.mean()), "standard error": error, "met": met}
    print(f"noise {noise}: {lost.mean():.2f} points lost, {memory / 1e9:.2f} GB at most", flush=True)
    return case | {"runs": runs}


def main() -> None:
    """Run every level of noise and write a record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sqfa")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--columns", type=int, default=100_000)
    parser.add_argument("--classes", type=int, default=5)
    parser.add_argument("--rank", type=int, default=50)
    parser.add_argument("--noises", default="0.01,0.03,0.1")
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--test-points", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--fit-noise", type=float, default=1.0)
    parser.add_argument("--filters", type=int, default=8)
    parser.add_argument("--method", default="sqfa-h")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--init", default="pca")
    parser.add_argument("--note", default="")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--date", default="undated")
    args = parser.parse_args()
    machine = {"processors": os.cpu_count(), "load before": os.getloadavg()[0], "note": args.note}
    cases = [measured(args, float(noise)) for noise in args.noises.split(",")]
    sizes = ("columns", "classes", "rank", "points", "test_points", "rows", "filters", "fit_noise")
    sizes += ("method", "start", "seeds")
    record = {"date": args.date, "machine": machine}
    record |= {"case": {name.replace("_", " "): getattr(args, name) for name in sizes}, "cases": cases}
    if args.out is not None:
        args.out.mkdir(parents=True, exist_ok=True)
        path = args.out / f"{args.date}-sketch.json"
        path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        print(path)


if __name__ == "__main__":
    main()
