"""How estimators and comparisons show themselves in notebooks, terminals and reports."""

import io
import re
import sys

import numpy as np
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline

from sqfa_rs import QDA, SQFA, class_statistics, compare, distances
from sqfa_rs.baselines import LDA, PCA, LinearClassifier
from sqfa_rs.estimators._summary import _png, held_out_accuracy


@pytest.fixture(scope="module")
def fitted(digits):
    X, y = digits
    return SQFA(4, random_state=0).fit(X[::2], y[::2])


def test_a_summary_says_what_the_fit_says(fitted):
    told = dict(fitted.summary().rows)
    assert told["method"] == "sqfa" and told["distance"] == "calvo-oller"
    assert told["components"] == "4 of 64 features, 10 classes"
    assert told["scaling"] == fitted.selection_.scaling
    assert told["noise"].startswith(f"{fitted.selection_.noise} (")
    reference = fitted.selection_.lda_accuracy, fitted.selection_.majority_accuracy
    compared = "LDA {:.1%}, largest class {:.1%}".format(*reference)
    assert told["held-out accuracy"] == f"{held_out_accuracy(fitted):.1%} ({compared})"
    assert told["fit"].startswith("converged") and f"{fitted.objective_:.4g}" in told["fit"]
    assert told["dropped"].startswith(str(len(fitted.dropped_features_)))
    lines = str(fitted.summary()).splitlines()
    assert lines[0].startswith("held-out accuracy") and lines[1].split() == ["method", "sqfa"]


def test_the_accuracy_is_that_of_the_setting_that_was_taken(fitted, blobs):
    assert held_out_accuracy(fitted) == fitted.selection_.accuracy
    X, y = blobs
    auto = SQFA("auto", max_components=3).fit(X, y)
    assert held_out_accuracy(auto) == auto.selection_.accuracy
    assert held_out_accuracy(SQFA(2, noise=0.1, scaling="none").fit(X, y)) is None
    refined = SQFA(2, refine=True).fit(X, y)
    # A refinement without steps keeps the filters of the selection.
    steps = refined.refinement_["refinement_steps"]
    after = refined.refinement_["held_out_accuracy_after"]
    assert held_out_accuracy(refined) == (after if steps else refined.selection_.accuracy)


def test_other_methods_and_given_noise(blobs):
    X, y = blobs
    assert dict(PCA(2).fit(X, y).summary().rows)["fit"] == "closed form"
    assert "noise" not in dict(LDA(2).fit(X, y).summary().rows)
    assert (
        dict(SQFA(2, noise=0.5, scaling="none").fit(X, y).summary().rows)["noise"] == "0.5 (specified)"
    )
    own = SQFA(2, distance=distances.hellinger, noise=0.1, scaling="none").fit(X, y)
    assert dict(own.summary().rows)["distance"] == "hellinger"
    with pytest.warns(UserWarning, match="did not converge"):
        short = SQFA(2, noise=0.1, scaling="none", max_iter=2).fit(X, y)
    assert "not converged" in dict(short.summary().rows)["fit"]


def test_html_stands_above_the_diagram_of_scikit_learn(fitted):
    page = fitted._repr_html_()
    assert page.index("sqfa-summary") < page.index("sk-container")
    assert fitted._repr_mimebundle_()["text/html"].count("sqfa-summary") == 1
    assert "sqfa-summary" not in SQFA(4)._repr_html_()
    with config_context(display="text"):
        assert not hasattr(fitted, "_repr_html_")
        assert "text/html" not in fitted._repr_mimebundle_()
    assert "sk-container" in make_pipeline(fitted, QDA())._repr_html_()
    assert "sk-container" in LinearClassifier()._repr_html_()


def test_names_are_escaped(blobs):
    X, y = blobs

    def hostile(mean_p, cov_p, mean_q, cov_q):
        gap, zero = mean_p - mean_q, np.zeros_like(cov_p)
        return gap @ gap, (2 * gap, zero, -2 * gap, zero)

    hostile.__name__ = "<img src=x>"
    page = (
        SQFA(2, distance=hostile, noise=1.0, scaling="none", constraint="orthonormal")
        .fit(X, y)
        .summary()
    )
    assert "<img src=x>" not in page._repr_html_() and "&lt;img" in page._repr_html_()


def test_pictures_of_components(fitted):
    plt = pytest.importorskip("matplotlib.pyplot")
    page = fitted.summary(image_shape=(8, 8))._repr_html_()
    assert len(re.findall(r'<img alt="component \d"', page)) == 4
    picture = plt.imread(io.BytesIO(_png(np.array([[-2.0, 0.0], [1.0, 2.0]]))))
    # White is 0, full color the largest weight, half way to it half the weight.
    expected = np.array([[[33, 102, 172], [255] * 3], [[216.5, 139.5, 149], [178, 24, 43]]])
    assert np.abs(255 * picture - expected).max() <= 0.51
    with pytest.raises(ValueError, match="49 pixels"):
        fitted.summary(image_shape=(7, 7))


def test_the_report_of_a_model(fitted, digits, tmp_path):
    X, y = digits
    bare, whole = tmp_path / "bare.html", tmp_path / "whole.html"
    fitted.report(bare)
    fitted.report(whole, X[1::2], y[1::2], image_shape=(8, 8), name="digits")
    text = whole.read_text(encoding="utf-8")
    assert f"{fitted.score(X[1::2], y[1::2]):.1%}" in text
    assert "SQFA with 4 filters on digits" in text
    # The page forbids itself every request.
    assert "default-src 'none'" in text
    assert len(bare.read_bytes()) < len(whole.read_bytes())

    def headline(page):
        return re.search(r'class="headline"><strong>([^<]*)<', page.read_text(encoding="utf-8")).group(1)

    folds = fitted.selection_.folds
    accuracy = f"{fitted.selection_.accuracy:.1%}"
    assert headline(bare) == f"Held-out accuracy {accuracy} ({folds}-fold cross-validation)"
    assert f"{accuracy} (LDA " in text
    accuracy = f"{fitted.score(X[1::2], y[1::2]):.1%}"
    assert headline(whole) == f"Test accuracy {accuracy} on the samples passed to report"
    SQFA(2, noise=0.1, scaling="none").fit(X, y).report(bare)
    assert headline(bare).startswith("No accuracy: no samples were held out")
    with pytest.raises(ValueError, match="pass both or neither"):
        fitted.report(bare, X)
    with pytest.raises(OSError):
        fitted.report(tmp_path / "no" / "page.html")


def test_the_weights_of_a_report_do_not_depend_on_units(blobs, tmp_path):
    X, y = blobs
    path, found = tmp_path / "page.html", []
    # Powers of two, so that scaled columns have the same bits.
    for factors in (1.0, 2.0 ** np.arange(X.shape[1])):
        SQFA(2, noise=0.1, scaling="per-feature", random_state=0).fit(X * factors, y).report(path)
        page = path.read_text(encoding="utf-8")
        found.append(page[page.index('id="filters"') :].split("</section>")[0])
    assert "weight" in found[0] and found[0] == found[1]


def test_a_comparison_keeps_its_report(blobs, tmp_path, monkeypatch):
    X, y = blobs
    table = compare(X, y, methods=["pca", "lda"], n_components=1, cv=3)
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    path = table.show()
    assert opened == [path.as_uri()]
    table.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == path.read_text()
    assert "Comparison on data" in path.read_text()
    monkeypatch.setitem(sys.modules, "ipykernel", object())
    assert "srcdoc=" in table.show()._repr_html_() and len(opened) == 1
    assert type(table[table.method == "pca"]).__name__ == "DataFrame"


def test_progress_is_one_line_where_lines_can_be_written_over(blobs, capsys, monkeypatch):
    X, y = blobs
    ticks = iter(range(10_000))
    monkeypatch.setattr("sqfa_rs.estimators._progress.time.monotonic", lambda: float(next(ticks)) * 2)
    monkeypatch.setitem(sys.modules, "ipykernel", object())
    SQFA(2, noise=0.1, scaling="none", verbose=1).fit(X, y)
    told = capsys.readouterr().out
    assert told.count("\r") > 1 and told.count("\n") == 1
    lines = re.split("[\r\n]", told)
    # Whatever is written over a line covers it.
    assert all(len(line) >= 78 for line in lines[:-1])
    assert "initializations running" in lines[0] and "iterations, objective" in lines[-2]
    # Two seconds pass between two looks at this clock, and one look is the start's.
    for count, line in enumerate(lines[:-2], start=1):
        seconds = 2 * count
        rate = count / seconds
        clock = f"{seconds // 60:02}:{seconds % 60:02}"
        assert line.startswith(f"SQFA: {count}it [{clock}, {rate:.1f}it/s], objective "), line
    monkeypatch.delitem(sys.modules, "ipykernel")
    SQFA(2, noise=0.1, scaling="none", verbose=1).fit(X, y)
    told = capsys.readouterr().out
    assert "\r" not in told and not any(line.endswith(" ") for line in told.splitlines())


def test_scatters_and_distances_of_other_points(fitted, digits):
    X, y = digits
    given = class_statistics(X, y)
    means, covariances = given.project(fitted.components_)
    assert np.allclose(fitted.transform_scatters(given.covariances), covariances, rtol=1e-10)
    assert np.allclose(fitted.transform_scatters(given.covariances[0]), covariances[0], rtol=1e-10)
    moments = given["second_moments"]
    outer = np.stack([X[y == k].T @ X[y == k] / (y == k).sum() for k in range(10)])
    biased = (given.counts - 1) / given.counts
    assert np.allclose(
        given.covariances * biased[:, None, None] + (moments - given.covariances), outer, atol=1e-9
    )
    own = distances.pairwise(fitted)
    assert np.allclose(distances.pairwise(fitted, noise=fitted.noise_), own)
    assert (distances.pairwise(fitted, noise=0.0) >= own - 1e-12).all()
    bare = (means, covariances)
    noisy = (means, covariances + 0.7 * np.eye(4))
    assert np.allclose(distances.pairwise(bare, noise=0.7), distances.pairwise(noisy))
    with pytest.raises(ValueError, match="64, 64"):
        fitted.transform_scatters(np.eye(3))


def test_the_meter_counts_hours():
    from sqfa_rs.estimators._progress import meter

    assert meter(120, 60.0) == "120it [01:00, 2.0it/s]"
    assert meter(3, 3725.0) == "3it [1:02:05, 0.0it/s]"
    assert meter(1, 0.0) == "1it [00:00, 0.0it/s]"
