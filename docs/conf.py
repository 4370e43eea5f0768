"""Configuration of Sphinx; ``docs/build.py`` gathers the pages first and runs it."""

import os
import pathlib
import tomllib
import warnings

import matplotlib
from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

matplotlib.use("Agg")

# Deprecation warnings of Sphinx are for the authors of its extensions.
warnings.filterwarnings("ignore", module="myst_parser")

ROOT = pathlib.Path(os.environ["SQFA_ROOT"])
_settings = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]

project = "sqfa"
author = _settings["authors"][0]
copyright = author
version = release = _settings["version"]

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["tutorials/*.ipynb", "tutorials/*.py", "tutorials/*.md5", "**/sg_execution_times*"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
# Prices and shell variables are no formulas.
myst_dmath_allow_digits = False
html_math_renderer = "mathml"
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]
# Keep the two hyphens of a flag.
smartquotes = False

# -- the Python reference -----------------------------------------------------------------------------

autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# -- tutorials ----------------------------------------------------------------------------------------


def _look(_conf: object, _file: str) -> None:
    """Reset Matplotlib to the style of the package before every script."""
    import matplotlib.pyplot as plt

    from sqfa_rs import _style

    plt.rcdefaults()
    plt.rcParams.update(_style.settings())


sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples" / "tutorials")],
    "gallery_dirs": ["tutorials"],
    "within_subsection_order": "FileNameSortKey",
    "filename_pattern": r"plot_",
    "reset_modules": (_look,),
    "capture_repr": ("_repr_html_", "__repr__"),
    # Show axes and figures at the end of a block as images only.
    "ignore_repr_types": r"matplotlib|<class '(list|tuple)'>",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 3600,
    "write_computation_times": False,
    "remove_config_comments": True,
    "image_srcset": ["2x"],
    "thumbnail_size": (400, 280),
}

# -- the look -----------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_context = {"default_mode": "auto"}
html_title = f"sqfa {version}"
html_static_path = ["_static"]
html_css_files = ["sqfa.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_favicon = "_static/mark.svg"
html_theme_options = {
    "logo": {
        "text": "sqfa",
        "alt_text": "sqfa home page",
        "image_light": "_static/mark.svg",
        "image_dark": "_static/mark.svg",
    },
    # The home page needs no list of its sections.
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher", "navbar-icon-links"],
    "icon_links": [
        {
            "name": "Source code",
            "url": _settings["repository"],
            "icon": "fa-solid fa-code-branch",
        }
    ],
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": False,
}
html_sidebars = {"index": []}

# -- formulas -----------------------------------------------------------------------------------------


def _math(node: nodes.Node, display: str) -> str:
    """Return a formula as MathML, which browsers typeset without scripts or fonts from elsewhere."""
    return convert(node.astext(), display=display)


def _inline(translator: nodes.NodeVisitor, node: nodes.Node) -> None:
    translator.body.append(_math(node, "inline"))
    raise nodes.SkipNode


def _block(translator: nodes.NodeVisitor, node: nodes.Node) -> None:
    translator.body.append(f'<div class="formula">{_math(node, "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the renderer of formulas."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
