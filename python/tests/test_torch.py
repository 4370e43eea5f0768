"""The page for those who come from torch: its distance by autograd is the distance of the core."""

import numpy as np
import pytest

pytest.importorskip("torch")

from sqfa_rs import SQFA


def test_the_document_runs(block_of, blobs):
    names = {}
    exec(block_of("how-to/coming-from-sqfa.md", "A distance written in torch"), names)
    model = names["model"].fit(*blobs)
    same = SQFA(2, distance="mahalanobis", noise=0.1).fit(*blobs)
    assert model.objective_ == pytest.approx(same.objective_, rel=1e-6)
    assert np.allclose(abs(model.components_ @ same.components_.T).max(axis=1), 1, atol=1e-3)
