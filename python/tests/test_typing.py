"""Types that users see: names are literals, and these are the names that the core knows."""

import pathlib
import re
import subprocess
import sys
from typing import get_args

import pytest

from sqfa_rs import SQFA, _core, distances, typing

SCRIPT = pathlib.Path(__file__).parent / "typed_user.py"


def test_a_typed_script_passes_and_every_misspelled_name_is_an_error(tmp_path):
    pytest.importorskip("mypy")
    # A script of a user elsewhere: neither the settings nor the sources of this repository apply.
    script = tmp_path / "user.py"
    script.write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    options = ["--strict", "--config-file", "", "--no-error-summary"]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, script.name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert not run.stderr
    found = {int(line) for line in re.findall(r"^user\.py:(\d+): error", run.stdout, re.M)}
    lines = script.read_text(encoding="utf-8").splitlines()
    expected = {number for number, line in enumerate(lines, 1) if line.endswith("# typo")}
    assert expected and found == expected, run.stdout


@pytest.mark.parametrize(
    ("parameter", "literal"),
    [
        ("constraint", typing.Constraint),
        ("covariance_estimator", typing.EstimatorName),
        ("init", typing.Init),
        ("local_scale", typing.LocalScale),
        ("optimizer", typing.Optimizer),
        ("scaling", typing.Scaling),
        ("solver", typing.Solver),
    ],
)
def test_literals_are_the_names_of_the_core(parameter, literal):
    assert set(get_args(literal)) - {"auto"} == set(_core.choices()[parameter]) - {"auto"}


def test_every_parameter_of_names_has_a_literal():
    literals = {"constraint", "covariance_estimator", "init", "local_scale", "optimizer", "scaling"}
    assert set(_core.choices()) == literals | {"distance", "solver"}


def test_distances_are_those_of_the_core_with_parameters_that_are_names():
    expected = set()
    for name, _, parameter in _core.distance_names():
        if parameter in ("", "moments"):
            expected.add(name)
        if parameter == "moments":
            expected |= {f"{name}:second-moments", f"{name}:covariances"}
    literal = set(get_args(typing.DistanceName))
    assert literal == expected
    # The others need a number.
    assert set(distances.names()) - expected == {"chernoff", "calvo-oller-t"}


def test_names_with_numbers_are_names(blobs):
    X, y = blobs
    name = typing.NamedWithNumber("chernoff:0.3")
    assert SQFA(1, distance=name, noise=0.1).fit(X, y).converged_
