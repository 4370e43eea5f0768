"""Methods and classifiers with which SQFA is compared.

Reducers: :class:`PCA`, :class:`LDA`, :class:`SupervisedPCA`, :class:`LFDA`, :class:`LMNN`, :class:`NCA`,
:class:`WDA`, :class:`AMA`, :class:`LAD`, :class:`SAVE` and :class:`DirectionalRegression`.
Classifiers: :class:`KNN` and :class:`LinearClassifier`.
"""

from __future__ import annotations

from .estimators import (
    AMA,
    KNN,
    LAD,
    LDA,
    LFDA,
    LMNN,
    NCA,
    PCA,
    SAVE,
    WDA,
    DirectionalRegression,
    LinearClassifier,
    SupervisedPCA,
)

__all__ = [
    "AMA",
    "KNN",
    "LAD",
    "LDA",
    "LFDA",
    "LMNN",
    "NCA",
    "PCA",
    "SAVE",
    "WDA",
    "DirectionalRegression",
    "LinearClassifier",
    "SupervisedPCA",
]
