"""Nonlinear feature maps: products, random Fourier features and Nyström features."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from .. import _core
from .._threads import thread_count
from ..data._inputs import dense_points
from ._links import Documented
from ._settings import seed_of


class Lift(Documented, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Nonlinear feature map, which makes the linear methods after it nonlinear.

    In a pipeline before :class:`SQFA` it gives a kernel method, which still uses only class
    statistics: batches of samples can be transformed and accumulated one by one. :func:`save`
    writes such a pipeline to one model file.

    Parameters
    ----------
    kind : str, default="quadratic"
        Kind of the features: "quadratic" for the columns and their products, "fourier:D" for D
        random Fourier features, or "nystroem:D" for the Nyström method with D of the samples. The
        last two approximate the kernel exp(−‖x − y‖²/2h²). Columns are first centered and divided
        by their standard deviations. If many columns have similar standard deviations, such as
        pixels, all columns are divided by the same number.
    bandwidth : float, default=None
        Width h of the kernel in units of the scaled columns. None is the median distance between
        two samples.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.
    random_state : int, generator or None, default=0
        Seed of the random features and of the samples that are selected.

    Attributes
    ----------
    bandwidth_ : float
        Width of the kernel that was used; 0 if there is no kernel.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the input features. Defined only if the training data have feature names.

    See Also
    --------
    sqfa_rs.SQFA : Learns linear components of the nonlinear features.

    References
    ----------
    Rahimi & Recht, "Random features for large-scale kernel machines", 2007; Williams & Seeger, "Using
    the Nyström method to speed up kernel machines", 2000.

    Examples
    --------
    Two concentric rings have the same mean, so no linear boundary separates them:

    >>> from sklearn.datasets import make_circles
    >>> from sklearn.pipeline import make_pipeline
    >>> from sqfa_rs import QDA, SQFA
    >>> from sqfa_rs.preprocessing import Lift
    >>> X, y = make_circles(400, factor=0.5, noise=0.05, random_state=0)
    >>> make_pipeline(Lift("quadratic"), SQFA(1), QDA()).fit(X, y).score(X, y)
    1.0
    """

    def __init__(
        self,
        kind: str = "quadratic",
        *,
        bandwidth: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.kind = kind
        self.bandwidth = bandwidth
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Lift:
        """Learn the feature map; labels are ignored.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : object, default=None
            Ignored.

        Returns
        -------
        self : object
            The fitted feature map.
        """
        points = dense_points(self, X, reset=True)
        width = None if self.bandwidth is None else float(self.bandwidth)
        seed = seed_of(self.random_state)
        self._adopt(_core.fit_lift(points, str(self.kind), width, seed, thread_count(self.n_jobs)))
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the nonlinear features of samples, with the data type of ``X``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            Nonlinear features.
        """
        check_is_fitted(self)
        return _core.apply_lift(dense_points(self, X, reset=False), self._map, thread_count(self.n_jobs))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the nonlinear features.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns. The default is the names seen in ``fit``, or x0, x1, ….

        Returns
        -------
        names : ndarray of str objects
            Names such as "a", "a^2" and "a b" for products of the columns a and b. For the other
            kinds, the kind with a number, such as "fourier0".
        """
        check_is_fitted(self)
        columns = [str(name) for name in _check_feature_names_in(self, input_features)]
        kind = str(self.kind).partition(":")[0]
        if kind != "quadratic":
            names = [f"{kind}{i}" for i in range(self._n_features_out)]
            return np.array(names, dtype=object)
        pairs = combinations_with_replacement(columns, 2)
        products = [f"{a}^2" if a == b else f"{a} {b}" for a, b in pairs]
        return np.array(columns + products, dtype=object)

    def _adopt(self, lift: dict[str, Any]) -> None:
        self._map = lift
        self.bandwidth_ = float(lift["bandwidth"])
        self._n_features_out = int(lift["dimension"])
        self.n_features_in_ = len(lift["offset"])
