"""What a comparison returns: a data frame that keeps its report."""

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
    """One row for every method, number of components, seed and fold, with the report of all.

    A pandas data frame; see :func:`compare` for its columns. Whatever is cut out of it is a plain frame.
    """

    _metadata = ["_page"]  # noqa: RUF012 - the name pandas looks for
    _page: str

    @property
    def _constructor(self) -> Any:
        return pandas.DataFrame

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report as one HTML page that needs no network.

        Parameters
        ----------
        path : path-like
            The file.
        """
        pathlib.Path(path).write_text(self._page, encoding="utf-8")

    def show(self, height: int = 640) -> Any:
        """Show the report: inside a notebook, elsewhere in the browser.

        Parameters
        ----------
        height : int, default=640
            Height in a notebook, in pixels.

        Returns
        -------
        object or path
            What a notebook displays; elsewhere the file that the browser was asked to open.
        """
        if "ipykernel" in sys.modules:
            return _Frame(self._page, height)
        folder = tempfile.mkdtemp(prefix="sqfa-")
        path = pathlib.Path(folder) / "report.html"
        self.report(path)
        webbrowser.open(path.as_uri())
        return path


class _Frame:
    """A page inside a notebook, apart from the notebook's own style and scripts."""

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="comparison of methods" srcdoc="{html.escape(self.page)}" '
            f'style="width:100%;height:{int(self.height)}px;border:0"></iframe>'
        )


def comparison(rows: list[dict[str, Any]], page: str) -> Comparison:
    """Rows and their report in one."""
    frame = Comparison(rows)
    frame._page = page
    return frame
