"""Dated records of benchmarks: the newest of a kind, its command and the speed of its machine."""

from __future__ import annotations

import json
import pathlib
import re
from typing import Any, NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[1]
RUNS = ROOT / "benchmarks" / "runs"
# Commands of records that do not contain one.
COMMANDS = {"python-speed": "python benchmarks/python_speed.py DIR"}


class Record(NamedTuple):
    """One record: name, date and content."""

    name: str
    date: str
    held: dict[str, Any]

    @property
    def file(self) -> str:
        """Name of the file."""
        return f"{self.date}-{self.name}.json"

    @property
    def result(self) -> Any:
        """Measured values."""
        return self.held["result"]

    @property
    def command(self) -> str:
        """Command that makes the record, without folders and dates."""
        command = self.held.get("command", COMMANDS.get(self.name, ""))
        command = re.sub(r"--(out|date|table|figure) \S+ ?", "", command)
        command = re.sub(r"--(data|folder|from) \S+", r"--\1 DIR", command).strip()
        own = command.startswith(("python", "sqfa ")) or not command
        return command if own else f"sqfa-bench {command}"

    @property
    def source(self) -> str:
        """One line of Markdown that names the record, its command, its version and its machine."""
        command = f"`{self.command}`, " if self.command else ""
        version = f"version {self.held['version']}" if "version" in self.held else "version not recorded"
        machine = self.held.get("machine")
        if isinstance(machine, dict) and "half_gram_60000x784_f32_seconds" in machine:
            product = machine["half_gram_60000x784_f32_seconds"]
            version += (
                f"; {machine['threads']} threads, reads {gigabytes(self):.1f} GB/s, "
                f"half of XᵀX of 60000 × 784 in {product:.2f} s"
            )
        return f"*Record `{self.file}`: {command}{version}.*"


# A table and the records it comes from.
Made = tuple[str, list[Record]]


def gigabytes(record: Record) -> float:
    """Return how many billion bytes per second its machine reads."""
    return float(record.held["machine"]["read_gb_per_second"])


def flops(record: Record) -> float:
    """Return the operations per second of a large product: half of XᵀX takes N d²."""
    return 60_000 * 784**2 / float(record.held["machine"]["half_gram_60000x784_f32_seconds"])


def all_records(folder: pathlib.Path = RUNS) -> list[Record]:
    """Return every record that is one object, oldest first."""
    found = []
    for path in sorted(folder.glob("????-??-??-*.json")):
        # Files with one object per line hold raw rows, which no table here uses.
        held, _ = json.JSONDecoder().raw_decode(path.read_text(encoding="utf-8"))
        if isinstance(held, dict):
            found.append(Record(path.stem[11:], path.stem[:10], held))
    return found


def newest(name: str, folder: pathlib.Path = RUNS) -> Record:
    """Return the newest record of a name."""
    named = [record for record in all_records(folder) if record.name == name]
    if not named:
        raise LookupError(f"no record '{name}' in {folder}")
    return named[-1]


def newest_like(pattern: str, folder: pathlib.Path = RUNS) -> list[Record]:
    """Return the newest record of every name that matches a pattern."""
    fit = [record for record in all_records(folder) if re.fullmatch(pattern, record.name)]
    return sorted({record.name: record for record in fit}.values())


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
