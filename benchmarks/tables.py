"""Write the four tables of scikit-learn that the hold-out results use, next to the others in a folder.

Each NAME.npz has X_train, y_train, X_test and y_test: 30 % of the samples are test samples, stratified
by class.

    python benchmarks/tables.py DATA/tables
"""

import argparse
import pathlib

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split

LOADERS = {
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
    "iris": load_iris,
    "wine": load_wine,
}


def main() -> None:
    """Write the files, replacing those of an earlier run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="receives one .npz per table")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, loader in LOADERS.items():
        X, y = loader(return_X_y=True)
        parts = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
        names = ("X_train", "X_test", "y_train", "y_test")
        np.savez(folder / name, **dict(zip(names, parts, strict=True)))


if __name__ == "__main__":
    main()
