"""Dated records of benchmarks: the newest of a kind, its command, what its machine could do."""

from __future__ import annotations

import json
import pathlib
import re
from typing import Any, NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[1]
RUNS = ROOT / "benchmarks" / "runs"
# Records that say no command themselves, and what makes them.
COMMANDS = {"python-speed": "python benchmarks/python_speed.py DIR"}


class Record(NamedTuple):
    """One record: its name, its date and what it holds."""

    name: str
    date: str
    held: dict[str, Any]

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.date}-{self.name}.json"

    @property
    def result(self) -> Any:
        """What was measured."""
        return self.held["result"]

    @property
    def command(self) -> str:
        """The command that makes it again, without places and dates."""
        told = self.held.get("command", COMMANDS.get(self.name, ""))
        told = re.sub(r"--(out|date|table|figure) \S+ ?", "", told)
        told = re.sub(r"--(data|folder|from) \S+", r"--\1 DIR", told).strip()
        return told if told.startswith(("python", "sqfa ")) or not told else f"sqfa-bench {told}"

    @property
    def machine(self) -> str:
        """What the machine could do while it ran, in words."""
        machine = self.held.get("machine")
        if not isinstance(machine, dict):
            return "the machine is not in the record"
        return (
            f"{machine['threads']} threads, reading {gigabytes(self):.1f} GB/s, "
            f"half XᵀX of 60000 × 784 in "
            f"{machine['half_gram_60000x784_f32_seconds']:.2f} s"
        )

    @property
    def source(self) -> str:
        """One line of Markdown that says where numbers come from."""
        return f"*Record `{self.file}` of `{self.command}` ({self.machine}).*"


# A table and the records it comes from.
Made = tuple[str, list[Record]]


def gigabytes(record: Record) -> float:
    """Billions of bytes that its machine reads in a second."""
    return float(record.held["machine"]["read_gb_per_second"])


def flops(record: Record) -> float:
    """Operations of a large product that its machine does in a second: half XᵀX takes N d²."""
    return 60_000 * 784**2 / float(record.held["machine"]["half_gram_60000x784_f32_seconds"])


def all_records(folder: pathlib.Path = RUNS) -> list[Record]:
    """Every record that is one object, oldest first."""
    found = []
    for path in sorted(folder.glob("????-??-??-*.json")):
        # Some files have one object a line: raw rows that no table here is made of.
        held, _ = json.JSONDecoder().raw_decode(path.read_text(encoding="utf-8"))
        if isinstance(held, dict):
            found.append(Record(path.stem[11:], path.stem[:10], held))
    return found


def newest(name: str, folder: pathlib.Path = RUNS) -> Record:
    """The newest record of a name."""
    named = [record for record in all_records(folder) if record.name == name]
    if not named:
        raise LookupError(f"no record '{name}' in {folder}")
    return named[-1]


def newest_like(pattern: str, folder: pathlib.Path = RUNS) -> list[Record]:
    """The newest record of every name that a pattern fits."""
    fit = [record for record in all_records(folder) if re.fullmatch(pattern, record.name)]
    return sorted({record.name: record for record in fit}.values())


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
