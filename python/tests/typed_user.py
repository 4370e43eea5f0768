"""A script of a user that passes ``mypy --strict``; lines marked ``typo`` must be errors."""

import numpy as np
from numpy.typing import NDArray

from sqfa_rs import (
    QDA,
    SQFA,
    ClassStatistics,
    HeavyTailedSQFA,
    SecondMomentSQFA,
    class_statistics,
    compare,
    distances,
)
from sqfa_rs.baselines import LDA, LFDA, PCA
from sqfa_rs.geometry import FisherRaoResult, fisher_rao, spd_log
from sqfa_rs.typing import Distance, NamedWithNumber, Scaling

X: NDArray[np.float64] = np.random.default_rng(0).normal(size=(60, 4))
y: NDArray[np.int_] = np.arange(60) % 3


def fitted(distance: Distance, scaling: Scaling = "auto") -> SQFA:
    return SQFA(2, distance=distance, scaling=scaling).fit(X, y)


def own(*gaussians: NDArray[np.float64]) -> tuple[float, tuple[NDArray[np.float64], ...]]:
    return 0.0, gaussians


models: list[SQFA] = [
    fitted("calvo-oller"),
    fitted("affine-invariant:covariances", "within-class"),
    fitted(distances.hellinger),
    fitted(own),
    fitted(NamedWithNumber("chernoff:0.3")),
]
components: NDArray[np.float64] = models[0].components_
again = SQFA(2, init=components, constraint="orthonormal", optimizer="lbfgs", n_init="auto")
nested = SQFA(1, init=[[1.0, 0.0, 0.0, 0.0]], pairs="all", covariance_estimator=0.1)
heavy = HeavyTailedSQFA("auto", covariance_estimator=NamedWithNumber("t:4"))
moments = SecondMomentSQFA(2, init="pca", covariance_estimator="oas")
statistics: ClassStatistics = class_statistics(X, y, covariance_estimator="ledoit-wolf")
names: list[str] = list(statistics)
linear = (PCA(2, solver="randomized"), LDA(1, shrinkage=[0.1, 0.5]), LFDA(2, local_scale="anchor"))
classifier = QDA(shrinkage="auto").fit(X, y)
table = compare(X, y, methods=["pca"], classifiers=["knn"], scaling="none")
length: float = fisher_rao([0.0], [[1.0]], [1.0], [[2.0]])
bounded: FisherRaoResult = fisher_rao([0.0], [[1.0]], [1.0], [[2.0]], return_bounds=True)
logarithms: NDArray[np.float64] = spd_log(statistics.covariances)

SQFA(distance="calvo-ollar")  # typo
SQFA(scaling="within-clas")  # typo
SQFA(constraint="spheres")  # typo
SQFA(init="pcs")  # typo
SQFA(optimizer="bfgs")  # typo
SQFA(covariance_estimator="oass")  # typo
SQFA("all")  # typo
SQFA(n_init="many")  # typo
SQFA(pairs="most")  # typo
PCA(2, solver="fast")  # typo
LFDA(2, local_scale="anker")  # typo
QDA(shrinkage="none")  # typo
class_statistics(X, y, form="sparse")  # typo
compare(X, y, classifiers=["svm"])  # typo
