"""What all linear reducers share once fitted: transforming, inverting, classifying by features."""

from __future__ import annotations

import os
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
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

    n_components: int | Literal["auto"] | None
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

    def _predicted(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each sample, by the classifier of the method."""
        codes = self._asked(X, "predict")
        return np.asarray(self.classes_[codes])

    def _asked(self, X: Any, question: str) -> NDArray[Any]:
        """Return what the classifier of the features answers for each sample."""
        check_is_fitted(self)
        classifier = self._feature_classifier()
        features = self._features(X)
        warn_of_units(self, features)
        features = np.ascontiguousarray(features[:, self._distinct()])
        return np.asarray(getattr(classifier, question)(features, thread_count(self.n_jobs)))

    def _distinct(self) -> slice:
        """Return the components that classify: all but those learned next to components that differ."""
        return slice(self._record.get("distinct"))

    def _feature_classifier(self) -> Any:
        """Return the classifier of the features that the record of the fit names."""
        used = self._distinct()
        return _core.FeatureClassifier(
            self._record.get("classifier", "qda"),
            class_names(self.classes_),
            np.ascontiguousarray(self.feature_means_[:, used]),
            np.ascontiguousarray(self.feature_covariances_[:, used, used]),
            self.class_counts_,
            self._class_priors(),
            thread_count(self.n_jobs),
        )

    def _class_priors(self) -> NDArray[np.float64] | None:
        """Return the priors of the classifier, None for the frequencies of the training data."""
        return None

    @property
    def n_components_(self) -> int:
        """The number of components."""
        check_is_fitted(self)
        return len(self.components_)

    @property
    def orthonormal_components_(self) -> NDArray[np.float64]:
        """Orthonormal rows, in the columns of the data, that span the same subspace as the components.

        Linearly dependent components give fewer rows.
        """
        check_is_fitted(self)
        lengths = np.linalg.norm(self.components_, axis=1, keepdims=True)
        rows = np.asarray(self.components_ / np.where(lengths > 0, lengths, 1.0))
        _, values, basis = np.linalg.svd(rows, full_matrices=False)
        least = values.max(initial=0.0) * max(rows.shape) * np.finfo(np.float64).eps
        basis = basis[values > least]
        # As close to the components as an orthonormal basis of their span can be.
        nearest, _, turn = np.linalg.svd(rows @ basis.T, full_matrices=False)
        return np.asarray(nearest @ turn @ basis) if len(basis) == len(rows) else np.asarray(basis)

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
