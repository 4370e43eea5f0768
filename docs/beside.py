"""Tables of the package beside the command, scikit-learn and NumPy."""

from __future__ import annotations

import statistics

from records import Made, newest, table


def python(_: str) -> Made:
    """The Python package against the command, scikit-learn and NumPy."""
    record = newest("python-speed")
    held = record.held

    def seconds(name: str) -> str:
        return f"{held[name + '_seconds']:.3f} s"

    lines = [
        [
            "fit",
            seconds("fit"),
            f"the command's statistics and optimization, {seconds('rust')}",
            f"{held['fit_over_rust']:.2f}",
        ],
        [
            "fit and transform",
            seconds("end_to_end"),
            f"scikit-learn's LDA, {seconds('sklearn_lda')}",
            f"{1 / held['lda_over_ours']:.2f}",
        ],
        ["", "", f"scikit-learn's PCA, {seconds('sklearn_pca')}", f"{held['ours_over_pca']:.2f}"],
        [
            "`LDA(8, shrinkage=0.1)`, fit and transform",
            seconds("our_lda"),
            f"scikit-learn's with the same shrinkage, {seconds('sklearn_shrunk_lda')}",
            f"{1 / held['sklearn_shrunk_lda_over_ours']:.2f}",
        ],
        [
            "`PCA(8)`, fit and transform",
            seconds("our_pca"),
            f"scikit-learn's, {seconds('sklearn_pca')}",
            f"{1 / held['sklearn_pca_over_ours']:.2f}",
        ],
        [
            "transform",
            f"{1e3 * held['transform_seconds']:.1f} ms",
            f"NumPy's `X @ W`, {1e3 * held['numpy_product_seconds']:.1f} ms",
            f"{1 / held['numpy_over_transform']:.2f}",
        ],
        ["import beyond NumPy and scikit-learn", f"{1e3 * held['import_seconds']:.0f} ms", "–", "–"],
    ]
    return table(["", "measured", "compared with", "ratio of seconds"], lines), [record]


def cleaning(_: str) -> Made:
    """Cleaning of a recording, and the minimum covariance determinant beside scikit-learn's."""
    record = newest("cleaning")
    clean, mcd = record.result["clean"], record.result["mcd"]
    ours, theirs = (statistics.median(mcd[name]) for name in ("seconds", "sklearn_seconds"))
    trials = f"cleaning {clean['trials']} trials × {clean['neurons']} neurons"
    lines = [
        [trials, f"{statistics.median(clean['seconds']):.2f} s", "–", "–"],
        [
            f"MCD of {mcd['points']} × {mcd['columns']}",
            f"{1e3 * ours:.1f} ms",
            f"scikit-learn's `MinCovDet`, {1e3 * theirs:.0f} ms",
            f"{ours / theirs:.3f}",
        ],
    ]
    return table(["", "measured", "compared with", "ratio of seconds"], lines), [record]
