"""The examples in docstrings and documents run, and the scripts under examples too."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest
from patience import PATIENCE

import sqfa_rs

ROOT = pathlib.Path(__file__).parents[2]
MODULES = ["sqfa_rs"] + [
    module.name
    for module in pkgutil.walk_packages(sqfa_rs.__path__, "sqfa_rs.")
    if module.name != "sqfa_rs._core"
]


# Modules of what make test-spark, make test-ray and make test-torch install alone.
ENGINES = {"sqfa_rs.spark", "sqfa_rs.engines._spark", "sqfa_rs.ray", "sqfa_rs.torch"}


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    if name in ENGINES:
        pytest.importorskip(name, exc_type=ImportError)
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    modules = [importlib.import_module(name) for name in MODULES if name not in ENGINES]
    found = [test for module in modules for test in finder.find(module)]
    assert sum(bool(test.examples) for test in found) >= 16


PUBLIC = [
    getattr(module, name)
    for module in (
        sqfa_rs,
        sqfa_rs.baselines,
        sqfa_rs.covariance,
        sqfa_rs.datasets,
        sqfa_rs.distances,
        sqfa_rs.geometry,
        sqfa_rs.plots,
        sqfa_rs.preprocessing,
    )
    for name in module.__all__
    if name[0] != "_"
]


@pytest.mark.parametrize("thing", PUBLIC, ids=lambda thing: thing.__name__)
def test_everything_public_is_documented(thing):
    text = thing.__doc__ or ""
    assert text.strip()
    order = ["Parameters", "Attributes", "Returns", "See Also", "References", "Examples"]
    lines = [line.strip() for line in text.splitlines()]
    present = [lines.index(word) for word in order if word in lines]
    assert present == sorted(present)


SESSIONS = [
    page
    for page in sorted((ROOT / "docs").rglob("*.md"))
    # What needs Dask is run by test_dask.
    if ">>>" in page.read_text(encoding="utf-8") and "dask" not in page.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_documents(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(path), module_relative=False)
    assert result.attempted > 0 and result.failed == 0


TUTORIALS = sorted((ROOT / "examples" / "tutorials").glob("*.py"))
SCRIPTS = [*sorted((ROOT / "examples" / "python").glob("*.py")), *TUTORIALS]


def test_the_scripts_are_there():
    assert len(SCRIPTS) >= 3 + 8


@pytest.mark.parametrize("script", TUTORIALS, ids=lambda script: script.stem)
def test_tutorials_read_well(script):
    text = script.read_text(encoding="utf-8")
    title, rule = text.splitlines()[1:3]
    assert set(rule) == {"="} and len(rule) == len(title)
    # A thumbnail needs a figure, a reader words between blocks of code.
    assert text.count("\n# %%") >= 4 and "plots" in text
    assert "http" not in text and "fetch_" not in text


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_scripts(script, tmp_path):
    result = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", str(script)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=PATIENCE,
        env=os.environ | {"MPLBACKEND": "Agg"},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# Pages that docs/build.py generates.
MADE = re.compile(
    r"tutorials/(index|plot_\w+)\.rst|(python|command)/index\.md|reference/(methods|rust|settings)\.md$"
    r"|^(methods|rust|settings|records|contributing|architecture|changelog|security|conduct)\.md$"
)


def anchors(page):
    """The headings of a page as links name them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.S)
    for target in LINK.findall(text):
        script = re.search(r"tutorials/(plot_\w+)\.rst$", target)
        assert not script or (ROOT / "examples" / "tutorials" / f"{script[1]}.py").exists(), target
        if re.match(r"https?:|mailto:", target) or MADE.search(target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in anchors(there), f"{page.name}: {target}"


def test_imports_are_light():
    code = (
        "import sys, numpy, sklearn.base, sklearn.metrics, sklearn.utils.validation; "
        "before = set(sys.modules); import sqfa_rs; new = set(sys.modules) - before; "
        "print([m for m in ('matplotlib', 'pandas', 'polars', 'pyarrow', 'torch') if m in new])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_tables_of_benchmarks_match_their_records():
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "tables.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_five_sentences_of_the_rule_are_those_of_the_core():
    page = (ROOT / "docs/user-guide/scaling-and-noise.md").read_text(encoding="utf-8")
    core = (ROOT / "crates/sqfa/src/pipeline/mod.rs").read_text(encoding="utf-8")
    core = re.sub(r"\n//!\s*", " ", core).replace("[`WIDE`]", "256")
    sentences = re.findall(r"^\d\. (.*)$", page, flags=re.M)
    assert len(sentences) == 5
    assert [one for one in sentences if one not in core] == []
