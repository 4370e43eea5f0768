"""The catalogue of methods, which the core keeps, and the names of their settings."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _core

UNCONVERGED = "not-converged"
# The name of the warning of the core about samples that depend on each other.
DEPENDENT_ROWS = "dependent-rows"
"""The kind of warning that scikit-learn has its own class for."""


class Setting(NamedTuple):
    """A setting that a method uses."""

    name: str
    """The name in files."""
    parameter: str
    """The parameter of the estimator."""
    reported: bool
    """Whether fits report it as a number."""
    whole: bool
    """Whether that number is whole."""
    selected: bool
    """Whether several values are a list to select from on held-out samples."""
    default: str | None
    """The default of the method, as text."""

    def number(self, value: float) -> float | int:
        """A value as Python shows it."""
        return int(value) if self.whole else value


METHODS: dict[str, dict[str, Any]] = {
    entry["name"]: entry | {"settings": [Setting(*one) for one in entry["settings"]]}
    for entry in _core.methods()
}
