"""A campaign against the command: random kills, structured mutants and fuzzing, for some minutes.

Usage: soak.py --minutes M --command sqfa --mutants BINARY [--fuzz fuzz/run.sh] [--kills N] --out FOLDER
--date D. With --kills it goes on until so many commands were killed. Ctrl-C ends it and what was done
is written. With --seconds S it only fuzzes, S seconds a target, and the record is called fuzz.

A killed command must leave the old file or the new one, and the next run must make what a run that
nobody killed makes. Every process that is killed was started here. Ends with 1 when anything was found.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FIT = "fit data.csv --label label -m 1 --noise 0.1 --n-init 1 --report r.html --out m.sqfa"
STATS = "stats data.csv --label label --out s.stats"
COMPARE = "compare data.csv --label label --methods pca,sqfa --filters 1,2 --seeds 1 --out run"
PAPER = "growth --out made"


def table(rows: int) -> str:
    """Three classes in three columns."""
    generator = random.Random(rows)
    lines = ["a,b,c,label"]
    for row in range(rows):
        cells = [f"{generator.gauss(row % 3, 1.0 + row % 3):.4f}" for _ in range(3)]
        lines.append(",".join([*cells, f"class{row % 3}"]))
    return "\n".join(lines) + "\n"


def timeless(value: Any) -> Any:
    """A value without what a clock said."""
    if isinstance(value, dict):
        return {key: timeless(own) for key, own in value.items() if "seconds" not in key}
    if isinstance(value, list):
        return [timeless(own) for own in value]
    return value


Look = Callable[[Path], Any]


@dataclass
class Job:
    """A command, what its folder holds before, and what an undisturbed run makes."""

    name: str
    line: str
    begin: dict[str, bytes]
    look: Look
    old: Any
    new: Any
    # Seconds within which it is killed.
    most: float


@dataclass
class Soak:
    """What was done and found."""

    command: Path
    generator: random.Random
    kills: dict[str, int] = field(default_factory=dict)
    mutants: int = 0
    fuzz: list[dict[str, Any]] = field(default_factory=list)
    finds: list[str] = field(default_factory=list)

    def words(self, line: str) -> list[str]:
        """The words of a command line: of ``sqfa``, or of ``sqfa-paper`` next to it."""
        command = self.command.with_name("sqfa-paper") if line == PAPER else self.command
        return [str(command), *line.split()]

    def run(self, folder: Path, line: str) -> subprocess.CompletedProcess[bytes]:
        """Runs the command to its end."""
        return subprocess.run(self.words(line), cwd=folder, capture_output=True, check=False)

    def model(self, folder: Path) -> bytes | None:
        """What a model answers, or nothing where it cannot be read."""
        done = self.run(folder, "export m.sqfa --format csv")
        return done.stdout if done.returncode == 0 else None

    def records(self, folder: Path) -> list[Any]:
        """The whole records of a comparison, without seconds."""
        path = folder / "run" / "records.jsonl"
        found = []
        for line in path.read_text().splitlines() if path.exists() else []:
            # A torn line is no record.
            with contextlib.suppress(json.JSONDecodeError):
                found.append(timeless(json.loads(line)))
        return found

    def made(self, folder: Path) -> dict[str, bytes]:
        """The files of the paper's folder."""
        files = (folder / "made").glob("*") if (folder / "made").is_dir() else []
        return {file.name: file.read_bytes() for file in files if file.is_file() and file.name[0] != "."}

    def kill(self, job: Job) -> None:
        """Kills one run somewhere and looks at what is left, then at what the next run makes of it."""
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            for file, content in job.begin.items():
                (folder / file).write_bytes(content)
            words = self.words(job.line)
            silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            child = subprocess.Popen(words, cwd=folder, **silent)  # type: ignore[call-overload]
            try:
                child.wait(timeout=self.generator.uniform(0.0, job.most))
            except subprocess.TimeoutExpired:
                os.kill(child.pid, signal.SIGKILL)
                child.wait()
                self.kills[job.name] = self.kills.get(job.name, 0) + 1
            if not allowed(job.look(folder), job.old, job.new):
                self.finds.append(f"{job.name}: a kill left something else")
            done = self.run(folder, job.line)
            if done.returncode != 0:
                said = done.stderr.decode()[-300:]
                self.finds.append(f"{job.name}: the next run ended with {done.returncode}: {said}")
            elif job.look(folder) != job.new:
                self.finds.append(f"{job.name}: the next run made something else")


def allowed(left: Any, old: Any, new: Any) -> bool:
    """Whether what a kill left is the old thing, the new one, or a part of the new one."""
    if left in (old, new):
        return True
    if isinstance(left, list):
        return bool(left == new[: len(left)])
    if isinstance(left, dict):
        return all(new.get(name) == content for name, content in left.items())
    return False


def jobs(soak: Soak) -> list[Job]:
    """One job for every command, each knowing what an undisturbed run makes."""
    data, other = table(900).encode(), table(90).encode()
    lookers: list[tuple[str, str, Look, list[str]]] = [
        ("fit", FIT, soak.model, ["m.sqfa"]),
        ("stats", STATS, lambda folder: (folder / "s.stats").read_bytes(), ["s.stats"]),
        ("compare", COMPARE, soak.records, []),
        ("paper", PAPER, soak.made, []),
    ]
    found: list[Job] = []
    for name, line, look, kept in lookers:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            (folder / "data.csv").write_bytes(other)
            begin: dict[str, bytes] = {"data.csv": data}
            old: Any = [] if name == "compare" else {}
            if kept:
                soak.run(folder, line)
                old = look(folder)
                begin.update({file: (folder / file).read_bytes() for file in kept})
            (folder / "data.csv").write_bytes(data)
            began = time.monotonic()
            done = soak.run(folder, line)
            most = 1.2 * (time.monotonic() - began)
            if done.returncode != 0:
                raise SystemExit(f"sqfa {line}\n{done.stderr.decode()}")
            found.append(Job(name, line, begin, look, old, look(folder), most))
    return found


def campaign(soak: Soak, kill_jobs: list[Job], args: argparse.Namespace, end: float) -> None:
    """Kills and mutants in turns."""
    seed = args.seed
    while time.monotonic() < end or sum(soak.kills.values()) < args.kills:
        for job in kill_jobs * 5:
            soak.kill(job)
        if args.mutants:
            seed += 1
            environment = {**os.environ, "SQFA_MUTANTS": "300", "SQFA_SEED": str(seed)}
            done = subprocess.run([str(args.mutants)], env=environment, capture_output=True, check=False)
            # Ten times 300: what the test makes of all kinds together.
            soak.mutants += 10 * 300
            if done.returncode != 0:
                soak.finds.append(f"mutants of SQFA_SEED={seed}: {done.stdout.decode()[-500:]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seconds", type=int, help="fuzz every target for so long, and nothing else")
    parser.add_argument("--command", type=Path, required=True)
    parser.add_argument("--mutants", type=Path, help="the built test of the mutants")
    parser.add_argument("--fuzz", type=Path, help="fuzz/run.sh")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--date", required=True)
    parser.add_argument("--kills", type=int, default=0, help="commands to kill at least")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.seconds and not args.fuzz:
        parser.error("--seconds goes with --fuzz")
    soak = Soak(args.command.resolve(), random.Random(args.seed))
    kill_jobs = [] if args.seconds else jobs(soak)
    began = time.monotonic()
    end = began + 60.0 * args.minutes
    # Half of the time for fuzzing, the rest in turns of kills and mutants.
    middle = began + 30.0 * args.minutes if args.fuzz else end
    with contextlib.suppress(KeyboardInterrupt):
        if not args.seconds:
            campaign(soak, kill_jobs, args, middle)
    if args.fuzz:
        with tempfile.NamedTemporaryFile("r") as log:
            targets = len(list((args.fuzz.parent / "fuzz_targets").glob("*.rs"))) - 1
            seconds = args.seconds or max(2, int((end - time.monotonic()) / targets))
            environment = {**os.environ, "FUZZ_LOG": log.name, "SQFA": str(soak.command)}
            done = subprocess.run([str(args.fuzz.resolve()), str(seconds)], env=environment, check=False)
            soak.fuzz = [json.loads(line) for line in log.read().splitlines()]
            if done.returncode != 0:
                soak.finds.append("fuzzing found something: see fuzz/artifacts")
    record = {
        "what": "fuzzing" if args.seconds else "kills, mutants and fuzzing",
        "date": args.date,
        "minutes": round((time.monotonic() - began) / 60.0, 1),
        "seed": args.seed,
        "kills": soak.kills,
        "mutants": soak.mutants,
        "fuzz_executions": sum(one["executions"] for one in soak.fuzz),
        "fuzz": soak.fuzz,
        "finds": soak.finds,
    }
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / f"{args.date}-{'fuzz' if args.seconds else 'soak'}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")
    print(json.dumps({key: value for key, value in record.items() if key != "fuzz"}, indent=1))
    print(f"written to {path}")
    if soak.finds:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
