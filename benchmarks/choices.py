"""Compare two records of ``sqfa-bench choices`` cell by cell.

A cell is one data set, number of filters and method; its accuracy is the mean over the seeds that both
records have. The standard error of a cell's difference is paired by test sample, that of a mean over
cells is paired by cell.

    python benchmarks/choices.py BEFORE.json AFTER.json --worst 10
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import statistics
from collections import defaultdict
from typing import Any, NamedTuple

Key = tuple[str, int, str, int]
Pair = tuple[Key, dict[str, Any], dict[str, Any]]


class Cell(NamedTuple):
    """The differences of one data set, number of filters and method, after minus before."""

    name: str
    filters: int
    method: str
    # Test accuracy and printed held-out accuracy, in points.
    difference: float
    error: float
    held_out: float
    # How many seeds select another scaling, noise fraction or number of refinement steps.
    changed: int
    seeds: int
    # Computing time after, divided by that before.
    time: float
    selections: str


def cells_of(path: pathlib.Path) -> dict[Key, dict[str, Any]]:
    """Return the cells of a record by set, number of filters, method and seed."""
    record = json.loads(path.read_text(encoding="utf-8"))
    if record.get("benchmark") != "choices":
        raise SystemExit(f"{path} is not a record of sqfa-bench choices")
    cells = record["result"]["cells"]
    return {(one["set"], one["filters"], one["method"], one["seed"]): one for one in cells}


def hits(cell: dict[str, Any]) -> list[int]:
    """Return 1 for every test sample that was classified correctly, else 0."""
    return [int(bit) for digit in cell["hits"] for bit in f"{int(digit, 16):04b}"]


def selected(cell: dict[str, Any]) -> tuple[Any, ...]:
    """Return what a fit selected."""
    fraction = cell["noise_fraction"]
    return (
        cell["scaling"],
        None if fraction is None else float(f"{fraction:.3g}"),
        cell["refinement_steps"],
    )


def compared(pairs: list[Pair]) -> Cell:
    """Compare the seeds of one cell."""
    name, filters, method, _ = pairs[0][0]
    variance = 0.0
    for _, before, after in pairs:
        ahead = [b - a for a, b in zip(hits(before), hits(after), strict=True)]
        # The last digit may stand for fewer than four samples; those that are missing are equal in both.
        variance += statistics.variance(ahead) / len(ahead)
    differences = [after["accuracy"] - before["accuracy"] for _, before, after in pairs]
    held_out = [
        after["held_out_accuracy"] - before["held_out_accuracy"]
        for _, before, after in pairs
        if None not in (before["held_out_accuracy"], after["held_out_accuracy"])
    ]
    choices = [(selected(before), selected(after)) for _, before, after in pairs]
    times = [sum(pair[at].get("cpu_seconds") or pair[at]["seconds"] for pair in pairs) for at in (1, 2)]
    return Cell(
        name,
        filters,
        method,
        statistics.fmean(differences),
        100 * math.sqrt(variance) / len(pairs),
        statistics.fmean(held_out) if held_out else math.nan,
        sum(before != after for before, after in choices),
        len(pairs),
        times[1] / times[0] if times[0] else math.nan,
        "; ".join(f"{worded(before)} → {worded(after)}" for before, after in choices),
    )


def worded(selection: tuple[Any, ...]) -> str:
    """Return a selection as one word."""
    return "/".join("-" if one is None else str(one) for one in selection)


def error_of_mean(values: list[float]) -> float:
    """Return the standard error of a mean over cells; 0 for a single cell."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def table(title: str, groups: dict[str, list[Cell]]) -> None:
    """Print one line per group of cells."""
    print(f"\n{title:24} cells    mean ±   se   lowest  held-out  other selections  time")
    for name, cells in groups.items():
        differences = [cell.difference for cell in cells]
        held_out = [cell.held_out for cell in cells if not math.isnan(cell.held_out)]
        print(
            f"{name:24} {len(cells):5} {statistics.fmean(differences):+7.2f} ± "
            f"{error_of_mean(differences):.2f} {min(differences):+8.2f} "
            f"{statistics.fmean(held_out) if held_out else math.nan:+9.2f} "
            f"{sum(cell.changed for cell in cells):10} of {sum(cell.seeds for cell in cells):<5}"
            f"{statistics.geometric_mean([cell.time for cell in cells]):4.2f}"
        )


def main() -> None:
    """Print means per method and per set, and the cells that lost most."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--worst", type=int, default=10, help="cells to list, the lowest ones first")
    arguments = parser.parse_args()
    before, after = cells_of(arguments.before), cells_of(arguments.after)
    pairs: dict[tuple[str, int, str], list[Pair]] = defaultdict(list)
    for key in before.keys() & after.keys():
        old, new = before[key], after[key]
        failed = ["error" in old, "error" in new]
        if any(failed):
            if not all(failed):
                print(f"{key}: {'was rejected' if failed[0] else 'is rejected now'}")
            continue
        if len(old["hits"]) != len(new["hits"]):
            raise SystemExit(f"{key}: the records have different test samples")
        pairs[key[:3]].append((key, old, new))
    cells = [compared(sorted(own, key=lambda one: one[0])) for _, own in sorted(pairs.items())]
    if not cells:
        raise SystemExit("the records have no cell in common")
    only = len(before.keys() ^ after.keys())
    print(f"{len(cells)} cells in both records; {only} fits are in one record only and ignored")
    print("after minus before: accuracies in points, time as a ratio")
    for title, field in (("method", "method"), ("set", "name"), ("filters", "filters")):
        groups: dict[str, list[Cell]] = defaultdict(list)
        for cell in cells:
            groups[str(getattr(cell, field))].append(cell)
        table(title, dict(groups))
    table("all", {"": cells})
    print("\nlowest cells (scaling/noise fraction/refinement steps per seed)")
    for cell in sorted(cells, key=lambda cell: cell.difference)[: arguments.worst]:
        clearly = " *" if cell.difference < -2 - cell.error else ""
        print(
            f"{cell.difference:+6.2f} ± {cell.error:.2f}{clearly} "
            f"{cell.name} m={cell.filters} {cell.method}: {cell.selections}"
        )
    print("* lower by more than 2 points and one paired standard error")


if __name__ == "__main__":
    main()
