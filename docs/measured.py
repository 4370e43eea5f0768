"""Tables of results from the newest records: ``<!-- record: NAME -->`` in a page becomes its table.

A table ends with the record and the command that it is made of. The paper's printed values come from the
files that ``sqfa-paper`` compares with.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable
from typing import Any

import records
from beside import cleaning, python
from records import Made, Record, newest, newest_like, table

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
MARK = re.compile(r"^<!-- record: ([\w -]+) -->$", flags=re.M)


def filled(text: str) -> str:
    """A page with its tables, each with where it comes from; tables of the same records say it once."""
    told = ""

    def fill(found: re.Match[str]) -> str:
        nonlocal told
        body, sources = made(found[1])
        before, told = told, origins(sources)
        return body + (f"\n\n{told}" if told != before else "")

    return MARK.sub(fill, text)


def made(name: str) -> Made:
    """One table and its records."""
    kind, _, option = name.partition(" ")
    if kind not in TABLES:
        raise LookupError(f"no table '{name}': there are {', '.join(sorted(TABLES))}")
    return TABLES[kind](option)


def origins(sources: list[Record]) -> str:
    """Where a table comes from, in small letters."""
    lines = "\n\n".join(record.source for record in sources)
    return f":::{{container}} records\n{lines}\n:::" if lines else ""


def printed(name: str) -> dict[tuple[int, str], float]:
    """A table of the paper: its values by number of filters and method."""
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
    """Rows by number of filters, columns by method."""
    cells = {(row["filters"], row["method"]): cell(row) for row in rows}
    methods = list(dict.fromkeys(method for _, method in cells))
    counts = sorted({filters for filters, _ in cells})
    lines = [
        [str(filters), *(cells.get((filters, method), "–") for method in methods)] for filters in counts
    ]
    return ["m", *(TITLES[method] for method in methods)], lines


def accuracy(which: str) -> Made:
    """QDA accuracy, median of all starts, with the paper's."""
    record = newest(f"accuracy-{which}")
    paper = printed(f"qda_{which}")

    def cell(row: dict[str, Any]) -> str:
        return f"{row['qda_median']:.1f} ({paper[row['filters'], TITLES[row['method']]]:.1f})"

    return table(*by_filters(record.result["rows"], cell)), [record]


def paper(option: str) -> Made:
    """Accuracy of the methods of ``sqfa-paper`` on a data set by a classifier, with the paper's."""
    judge, which = option.split()
    record = newest(f"paper-{which}")
    known = printed(f"{judge}_{record.result['set']}")
    order = list(dict.fromkeys(title for _, title in known))
    rows = [row for row in record.result["rows"] if (row["filters"], TITLES[row["method"]]) in known]
    rows.sort(key=lambda row: order.index(TITLES[row["method"]]))

    def cell(row: dict[str, Any]) -> str:
        return f"{row[judge]:.1f} ({known[row['filters'], TITLES[row['method']]]:.1f})"

    return table(*by_filters(rows, cell)), [record]


def best(which: str) -> Made:
    """Accuracy at the best objective, how often it is reached, and the noise."""
    record = newest(f"accuracy-{which}")

    def cell(row: dict[str, Any]) -> str:
        share = f"{100 * row['share_of_starts_at_best']:.0f} %"
        return f"{row['qda_at_best_objective']:.1f}, {share}, σ² {row['noise']:g}"

    return table(*by_filters(record.result["rows"], cell)), [record]


def starts(which: str) -> Made:
    """The chance that a few starts find the best known optimum, at two filters."""
    record = newest(f"accuracy-{which}")
    rows = [row for row in record.result["rows"] if row["filters"] == 2]
    lines = [
        [
            TITLES[row["method"]],
            *(f"{row['chance_that_k_starts_find_it'][k - 1]:.2f}" for k in (1, 2, 4, 8)),
        ]
        for row in rows
    ]
    return table(["m = 2", "1 start", "2", "4", "8"], lines), [record]


def refined(_: str) -> Made:
    """The refinement against the best of the paper in every cell."""
    found = [newest(f"reducers-{which}-refined") for which in ("mnist", "svhn")]
    lines = []
    for record in found:
        which = record.result["set"]
        for judge, title in (("qda", "QDA"), ("knn", "kNN")):
            paper = printed(f"{judge}_{which}")
            line = [f"{which.upper()}, {title}"]
            for row in record.result["rows"]:
                most = max(value for (m, _), value in paper.items() if m == row["filters"])
                ours = f"{row[judge + '_median']:.1f}"
                line.append(f"{f'**{ours}**' if float(ours) > most else ours} ({most:.1f})")
            lines.append(line)
    return table(["", *(f"m = {row['filters']}" for row in found[0].result["rows"])], lines), found


def baselines(which: str) -> Made:
    """QDA and kNN accuracy of the baselines, with the paper's."""
    record = newest(f"reducers-{which}-baselines")
    qda, knn = printed(f"qda_{which}"), printed(f"knn_{which}")

    def cell(row: dict[str, Any]) -> str:
        key = row["filters"], TITLES[row["method"]]
        return f"{row['qda_median']:.1f} / {row['knn_median']:.1f} ({qda[key]:.1f} / {knn[key]:.1f})"

    return table(*by_filters(record.result["rows"], cell)), [record]


def kernels(_: str) -> Made:
    """The kernels against what the same run measured of the machine."""
    record = newest("kernels")
    one, statistics, pairs = (record.result[part] for part in ("pass", "statistics", "pairs"))
    of_pairs = ", ".join(f"{row['distance']} {row['milliseconds']:.2f} ms" for row in pairs["rows"])
    lines = [
        [
            f"a pass, {one['what']}",
            f"{1e3 * one['seconds']:.1f} ms",
            f"reading the covariances once: {1e3 * one['read_once_seconds']:.1f} ms",
            f"{one['ratio']:.2f}",
        ],
        [pairs["what"], of_pairs, "–", "–"],
        [
            f"class statistics of {statistics['what']}",
            f"{statistics['seconds']:.3f} s (from f32: {statistics['f32_seconds']:.3f} s)",
            f"the backend's half XᵀX in f32: {statistics['half_gram_seconds']:.3f} s",
            f"{statistics['ratio']:.2f}",
        ],
    ]
    return table(["kernel", "measured", "compared with", "ratio"], lines), [record]


def fits(_: str) -> Made:
    """Passes, seconds and objectives of both optimizers."""
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
    head = ["data", "method", "σ²", "passes", "seconds", "objective"]
    head += ["passes, L-BFGS", "seconds, L-BFGS", "objective, L-BFGS", "ratio of seconds"]
    return table(head, lines), [record]


def scaling(_: str) -> Made:
    """Fits from given dense covariances."""
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
    head = ["n", "passes", "seconds", "passes, L-BFGS", "seconds, L-BFGS", "ratio of seconds"]
    return table([*head, "checking them, seconds", "peak memory / covariances"], lines), found


def large(_: str) -> Made:
    """Many dimensions: samples in their span, low rank, dense."""
    found = [*newest_like(r"factor-.*"), *newest_like(r"sparse-.*"), *newest_like(r"large-n\d+-.*")]
    lines = []
    for record in found:
        result = record.result
        fit = result.get("fit", result)
        if "samples" in result:
            sparse = f" with {result['entries']} entries" if "entries" in result else ""
            what = f"n = {result['dimension']}, {result['samples']} samples{sparse}, in their span"
            passes = f"{result['passes_in_the_span']} in the span"
            reached = f"objective {result['relative_gap']:.0e} from one pass over the samples"
        else:
            what = f"n = {result['dimension']}, m = {fit['filters']}, {result['form']}"
            passes = str(fit["passes"])
            truth = 100 * fit["accuracy_of_true_subspace"]
            reached = f"{100 * fit['accuracy']:.2f} %, the true subspace {truth:.2f} %"
        peak = f"{fit['peak_bytes'] / 1e9:.2f} GB"
        lines.append([what, f"{fit['seconds']:.1f}", passes, peak, reached])
    return table(["problem", "seconds", "passes", "peak memory", "result"], lines), found


def filters(_: str) -> Made:
    """Many filters, against the true subspace and the paper."""
    record = newest("filters-dense")
    with (PRINTED / "scaling_filters.csv").open(encoding="utf-8") as file:
        paper = {int(row["n_filters"]): row for row in csv.DictReader(file)}
    lines = []
    for fit in record.result["fits"]:
        told = paper[fit["filters"]]
        true, own = float(told["max_accuracy_percent"]), float(told["sqfa_accuracy_percent"])
        lines.append(
            [
                str(fit["filters"]),
                f"{100 * fit['accuracy_of_true_subspace']:.2f} ({true:.1f})",
                f"{100 * fit['accuracy']:.2f} ({own:.1f})",
                f"{round(fit['gap_points'], 2) + 0.0:.2f} ({true - own:.1f})",
                str(fit["passes"]),
                f"{fit['seconds']:.1f} ({float(told['fit_time_seconds']):.1f})",
                f"{fit['peak_bytes'] / 1e9:.1f} GB",
            ]
        )
    head = ["filters", "true subspace, %", "SQFA, %", "gap, points", "passes", "seconds", "peak memory"]
    return table(head, lines), [record]


def stream(_: str) -> Made:
    """Sums of files larger than what is kept of them."""
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
    head = ["file", "size", "rows a second", "of the rate from memory", "peak memory above the sums"]
    kernel = newest("kernels")
    statistics = kernel.result["statistics"]
    rows = 60_000 / statistics["seconds"]
    lines.insert(
        0, [f"memory, {statistics['what']}", f"{60_000 * 784 / 1e9:.2f} GB", f"{rows:.0f}", "–", "–"]
    )
    return table(head, lines), [kernel, *found]


def peers(_: str) -> Made:
    """The authors' package on the same statistics."""
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
    head = ["data", "method", "ours, s", "theirs, s", "ratio", "our objective", "their objective"]
    return table(head, lines), [record]


def peer_methods(_: str) -> Made:
    """Methods that other packages have, too, on the same points."""
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
    head = ["method", "package", "ours, s", "theirs, s", "ratio", "our accuracy, %", "theirs, %"]
    return table(head, lines), [record]


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
        python,
        cleaning,
        large,
        filters,
        stream,
        peers,
        peer_methods,
    )
}
