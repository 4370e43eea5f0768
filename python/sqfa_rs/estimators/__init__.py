"""Estimators with the interface of scikit-learn: the paper's methods, baselines and classifiers."""

from __future__ import annotations

from ._classifiers import KNN, LinearClassifier
from ._eigen import LDA, PCA, SupervisedPCA
from ._heavy import HeavyTailedSQFA
from ._inverse import SAVE, DirectionalRegression
from ._lift import Lift
from ._likelihood import AMA, LAD
from ._neighbors import LFDA, LMNN, NCA, WDA
from ._qda import QDA
from ._results import Candidate, CurvePoint, Initialization, Progress, Selection, Trial
from ._sqfa import SQFA, SecondMomentSQFA

__all__ = [
    "AMA",
    "KNN",
    "LAD",
    "LDA",
    "LFDA",
    "LMNN",
    "NCA",
    "PCA",
    "QDA",
    "SAVE",
    "SQFA",
    "WDA",
    "Candidate",
    "CurvePoint",
    "DirectionalRegression",
    "HeavyTailedSQFA",
    "Initialization",
    "Lift",
    "LinearClassifier",
    "Progress",
    "SecondMomentSQFA",
    "Selection",
    "SupervisedPCA",
    "Trial",
]
