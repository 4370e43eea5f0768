"""The command ``sqfa`` in a process that stays: a process per command takes longer than a small fit."""

import json
import pathlib
import subprocess
import sys
import tempfile
from typing import NamedTuple

# Reads the words of a command from a line, runs it and writes its exit code. What the command prints
# goes to a file; on wrong usage it ends the process.
_LOOP = """
import json, os, sys
from sqfa_command import _core
core, answers = _core(), os.fdopen(os.dup(1), "w")
for line in sys.stdin:
    printed, words = json.loads(line)
    file = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1), os.dup2(file, 2), os.close(file)
    print(core.main(["sqfa", *words]), file=answers, flush=True)
"""


class Outcome(NamedTuple):
    """How a command ended, and all that it printed."""

    code: int
    printed: str


class CommandWorker:
    """Runs commands one after the other."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._folder = tempfile.TemporaryDirectory()
        self._printed = pathlib.Path(self._folder.name) / "printed"

    def run(self, *words: object) -> Outcome:
        """Run the command with these words."""
        if self._process is None:
            line = [sys.executable, "-c", _LOOP]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(line, stdin=pipe, stdout=pipe, text=True)
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps([str(self._printed), [str(word) for word in words]]) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            self.close()
        code = int(answer) if answer else process.returncode
        return Outcome(code, self._printed.read_text(errors="replace"))

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.communicate()
            self._process = None
