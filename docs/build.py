"""Build the site: gather pages, generate those that come from the code, and run Sphinx without warnings.

``python docs/build.py target/site --command target/debug/sqfa`` needs no network. Pages are gathered in
a folder next to the site, so nothing is written among the sources.
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

import performance
from records import all_records

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Files of the repository that are pages of the site as well.
PROJECT = {
    "CONTRIBUTING.md": "contributing.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "SECURITY.md": "security.md",
}
# The changelog mentions every topic, so a search for any of them would find it first.
UNSEARCHED = {"changelog.md"}
# Modules whose public names have a page each.
MODULES = (
    "sqfa_rs",
    "sqfa_rs.baselines",
    "sqfa_rs.geometry",
    "sqfa_rs.distances",
    "sqfa_rs.covariance",
    "sqfa_rs.preprocessing",
    "sqfa_rs.datasets",
    "sqfa_rs.plots",
    "sqfa_rs.neural",
    "sqfa_rs.dask",
)
# The order of the Python reference: a task, and the modules or single names that serve it. Public names
# that no task lists are shown with their module, and those of the package itself under "More".
TASKS = {
    "Learn components": ["sqfa_rs.SQFA", "sqfa_rs.SecondMomentSQFA", "sqfa_rs.HeavyTailedSQFA"],
    "Classify": ["sqfa_rs.QDA", "sqfa_rs.baselines.KNN", "sqfa_rs.baselines.LinearClassifier"],
    "Compare methods": ["sqfa_rs.compare"],
    "Compute class statistics": [
        "sqfa_rs.class_statistics",
        "sqfa_rs.ClassAccumulator",
        "sqfa_rs.ClassStatistics",
    ],
    "Save and load models": ["sqfa_rs.save", "sqfa_rs.load"],
    "More": ["sqfa_rs"],
    "Other methods": ["sqfa_rs.baselines"],
    "Distances between Gaussians": ["sqfa_rs.distances"],
    "Exact Fisher–Rao geometry": ["sqfa_rs.geometry"],
    "Robust covariances": ["sqfa_rs.covariance"],
    "Nonlinear feature maps": ["sqfa_rs.preprocessing"],
    "Plots": ["sqfa_rs.plots"],
    "Data sets": ["sqfa_rs.datasets"],
    "Neural recordings": ["sqfa_rs.neural"],
    "Dask": ["sqfa_rs.dask"],
}


def main() -> None:
    """Gather and generate the pages, then build the site."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=pathlib.Path, help="folder of the site")
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the built command sqfa")
    given = parser.parse_args()
    pages = given.site.resolve().with_name(given.site.name + "-pages")
    shutil.copytree(
        ROOT / "docs", pages, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    project(pages / "development")
    command_reference(given.command.resolve(), pages / "reference" / "command")
    python_reference(pages / "reference" / "python")
    catalogue(pages / "reference")
    records(pages / "benchmarks")
    plots(pages)
    rust(pages / "reference")
    for index in pages.glob("*/index.md"):
        list_others(index)
    environment = os.environ | {"SQFA_ROOT": str(ROOT), "PYTHONHASHSEED": "0"}
    # A warning is an error.
    arguments = ["-b", "html", "-W", "--keep-going", "-q", str(pages), str(given.site)]
    subprocess.run([sys.executable, "-m", "sphinx", *arguments], check=True, env=environment)
    print(f"{given.site / 'index.html'}")


def list_others(index: pathlib.Path) -> None:
    """Add the pages of a folder that its index does not name to the end of its table of contents."""
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
    """Write a page if it changed, so that Sphinx reads only changed pages again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def project(folder: pathlib.Path) -> None:
    """Write the pages from the root of the repository, with links as seen from the site."""
    for source, page in PROJECT.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        text = re.sub(r"\]\(docs/([^)]+)\)", r"](../\1)", text)
        for other, name in PROJECT.items():
            text = text.replace(f"]({other})", f"]({name})")
        text = text.replace("](CITATION.cff)", "](cite.md)")
        if page in UNSEARCHED:
            text = f"---\nnosearch: true\n---\n\n{text}"
        write(folder / page, text)


def command_reference(command: pathlib.Path, folder: pathlib.Path) -> None:
    """Write a page for every subcommand, as the command itself prints it."""
    made = folder / "made"
    subprocess.run([str(command), "man", "--markdown", "--out", str(made)], check=True)
    names = sorted(path.stem for path in made.glob("sqfa*.md"))
    for name in names:
        write(folder / f"{name}.md", (made / f"{name}.md").read_text(encoding="utf-8"))
    shutil.rmtree(made)
    listed = "\n".join(names)
    write(
        folder / "index.md",
        "# The command\n\n`sqfa COMMAND --help` prints the same text. The Python package contains the "
        f"command.\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n",
    )


def public(module_name: str) -> list[str]:
    """Return the public names of a module, with the module, in the order of ``__all__``."""
    module = importlib.import_module(module_name)
    return [
        f"{module_name}.{name}"
        for name in module.__all__
        if not name.startswith("_") and not inspect.ismodule(getattr(module, name))
    ]


def python_reference(folder: pathlib.Path) -> None:
    """Write a page for every public object from its docstring, and an index of tasks."""
    index = (
        "# The Python package\n\nPages are generated from docstrings. `help(sqfa_rs.SQFA)` shows the "
        "same text.\n"
    )
    singles = {one for names in TASKS.values() for one in names if one not in MODULES}
    for task, names in TASKS.items():
        pages = [
            full
            for one in names
            for full in ([one] if one not in MODULES else [n for n in public(one) if n not in singles])
        ]
        if not pages:
            continue
        rows = []
        for full in pages:
            module_name, _, name = full.rpartition(".")
            thing = getattr(importlib.import_module(module_name), name)
            write(folder / f"{full}.rst", object_page(full, thing))
            first = (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
            shown = full.removeprefix("sqfa_rs.")
            rows.append(f"| [`{shown}`]({full}.rst) | {plain(first)} |")
        index += f"\n## {task}\n\n| name | description |\n|---|---|\n" + "\n".join(rows)
        if "sqfa_rs.distances" in names:
            index += "\n\nEvery distance is also a function: see [distances](../distances.md).\n"
        index += "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"
    index += (
        "\n## Spark, Ray and PyTorch\n\nThe modules `sqfa_rs.spark`, `sqfa_rs.ray` and `sqfa_rs.torch` "
        "need their packages to be installed. See [clusters](../../user-guide/clusters.md) and\n"
        "[a loss for neural networks](../../user-guide/nonlinear.md).\n"
    )
    write(folder / "index.md", index)


def plain(text: str) -> str:
    """Convert the roles of docstrings to code in Markdown."""
    text = re.sub(r":\w+:`~?([^`]+)`", lambda found: f"`{found[1].split('.')[-1]}`", text)
    return text.replace("``", "`").replace("|", "\\|")


def object_page(full: str, thing: object) -> str:
    """Return the page of one class with its own methods, or of one function."""
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
    """Return whether a member is defined in this package and not in a base class of another one."""
    if inspect.isfunction(value) or inspect.ismethod(value):
        return value.__module__.startswith("sqfa_rs")
    where = next(cls for cls in owner.__mro__ if name in vars(cls))
    return isinstance(value, property) and where.__module__.startswith("sqfa_rs")


def catalogue(folder: pathlib.Path) -> None:
    """Write the pages of methods and settings, from the tables of the core."""
    from sqfa_rs import _core

    rows = [
        f"| `{one['name']}` | {one['title']} | {one['summary']} "
        f"| {'samples' if one['needs_points'] else 'class statistics'} "
        f"| {'yes' if one['seeded'] else 'no'} |"
        for one in _core.methods()
    ]
    write(
        folder / "methods.md",
        "# Methods\n\nThe values of `--method` in `sqfa fit` and of `--methods` in `sqfa compare`. "
        "In Python, each method is a class; see [the Python package](python/index.md).\n\n"
        "| name | name in the paper | description | learns from | random initialization |\n"
        "|---|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n\nIn `sqfa compare`, the suffix `+refine` selects the refined filters of a method "
        "(`--refine` in `sqfa fit`, `refine=True` in Python).\nRefinement optimizes the filters "
        "afterwards so that they predict the classes.\n",
    )
    write(folder / "settings.md", settings_page(_core.settings_table()))


def settings_page(table: list[dict[str, Any]]) -> str:
    """Return the page of settings, from the table of the core."""
    page = (
        "# Settings\n\nEach setting lists the methods that use it; `sqfa fit` rejects a flag that its "
        "method does not use.\nFlags and Python parameters accept the same values.\n"
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
    """Write the list of dated records behind the benchmarks: command, date and machine."""
    rows = []
    for record in reversed(all_records()):
        command = record.command.replace("|", "\\|")
        machine = record.held.get("machine")
        cores = machine.get("cores", machine.get("threads", "–")) if isinstance(machine, dict) else "–"
        shown = f"`{command}`" if command else "–"
        rows.append(f"| {record.date} | `{record.name}.json` | {shown} | {cores} |")
    write(
        folder / "records.md",
        "# Records\n\nThe folder `benchmarks/runs` of the repository holds the raw results of "
        f"benchmark runs as JSON: {len(rows)} records.\n\n"
        "| date | record | command | cores |\n|---|---|---|---|\n" + "\n".join(rows) + "\n",
    )


def plots(pages: pathlib.Path) -> None:
    """Draw the plots that pages of benchmarks ask for."""
    for page in (pages / "benchmarks").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        write(page, performance.filled(text, pages / "_static" / "measured", "../_static/measured"))


def rust(folder: pathlib.Path) -> None:
    """Write the page of the Rust library with its tour, an example that tests compile and run."""
    tour = (ROOT / "examples" / "rust" / "tour.rs").read_text(encoding="utf-8")
    order = re.findall(
        r"^pub mod (\w+);", (ROOT / "crates/sqfa/src/lib.rs").read_text("utf-8"), flags=re.M
    )
    write(
        folder / "rust.md",
        "# The Rust library\n\n`cargo doc --open -p sqfa` builds the reference of the crate `sqfa`. Its "
        "modules, in the order in which data pass through them, are "
        f"{', '.join(f'`{name}`' for name in order)}.\n\n## A tour\n\n"
        f"`cargo run --release -p sqfa --example tour` runs this example.\n\n```rust\n{tour}```\n",
    )


if __name__ == "__main__":
    main()
