"""The command on a terminal: progress stays on one line, however narrow, and disappears at the end."""

from __future__ import annotations

import os
import pathlib
import re
import struct
import subprocess

import pytest

COMMAND = pathlib.Path(
    os.environ.get("SQFA_COMMAND", pathlib.Path(__file__).parents[2] / "target" / "debug" / "sqfa")
)
COLUMNS = 40


def table(rows: int) -> str:
    """Return three classes in six columns, as a table whose label column must be named."""
    lines = ["a,b,c,d,e,f,species"]
    for row in range(rows):
        cells = [f"{((row * 37 + k * 11) % 101) / 10 + (row % 3):.2f}" for k in range(6)]
        lines.append(",".join([*cells, "xyz"[row % 3]]))
    return "\n".join(lines) + "\n"


def run(folder: pathlib.Path, *words: str) -> bytes:
    """Run the command with errors on a terminal of 40 columns and return all that it wrote there."""
    fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    for name in ("COLUMNS", "CI"):
        environment.pop(name, None)
    process = subprocess.Popen(
        [str(COMMAND), *words],
        cwd=folder,
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    os.close(ours)
    assert process.wait() == 0, written.decode()
    return written


def screen(written: str) -> list[str]:
    """Return the lines that a terminal shows in the end."""
    lines, row, column = [""], 0, 0
    for control, digits, kind, text in re.findall(r"(\x1b\[)([0-9;?]*)([A-Za-z])|([\s\S])", written):
        if control:
            count = int(digits) if digits.isdigit() else 1
            if kind == "A":
                row = max(row - count, 0)
            elif kind == "B":
                row += count
            elif kind == "D":
                column = max(column - count, 0)
            elif kind == "G":
                column = count - 1
            elif kind == "K":
                lines[row] = "" if digits == "2" else lines[row][:column]
            elif kind == "J":
                lines[row:] = [lines[row][:column]]
        elif text == "\r":
            column = 0
        elif text == "\n":
            row, column = row + 1, 0
        else:
            if column == COLUMNS:
                row, column = row + 1, 0
            while len(lines) <= row:
                lines.append("")
            lines[row] = lines[row].ljust(column)[:column] + text + lines[row][column + 1 :]
            column += 1
        while len(lines) <= row:
            lines.append("")
    return lines


@pytest.mark.skipif(not COMMAND.exists(), reason="the command sqfa was not built; set SQFA_COMMAND")
def test_progress_stays_on_one_line_and_disappears(tmp_path):
    name = "a table with a name that is longer than the terminal is wide.csv"
    (tmp_path / name).write_text(table(240))
    for words in (
        ["fit", name, "--label", "species", "-m", "2", "--out", "m.sqfa"],
        ["compare", name, "--label", "species", "--methods", "sqfa,lda,lmnn", "-m", "2", "--seeds", "2"],
    ):
        written = run(tmp_path, *words).decode()
        # Progress is drawn: the name of the file is cut, since the line must not wrap.
        assert "reading a table" in written
        shown = screen(written)
        assert [line for line in shown if " · " in line or "reading" in line] == [], shown


@pytest.mark.skipif(not COMMAND.exists(), reason="the command sqfa was not built; set SQFA_COMMAND")
def test_quiet_draws_nothing(tmp_path):
    (tmp_path / "t.csv").write_text(table(60))
    assert run(tmp_path, "fit", "t.csv", "--label", "species", "-m", "2", "--out", "m.sqfa", "-q") == b""
