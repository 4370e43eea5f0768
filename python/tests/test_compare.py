"""Comparisons as data frames and reports."""

import pytest

from sqfa_rs import compare


def test_records_and_report(digits, tmp_path):
    X, y = digits
    page = tmp_path / "out.html"
    table = compare(
        X[::2],
        y[::2],
        X[1::2],
        y[1::2],
        methods=["pca", "lda", "sqfa"],
        n_components=[2, 12],
        seeds=2,
        classifiers=["qda", "knn"],
        noise="scale",
        report=page,
    )
    # The closed forms run once, sqfa with both seeds.
    assert len(table) == 2 * (1 + 1 + 2)
    lda = table[table.method == "lda"].set_index("n_components")
    assert lda.status[2] == "done" and lda.status[12] == "not-applicable"
    assert "at most 9" in lda.message[12]
    done = table[table.status == "done"]
    assert done.qda_accuracy.between(0.3, 1).all() and done.knn_accuracy.between(0.3, 1).all()
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_refusals(blobs, tmp_path):
    X, y = blobs
    with pytest.raises(ValueError, match="did you mean"):
        compare(X, y, methods=["sqfaa"])
    with pytest.raises(ValueError, match="not both"):
        compare(X, y, test_fraction=0.2, cv=3)
    with pytest.raises(ValueError, match="both X_test"):
        compare(X, y, X)
    with pytest.raises(OSError):
        compare(X, y, methods=["pca"], report=tmp_path / "no" / "out.html")
