"""A dated record of the accuracies that ``sqfa-paper --out FOLDER`` has kept of one data set.

python benchmarks/paper.py FOLDER SET --command "sqfa-paper …" --out benchmarks/runs --date 2026-11-17
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
from collections import defaultdict
from typing import Any


def rows(folder: pathlib.Path, which: str) -> list[dict[str, Any]]:
    """Every method and number of filters: means over recordings, medians over seeds of other data."""
    middle = statistics.fmean if which == "neural" else statistics.median
    found: dict[tuple[int, str], list[dict[str, float]]] = defaultdict(list)
    with (folder / "cells" / which / "records.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record["outcome"]["status"] == "done":
                scores = {
                    one["classifier"]: 100 * one["accuracy"] for one in record["outcome"]["verdicts"]
                }
                found[record["filters"], record["method"]].append(scores)
    return [
        {
            "filters": filters,
            "method": method,
            "cells": len(scores),
            **{name: middle(score[name] for score in scores) for name in scores[0]},
        }
        for (filters, method), scores in sorted(found.items())
    ]


def main() -> None:
    """Writes the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("set")
    parser.add_argument("--name", help="of the record, paper-SET otherwise")
    parser.add_argument("--command", required=True, help="what made the folder")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--date", required=True)
    asked = parser.parse_args()
    name = asked.name or f"paper-{asked.set}"
    record = {
        "benchmark": name,
        "command": asked.command,
        "result": {"set": asked.set, "rows": rows(asked.folder, asked.set)},
    }
    path = asked.out / f"{asked.date}-{name}.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
