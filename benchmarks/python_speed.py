"""What Python adds: fits, transforms and the import against Rust, scikit-learn and NumPy in one run.

    python benchmarks/python_speed.py DATA [--command sqfa] [--out FILE.json]

DATA holds mnist/ (IDX files). Install a release wheel first (`pip install .`), and leave the machine
alone while it runs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from sqfa_rs import SQFA, datasets
from sqfa_rs.baselines import LDA as OurLDA
from sqfa_rs.baselines import PCA as OurPCA

REPEATS = 5


def best(work) -> float:
    """Seconds of the fastest of several runs."""
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def rust_seconds(command: str, data: Path) -> float:
    """Statistics and optimization of the same fit by the command, from the same float32 numbers."""
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(REPEATS):
            said = subprocess.run(
                [
                    command,
                    "fit",
                    str(data),
                    "-m",
                    "8",
                    "--n-init",
                    "1",
                    "--noise",
                    "scale",
                    "--json",
                    "--out",
                    f"{folder}/model.sqfa",
                ],
                check=True,
                capture_output=True,
            )
            report = json.loads(said.stdout)
            runs.append(report["statistics_seconds"] + report["seconds"])
    return min(runs)


def import_seconds() -> float:
    """Import of the package beyond NumPy and scikit-learn."""
    script = (
        "import time, numpy, sklearn.base, sklearn.utils.validation, sklearn.discriminant_analysis;"
        "t = time.perf_counter(); import sqfa_rs; print(time.perf_counter() - t)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
        for _ in range(REPEATS)
    ]
    return min(float(run.stdout) for run in runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--command", default="sqfa")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    folder = arguments.data / "mnist"

    def load(kind: str) -> np.ndarray:
        found = sorted(folder.glob(f"train-{kind}*"))
        if not found:
            parser.error(f"{folder} holds no train-{kind} file")
        return datasets.load_idx(found[0])

    images = load("images").reshape(60000, -1)
    x = np.ascontiguousarray(images, dtype=np.float32) / np.float32(255)
    y = load("labels").ravel()
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "mnist.npz"
        np.savez(file, X=x, y=y)
        rust = rust_seconds(arguments.command, file)

    model = SQFA(8, noise="scale", n_init=1, random_state=0)
    fit = best(lambda: model.fit(x, y))
    whole = best(lambda: model.fit(x, y).transform(x))
    lda = best(lambda: LinearDiscriminantAnalysis(n_components=8).fit(x, y).transform(x))
    pca = best(lambda: PCA(n_components=8).fit(x).transform(x))
    our_lda = best(lambda: OurLDA(8, shrinkage=0.1).fit(x, y).transform(x))
    shrunk = LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1, n_components=8)
    shrunk_lda = best(lambda: shrunk.fit(x, y).transform(x))
    our_pca = best(lambda: OurPCA(8).fit(x, y).transform(x))
    weights = np.ascontiguousarray(model.components_.T, dtype=np.float32)
    transform = best(lambda: model.transform(x))
    product = best(lambda: x @ weights)
    record = {
        "fit_seconds": fit,
        "rust_seconds": rust,
        "fit_over_rust": fit / rust,
        "end_to_end_seconds": whole,
        "sklearn_lda_seconds": lda,
        "lda_over_ours": lda / whole,
        "sklearn_pca_seconds": pca,
        "ours_over_pca": whole / pca,
        "our_pca_seconds": our_pca,
        "sklearn_pca_over_ours": pca / our_pca,
        "our_lda_seconds": our_lda,
        "sklearn_shrunk_lda_seconds": shrunk_lda,
        "sklearn_shrunk_lda_over_ours": shrunk_lda / our_lda,
        "transform_seconds": transform,
        "numpy_product_seconds": product,
        "numpy_over_transform": product / transform,
        "import_seconds": import_seconds(),
    }
    text = json.dumps(record, indent=2)
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
