"""The built site in a browser: nothing is missing, nothing is asked of the network, search finds words.

``make docs-test`` builds the site first and names its folder in ``SQFA_SITE``.
"""

import functools
import http.server
import itertools
import os
import pathlib
import re
import shutil
import threading
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from patience import PATIENCE

SITE = pathlib.Path(os.environ.get("SQFA_SITE", ""))
if not os.environ.get("SQFA_SITE"):
    pytest.skip("no site: make docs-test builds one", allow_module_level=True)
PAGES = sorted(
    path.relative_to(SITE).as_posix()
    for path in SITE.rglob("*.html")
    if path.relative_to(SITE).parts[0] != "_static"
)
# One page of every kind.
SAMPLES = [
    "index.html",
    "tutorials/index.html",
    "tutorials/plot_01_first_filters.html",
    "tutorials/plot_04_digits.html",
    "get-started/index.html",
    "get-started/python.html",
    "user-guide/python.html",
    "user-guide/index.html",
    "user-guide/comparing-methods.html",
    "user-guide/input-data.html",
    "user-guide/pipelines.html",
    "user-guide/troubleshooting.html",
    "reference/index.html",
    "reference/python/index.html",
    "reference/python/sqfa_rs.SQFA.html",
    "reference/command/sqfa-fit.html",
    "reference/methods.html",
    "reference/distances.html",
    "background/method.html",
    "background/optimization.html",
    "background/fisher-rao.html",
    "benchmarks/accuracy.html",
    "benchmarks/performance.html",
    "benchmarks/outliers.html",
    "benchmarks/paper.html",
    "benchmarks/records.html",
    "development/changelog.html",
    "development/contributing.html",
]
FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that keeps its remarks to itself."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    path = shutil.which("chromium")
    if path is None:
        assert not os.environ.get("CI"), "CI needs chromium"
        pytest.skip("no chromium")
    with sync_api.sync_playwright() as play:
        running = play.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def opened(browser, address):
    """Open a page and note what goes wrong."""
    contexts = []

    def open_page(name, width=1280, scheme="light"):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000.0 * PATIENCE)
        page.problems = []
        page.on("console", lambda said: said.type == "error" and page.problems.append(said.text))
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("requestfailed", lambda request: page.problems.append(request.url))

        def notice(request):
            if not request.url.startswith((address, "data:", "blob:")):
                page.problems.append(f"asks {request.url}")

        page.on("request", notice)
        page.goto(address + name, wait_until="load")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(("width", "scheme"), [(1366, "light"), (390, "dark")])
def test_a_page_is_whole(opened, name, width, scheme):
    page = opened(name, width, scheme)
    assert page.problems == []
    # Nothing sticks out to the side.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h1").count() == 1
    assert page.locator("img:not([alt])").count() == 0
    broken = "all => all.filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
    assert page.locator("main img").evaluate_all(broken) == []
    # Headings go down one step at a time.
    levels = page.locator("article h1, article h2, article h3, article h4").evaluate_all(
        "all => all.map(h => Number(h.tagName[1]))"
    )
    assert levels[0] == 1 and all(b - a <= 1 for a, b in itertools.pairwise(levels))


CONTRAST = """() => {
  const light = c => c <= 10.31 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4;
  const parse = text => text.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const weak = [];
  const texts = 'article p, article li, article a, article td, article pre span, nav a';
  for (const element of document.querySelectorAll(texts)) {
    if (!element.innerText || !element.offsetParent) continue;
    const [a, b] = [parse(getComputedStyle(element).color), behind(element)].map(luminance);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const told = `${ratio.toFixed(2)} ${element.tagName} ${element.innerText.slice(0, 40)}`;
    if (ratio < 4.5) weak.push(told);
  }
  return weak.slice(0, 5);
}"""


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out(opened, name, scheme):
    # The ratio of WCAG 2, 1.4.3.
    assert opened(name, scheme=scheme).evaluate(CONTRAST) == []


def hits(opened, words):
    """The pages that a search finds, best first."""
    page = opened(f"search.html?q={words}")
    page.locator("#search-results .search-summary", has_text="found").wait_for()
    links = page.locator("#search-results ul.search li a").evaluate_all("all => all.map(a => a.href)")
    assert page.problems == []
    return links


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("UMAP", "user-guide/nonlinear.html"),
        ("explained variance", "user-guide/pipelines.html"),
        ("cross-validation", "user-guide/pipelines.html"),
        ("pandas", "user-guide/input-data.html"),
        ("missing values", "user-guide/input-data.html"),
        ("noise", "user-guide/scaling-and-noise.html"),
    ],
)
def test_search_finds_the_page_that_explains_it(opened, words, expected):
    found = hits(opened, words)
    assert any(expected in link for link in found[:2]), found[:5]
    assert not any("changelog" in link for link in found)


def test_formulas_are_typeset(opened):
    page = opened("background/method.html")
    assert page.locator("math").count() > 20
    # A formula that was not converted would show its source.
    assert "\\Sigma" not in page.locator("article").inner_text()


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("width", [1366, 390])
def test_no_content_is_clipped(opened, name, width):
    # Wide tables, code and formulas may scroll inside themselves.
    clipped = """all => all.filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0
        && getComputedStyle(e).overflowX === 'hidden').map(e => e.outerHTML.slice(0, 120))"""
    assert opened(name, width).locator("article *").evaluate_all(clipped) == []


def test_every_page_links_the_repository():
    cargo = (pathlib.Path(__file__).parents[2] / "Cargo.toml").read_text(encoding="utf-8")
    address = re.search(r'^repository = "(.+)"$', cargo, re.M)[1]
    assert [page for page in PAGES if address not in (SITE / page).read_text(encoding="utf-8")] == []


def test_keys_reach_search_and_main_text(opened):
    page = opened("index.html")
    page.keyboard.press("Tab")
    focused = page.evaluate("document.activeElement.innerText || document.activeElement.textContent")
    assert "Skip to main content" in focused
    page.keyboard.press("Control+k")
    page.locator("dialog input[type=search], #pst-search-dialog input").first.wait_for(state="visible")


HREF = re.compile(r"""<(?:a|link|img|script)[^>]*?\s(?:href|src)=["']([^"']+)["']""")
IDS = re.compile(r"""\sid=["']([^"']+)["']""")


@functools.cache
def ids(page):
    return set(IDS.findall((SITE / page).read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES)
def test_links_resolve(page):
    missing = []
    for link in set(HREF.findall((SITE / page).read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            # Other places may be named, but nothing may be loaded from them.
            continue
        target, fragment = urldefrag(urljoin(page, unquote(link).split("?")[0]))
        fragment = fragment or urldefrag(link)[1]
        target = target or page
        there = (SITE / target).is_file()
        if there and fragment and target.endswith(".html"):
            there = unquote(fragment) in ids(target)
        if not there:
            missing.append(link)
    assert missing == []


@pytest.mark.parametrize("page", PAGES)
def test_readers_by_ear_find_their_way(page):
    text = (SITE / page).read_text(encoding="utf-8")
    assert (
        re.search(r'<html[^>]*\slang="en"', text)
        and "<main" in text
        and re.search(r"<title>.+?</title>", text, re.S)
    )
    assert len(re.findall(r"<h1[ >]", text)) == 1 or page in ("genindex.html", "search.html")
    article = text.partition("<article")[2].partition("</article")[0]
    # Thumbnails stand beside the title that says the same.
    pictures = re.findall(r"<img(?![^>]*_thumb\.png)[^>]*>", article)
    assert [one for one in pictures if not re.search(r'\salt="[^"]+"', one)] == []


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_loaded_from_elsewhere(page):
    text = (SITE / page).read_text(encoding="utf-8")
    loaded = re.findall(r"""<(?:link|script|img|iframe)[^>]*?\s(?:href|src)=["'](https?:[^"']+)""", text)
    assert loaded == []


def test_every_tutorial_is_a_notebook_as_well():
    scripts = sorted((pathlib.Path(__file__).parents[2] / "examples" / "tutorials").glob("*.py"))
    downloads = {path.name for path in (SITE / "_downloads").rglob("*")}
    for script in scripts:
        assert (SITE / "tutorials" / f"{script.stem}.html").exists()
        assert {script.name, f"{script.stem}.ipynb"} <= downloads
