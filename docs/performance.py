"""Plots and slopes of performance from the newest records: ``<!-- plot: NAME -->`` becomes an image.

A slope is the exponent b of seconds = a·xᵇ, by least squares on logarithms. The limits follow from
the speed of the machine, which the same record contains: reading half of every symmetric covariance once
per pass, and the 2cn²m operations of a pass at the speed of a large product.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tables
from records import Record, flops, gigabytes, newest, table

MARK = re.compile(r"^<!-- plot: (\w+) -->$", flags=re.M)


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """The exponent of a power law through points, by least squares on logarithms."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def classes(covariance_bytes: float, dimension: int) -> float:
    """How many dense f32 covariances so many bytes hold."""
    return covariance_bytes / (4 * dimension**2)


def filled(text: str, figures: pathlib.Path, shown: str) -> str:
    """Write the plots of a page to ``figures`` and return the page, which links them below ``shown``."""
    figures.mkdir(parents=True, exist_ok=True)

    def drawn(found: re.Match[str]) -> str:
        plot, alt = PLOTS[found[1]]
        plot(figures / f"{found[1]}.svg")
        return f"![{alt}]({shown}/{found[1]}.svg)"

    return MARK.sub(drawn, text)


def dimension_series() -> tuple[
    list[float], dict[str, list[float]], dict[str, list[float]], list[Record]
]:
    """Seconds against n, with the limits of reading and arithmetic."""
    _, found = tables.scaling("")
    series: dict[str, list[float]] = {"default": [], "L-BFGS": []}
    limits: dict[str, list[float]] = {
        "reading, L-BFGS": [],
        "arithmetic, L-BFGS": [],
    }
    for record in found:
        result = record.result
        auto, lbfgs = result["seeds"]["auto"], result["seeds"]["lbfgs"]
        series["default"].append(auto["median_seconds"])
        series["L-BFGS"].append(lbfgs["median_seconds"])
        for limit, seconds in zip(
            limits.values(), pass_limits(record, result, result["dimension"]), strict=True
        ):
            limit.append(lbfgs["median_passes"] * seconds)
    return [record.result["dimension"] for record in found], series, limits, found


def filter_series() -> tuple[list[float], dict[str, list[float]], dict[str, list[float]], list[Record]]:
    """Seconds of a pass against m, with the same limits."""
    record = newest("filters-dense")
    fits, dimension = record.result["fits"], record.result["dimension"]
    series = {"seconds per pass, all work included": [fit["seconds"] / fit["passes"] for fit in fits]}
    both = [pass_limits(record, fit, dimension) for fit in fits]
    limits = {"reading": [one for one, _ in both], "arithmetic": [one for _, one in both]}
    return [fit["filters"] for fit in fits], series, limits, [record]


def class_series() -> tuple[list[float], dict[str, list[float]], dict[str, list[float]], list[Record]]:
    """Seconds of a fit against c, with the default pairs and with all pairs."""
    record = newest("growth")
    rows = record.result["classes"]
    series = {
        "default pairs": [row["auto"]["seconds"] for row in rows],
        "all pairs": [row["all_pairs"]["seconds"] for row in rows],
    }
    return [row["classes"] for row in rows], series, {}, [record]


def point_series() -> tuple[list[float], dict[str, list[float]], dict[str, list[float]], list[Record]]:
    """Seconds of class statistics against N, with the limits of reading and of half of XᵀX."""
    record = newest("growth")
    rows, dimension = record.result["points"], record.result["dimension"]
    x = [row["points"] for row in rows]
    limits = {
        "reading": [4 * dimension * points / (gigabytes(record) * 1e9) for points in x],
        "arithmetic": [points * dimension**2 / flops(record) for points in x],
    }
    return x, {"class statistics": [row["seconds"] for row in rows]}, limits, [record]


def growth(which: str) -> tables.Made:
    """Times against the number of classes, or against the number of threads."""
    record = newest("growth")
    if which == "threads":
        rows = record.result["threads"]
        lines = [
            [str(row["threads"])]
            + [
                f"{row[key]:.3f} ({rows[0][key] / row[key]:.2f}×)"
                for key in ("sums_seconds", "fit_seconds")
            ]
            for row in rows
        ]
        return table(
            ["threads", "class statistics of 100,000 samples, s", "fit of 41 classes, s"], lines
        ), [record]
    lines = [
        [
            str(row["classes"]),
            f"{row['auto']['seconds']:.2f}",
            f"{row['all_pairs']['seconds']:.2f}",
            f"{row['relative_below_all_pairs']:.1e}",
        ]
        for row in record.result["classes"]
    ]
    head = [
        "classes",
        "time, default pairs, s",
        "time, all pairs, s",
        "relative loss of the objective",
    ]
    return table(head, lines), [record]


def slopes(which: str) -> tables.Made:
    """One slope per series, over all points and over the last two."""
    made = {
        "dimension": dimension_series,
        "filters": filter_series,
        "classes": class_series,
        "points": point_series,
    }
    x, series, _, found = made[which]()
    lines = [[name, f"{slope(x, y):.2f}", f"{slope(x[-2:], y[-2:]):.2f}"] for name, y in series.items()]
    axis = {"dimension": "n", "filters": "m", "classes": "c", "points": "N"}[which]
    return table([f"exponent of {axis}", "all points", "the last two"], lines), found


def draw_peers(path: pathlib.Path) -> None:
    """Draw the times of this package and of the authors' package for every problem."""
    record = newest("peers")
    ours = [row["ours"]["auto"]["median_seconds"] for row in record.result]
    theirs = [row["peer"]["median_seconds"] for row in record.result]
    figure, ax = axes(6.4, 2.4)
    places = np.arange(len(ours))
    ax.hlines(places, ours, theirs, color="0.75", linewidth=1)
    ax.plot(ours, places, "o", label="this package")
    ax.plot(theirs, places, "s", label="the authors' package")
    ax.set_xscale("log")
    ax.set_yticks(places, [f"{row['set']}, {row['method']}" for row in record.result])
    ax.invert_yaxis()
    ax.set_xlabel("seconds of a fit (median)")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.25), ncols=2)
    save(figure, path)


def pass_limits(record: Record, fit: dict[str, Any], dimension: int) -> tuple[float, float]:
    """Return the least seconds of one pass: by reading, by arithmetic."""
    held = fit["covariance_bytes"]
    reading = held / 2 / (gigabytes(record) * 1e9)
    operations = 2 * classes(held, dimension) * dimension**2 * fit["filters"]
    # Half of XᵀX counts multiplications and additions of one triangle: N d² operations.
    return reading, operations / flops(record)


def draw(
    path: pathlib.Path,
    label: str,
    x: Sequence[float],
    series: dict[str, list[float]],
    limits: dict[str, list[float]],
) -> None:
    """Draw points with their fitted power laws, and limits as dashed lines."""
    figure, ax = axes(6.4, 3.6)
    for (name, y), marker in zip(series.items(), "os^", strict=False):
        (line,) = ax.plot(x, y, marker, label=f"{name}: slope {slope(x, y):.2f}")
        power = np.polyfit(np.log(x), np.log(y), 1)
        ax.plot(x, np.exp(np.polyval(power, np.log(x))), color=line.get_color(), linewidth=1)
    for (name, y), style in zip(limits.items(), ("--", ":"), strict=False):
        ax.plot(x, y, style, color="0.4", label=f"limit: {name}")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks(list(x), [str(value) for value in x])
    ax.minorticks_off()
    ax.set_xlabel(label)
    ax.set_ylabel("seconds")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    save(figure, path)


def axes(width: float, height: float) -> tuple[Any, Any]:
    """Return a figure in the style of the package."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from sqfa_rs import _style

    plt.rcdefaults()
    plt.rcParams.update(_style.settings() | {"svg.hashsalt": "sqfa"})
    return plt.subplots(figsize=(width, height))


def save(figure: Any, path: pathlib.Path) -> None:
    """Save a figure so that equal figures give equal files."""
    import matplotlib.pyplot as plt

    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


PLOTS: dict[str, tuple[Callable[[pathlib.Path], None], str]] = {
    "dimension": (
        lambda path: draw(path, "dimension n", *dimension_series()[:3]),
        "Seconds of a fit against the dimension, both axes logarithmic, with fitted power laws and the "
        "limits of the machine",
    ),
    "filters": (
        lambda path: draw(path, "filters m", *filter_series()[:3]),
        "Seconds per pass against the number of filters, both axes logarithmic, with a fitted power law "
        "and the limits of the machine",
    ),
    "classes": (
        lambda path: draw(path, "classes c", *class_series()[:3]),
        "Seconds of a fit against the number of classes, both axes logarithmic, with fitted power laws",
    ),
    "points": (
        lambda path: draw(path, "samples N", *point_series()[:3]),
        "Seconds of class statistics against the number of samples, both axes logarithmic, with a "
        "fitted power law and the limits of the machine",
    ),
    "peers": (
        draw_peers,
        "Seconds of a fit of this package and of the authors' on every problem, on a logarithmic axis",
    ),
}
tables.TABLES |= {"slopes": slopes, "growth": growth}
