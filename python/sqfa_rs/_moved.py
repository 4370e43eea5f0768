"""Where classes lived in earlier versions, so that pickles made then still load."""

from __future__ import annotations

import importlib
import sys

# Modules of earlier versions whose classes stand in pickles, and where these are now.
_MOVED = {
    "_baseline": "estimators._results",
    "_classifiers": "estimators._classifiers",
    "_eigen": "estimators._eigen",
    "_likelihood": "estimators._likelihood",
    "_neighbours": "estimators._neighbours",
    "_qda": "estimators._qda",
    "_results": "estimators._results",
    "_sqfa": "estimators._sqfa",
    "_statistics": "data",
}


def register() -> None:
    """Make the earlier names importable."""
    for old, new in _MOVED.items():
        module = importlib.import_module(f"{__package__}.{new}")
        sys.modules.setdefault(f"{__package__}.{old}", module)
