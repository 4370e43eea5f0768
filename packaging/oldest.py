"""Prints the oldest dependencies that the Python package accepts, as requirements for pip."""

import pathlib
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]


def oldest() -> list[str]:
    """Return every dependency with its lower bound as the exact version, such as ``numpy==1.26``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [bound.replace(">=", "==") for bound in project["dependencies"]]


if __name__ == "__main__":
    print(*oldest())
