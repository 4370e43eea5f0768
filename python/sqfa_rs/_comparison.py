"""Result of a comparison: a data frame that keeps its report."""

from __future__ import annotations

import html
import os
import pathlib
import sys
import tempfile
import webbrowser
from typing import Any

import pandas


class Comparison(pandas.DataFrame):  # type: ignore[misc]
    """Data frame with one row per method, number of components, seed and fold, and a report.

    See :func:`compare` for its columns. Selections of rows or columns are ordinary pandas data
    frames.
    """

    _metadata = ["_page"]  # noqa: RUF012 - the name pandas looks for
    _page: str

    @property
    def _constructor(self) -> Any:
        return pandas.DataFrame

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report as a self-contained HTML page.

        Parameters
        ----------
        path : path-like
            Path of the file to write.
        """
        pathlib.Path(path).write_text(self._page, encoding="utf-8")

    def show(self, height: int = 640) -> Any:
        """Show the report, in a notebook or in the browser.

        Parameters
        ----------
        height : int, default=640
            Height in a notebook in pixels.

        Returns
        -------
        object or path
            Object that a notebook displays, or the path of the file that was opened in the browser.
        """
        if "ipykernel" in sys.modules:
            return _Frame(self._page, height)
        folder = tempfile.mkdtemp(prefix="sqfa-")
        path = pathlib.Path(folder) / "report.html"
        self.report(path)
        webbrowser.open(path.as_uri())
        return path


class _Frame:
    """HTML page inside a notebook, isolated from the styles and scripts of the notebook."""

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="comparison of methods" srcdoc="{html.escape(self.page)}" '
            f'style="width:100%;height:{int(self.height)}px;border:0"></iframe>'
        )


def comparison(rows: list[dict[str, Any]], page: str) -> Comparison:
    """Return a comparison from its rows and its report."""
    frame = Comparison(rows)
    frame._page = page
    return frame
