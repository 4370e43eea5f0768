"""The command ``sqfa`` of the wheel: the compiled half of sqfa_rs, without NumPy or scikit-learn.

A package of its own: importing anything of ``sqfa_rs`` imports scikit-learn, which takes a second.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import pathlib
import signal
import sys
from typing import Any


def main() -> int:
    """Run the command with the arguments of this process; returns its exit code."""
    for name in ("SIGINT", "SIGTERM"):
        # The command listens itself; Python would only leave a note for an interpreter that waits.
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    code: int = _core().main(["sqfa", *sys.argv[1:]])
    return code


def _core() -> Any:
    """The extension module beside the package, whose own code is not run."""
    package = importlib.util.find_spec("sqfa_rs")
    if package is None or package.submodule_search_locations is None:
        raise ImportError("the package sqfa_rs is not installed beside its command")
    for folder in package.submodule_search_locations:
        for ending in importlib.machinery.EXTENSION_SUFFIXES:
            path = pathlib.Path(folder) / f"_core{ending}"
            if path.exists():
                spec = importlib.util.spec_from_file_location("_core", path)
                assert spec is not None and spec.loader is not None
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
    raise ImportError(f"no compiled module in {', '.join(package.submodule_search_locations)}")
