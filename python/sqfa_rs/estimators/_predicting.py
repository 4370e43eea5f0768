"""Prediction from features, which makes a supervised reducer a classifier as well."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score

from ..data._labels import refuse_missing, refuse_name
from ._base import Reducer

_KINDS = {"b": "numbers", "i": "numbers", "u": "numbers", "f": "numbers", "U": "text", "S": "text"}


class SupervisedReducer(ClassifierMixin, Reducer):  # type: ignore[misc]
    """Reducer that also predicts classes, from its features and the classifier of the method.

    The classifier is quadratic discriminant analysis, except for :class:`LDA`, which has a linear
    classifier.
    """

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each sample from its features.

        ``sqfa predict`` with the saved model gives the same predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted labels.
        """
        return self._predicted(X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the log probability of each class given the sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log probabilities, in the order of ``classes_``.
        """
        return np.asarray(self._asked(X, "log_posteriors"))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class given the sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the log posterior of each class; for two classes, the second minus the first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            Log posteriors, in the order of ``classes_``. For two classes, the log posterior of the
            second class minus that of the first.
        """
        return margins(self.predict_log_proba(X))

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy of :meth:`predict`.

        As with scikit-learn's classifiers, a label that was not seen in ``fit`` counts as an error.
        A warning is issued if none of the labels was seen in ``fit``. Text labels for numeric
        classes, and numeric labels for text classes, raise an error.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        score : float
            Fraction of samples that are classified correctly.
        """
        guess = self._predicted(X)
        return accuracy(y, guess, self.classes_, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def margins(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return class scores in scikit-learn's form: one number per sample for two classes."""
    return np.asarray(scores[:, 1] - scores[:, 0]) if scores.shape[1] == 2 else scores


def accuracy(
    y: ArrayLike, guess: NDArray[Any], classes: NDArray[Any], sample_weight: ArrayLike | None
) -> float:
    """Return the accuracy of predicted labels; see :meth:`SupervisedReducer.score`."""
    refuse_name(y)
    refuse_missing(y)
    truth = np.asarray(y)
    ours, theirs = kind_of(truth), kind_of(classes)
    if ours != theirs:
        raise ValueError(
            f"the labels in y are {ours} ({truth.dtype}), but the classes seen in fit are "
            f"{theirs} ({classes.dtype}): convert y to the type of classes_"
        )
    if truth.ndim == 1 and truth.dtype.kind == "f":
        if not np.isfinite(truth).all():
            row = int(np.flatnonzero(~np.isfinite(truth))[0])
            raise ValueError(f"label {truth[row]} at row {row} of y is not finite")
        if guess.dtype.kind in "biuf":
            # scikit-learn treats labels such as 22.5 as regression targets, but their positions as
            # classes.
            _, codes = np.unique(np.concatenate([truth, guess]), return_inverse=True)
            truth, guess = codes[: len(truth)], codes[len(truth) :]
    found = float(accuracy_score(truth, guess, sample_weight=sample_weight))
    if found == 0.0 and not np.isin(np.asarray(y), classes).any():
        warnings.warn(
            f"none of the labels in y is one of the {len(classes)} classes seen in fit (the first label "
            f"is {np.asarray(y).flat[0]!r}, the first class {classes[0]!r}), so the accuracy is 0",
            UserWarning,
            stacklevel=3,
        )
    return found


def kind_of(labels: NDArray[Any]) -> str:
    """Return the kind of labels as a word: numbers, text or dates."""
    kind = labels.dtype.kind
    if kind == "O":
        kind = np.array(labels.tolist()).dtype.kind if labels.size else "U"
    return _KINDS.get(kind, "dates" if kind in "mM" else "objects")
