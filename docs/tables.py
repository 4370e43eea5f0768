"""Write the tables of benchmarks in Markdown pages from the newest records, or check that they match.

``python docs/tables.py --write`` replaces the text between ``<!-- table: NAME -->`` and
``<!-- end of table -->`` in the pages of ``docs/benchmarks``; ``--check`` fails if a table differs from
its record. A line below each table names its records. The values that the paper prints come from the
files that ``sqfa-paper`` compares with.
"""

from __future__ import annotations

import argparse
import csv
import re
import statistics
from collections.abc import Callable, Iterable
from typing import Any

import records
import tables_python
from records import Made, newest, newest_like, table

PAGES = records.ROOT / "docs" / "benchmarks"
PRINTED = records.ROOT / "crates" / "sqfa-paper" / "src" / "printed"
TITLES = {
    "sqfa": "SQFA",
    "smsqfa": "smSQFA",
    "sqfa-h": "SQFA-H",
    "sqfa-b": "SQFA-B",
    "sqfa-w": "SQFA-W",
    "sqfa-j": "SQFA-J",
    "pca": "PCA",
    "lda": "LDA",
    "spca": "SPCA",
    "lfda": "LFDA",
    "lmnn": "LMNN",
    "wda": "WDA",
    "ama": "AMA",
}
BLOCK = re.compile(r"^<!-- table: ([\w -]+) -->\n.*?^<!-- end of table -->$", flags=re.M | re.S)


def main() -> None:
    """Write or check the tables of all pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="rewrite the tables that differ")
    parser.add_argument("--check", action="store_true", help="fail if a table differs")
    arguments = parser.parse_args()
    if arguments.write == arguments.check:
        parser.error("specify either --write or --check")
    stale = []
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if (new := filled(text)) != text:
            stale.append(page.name)
            if arguments.write:
                page.write_text(new, encoding="utf-8")
    if arguments.check and stale:
        raise SystemExit(f"tables differ in {', '.join(stale)}: run python docs/tables.py --write")


def filled(text: str) -> str:
    """Return a page with its tables, each followed by its records."""

    def fill(found: re.Match[str]) -> str:
        body, sources = made(found[1])
        lines = "\n\n".join(record.source for record in sources)
        return f"<!-- table: {found[1]} -->\n{body}\n\n{lines}\n<!-- end of table -->"

    return BLOCK.sub(fill, text)


def made(name: str) -> Made:
    """Return one table and its records."""
    kind, _, option = name.partition(" ")
    if kind not in TABLES:
        raise LookupError(f"no table '{name}': there are {', '.join(sorted(TABLES))}")
    return TABLES[kind](option)


def printed(name: str) -> dict[tuple[int, str], float]:
    """Return a table of the paper: values by number of filters and method."""
    with (PRINTED / f"{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        (int(row["m"]), method): float(value)
        for row in rows
        for method, value in row.items()
        if method != "m" and value
    }


def by_filters(
    rows: Iterable[dict[str, Any]], cell: Callable[[dict[str, Any]], str]
) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table: a row per number of filters, a column per method."""
    cells = {(row["filters"], row["method"]): cell(row) for row in rows}
    methods = list(dict.fromkeys(method for _, method in cells))
    counts = sorted({filters for filters, _ in cells})
    lines = [
        [str(filters), *(cells.get((filters, method), "–") for method in methods)] for filters in counts
    ]
    return ["m", *(TITLES[method] for method in methods)], lines


def accuracy(which: str) -> Made:
    """QDA accuracy, median over initializations, with the value of the paper."""
    record = newest(f"accuracy-{which}")
    paper = printed(f"qda_{which}")

    def cell(row: dict[str, Any]) -> str:
        return f"{row['qda_median']:.1f} ({paper[row['filters'], TITLES[row['method']]]:.1f})"

    return table(*by_filters(record.result["rows"], cell)), [record]


def paper(option: str) -> Made:
    """Accuracy of the methods of ``sqfa-paper`` with one classifier, with the values of the paper."""
    classifier, which = option.split()
    record = newest(f"paper-{which}")
    known = printed(f"{classifier}_{record.result['set']}")
    order = list(dict.fromkeys(title for _, title in known))
    rows = [row for row in record.result["rows"] if (row["filters"], TITLES[row["method"]]) in known]
    rows.sort(key=lambda row: order.index(TITLES[row["method"]]))

    def cell(row: dict[str, Any]) -> str:
        return f"{row[classifier]:.1f} ({known[row['filters'], TITLES[row['method']]]:.1f})"

    return table(*by_filters(rows, cell)), [record]


def best(which: str) -> Made:
    """Accuracy at the best objective, the fraction of initializations that reach it, and the noise."""
    record = newest(f"accuracy-{which}")

    def cell(row: dict[str, Any]) -> str:
        share = f"{100 * row['share_of_starts_at_best']:.0f} %"
        return f"{row['qda_at_best_objective']:.1f}, {share}, σ² {row['noise']:g}"

    return table(*by_filters(record.result["rows"], cell)), [record]


def starts(which: str) -> Made:
    """Probability that k initializations find the best known optimum, with two filters."""
    record = newest(f"accuracy-{which}")
    rows = [row for row in record.result["rows"] if row["filters"] == 2]
    lines = [
        [
            TITLES[row["method"]],
            *(f"{row['chance_that_k_starts_find_it'][k - 1]:.2f}" for k in (1, 2, 4, 8)),
        ]
        for row in rows
    ]
    return table(["m = 2", "1 initialization", "2", "4", "8"], lines), [record]


def refined(_: str) -> Made:
    """Refined filters compared with the most accurate method of the paper in every cell."""
    found = [newest(f"reducers-{which}-refined") for which in ("mnist", "svhn")]
    lines = []
    for record in found:
        which = record.result["set"]
        for classifier, title in (("qda", "QDA"), ("knn", "kNN")):
            paper = printed(f"{classifier}_{which}")
            line = [f"{which.upper()}, {title}"]
            for row in record.result["rows"]:
                most = max(value for (m, _), value in paper.items() if m == row["filters"])
                ours = f"{row[classifier + '_median']:.1f}"
                line.append(f"{f'**{ours}**' if float(ours) > most else ours} ({most:.1f})")
            lines.append(line)
    return table(["", *(f"m = {row['filters']}" for row in found[0].result["rows"])], lines), found


def baselines(which: str) -> Made:
    """QDA and kNN accuracy of the baselines, with the values of the paper."""
    record = newest(f"reducers-{which}-baselines")
    qda, knn = printed(f"qda_{which}"), printed(f"knn_{which}")

    def cell(row: dict[str, Any]) -> str:
        key = row["filters"], TITLES[row["method"]]
        return f"{row['qda_median']:.1f} / {row['knn_median']:.1f} ({qda[key]:.1f} / {knn[key]:.1f})"

    return table(*by_filters(record.result["rows"], cell)), [record]


def kernels(_: str) -> Made:
    """Kernels compared with what the same run measured of the machine."""
    record = newest("kernels")
    one, statistics, pairs = (record.result[part] for part in ("pass", "statistics", "pairs"))
    of_pairs = ", ".join(f"{row['distance']} {row['milliseconds']:.2f} ms" for row in pairs["rows"])
    lines = [
        [
            f"pass: {one['what']}",
            f"{1e3 * one['seconds']:.1f} ms",
            f"reading the covariances once: {1e3 * one['read_once_seconds']:.1f} ms",
            f"{one['ratio']:.2f}",
        ],
        [pairs["what"], of_pairs, "–", "–"],
        [
            f"class statistics of {statistics['what']}",
            f"{statistics['seconds']:.3f} s (from f32: {statistics['f32_seconds']:.3f} s)",
            f"half of XᵀX by the matrix backend in f32: {statistics['half_gram_seconds']:.3f} s",
            f"{statistics['ratio']:.2f}",
        ],
    ]
    return table(["kernel", "time", "compared with", "ratio"], lines), [record]


def fits(_: str) -> Made:
    """Passes, times and objectives of both optimizers."""
    record = newest("fits")
    lines = []
    for row in record.result:
        auto, lbfgs = row["fit"]["auto"], row["fit"]["lbfgs"]
        sides = [
            text
            for side in (auto, lbfgs)
            for text in (
                f"{side['median_passes']:g}",
                f"{side['median_seconds']:.3f}",
                f"{side['median_objective']:.4f}",
            )
        ]
        ratio = f"{row['fit']['seconds_ratio']:.2f}"
        lines.append([row["set"], row["method"], f"{row['noise']:g}", *sides, ratio])
    head = ["data", "method", "σ²", "passes", "time, s", "objective"]
    head += ["passes, L-BFGS", "time, L-BFGS, s", "objective, L-BFGS", "ratio of times"]
    return table(head, lines), [record]


def scaling(_: str) -> Made:
    """Fits to dense covariances."""
    found = sorted(newest_like(r"scaling-n\d+-m8"), key=lambda record: record.result["dimension"])
    lines = []
    for record in found:
        result = record.result
        auto, lbfgs = result["seeds"]["auto"], result["seeds"]["lbfgs"]
        lines.append(
            [
                str(result["dimension"]),
                f"{auto['median_passes']:g}",
                f"{auto['median_seconds']:.3f}",
                f"{lbfgs['median_passes']:g}",
                f"{lbfgs['median_seconds']:.2f}",
                f"{result['seeds']['seconds_ratio']:.2f}",
                f"{result['checking_seconds']:.3f}",
                f"{result['peak_ratio']:.2f}",
            ]
        )
    head = ["n", "passes", "time, s", "passes, L-BFGS", "time, L-BFGS, s", "ratio of times"]
    return table([*head, "validation, s", "peak memory / covariances"], lines), found


def large(_: str) -> Made:
    """Many dimensions: samples within their span, low rank, dense."""
    found = [*newest_like(r"factor-.*"), *newest_like(r"sparse-.*"), *newest_like(r"large-n\d+-.*")]
    lines = []
    for record in found:
        result = record.result
        fit = result.get("fit", result)
        if "samples" in result:
            sparse = f" with {result['entries']} entries" if "entries" in result else ""
            what = f"n = {result['dimension']}, {result['samples']} samples{sparse}"
            passes = f"{result['passes_in_the_span']} within the span"
            reached = f"objective differs by {result['relative_gap']:.0e} from that on all samples"
        else:
            what = f"n = {result['dimension']}, m = {fit['filters']}, {result['form']}"
            passes = str(fit["passes"])
            truth = 100 * fit["accuracy_of_true_subspace"]
            reached = f"accuracy {100 * fit['accuracy']:.2f} %, true subspace {truth:.2f} %"
        peak = f"{fit['peak_bytes'] / 1e9:.2f} GB"
        lines.append([what, f"{fit['seconds']:.1f}", passes, peak, reached])
    return table(["problem", "time, s", "passes", "peak memory", "result"], lines), found


def filters(_: str) -> Made:
    """Many filters, compared with the true subspace and the paper."""
    record = newest("filters-dense")
    with (PRINTED / "scaling_filters.csv").open(encoding="utf-8") as file:
        paper = {int(row["n_filters"]): row for row in csv.DictReader(file)}
    lines = []
    for fit in record.result["fits"]:
        theirs = paper[fit["filters"]]
        true, own = float(theirs["max_accuracy_percent"]), float(theirs["sqfa_accuracy_percent"])
        lines.append(
            [
                str(fit["filters"]),
                f"{100 * fit['accuracy_of_true_subspace']:.2f} ({true:.1f})",
                f"{100 * fit['accuracy']:.2f} ({own:.1f})",
                f"{round(fit['gap_points'], 2) + 0.0:.2f} ({true - own:.1f})",
                str(fit["passes"]),
                f"{fit['seconds']:.1f} ({float(theirs['fit_time_seconds']):.1f})",
                f"{fit['peak_bytes'] / 1e9:.1f} GB",
            ]
        )
    head = ["filters", "true subspace, %", "SQFA, %", "gap, points", "passes", "time, s", "peak memory"]
    return table(head, lines), [record]


def stream(_: str) -> Made:
    """Class statistics of files that are read in batches."""
    found = newest_like(r"stream(-.*)?")
    lines = []
    for record in found:
        result = record.result
        lines.append(
            [
                "parquet" if "parquet" in record.name else "npy, f32",
                f"{result['bytes'] / 1e9:.1f} GB",
                f"{result['stream_rows_per_second']:.0f}",
                f"{100 * result['rate_against_memory']:.0f} %",
                f"{result['peak_above_sums'] / 1e6:.0f} MB",
            ]
        )
    head = [
        "source",
        "size",
        "rows per second",
        "fraction of the rate from memory",
        "peak memory above class statistics",
    ]
    kernel = newest("kernels")
    statistics = kernel.result["statistics"]
    rows = 60_000 / statistics["seconds"]
    lines.insert(
        0, [f"memory, {statistics['what']}", f"{60_000 * 784 / 1e9:.2f} GB", f"{rows:.0f}", "–", "–"]
    )
    return table(head, lines), [kernel, *found]


def peers(_: str) -> Made:
    """The authors' package on the same class statistics."""
    record = newest("peers")
    lines = [
        [
            row["set"],
            f"{row['method']}, σ² {row['noise']:g}",
            f"{row['ours']['auto']['median_seconds']:.3f}",
            f"{row['peer']['median_seconds']:.2f}",
            f"{row['speedup']:.0f}×",
            f"{row['ours']['auto']['median_objective']:.4f}",
            f"{row['peer']['median_objective']:.4f}",
        ]
        for row in record.result
    ]
    head = [
        "data",
        "method",
        "sqfa, s",
        "authors' package, s",
        "ratio",
        "objective, sqfa",
        "objective, authors' package",
    ]
    return table(head, lines), [record]


def peer_methods(_: str) -> Made:
    """Methods of other packages on the same samples."""
    record = newest("peer-methods")
    lines = [
        [
            row["method"],
            row["package"],
            f"{row['median_our_seconds']:.2f}",
            f"{row['median_peer_seconds']:.2f}",
            f"{row['speedup']:.1f}×",
            f"{100 * row['median_our_accuracy']:.1f}",
            f"{100 * row['median_peer_accuracy']:.1f}",
        ]
        for row in record.result
    ]
    head = [
        "method",
        "package",
        "sqfa, s",
        "package, s",
        "ratio",
        "accuracy, sqfa, %",
        "accuracy, package, %",
    ]
    return table(head, lines), [record]


def outliers(option: str) -> Made:
    """Accuracy with outliers among the training samples, with the difference from clean ones."""
    record, which = newest(f"robust-{OUTLIERS[option]}"), option
    rows = [row for row in record.result["rows"] if row["set"] == which]
    clean = rows[0]["median"]
    lines = []
    for row in rows:
        cells = [
            f"{value:.1f}" + ("" if row is rows[0] else f" ({value - clean[name]:+.1f})")
            for name, value in row["median"].items()
        ]
        lines.append([row["kind"], f"{100 * row['share']:.0f} %", *cells])
    return table(["outliers", "fraction", *clean], lines), [record]


def defaults(_: str) -> Made:
    """Accuracy of fits with default settings, of LDA and of PCA on tables with a test part."""
    record = newest("defaults")
    columns = {
        "sqfa": "SQFA",
        "sqfa-h": "SQFA-H",
        "sqfa-h+refine": "SQFA-H refined",
        "lda": "LDA",
        "pca": "PCA",
    }
    lines = [
        [row["set"], str(row["filters"])]
        + [f"{row['accuracy'][name]:.1f}" if name in row["accuracy"] else "–" for name in columns]
        for row in record.result["rows"]
    ]
    return table(["data set", "m", *columns.values()], lines), [record]


def default_means(_: str) -> Made:
    """Mean accuracies of two fits over the cells that both have."""
    record = newest("defaults")
    lines = []
    for first, second in PAIRS:
        both = [
            (row["accuracy"][first], row["accuracy"][second])
            for row in record.result["rows"]
            if first in row["accuracy"] and second in row["accuracy"]
        ]
        differences = [a - b for a, b in both]
        lines.append(
            [
                PAIRS[first, second],
                str(len(both)),
                *(f"{statistics.fmean(side):.1f}" for side in zip(*both, strict=True)),
                f"{statistics.fmean(differences):+.1f}",
                f"{min(differences):+.1f}",
                f"{max(differences):+.1f}",
            ]
        )
    head = [
        "first, second",
        "cells",
        "mean of first",
        "mean of second",
        "mean difference",
        "smallest",
        "largest",
    ]
    return table(head, lines), [record]


def choices(_: str) -> Made:
    """Test accuracy and printed held-out accuracy of default fits, by data set."""
    record = newest("choices")
    cells = record.result["cells"]
    lines = []
    for name in dict.fromkeys(cell["set"] for cell in cells):
        line = [name]
        for method in ("sqfa", "sqfa-h"):
            own = [cell for cell in cells if cell["set"] == name and cell["method"] == method]
            line += [
                f"{statistics.fmean(cell[key] for cell in own):.1f}"
                for key in ("accuracy", "held_out_accuracy")
            ]
        rows, columns = own[0]["shape"]
        counts = sorted({cell["filters"] for cell in own})
        lines.append([line[0], f"{rows} × {columns}", ", ".join(map(str, counts)), *line[1:]])
    head = [
        "data set",
        "training part",
        "m",
        "SQFA, test",
        "SQFA, printed",
        "SQFA-H, test",
        "SQFA-H, printed",
    ]
    return table(head, lines), [record]


def memory(_: str) -> Made:
    """Peak memory of fits to csv files."""
    record = newest("memory")
    lines = [
        [
            f"{run['rows']} × {run['columns']}",
            str(run["classes"]),
            f"`{run['flags'].replace('--restarts', '--n-init')}`" if run["flags"] else "–",
            f"{max(run['decoded_bytes'], run['sums_bytes']) / 1e6:.0f} MB",
            f"{run['ratio']:.2f}",
        ]
        for run in record.held["runs"]
    ]
    head = [
        "rows × columns",
        "classes",
        "flags",
        "larger of data and class statistics",
        "peak memory / this size",
    ]
    return table(head, lines), [record]


# Data sets with outliers, and the end of the name of their record.
OUTLIERS = {
    "digits": "digits-optdigits",
    "optdigits": "digits-optdigits",
    "mnist": "mnist",
    "speed": "speed",
}
# Columns of the record of defaults that are compared, with their titles.
PAIRS = {
    ("sqfa-h", "lda"): "SQFA-H, LDA",
    ("sqfa", "lda"): "SQFA, LDA",
    ("sqfa-h", "pca"): "SQFA-H, PCA",
    ("sqfa-h", "sqfa"): "SQFA-H, SQFA",
    ("sqfa-h+refine", "sqfa-h"): "SQFA-H refined, SQFA-H",
    ("sqfa-h", "sqfa-h fixed"): "SQFA-H, SQFA-H with the default scaling and noise",
    ("sqfa-h", "sqfa-h per-feature"): "SQFA-H, SQFA-H with `--scaling per-feature`",
    ("sqfa-h", "sqfa-h unscaled"): "SQFA-H, SQFA-H without scaling",
}
TABLES: dict[str, Callable[[str], Made]] = {
    function.__name__: function
    for function in (
        accuracy,
        paper,
        best,
        starts,
        refined,
        baselines,
        kernels,
        fits,
        scaling,
        tables_python.python,
        tables_python.cleaning,
        large,
        filters,
        stream,
        peers,
        peer_methods,
        outliers,
        defaults,
        default_means,
        choices,
        memory,
    )
}


if __name__ == "__main__":
    # The slopes of performance are computed next to its plots, which add their tables to those above.
    import performance

    performance.tables.main()
