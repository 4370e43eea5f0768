"""The command that the wheel ships: answers and exit codes of the binary, and Ctrl-C is heard."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from patience import PATIENCE

import sqfa_rs
from sqfa_rs import SQFA

COMMAND = [sys.executable, "-m", "sqfa_command"]


def run(*words, folder=None):
    return subprocess.run(
        [*COMMAND, *words], capture_output=True, text=True, cwd=folder, timeout=PATIENCE
    )


def test_version_help_and_wrong_usage():
    told = run("--version")
    assert (told.returncode, told.stdout) == (0, f"sqfa {sqfa_rs._core.__version__}\n")
    assert "Learn filters from data" in run("--help").stdout
    wrong = run("fit")
    assert wrong.returncode == 2 and "<DATA>" in wrong.stderr
    missing = run("inspect", "no-such-file.sqfa")
    assert missing.returncode == 1 and "no-such-file" in missing.stderr


def test_it_does_not_wait_for_scikit_learn():
    code = (
        "import sys, sqfa_command; core = sqfa_command._core(); "
        "print(core.__version__, 'numpy' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == [sqfa_rs._core.__version__, "False"]


def test_a_model_goes_from_python_to_the_command_and_back(blobs, tmp_path):
    X, y = blobs
    np.savez(tmp_path / "data.npz", X=X, y=y)
    assert run("fit", "data.npz", "-m", "2", "--out", "shell.sqfa", folder=tmp_path).returncode == 0
    here, shell = SQFA(2).fit(X, y), sqfa_rs.load(tmp_path / "shell.sqfa")
    assert np.array_equal(here.components_, shell.components_)
    inspected = run("inspect", "shell.sqfa", folder=tmp_path).stdout
    assert "sqfa" in inspected
    # What it writes about itself is the command as it was typed.
    run("compare", "data.npz", "-m", "1", "--methods", "pca", "--out", "made", folder=tmp_path)
    assert "sqfa compare data.npz -m 1" in (tmp_path / "made" / "spec.json").read_text()


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it(number, tmp_path):
    # It waits for points on standard input, which never come.
    process = subprocess.Popen(
        [*COMMAND, "stats", "-", "--label", "0", "--out", "all.stats"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        # Once the handler of the command is there, the process has read what it was given.
        process.stdin.write(b"a,1.0,2.0\nb,2.0,1.0\n" * 20000)
        process.stdin.flush()
        process.send_signal(number)
        assert process.wait(timeout=PATIENCE) in (130, -number)
    finally:
        process.kill()
        process.communicate()
    assert list(tmp_path.iterdir()) == []
