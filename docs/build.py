"""Builds the site: gathers pages, makes those that come from the code, and runs Sphinx without warnings.

``python docs/build.py target/site --command target/debug/sqfa`` needs no network. Pages are gathered in
a folder beside the site, so that nothing is written among the sources.
"""

import argparse
import importlib
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any

import measured
import performance
from records import all_records

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Pages of the repository that are pages of the site as well.
PROJECT = {
    "CONTRIBUTING.md": "contributing.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "SECURITY.md": "security.md",
}
# What the Python reference shows, in this order.
MODULES = {
    "sqfa_rs": "Estimators, statistics, comparisons and files",
    "sqfa_rs.baselines": "Methods and classifiers to compare with",
    "sqfa_rs.geometry": "Information geometry",
    "sqfa_rs.covariance": "Robust covariances",
    "sqfa_rs.preprocessing": "Nonlinear features",
    "sqfa_rs.distances": "Distances between Gaussians",
    "sqfa_rs.datasets": "Data sets",
    "sqfa_rs.plots": "Figures",
    "sqfa_rs.neural": "Neural recordings",
    "sqfa_rs.dask": "Dask",
}


def main() -> None:
    """Gather, make, build."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=pathlib.Path, help="folder of the site")
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the built command sqfa")
    given = parser.parse_args()
    pages = given.site.resolve().with_name(given.site.name + "-pages")
    shutil.copytree(
        ROOT / "docs", pages, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    project(pages / "project")
    command_reference(given.command.resolve(), pages / "reference" / "command")
    python_reference(pages / "reference" / "python")
    catalogue(pages / "reference")
    records(pages / "results")
    results(pages)
    rust(pages / "reference")
    for index in pages.glob("*/index.md"):
        list_all(index)
    environment = os.environ | {"SQFA_ROOT": str(ROOT), "PYTHONHASHSEED": "0"}
    # One page with a warning is one too many.
    arguments = ["-b", "html", "-W", "--keep-going", "-q", str(pages), str(given.site)]
    subprocess.run([sys.executable, "-m", "sphinx", *arguments], check=True, env=environment)
    print(f"{given.site / 'index.html'}")


def list_all(index: pathlib.Path) -> None:
    """Pages of a folder that its index does not name come last."""
    text = index.read_text(encoding="utf-8")
    named = set(re.findall(r"^[\w-]+$", text, flags=re.M))
    others = sorted(
        page.stem for page in index.parent.glob("*.md") if page.stem not in named | {"index"}
    )
    if others:
        index.write_text(
            text.rstrip().removesuffix("```") + "\n".join([*others, "```", ""]), encoding="utf-8"
        )


def write(path: pathlib.Path, text: str) -> None:
    """Write a page where it changed, so that Sphinx reads only those again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def project(folder: pathlib.Path) -> None:
    """Pages from the root of the repository, their links as seen from the site."""
    for source, page in PROJECT.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        text = re.sub(r"\]\(docs/([^)]+)\)", r"](../\1)", text)
        for other, name in PROJECT.items():
            text = text.replace(f"]({other})", f"]({name})")
        write(folder / page, text)
    listed = "\n".join(name.removesuffix(".md") for name in PROJECT.values())
    write(
        folder / "index.md",
        "# The project\n\nHow it is built and changed, what is new, how we treat each other, and where "
        f"to report what should not be public.\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n",
    )


def command_reference(command: pathlib.Path, folder: pathlib.Path) -> None:
    """A page for every command, written by the command itself."""
    made = folder / "made"
    subprocess.run([str(command), "man", "--markdown", "--out", str(made)], check=True)
    names = sorted(path.stem for path in made.glob("sqfa*.md"))
    for name in names:
        write(folder / f"{name}.md", (made / f"{name}.md").read_text(encoding="utf-8"))
    shutil.rmtree(made)
    listed = "\n".join(names)
    write(
        folder / "index.md",
        "# The command\n\n`sqfa COMMAND --help` prints the same. The Python package "
        f"contains the command.\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n",
    )


def python_reference(folder: pathlib.Path) -> None:
    """A page for everything public, from its docstring."""
    index = "# The Python package\n"
    for module_name, title in MODULES.items():
        module = importlib.import_module(module_name)
        rows, pages = [], []
        for name in module.__all__:
            thing = getattr(module, name)
            if name.startswith("_") or inspect.ismodule(thing):
                continue
            full = f"{module_name}.{name}"
            write(folder / f"{full}.rst", object_page(full, thing))
            pages.append(full)
            first = inspect.getdoc(thing).split("\n\n")[0].replace("\n", " ")
            rows.append(f"| [`{name}`]({full}.rst) | {plain(first)} |")
        about = inspect.getdoc(module).split("\n\n")[0].replace("\n", " ")
        index += f"\n## `{module_name}`: {title}\n\n{plain(about)}\n\n| | |\n|---|---|\n" + "\n".join(
            rows
        )
        if module_name == "sqfa_rs.distances":
            index += "\n\nEvery distance is a function, too: see [distances](../distances.md).\n"
        index += "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"
    index += (
        "\n## Engines\n\n`sqfa_rs.spark` and `sqfa_rs.ray` need their engines to be imported: see "
        "[points in a cluster](../../how-to/clusters.md).\n"
    )
    write(folder / "index.md", index)


def plain(text: str) -> str:
    """The roles of docstrings as code in Markdown."""
    text = re.sub(r":\w+:`~?([^`]+)`", lambda found: f"`{found[1].split('.')[-1]}`", text)
    return text.replace("``", "`").replace("|", "\\|")


def object_page(full: str, thing: object) -> str:
    """One class with its own methods, or one function."""
    name = full.rpartition(".")[2]
    head = f"{name}\n{'=' * len(name)}\n\n"
    if not inspect.isclass(thing):
        return head + f".. autofunction:: {full}\n"
    fields = list(getattr(thing, "_fields", ()))
    methods = fields or [
        method
        for method, value in inspect.getmembers(thing)
        if not method.startswith("_") and ours(thing, method, value)
    ]
    members = f"   :members: {', '.join(methods)}\n" if methods else ""
    return head + f".. autoclass:: {full}\n{members}"


def ours(owner: type, name: str, value: object) -> bool:
    """Whether a member is written in this package, not in one it builds on."""
    if inspect.isfunction(value) or inspect.ismethod(value):
        return value.__module__.startswith("sqfa_rs")
    where = next(cls for cls in owner.__mro__ if name in vars(cls))
    return isinstance(value, property) and where.__module__.startswith("sqfa_rs")


def catalogue(folder: pathlib.Path) -> None:
    """Tables of methods and distances, from the registries of the core."""
    from sqfa_rs import _core

    rows = [
        f"| `{one['name']}` | {one['title']} | {one['summary']} "
        f"| {'points' if one['needs_points'] else 'statistics'} | {'yes' if one['seeded'] else 'no'} |"
        for one in _core.methods()
    ]
    write(
        folder / "methods.md",
        "# Methods\n\nWhat `sqfa fit --method` and `compare` take.\n\n"
        "| name | in the paper | what it does | learns from | seeded |\n|---|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n\nA name that ends with `+refine` (in Python `refine=True`, in a shell `--refine`)\n"
        "improves the filters afterwards on the posterior of the true class.\n",
    )
    given = {"exponent": "an exponent S", "moments": "`covariances` or `second-moments`"}
    write(folder / "settings.md", settings_page(_core.settings_table()))
    rows = [
        f"| `{name}` | `distances.{name.replace('-', '_')}` | {summary} | {given.get(parameter, '–')} |"
        for name, summary, parameter in _core.distance_names()
    ]
    write(
        folder / "distances.md",
        "# Distances\n\nWhat `--distance` and `SQFA(distance=…)` take; a parameter follows a colon "
        "(`chernoff:0.3`). Which of them are metrics and to what they are invariant is in\n"
        "[the mathematics](../explanation/mathematics.md).\n\n"
        "| name | in Python | what it is | parameter |\n|---|---|---|---|\n" + "\n".join(rows) + "\n",
    )


def settings_page(table: list[dict[str, Any]]) -> str:
    """The settings of methods, from the table of the core."""
    page = (
        "# Settings\n\nA method has the settings that this page lists for it; `sqfa fit` rejects the "
        "flags of others.\nFlags and parameters in Python accept the same values.\n"
    )
    for heading in dict.fromkeys(one["heading"] for one in table):
        page += f"\n## {heading or 'General settings'}\n"
        for one in (one for one in table if one["heading"] == heading):
            defaults = f" Default: {one['defaults']}." if one["defaults"] else ""
            page += (
                f"\n`{one['flag']} {one['value']}`, in Python `{one['parameter']}`\n"
                f": {plain(one['description'])}{defaults}\n\n"
                f"  Methods: {', '.join(f'`{name}`' for name in one['methods'])}.\n"
            )
    return page


def records(folder: pathlib.Path) -> None:
    """The dated records behind the results: what was run, when, on what."""
    rows = []
    for record in reversed(all_records()):
        command = record.command.replace("|", "\\|")
        machine = record.held.get("machine")
        cores = machine.get("cores", machine.get("threads", "–")) if isinstance(machine, dict) else "–"
        shown = f"`{command}`" if command else "–"
        rows.append(f"| {record.date} | `{record.name}.json` | {shown} | {cores} |")
    write(
        folder / "records.md",
        "# Records\n\nEvery run behind the results is kept as it was written, in `benchmarks/runs`: "
        f"{len(rows)} records.\n\n| date | record | command | cores |\n|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n",
    )


def results(pages: pathlib.Path) -> None:
    """Tables and plots where pages ask for them."""
    for page in (pages / "results").glob("*.md"):
        text = measured.filled(page.read_text(encoding="utf-8"))
        text = performance.filled(text, pages / "_static" / "measured", "../_static/measured")
        write(page, text)


def rust(folder: pathlib.Path) -> None:
    """The tour of the Rust library, as it is compiled and run."""
    tour = (ROOT / "examples" / "rust" / "tour.rs").read_text(encoding="utf-8")
    order = re.findall(
        r"^pub mod (\w+);", (ROOT / "crates/sqfa/src/lib.rs").read_text("utf-8"), flags=re.M
    )
    write(
        folder / "rust.md",
        "# The Rust library\n\nThe crate `sqfa` documents itself: `cargo doc --open`. Its modules\n"
        "stand in the order in which "
        f"data flow through them: {', '.join(f'`{name}`' for name in order)}.\n\n## A tour\n\n"
        f"`cargo run --release -p sqfa --example tour` runs it.\n\n```rust\n{tour}```\n",
    )


if __name__ == "__main__":
    main()
