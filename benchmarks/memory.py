"""Peak memory of `sqfa fit` on tables, beside their decoded size and their class sums.

Usage: memory.py COMMAND FOLDER [--out FOLDER --date D]. Tables are made in FOLDER and removed again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

# Rows, columns, classes; the method and its flags.
CASES: list[tuple[int, int, int, list[str]]] = [
    (600_000, 4, 3, []),
    (350_000, 4, 3, []),
    (600_000, 4, 3, ["--method", "lda"]),
    (100_000, 50, 5, []),
    (20_000, 300, 5, []),
    (3_000, 2_000, 2, []),
    (4_000, 2_000, 2, []),
    (6_000, 2_000, 3, []),
    (10_000, 1_000, 5, []),
    (2_000, 1_500, 3, []),
    (3_000, 1_000, 5, []),
    (3_000, 1_000, 5, ["--method", "lda"]),
    (3_000, 2_000, 3, ["--method", "lda"]),
    (3_000, 2_000, 2, ["--method", "pca"]),
    (4_000, 2_000, 2, ["--method", "pca"]),
    (4_000, 2_000, 2, ["--method", "lda"]),
    (1_000_000, 4, 3, ["--method", "pca"]),
    (300_000, 50, 5, ["--method", "lda", "--shrinkage", "0.1"]),
    (300_000, 50, 5, ["--method", "sqfa", "--noise", "scale", "--n-init", "1"]),
    (100_000, 100, 5, ["--method", "sqfa", "--n-init", "1"]),
    (3_000, 2_000, 2, ["--method", "sqfa", "--noise", "scale", "--n-init", "1"]),
]


def write_table(path: Path, rows: int, columns: int, classes: int) -> None:
    """A table of short decimal numbers, as people have them."""
    generator = random.Random(1)
    pool = [f"{generator.gauss(0.0, 1.0):.4f}" for _ in range(5000)]
    with path.open("w") as file:
        file.write(",".join(f"x{j}" for j in range(columns)) + ",label\n")
        for row in range(rows):
            start = generator.randrange(len(pool))
            cells = [pool[(start + 37 * j) % len(pool)] for j in range(columns)]
            cells[0] = f"{float(cells[0]) + row % classes:.4f}"
            file.write(",".join(cells) + f",class{row % classes}\n")


def peak(command: list[str]) -> int:
    """The peak resident memory of a process, in bytes."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    return usage.ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--date", default="undated")
    parser.add_argument("--build", default="release", help="how the command was built")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    table, model = args.folder / "table.csv", args.folder / "m.sqfa"
    # What the program itself takes, whatever the data.
    write_table(table, 60, 3, 3)
    base = peak([str(args.command), "fit", str(table), "-m", "1", "--noise", "0.1", "--out", str(model)])
    runs: list[dict[str, Any]] = []
    for rows, columns, classes, flags in CASES:
        write_table(table, rows, columns, classes)
        filters = ["-m", str(min(2, classes - 1))]
        most = peak([str(args.command), "fit", str(table), *filters, *flags, "--out", str(model)])
        decoded, sums = 8 * rows * columns, 8 * classes * columns * columns
        ratio = (most - base) / max(decoded, sums)
        runs.append(
            {
                "rows": rows,
                "columns": columns,
                "classes": classes,
                "flags": " ".join(flags),
                "csv_bytes": table.stat().st_size,
                "decoded_bytes": decoded,
                "sums_bytes": sums,
                "peak_bytes": most,
                "base_bytes": base,
                "ratio": round(ratio, 2),
            }
        )
        print(
            f"{rows} × {columns} × {classes} {' '.join(flags)}: {most >> 20} MiB, ratio {ratio:.2f}",
            flush=True,
        )
    table.unlink()
    model.unlink()
    if args.out:
        record = {
            "what": "peak memory of sqfa fit on csv",
            "date": args.date,
            "build": args.build,
            "runs": runs,
        }
        (args.out / f"{args.date}-memory.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
