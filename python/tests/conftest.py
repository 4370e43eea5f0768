"""Data that many tests share, and the environment they run in."""

import os
import pathlib

# Without this scikit-learn skips one of its checks.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
os.environ.setdefault("MPLBACKEND", "Agg")
# Workers on a busy machine may be slow to answer; none of them is lost.
os.environ.setdefault("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "600s")
os.environ.setdefault("DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP", "600s")

import numpy as np
import pytest
from sklearn.datasets import load_digits


@pytest.fixture(scope="session")
def digits():
    return load_digits(return_X_y=True)


@pytest.fixture
def blobs():
    """Three classes in five dimensions that differ in mean and covariance."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 60)
    scale = np.array([[1, 1, 1, 1, 1], [3, 1, 1, 1, 1], [1, 1, 2, 1, 1]])[y]
    X = rng.normal(size=(180, 5)) * scale + y[:, None] * np.array([0, 1.0, 0, 0, 0])
    order = rng.permutation(180)
    return X[order], y[order]


@pytest.fixture(scope="session")
def block_of():
    """The first block of Python under a heading of a document."""

    def block(page, heading):
        path = pathlib.Path(__file__).parents[2] / "docs" / page
        if not path.exists():
            pytest.skip("the documents are not part of this installation")
        section = path.read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
        return section.partition("```python\n")[2].partition("```")[0]

    return block
