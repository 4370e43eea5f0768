"""Catalog of the methods of the core, and the names of their settings."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _core

UNCONVERGED = "not-converged"
# Name of the core's warning about samples that are not independent.
DEPENDENT_ROWS = "dependent-rows"
"""Return the category of a warning, which is scikit-learn's own if it has one."""


class Setting(NamedTuple):
    """A setting that a method uses."""

    name: str
    """Name in files."""
    parameter: str
    """Parameter of the estimator."""
    reported: bool
    """Whether fits report it as a number."""
    whole: bool
    """Whether this number is whole."""
    selected: bool
    """Whether several values are candidates to select from on held-out samples."""
    default: str | None
    """Default of the method, as text."""

    def number(self, value: float) -> float | int:
        """Return a value as a Python object."""
        return int(value) if self.whole else value


METHODS: dict[str, dict[str, Any]] = {
    entry["name"]: entry | {"settings": [Setting(*one) for one in entry["settings"]]}
    for entry in _core.methods()
}
