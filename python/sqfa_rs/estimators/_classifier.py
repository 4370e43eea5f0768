"""Base class of all classifiers, which build the core's classifier once for all predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .._threads import thread_count
from ..data._inputs import new_points, row_blocks
from ._links import Documented


class CoreClassifier(Documented, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifier of the core; subclasses build it from their fitted attributes."""

    n_jobs: int | None

    # Set by ``fit``.
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    _classifier: Any

    def _built(self) -> Any:
        """Build the core's classifier from the fitted attributes."""
        raise NotImplementedError

    def _answers(self, X: Any, question: str) -> NDArray[Any]:
        """Return the core's answer for each sample."""
        check_is_fitted(self)
        X = new_points(self, X, finite=True)
        if getattr(self, "_classifier", None) is None:
            self._classifier = self._built()
        ask, threads = getattr(self._classifier, question), thread_count(self.n_jobs)
        if isinstance(X, np.ndarray):
            return np.asarray(ask(X, threads))
        return np.concatenate([ask(block, threads) for _, block in row_blocks(X)])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted labels.
        """
        codes = self._answers(X, "predict")
        return np.asarray(self.classes_[codes])

    def __getstate__(self) -> dict[str, Any]:
        # Rebuilt from the fitted attributes when it is needed.
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_classifier"}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
