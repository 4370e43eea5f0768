"""Results are made from records: marks are known, numbers are the records', slopes are right."""

import json
import pathlib
import re
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
DOCS = ROOT / "docs"
if not DOCS.exists():
    pytest.skip("the documents are not part of this installation", allow_module_level=True)
sys.path.insert(0, str(DOCS))

import measured
import performance
import records

PAGES = sorted((DOCS / "results").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_mark_becomes_a_table_or_a_picture(page, tmp_path):
    text = page.read_text(encoding="utf-8")
    marks = re.findall(r"<!--", text)
    made = performance.filled(measured.filled(text), tmp_path, "shown")
    assert "<!--" not in made
    pictures = re.findall(r"!\[([^\]]+)\]\(shown/(\w+)\.svg\)", made)
    for alt, name in pictures:
        assert len(alt) > 40 and (tmp_path / f"{name}.svg").stat().st_size > 1000
    if page.stem == "performance":
        assert len(marks) >= 12 and len(pictures) == 5


def test_tables_of_the_same_records_name_them_once():
    text = "<!-- record: scaling -->\n\n<!-- record: slopes dimension -->\n\n<!-- record: fits -->"
    named = re.findall(r"^\*Record `([^`]+)`", measured.filled(text), flags=re.M)
    assert len(named) == len(set(named)) > 3


def test_every_table_names_a_record_that_exists_and_its_command():
    for name in ["accuracy mnist", "baselines svhn", "refined", "fits", "scaling", "peers", "python"]:
        made = measured.filled(f"<!-- record: {name} -->")
        sources = re.findall(r"^\*Record `([^`]+)` of `([^`]+)`", made, flags=re.M)
        assert sources
        for file, command in sources:
            assert (records.RUNS / file).exists()
            assert command.startswith(("sqfa-bench ", "python "))
            # Neither places nor dates of the machine that ran it.
            assert (
                "/" not in command.replace("benchmarks/python_speed.py", "") and "--date" not in command
            )


def test_numbers_are_those_of_the_newest_record():
    path = sorted(records.RUNS.glob("*-peers.json"))[-1]
    rows = json.loads(path.read_text(encoding="utf-8"))["result"]
    body, [source] = measured.made("peers")
    assert source.file == path.name
    for row, line in zip(rows, body.splitlines()[2:], strict=True):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[0] == row["set"]
        assert float(cells[2]) == pytest.approx(row["ours"]["auto"]["median_seconds"], abs=6e-4)
        assert float(cells[4].strip("×")) == pytest.approx(row["speedup"], abs=0.51)


def test_the_newest_record_wins_and_a_missing_one_is_told(tmp_path):
    for date, seconds in (("2025-01-01", 1.0), ("2025-03-01", 3.0), ("2025-02-01", 2.0)):
        (tmp_path / f"{date}-kernels.json").write_text(json.dumps({"seconds": seconds}))
    assert records.newest("kernels", tmp_path).held == {"seconds": 3.0}
    assert [one.date for one in records.newest_like(r"kern.*", tmp_path)] == ["2025-03-01"]
    with pytest.raises(LookupError, match="no record 'fits'"):
        records.newest("fits", tmp_path)
    with pytest.raises(LookupError, match="no .* table"):
        measured.filled("<!-- record: nothing -->")


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0, 3.0])
def test_a_slope_is_the_exponent_of_a_power_law(power):
    x = np.array([100, 300, 1000, 5000])
    assert performance.slope(x, 7e-6 * x**power) == pytest.approx(power)


def test_limits_of_a_pass_are_bytes_and_operations():
    machine = {"threads": 2, "read_gb_per_second": 10.0, "half_gram_60000x784_f32_seconds": 1.0}
    record = records.Record("scaling", "2025-01-01", {"machine": machine})
    # Five covariances of 1000 × 1000 f32 numbers: 20 MB, of which half is read.
    fit = {"covariance_bytes": 20_000_000, "filters": 8}
    reading, arithmetic = performance.pass_limits(record, fit, 1000)
    assert reading == pytest.approx(10e6 / 10e9)
    assert arithmetic == pytest.approx(2 * 5 * 1000**2 * 8 / (60_000 * 784**2))
