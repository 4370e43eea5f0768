"""Base class of fitted linear reducers: transform, inverse transform and classification."""

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
    """Fitted components with the statistics of the training classes in feature space."""

    n_components: int | Literal["auto"] | None
    scaling: Scaling
    n_jobs: int | None
    refine: bool

    # Set by ``fit``.
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
    # Components of preprocessed samples, with the subtracted and multiplied terms of the
    # preprocessing.
    _unfolded: tuple[NDArray[np.float64], tuple[NDArray[np.float64], NDArray[np.float64]]] | None = None
    _record: dict[str, Any]
    _seed: int

    @property
    def offset_(self) -> NDArray[np.float64]:
        """Offset of the features, which is added to ``X @ components_.T``; 0 without centering."""
        check_is_fitted(self)
        return np.zeros(len(self.components_)) if self._offset is None else self._offset

    def transform(self, X: Any) -> Any:
        """Compute the features of samples: Z = X Wᵀ + b, with the data type of ``X``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or Arrow stream
            Samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Features; float32 if ``X`` is float32 or uint8, otherwise float64.
        """
        check_is_fitted(self)
        streamed = is_stream(X)
        features = self._stream_features(ArrowStream(X)) if streamed else self._features(X)
        warn_of_units(self, features)
        return features

    def _stream_features(self, stream: ArrowStream) -> NDArray[Any]:
        known = getattr(self, "feature_names_in_", None)
        if known is not None and stream.names is not None and list(known) != stream.names:
            raise ValueError(
                "the columns of the stream differ from the feature names seen "
                "during fit: pass the same columns in the same order"
            )
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
            # Samples in column-major order, as data frames store them: BLAS reads them faster than
            # row by row.
            features = X @ self.components_.T.astype(X.dtype)
            if self._offset is not None:
                features += self._offset.astype(X.dtype)
        # A value of X that is not finite makes all features of its sample non-finite, so checking
        # the features is enough.
        if not np.isfinite(features).all():
            complain_about(X)
        return features

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Reconstruct samples from features, using the pseudo-inverse of the components.

        The reconstruction is x̂ = x̄ + W⁺(z − Wx̄), which is the sample closest to the mean x̄
        among those with features z.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Features.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            Reconstructed samples.
        """
        check_is_fitted(self)
        features = check_array(X, dtype=[np.float64, np.float32], input_name="X")
        if features.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {features.shape[1]} features, but the estimator has "
                f"{len(self.components_)} components: pass the features that transform returns"
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
            raise ValueError(
                f"scatters has shape {matrices.shape}, but must have shape (..., {width}, {width})"
            )
        return np.asarray(self.components_ @ matrices @ self.components_.T)

    def summary(self, image_shape: tuple[int, int] | None = None) -> Summary:
        """Return a summary of the fit: settings and how they were selected, accuracy, convergence.

        Parameters
        ----------
        image_shape : (height, width), default=None
            Shape of a sample as an image. The summary then shows the components as small images.

        Returns
        -------
        Summary
            Summary, which notebooks show as a table and ``print`` as lines of text.
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
        """Write a report as a self-contained HTML page, as ``sqfa fit --report`` does.

        Parameters
        ----------
        path : path-like
            Path of the file. An existing file is replaced when the new one is complete.
        X, y : array-likes of shapes (n_samples, n_features) and (n_samples,), default=None
            Test samples that were not used for fitting. With them, the page shows features,
            accuracy and a confusion matrix. Without them, its title shows the held-out accuracy of
            the fit.
        image_shape : (height, width), default=None
            Shape of a sample as an image.
        name : str, default="data"
            Name of the data in the report.
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
        """Return the summary above scikit-learn's diagram; only the diagram before ``fit``."""
        return Summary(self)._repr_html_() if self.__sklearn_is_fitted__() else ""

    def _predicted(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each sample, using the classifier of the method."""
        codes = self._asked(X, "predict")
        return np.asarray(self.classes_[codes])

    def _asked(self, X: Any, question: str) -> NDArray[Any]:
        """Return the output of the classifier of the features for each sample."""
        check_is_fitted(self)
        classifier = self._feature_classifier()
        features = self._features(X)
        warn_of_units(self, features)
        features = np.ascontiguousarray(features[:, self._distinct()])
        return np.asarray(getattr(classifier, question)(features, thread_count(self.n_jobs)))

    def _distinct(self) -> slice:
        """Return the components that the classifier uses: those that differ from each other."""
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
        """Return the priors of the classifier, or None for the class frequencies."""
        return None

    @property
    def n_components_(self) -> int:
        """Number of components."""
        check_is_fitted(self)
        return len(self.components_)

    @property
    def orthonormal_components_(self) -> NDArray[np.float64]:
        """Return orthonormal rows that span the row space of the components, in the original columns.

        Linearly dependent components give fewer rows.
        """
        check_is_fitted(self)
        lengths = np.linalg.norm(self.components_, axis=1, keepdims=True)
        rows = np.asarray(self.components_ / np.where(lengths > 0, lengths, 1.0))
        _, values, basis = np.linalg.svd(rows, full_matrices=False)
        least = values.max(initial=0.0) * max(rows.shape) * np.finfo(np.float64).eps
        basis = basis[values > least]
        # The orthonormal basis of the row space that is closest to the components.
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
