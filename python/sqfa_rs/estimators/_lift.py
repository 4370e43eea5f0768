"""Nonlinear features before linear components: products, random waves, the kernel with some points."""

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
    """A map of points to nonlinear features, so that the methods behind it see more than lines.

    In a pipeline before :class:`SQFA` it makes a kernel method, which still works on class statistics:
    batches can be lifted and summed one by one. :func:`save` writes such a pipeline to one model file.

    Parameters
    ----------
    kind : str, default="quadratic"
        "quadratic" gives the columns and their products; "fourier:D" gives D random waves and
        "nystroem:D" the kernel with D of the points, both for the kernel exp(−‖x − y‖²/2h²). Columns
        are centered and scaled first, each by its deviation, or all by one where many are alike, as
        pixels are.
    bandwidth : float, default=None
        The width h in units of the scaled columns; None is the median distance of two points.
    n_jobs : int, default=None
        Threads; None uses all processors. Results do not depend on it.
    random_state : int, generator or None, default=0
        Seed of the waves and of the points that are kept.

    Attributes
    ----------
    bandwidth_ : float
        The width that is used; 0 where there is no kernel.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, when the training data had any.

    See Also
    --------
    sqfa_rs.SQFA : Learns components of the nonlinear features.

    References
    ----------
    Rahimi & Recht, "Random features for large-scale kernel machines", 2007; Williams & Seeger, "Using
    the Nyström method to speed up kernel machines", 2000.

    Examples
    --------
    Two rings have the same mean, and no line tells them apart:

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
        """Learn the map; labels are ignored.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : object, default=None
            Ignored.

        Returns
        -------
        self : object
            The fitted map.
        """
        points = dense_points(self, X, reset=True)
        width = None if self.bandwidth is None else float(self.bandwidth)
        seed = seed_of(self.random_state)
        self._adopt(_core.fit_lift(points, str(self.kind), width, seed, thread_count(self.n_jobs)))
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the nonlinear features of samples, in their precision.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            The features.
        """
        check_is_fitted(self)
        return _core.apply_lift(dense_points(self, X, reset=False), self._map, thread_count(self.n_jobs))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the nonlinear features.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns; by default those that the map was fitted with, or x0, x1, ….

        Returns
        -------
        names : ndarray of str objects
            "a", "a^2" and "a b" for products of the columns a and b; for the other kinds the kind with a
            number, such as "fourier0".
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
