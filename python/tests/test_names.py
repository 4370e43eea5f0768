"""What the package exports, that it needs no matplotlib, and the pairs of names in the glossary."""

import importlib
import pathlib
import re
import subprocess
import sys
from collections.abc import Mapping

import numpy as np
import pytest

import sqfa_rs
from sqfa_rs import ClassStatistics, _core, class_statistics, estimators

RECORDS = ["Candidate", "CurvePoint", "Initialization", "Progress", "Selection", "Trial"]


@pytest.mark.parametrize("missing", [False, True])
def test_a_star_import_does_without_matplotlib(missing):
    # None in sys.modules makes an import fail as if the package were not installed.
    script = f"""
import sys
if {missing}:
    sys.modules["matplotlib"] = None
from sqfa_rs import *
import sqfa_rs
assert "matplotlib.pyplot" not in sys.modules and "sqfa_rs.plots" not in sys.modules
assert set(sqfa_rs.__all__) - {{"__version__"}} <= set(globals()) | {{"__version__"}}
assert "Candidate" not in globals() and "plots" not in globals()
if {missing}:
    try:
        sqfa_rs.plots
    except ImportError as error:
        assert "sqfa-rs[plots]" in str(error)
    else:
        raise AssertionError
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_records_of_fits_are_importable_and_not_exported():
    for name in RECORDS:
        assert isinstance(getattr(sqfa_rs, name), type)
        assert name not in sqfa_rs.__all__
    assert len(set(sqfa_rs.__all__)) == len(sqfa_rs.__all__)


@pytest.mark.parametrize("module", ["baselines", "covariance", "geometry", "preprocessing", "typing"])
def test_everything_in_a_module_is_exported_and_exists(module):
    module = importlib.import_module(f"sqfa_rs.{module}")
    for name in module.__all__:
        assert hasattr(module, name)
    assert len(set(module.__all__)) == len(module.__all__)


def test_class_statistics_are_a_mapping(blobs):
    X, y = blobs
    statistics = class_statistics(X, y)
    assert isinstance(statistics, Mapping)
    names = ["classes", "counts", "means", "covariances", "second_moments"]
    assert list(statistics) == list(statistics.keys()) == names and len(statistics) == 5
    copied = dict(statistics)
    expected = [X[y == k].mean(axis=0) for k in range(3)]
    np.testing.assert_allclose(copied["means"], expected, rtol=0, atol=1e-12)
    assert "means" in statistics and "bounds" not in statistics and [] not in names
    assert statistics.get("bounds") is None
    with pytest.raises(KeyError, match="class statistics have classes, counts"):
        statistics["mean"]
    # As values of a set, and compared without looking at arrays.
    assert statistics == statistics and statistics != class_statistics(X, y)
    assert len({statistics, statistics}) == 1
    assert isinstance(ClassStatistics.from_moments(None, copied["second_moments"]), Mapping)


def test_the_glossary_has_every_parameter_with_its_flag():
    page = pathlib.Path(__file__).parents[2] / "docs/reference/glossary.md"
    if not page.exists():
        pytest.skip("the documents are not part of this installation")
    rows = re.findall(r"^\| `(\w+)`(?:, `\w+`)? \| `(--[\w-]+)` \|", page.read_text(), re.M)
    pairs = {row["parameter"]: row["flag"] for row in _core.settings_table()}
    pairs |= {"n_components": "--filters", "scaling": "--scaling", "random_state": "--seed"}
    pairs |= {"covariance_estimator": "--covariance-estimator", "n_jobs": "--threads"}
    written = dict(rows)
    assert {name: written.get(name) for name in pairs} == pairs


def test_the_html_of_every_estimator_links_to_its_page():
    page = pathlib.Path(__file__).parents[2] / "docs/build.py"
    if not page.exists():
        pytest.skip("the documents are not part of this installation")
    listed = re.search(r"^MODULES = \((.*?)^\)", page.read_text(), re.M | re.S)
    modules = re.findall(r'"(sqfa_rs[\w.]*)"', listed[1])
    pages = {f"{module}.{name}" for module in modules for name in exported(module)}
    for name in estimators.__all__:
        cls = getattr(estimators, name)
        if hasattr(cls, "get_params"):
            link = cls()._get_doc_link()
            site, _, found = link.removesuffix(".html").rpartition("/")
            assert site == "https://sqfa-developers.github.io/sqfa/reference/python"
            assert found in pages and link in cls()._repr_html_()


def exported(module):
    pytest.importorskip("dask")
    return importlib.import_module(module).__all__
