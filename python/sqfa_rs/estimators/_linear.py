"""What all linear reducers share once fitted: transforming, inverting, judging."""

from __future__ import annotations

import os
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_array, check_is_fitted

from .. import _core
from .._threads import thread_count
from ..data._inputs import complain_about, new_points
from ..data._labels import class_names
from ..data._streams import ArrowStream, is_stream
from ..typing import Scaling
from ._links import Documented
from ._page import write_report
from ._results import CurvePoint, Selection
from ._summary import Summary
from ._units import warn_of_units


class LinearReducer(
    Documented,
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Fitted components with the training classes in feature space."""

    n_components: int | Literal["auto"]
    scaling: Scaling
    n_jobs: int | None
    refine: bool

    # Set by a fit.
    components_: NDArray[np.float64]
    noise_: float
    objective_: float | None
    objective_trace_: NDArray[np.float64]
    converged_: bool
    termination_: str
    n_iter_: int
    classes_: NDArray[Any]
    class_counts_: NDArray[np.uint64] | None
    mean_: NDArray[np.float64]
    feature_means_: NDArray[np.float64]
    feature_covariances_: NDArray[np.float64]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    selection_: Selection | None
    scaling_: str
    dropped_features_: NDArray[np.intp]
    curve_: list[CurvePoint]
    _offset: NDArray[np.float64] | None
    # Filters of preprocessed points, and what is subtracted and multiplied before them.
    _unfolded: tuple[NDArray[np.float64], tuple[NDArray[np.float64], NDArray[np.float64]]] | None = None
    _record: dict[str, Any]
    _seed: int

    @property
    def offset_(self) -> NDArray[np.float64]:
        """What is added to ``X @ components_.T``; 0 where nothing was subtracted from the columns."""
        check_is_fitted(self)
        return np.zeros(len(self.components_)) if self._offset is None else self._offset

    def transform(self, X: Any) -> Any:
        """Compute the features of samples: Z = X Wᵀ + b, in the precision of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or Arrow stream
            Points.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Features; float32 for float32 and uint8 points, else float64.
        """
        check_is_fitted(self)
        streamed = is_stream(X)
        features = self._stream_features(ArrowStream(X)) if streamed else self._features(X)
        warn_of_units(self, features)
        return features

    def _stream_features(self, stream: ArrowStream) -> NDArray[Any]:
        known = getattr(self, "feature_names_in_", None)
        if known is not None and stream.names is not None and list(known) != stream.names:
            raise ValueError("the columns of the stream are not the feature names seen during fit")
        if stream.width != self.n_features_in_:
            raise ValueError(
                f"the stream has {stream.width} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        parts = [self._project(block) for block, _ in stream]
        return np.concatenate(parts) if parts else np.empty((0, len(self.components_)))

    def _features(self, X: Any) -> NDArray[Any]:
        return self._project(new_points(self, X, finite=False))

    def _project(self, X: Any) -> NDArray[Any]:
        if sparse.issparse(X):
            single = X.dtype in (np.float32, np.uint8)
            dtype = np.float32 if single else np.float64
            features = np.asarray(X.astype(dtype) @ self.components_.T.astype(dtype))
            if self._offset is not None:
                features += self._offset.astype(dtype)
        elif X.flags.c_contiguous or X.dtype == np.uint8:
            threads = thread_count(self.n_jobs)
            features = _core.transform(X, self.components_, self._offset, threads)
        else:
            # Points one a column, as frames keep them: BLAS reads them faster than row by row.
            features = X @ self.components_.T.astype(X.dtype)
            if self._offset is not None:
                features += self._offset.astype(X.dtype)
        # A value that is not finite makes all features of its point so: no second look at X is needed.
        if not np.isfinite(features).all():
            complain_about(X)
        return features

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Reconstruct samples from features, by the pseudo-inverse of the components.

        x̂ = x̄ + W⁺(z − Wx̄), the point closest to the mean among those with features z.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Features.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            Points.
        """
        check_is_fitted(self)
        features = check_array(X, dtype=[np.float64, np.float32], input_name="X")
        if features.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {features.shape[1]} features, but there are {len(self.components_)} components"
            )
        back = np.linalg.pinv(self.components_).T
        center = self.components_ @ self.mean_
        if self._offset is not None:
            center = center + self._offset
        dtype = features.dtype
        centered = features - center.astype(dtype)
        return np.asarray(centered @ back.astype(dtype) + self.mean_.astype(dtype))

    def transform_scatters(self, scatters: ArrayLike) -> NDArray[np.float64]:
        """Compute covariances or second moments in feature space: WSWᵀ, without noise.

        Parameters
        ----------
        scatters : array-like of shape (..., n_features, n_features)
            Symmetric matrices.

        Returns
        -------
        ndarray of shape (..., n_components, n_components)
            The matrices in feature space.
        """
        check_is_fitted(self)
        matrices, width = np.asarray(scatters, dtype=np.float64), self.n_features_in_
        if matrices.ndim < 2 or matrices.shape[-2:] != (width, width):
            raise ValueError(f"scatters have the shape {matrices.shape}: give (..., {width}, {width})")
        return np.asarray(self.components_ @ matrices @ self.components_.T)

    def summary(self, image_shape: tuple[int, int] | None = None) -> Summary:
        """What the fit came to, in a few lines: settings, how they were chosen, accuracy, convergence.

        Parameters
        ----------
        image_shape : (height, width), default=None
            Shape of a point as an image: the components are then shown as small pictures.

        Returns
        -------
        Summary
            Notebooks show it as a table, ``print`` as lines.
        """
        check_is_fitted(self)
        return Summary(self, image_shape)

    def report(
        self,
        path: str | os.PathLike[str],
        X: Any = None,
        y: Any = None,
        *,
        image_shape: tuple[int, int] | None = None,
        name: str = "data",
    ) -> None:
        """Write a report as one HTML page that needs no network, as ``sqfa fit --report`` does.

        Parameters
        ----------
        path : path-like
            The file; an existing one is replaced once the new one is complete.
        X, y : array-likes of shapes (n_samples, n_features) and (n_samples,), default=None
            Test samples, not used for fitting; with them the page shows features, accuracy and
            confusions. Without them, its headline is the held-out accuracy of the fit.
        image_shape : (height, width), default=None
            Shape of a point as an image.
        name : str, default="data"
            What the page calls the data.
        """
        check_is_fitted(self)
        write_report(self, path, X, y, image_shape, name)

    def _repr_html_inner(self) -> str:
        return self._summary_html() + str(super()._repr_html_inner())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in shown:
            shown["text/html"] = self._summary_html() + shown["text/html"]
        return shown

    def _summary_html(self) -> str:
        """A summary above scikit-learn's own diagram; nothing before a fit."""
        return Summary(self)._repr_html_() if self.__sklearn_is_fitted__() else ""

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy of quadratic discriminant analysis on the features.

        One Gaussian per class with the training data's means, covariances and frequencies.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the points.

        Returns
        -------
        score : float
            The share of points whose most probable class is their own.
        """
        truth, guess = np.asarray(y), self._predicted(X)
        if truth.ndim == 1 and truth.dtype.kind == "f" and guess.dtype.kind in "iuf":
            # scikit-learn takes labels such as 22.5 for regression targets, their positions for classes.
            _, codes = np.unique(np.concatenate([truth, guess]), return_inverse=True)
            truth, guess = codes[: len(truth)], codes[len(truth) :]
        return float(accuracy_score(truth, guess, sample_weight=sample_weight))

    def _predicted(self, X: Any) -> NDArray[Any]:
        """The most probable class of every point, by quadratic discriminant analysis on the features."""
        check_is_fitted(self)
        threads = thread_count(self.n_jobs)
        counts = self.class_counts_
        priors = np.ones(len(self.classes_)) if counts is None else counts.astype(np.float64)
        # Components that were learned next to those that differ are not used to classify.
        used = slice(self._record.get("distinct"))
        classifier = _core.Qda(
            class_names(self.classes_),
            np.ascontiguousarray(self.feature_means_[:, used]),
            np.ascontiguousarray(self.feature_covariances_[:, used, used]),
            priors,
            None,
            threads,
            features=True,
        )
        features = self._features(X)
        warn_of_units(self, features)
        features = np.ascontiguousarray(features[:, used])
        return np.asarray(self.classes_[classifier.predict(features, threads)])

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "components_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
