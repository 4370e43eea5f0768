"""The job array of examples/batch: a killed job is run again and nothing else changes."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "batch" / "run.sh"


def test_a_killed_job_is_run_again(tmp_path):
    command = os.environ.get("SQFA_COMMAND")
    if command is None or not SCRIPT.exists():
        pytest.skip("the command is not at hand")
    rng = np.random.default_rng(0)
    parts = tmp_path / "parts"
    parts.mkdir()
    for part in range(4):
        y = rng.integers(0, 3, 40)
        X = rng.normal(size=(40, 3)) * (1 + y[:, None])
        rows = [",".join(map(str, x)) + f",k{label}" for x, label in zip(X, y, strict=True)]
        (parts / f"{part}.csv").write_text("\n".join(["a,b,c,label", *rows]) + "\n")
    # The command, but its first summing of part 2 dies as by a scheduler's hand.
    deadly = tmp_path / "deadly"
    marker = tmp_path / "killed"
    deadly.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *2.csv*) [ -e {marker} ] || {{ touch {marker}; kill -9 $$; }};; esac\n'
        f'exec {command} "$@"\n'
    )
    deadly.chmod(0o755)

    def run(sums, model, sqfa):
        arguments = [str(SCRIPT), str(parts), str(tmp_path / sums), str(tmp_path / model)]
        return subprocess.run(
            arguments, env=os.environ | {"SQFA_COMMAND": str(sqfa)}, capture_output=True, text=True
        )

    assert run("plain", "plain.sqfa", command).returncode == 0
    killed = run("sums", "model.sqfa", deadly)
    assert killed.returncode == 1
    assert "2.csv failed" in killed.stderr
    assert not (tmp_path / "model.sqfa").exists()
    assert run("sums", "model.sqfa", deadly).returncode == 0
    assert (tmp_path / "sums.stats").read_bytes() == (tmp_path / "plain.stats").read_bytes()
