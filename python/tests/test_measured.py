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

import performance
import records
import tables

PAGES = sorted((DOCS / "benchmarks").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_mark_becomes_a_table_or_a_picture(page, tmp_path):
    made = performance.filled(tables.filled(page.read_text(encoding="utf-8")), tmp_path, "shown")
    left = [mark for mark in re.findall(r"<!-- ([^\n]*) -->", made) if not mark.startswith("table: ")]
    assert set(left) <= {"end of table"}
    pictures = re.findall(r"!\[([^\]]+)\]\(shown/(\w+)\.svg\)", made)
    for alt, name in pictures:
        assert len(alt) > 40 and (tmp_path / f"{name}.svg").stat().st_size > 1000
    if page.stem == "performance":
        assert made.count("<!-- table: ") >= 7 and len(pictures) == 5


def test_every_table_names_records_that_exist_and_their_commands():
    for name in ["accuracy mnist", "baselines svhn", "refined", "fits", "scaling", "peers", "python"]:
        body, sources = tables.made(name)
        assert sources and body.startswith("|")
        for record in sources:
            assert (records.RUNS / record.file).exists()
            assert record.file in record.source
            command = re.search(r"`((?:sqfa-bench|python) [^`]+)`", record.source)
            assert command, record.source
            # Neither places nor dates of the machine that ran it.
            own = command[1].replace("benchmarks/python_speed.py", "")
            assert "/" not in own and "--date" not in own


def test_numbers_are_those_of_the_newest_record():
    path = sorted(records.RUNS.glob("*-peers.json"))[-1]
    rows = json.loads(path.read_text(encoding="utf-8"))["result"]
    body, [source] = tables.made("peers")
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
    with pytest.raises(LookupError, match="no table"):
        tables.made("nothing")


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
