"""Tables that compare the Python package with the command, scikit-learn and NumPy."""

from __future__ import annotations

import statistics

from records import Made, newest, table


def python(_: str) -> Made:
    """The Python package compared with the command, scikit-learn and NumPy."""
    record = newest("python-speed")
    held = record.held

    def seconds(name: str) -> str:
        return f"{held[name + '_seconds']:.3f} s"

    lines = [
        [
            "fit",
            seconds("fit"),
            f"class statistics and optimization in the command, {seconds('rust')}",
            f"{held['fit_over_rust']:.2f}",
        ],
        [
            "fit and transform",
            seconds("end_to_end"),
            f"LDA of scikit-learn, {seconds('sklearn_lda')}",
            f"{1 / held['lda_over_ours']:.2f}",
        ],
        ["", "", f"PCA of scikit-learn, {seconds('sklearn_pca')}", f"{held['ours_over_pca']:.2f}"],
        [
            "`LDA(8, shrinkage=0.1)`, fit and transform",
            seconds("our_lda"),
            f"LDA of scikit-learn with the same shrinkage, {seconds('sklearn_shrunk_lda')}",
            f"{1 / held['sklearn_shrunk_lda_over_ours']:.2f}",
        ],
        [
            "`PCA(8)`, fit and transform",
            seconds("our_pca"),
            f"PCA of scikit-learn, {seconds('sklearn_pca')}",
            f"{1 / held['sklearn_pca_over_ours']:.2f}",
        ],
        [
            "transform",
            f"{1e3 * held['transform_seconds']:.1f} ms",
            f"`X @ W` in NumPy, {1e3 * held['numpy_product_seconds']:.1f} ms",
            f"{1 / held['numpy_over_transform']:.2f}",
        ],
        [
            "import, without NumPy and scikit-learn",
            f"{1e3 * held['import_seconds']:.0f} ms",
            "–",
            "–",
        ],
    ]
    return table(["what", "time", "compared with", "ratio of times"], lines), [record]


def cleaning(_: str) -> Made:
    """Cleaning of a recording, and the minimum covariance determinant compared with scikit-learn."""
    record = newest("cleaning")
    clean, mcd = record.result["clean"], record.result["mcd"]
    ours, theirs = (statistics.median(mcd[name]) for name in ("seconds", "sklearn_seconds"))
    trials = f"cleaning {clean['trials']} trials × {clean['neurons']} neurons"
    lines = [
        [trials, f"{statistics.median(clean['seconds']):.2f} s", "–", "–"],
        [
            f"MCD of {mcd['points']} × {mcd['columns']}",
            f"{1e3 * ours:.1f} ms",
            f"`MinCovDet` of scikit-learn, {1e3 * theirs:.0f} ms",
            f"{ours / theirs:.3f}",
        ],
    ]
    return table(["what", "time", "compared with", "ratio of times"], lines), [record]
