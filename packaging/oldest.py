"""Prints the oldest dependencies that the Python package accepts, as requirements for pip."""

import pathlib
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]


def oldest() -> list[str]:
    """Return every dependency with its lower bound as the exact version, such as ``numpy==1.26``.

    Those of the extra ``all`` are included, because many tests import pandas and Matplotlib.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = [*project["dependencies"], *project["optional-dependencies"]["all"]]
    return [bound.replace(">=", "==") for bound in bounds]


if __name__ == "__main__":
    print(*oldest())
