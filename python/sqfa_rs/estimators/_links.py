"""Links from the HTML representation of estimators to their pages in the documentation."""

from __future__ import annotations

import importlib
from importlib.metadata import metadata

# Modules that export estimators, starting with the package itself.
_MODULES = ("sqfa_rs", "sqfa_rs.baselines", "sqfa_rs.preprocessing")


class Documented:
    """Estimator whose HTML representation links to its documentation page."""

    _doc_link_module = "sqfa_rs"
    _doc_link_template = "{site}/reference/python/{page}.html"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        """Return the values of the URL template."""
        module, name = type(self).__module__, type(self).__name__
        # Estimators for engines are public in the module that defines them, the others in the
        # modules that export them.
        if module.startswith("sqfa_rs.estimators"):
            exported = (one for one in _MODULES if name in importlib.import_module(one).__all__)
            module = next(exported, "sqfa_rs")
        return {"site": _site(), "page": f"{module}.{name}"}


def _site() -> str:
    """Return the URL of the documentation, from the metadata of the package."""
    addresses = metadata("sqfa-rs").get_all("Project-URL") or []
    named = dict(address.split(", ", 1) for address in addresses)
    return str(named["Documentation"])
