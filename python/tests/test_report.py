"""The HTML report in a real browser: no errors, no requests, every chart, and everything that moves."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest
from patience import PATIENCE

ROOT = pathlib.Path(__file__).parents[2]
COMMAND = pathlib.Path(os.environ.get("SQFA_COMMAND", ROOT / "target" / "debug" / "sqfa"))
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HOSTILE = "</script><img src=x onerror=alert(1)> & 'co'"


def missing():
    """What the tests lack, in words; on CI a lack is a failure, not a skip."""
    if not COMMAND.exists():
        return "the command sqfa was not built; set SQFA_COMMAND"
    if CHROMIUM is None:
        return "no chromium; on Debian: apt-get install chromium"
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "no playwright; pip install playwright"
    return None


@pytest.fixture(scope="module", autouse=True)
def needed():
    lack = missing()
    if lack and os.environ.get("CI") == "true":
        pytest.fail(f"the report was not tested: {lack}")
    if lack:
        pytest.skip(f"THE REPORT IS NOT TESTED: {lack}")


def make(folder, name, X, y, *flags, X_test=None, y_test=None):
    """Writes data, compares methods and returns the page and the printed object."""
    arrays = {"X_train": X, "y_train": y}
    if X_test is not None:
        arrays |= {"X_test": X_test, "y_test": y_test}
    np.savez(folder / f"{name}.npz", **arrays)
    page = folder / f"{name}.html"
    line = [COMMAND, "compare", f"{name}.npz", "--report", page.name, "--json", *flags]
    said = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    return page, json.loads(said.stdout)


def draw(rng, per_class, classes, dimensions):
    """Classes that differ in four dimensions: long ellipses turn in two, means go round in two.

    Larger variances elsewhere mislead principal components.
    """
    y = np.repeat(np.arange(classes), per_class)
    X = rng.normal(size=(y.size, dimensions))
    angle = np.pi * y / classes
    long, short = 6 * X[:, 0], 0.3 * X[:, 1]
    X[:, 0] = np.cos(angle) * long - np.sin(angle) * short
    X[:, 1] = np.sin(angle) * long + np.cos(angle) * short
    X[:, 2] = X[:, 2] + 4 * np.cos(2 * angle)
    X[:, 3] = X[:, 3] + 4 * np.sin(2 * angle)
    X[:, 4:8] *= 12
    return X.astype(np.float32), y


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Forty-one classes of small images with a test part."""
    rng = np.random.default_rng(1)
    X, y = draw(rng, 60, 41, 24)
    X_test, y_test = draw(rng, 30, 41, 24)
    folder = tmp_path_factory.mktemp("many")
    flags = ["--methods", "sqfa,sqfa-h,lda,pca", "--filters", "2,3,4", "--seeds", "2"]
    flags += ["--classifiers", "qda,knn", "--image", "6x4"]
    return make(folder, "many", X, y, *flags, X_test=X_test, y_test=y_test)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Two classes, one with a hostile name, and no test part."""
    rng = np.random.default_rng(2)
    X, y = draw(rng, 120, 2, 5)
    names = np.array(["plain", HOSTILE])[y]
    folder = tmp_path_factory.mktemp("two")
    return make(folder, "two", X, names, "--methods", "sqfa,lda,pca", "--filters", "2,3", "--seeds", "2")


class Browser:
    """A page that remembers errors and requests."""

    def __init__(self, context, address):
        self.page = context.pages[0] if context.pages else context.new_page()
        self.page.set_default_timeout(1000.0 * PATIENCE)
        self.problems = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.problems.append("a dialog"), dialog.dismiss()))
        self.page.on("request", self.note)
        self.page.goto(address)

    def note(self, request):
        if not request.url.startswith(("file:", "data:")):
            self.problems.append(f"a request to {request.url}")


@pytest.fixture
def opened(tmp_path):
    """Opens a page in a fresh profile at a given width."""
    from playwright.sync_api import sync_playwright

    contexts = []
    with sync_playwright() as playwright:

        def open_page(page, width=1280, scheme="light"):
            context = playwright.chromium.launch_persistent_context(
                tmp_path / f"profile{len(contexts)}",
                executable_path=CHROMIUM,
                args=FLAGS,
                viewport={"width": width, "height": 900},
                color_scheme=scheme,
            )
            contexts.append(context)
            return Browser(context, page.as_uri())

        yield open_page
        for context in contexts:
            context.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("which", ["many", "two"])
def test_opens_without_errors_or_requests_and_fits_the_screen(which, width, scheme, opened, request):
    page, _ = request.getfixturevalue(which)
    browser = opened(page, width, scheme)
    assert browser.problems == []
    assert browser.page.evaluate("document.documentElement.scrollWidth") <= width
    ink, paper = browser.page.evaluate(
        "(s => [s.color, s.backgroundColor])(getComputedStyle(document.body))"
    )
    brightness = [sum(map(int, re.findall(r"\d+", color)[:3])) for color in (ink, paper)]
    assert (brightness[0] < brightness[1]) == (scheme == "light")


def test_every_chart_is_there_with_its_series(many, opened):
    page, report = many
    web = opened(page).page
    methods = web.locator("#methods")
    # QDA and kNN against filters, and accuracy against time.
    charts = methods.locator("svg.figure")
    assert charts.count() == 3
    for at in range(3):
        series = charts.nth(at).locator("g[data-series]")
        names = series.evaluate_all("all => all.map(g => g.dataset.series)")
        assert names == ["SQFA", "SQFA-H", "LDA", "PCA"]
    # Three numbers of filters, four methods, none of which is beyond any.
    points = charts.nth(0).locator("circle[data-tip]")
    assert points.count() == 12
    assert methods.locator("tbody tr").count() == len(report["summary"]) == 12
    chosen = report["recommendation"]["filters"]
    assert web.locator("#filters img.pixels").count() == chosen
    assert web.locator("#gallery img.pixels").count() == 4 * chosen
    assert web.locator("#space g.points").count() == 41
    assert web.locator("#space path.ellipse").count() == 41
    heat = web.locator("#classes svg.figure")
    assert heat.nth(0).locator("rect[data-tip]").count() == 41 * 41
    assert heat.nth(1).locator("rect[data-tip]").count() == 41
    assert heat.nth(2).locator("rect[data-tip]").count() == 41 * 41
    assert web.locator("#separate .choice").count() == 6
    assert web.locator("#convergence svg.figure").count() == 2
    # Every figure says what it is, every picture has a text.
    assert web.locator("svg.figure:not([aria-label])").count() == 0
    assert web.locator("img:not([alt])").count() == 0
    assert web.locator("nav a").count() == web.locator("section").count()


def test_the_best_accuracy_is_what_the_command_printed(many, opened):
    page, report = many
    web = opened(page).page
    chosen = report["recommendation"]
    text = web.locator("#recommendation").inner_text()
    assert f"{100 * chosen['accuracy']:.1f} %" in text
    assert f"{chosen['filters']} filters" in text


def test_keys_hide_and_show_series(many, opened):
    web = opened(many[0]).page
    key = web.locator("#methods button[data-toggle='SQFA-H']")
    marks = web.locator("#methods [data-series='SQFA-H']")
    visible = "all => all.filter(mark => getComputedStyle(mark).display !== 'none').length"
    assert marks.evaluate_all(visible) == marks.count() > 0
    key.click()
    assert key.get_attribute("aria-pressed") == "false"
    assert marks.evaluate_all(visible) == 0
    others = web.locator("#methods [data-series='SQFA']")
    assert others.evaluate_all(visible) == others.count()
    key.press("Enter")
    assert marks.evaluate_all(visible) == marks.count()
    web.locator("#space button[data-all='false']").click()
    points = web.locator("#space g.points")
    assert points.evaluate_all(visible) == 0
    web.locator("#space button[data-toggle='7']").click()
    assert points.evaluate_all(visible) == 1


def test_tables_sort_by_value_both_ways(many, opened):
    web = opened(many[0]).page
    table = web.locator("#methods table")
    cells = table.locator("tbody td:nth-child(3)")
    values = "all => all.map(cell => Number(cell.dataset.value))"
    head = table.locator("thead th").nth(2)
    head.locator("button").click()
    falling = cells.evaluate_all(values)
    assert falling == sorted(falling, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.locator("button").click()
    rising = cells.evaluate_all(values)
    assert rising == sorted(rising)
    names = table.locator("tbody th")
    table.locator("thead th").nth(0).locator("button").click()
    listed = names.all_inner_texts()
    assert listed == sorted(listed)


def test_pointing_at_a_mark_tells_its_value(many, opened):
    page, report = many
    web = opened(page).page
    tip = web.locator("#tip")
    assert tip.is_hidden()
    point = web.locator("#methods svg.figure").nth(0).locator("circle[data-tip]").first
    point.scroll_into_view_if_needed()
    point.hover(force=True)
    assert tip.is_visible()
    line = next(s for s in report["summary"] if s["filters"] == 2)
    # Marks of other methods may lie on top; each tells some accuracy of two filters.
    assert re.search(r"2 filters: \d+\.\d %", tip.inner_text()), (tip.inner_text(), line)


def test_other_filters_move_points_and_ellipses(many, opened):
    web = opened(many[0]).page
    ellipse = web.locator("#space path.ellipse").first
    point = web.locator("#space g.points path").first
    before = (ellipse.get_attribute("d"), point.bounding_box())
    count = web.locator("#space-y option").count()
    web.locator("#space-y").select_option(str(count - 1))
    web.locator("#space-x").select_option("1")
    assert web.locator("#space .x-label").text_content() == "filter 2"
    assert web.locator("#space .y-label").text_content() == f"filter {count}"
    assert ellipse.get_attribute("d") != before[0]
    assert point.bounding_box() != before[1]
    # Back again, everything is where it was drawn.
    web.locator("#space-x").select_option("0")
    web.locator("#space-y").select_option("1")
    paths = (before[0], ellipse.get_attribute("d"))
    numbers = [[float(n) for n in re.findall(r"-?[\d.]+", path)] for path in paths]
    # Two roundings to a tenth of a step and one to a tenth of a pixel.
    assert np.abs(np.subtract(*numbers)).max() < 1.5
    box = point.bounding_box()
    assert abs(box["x"] - before[1]["x"]) < 0.5 and abs(box["y"] - before[1]["y"]) < 0.5


def test_one_pair_of_classes_at_a_time(many, opened):
    web = opened(many[0]).page
    shown = """all => all.filter(block => getComputedStyle(block).display !== 'none')
                         .map(block => block.dataset.choice)"""
    blocks = web.locator("#separate .choice")
    assert blocks.evaluate_all(shown) == ["0"]
    web.locator("#separate-pair").select_option("3")
    assert blocks.evaluate_all(shown) == ["3"]
    web.emulate_media(media="print")
    assert len(blocks.evaluate_all(shown)) == blocks.count()


def test_two_classes_without_images_and_names_with_markup(two, opened):
    browser = opened(two[0])
    web = browser.page
    assert browser.problems == []
    assert web.locator("img[src='x']").count() == 0
    assert HOSTILE in web.locator("#space .keys").inner_text()
    # LDA gives one filter for two classes; more are not applicable.
    assert "n/a" in web.locator("#methods table").inner_text()
    assert web.locator("#filters svg.figure").count() == two[1]["recommendation"]["filters"]
    heat = web.locator("#classes svg.figure").nth(0)
    assert heat.locator("rect[data-tip]").count() == 4


def test_the_page_is_small(many):
    assert many[0].stat().st_size < 5_000_000
