"""Distances between classes as a loss of PyTorch, and distances written in PyTorch.

:func:`separation_loss` is a loss for features of any network. :func:`as_distance` turns a function of
tensors into a distance that :class:`sqfa_rs.SQFA` maximizes.

PyTorch is imported only here: ``pip install sqfa_rs[torch]``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

try:
    import torch
except ImportError as error:
    raise ImportError("sqfa_rs.torch needs PyTorch: pip install sqfa_rs[torch]") from error

from . import distances
from .typing import Distance

__all__ = ["as_distance", "class_moments", "mean_distance", "separation_loss"]


class _MeanDistance(torch.autograd.Function):  # type: ignore[misc]
    """The core's value and gradient as a node of the graph; its own gradient has none."""

    @staticmethod
    def forward(ctx: Any, means: Any, covariances: Any, distance: Any, weights: Any) -> Any:
        """Keep the gradient that the core gives beside the value."""
        first, second = (t.detach().to("cpu", torch.float64).numpy() for t in (means, covariances))
        value, slopes, spreads = distances.value_and_gradient(first, second, distance, weights)
        ctx.save_for_backward(
            torch.as_tensor(slopes).to(means), torch.as_tensor(spreads).to(covariances)
        )
        return means.new_tensor(value)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, slope: Any) -> Any:
        """Scale the gradient."""
        means, covariances = ctx.saved_tensors
        return slope * means, slope * covariances, None, None


def mean_distance(
    means: Any,
    covariances: Any,
    distance: Distance = "hellinger",
    weights: Any = None,
) -> Any:
    """The mean distance over pairs of Gaussians, a scalar tensor that gradients flow through.

    Parameters
    ----------
    means : tensor of shape (k, m)
        Means.
    covariances : tensor of shape (k, m, m)
        Covariances, positive definite.
    distance : str or callable, default="hellinger"
        As for :func:`sqfa_rs.distances.value_and_gradient`.
    weights : array-like of shape (k, k), default=None
        How much each pair counts.

    Returns
    -------
    tensor
        The mean, in the precision of ``means``; computed in double precision on the processor.
    """
    weights = None if weights is None else np.asarray(weights, dtype=np.float64)
    return _MeanDistance.apply(means, covariances, distance, weights)


def class_moments(features: Any, labels: Any) -> tuple[Any, Any, Any]:
    """Classes, means and covariances (divisor N − 1) of a batch, as functions of the features.

    Parameters
    ----------
    features : tensor of shape (n, m)
        One row a point.
    labels : tensor of shape (n,)
        Their classes.

    Returns
    -------
    classes, means, covariances
        Classes with at least two points in the batch, in order; the others have no covariance.
    """
    if features.ndim != 2 or labels.ndim != 1 or len(features) != len(labels):
        raise ValueError(
            f"features of shape {tuple(features.shape)} and labels of shape {tuple(labels.shape)} "
            "do not match: give (n, m) and (n,)"
        )
    classes, counts = torch.unique(labels, return_counts=True)
    kept = classes[counts >= 2]
    if len(kept) < 2:
        raise ValueError(
            f"{len(kept)} classes have 2 points or more in a batch of {len(labels)}: distances need 2; "
            "use larger batches, or draw them by class"
        )
    groups = [features[labels == label] for label in kept]
    means = torch.stack([group.mean(dim=0) for group in groups])
    covariances = torch.stack([torch.cov(group.T).reshape(features.shape[1], -1) for group in groups])
    return kept, means, covariances


def separation_loss(
    features: Any,
    labels: Any,
    distance: Distance = "hellinger",
    noise: float = 1e-3,
    weights: Any = None,
) -> Any:
    """Minus the mean distance between the classes of a batch: what a network minimizes to part them.

    Parameters
    ----------
    features : tensor of shape (n, m)
        What a network gives for a batch, one row a point; m up to some dozens, and many more points of
        every class than m.
    labels : tensor of shape (n,)
        Their classes. Classes with a single point in the batch are left out.
    distance : str or callable, default="hellinger"
        As for :func:`sqfa_rs.distances.value_and_gradient`; "fisher-rao" is the exact distance.
    noise : float, default=1e-3
        Variance added to every feature, in squared units of the features. It keeps covariances
        invertible, and it is the unit: normalize the features (for one, by a batch normalization without
        parameters), or the network makes them larger and larger.
    weights : array-like, default=None
        How much each pair of the classes that are in the batch counts.

    Returns
    -------
    tensor
        A scalar.

    Examples
    --------
    >>> import torch
    >>> from sqfa_rs.torch import separation_loss
    >>> features = torch.tensor([[0.0], [1.0], [4.0], [5.0]], requires_grad=True)
    >>> separation_loss(features, torch.tensor([0, 0, 1, 1]), "wasserstein").backward()
    >>> features.grad.ravel().tolist()
    [0.5, 0.5, -0.5, -0.5]
    """
    if not noise >= 0 or not np.isfinite(noise):
        raise ValueError(f"noise is {noise}: give a finite number of at least 0")
    _, means, covariances = class_moments(features, labels)
    covariances = covariances + noise * torch.eye(
        features.shape[1], dtype=means.dtype, device=means.device
    )
    return -mean_distance(means, covariances, distance, weights)


def as_distance(
    function: Callable[[Any, Any], Any], *, second_moments: bool = False
) -> Callable[..., Any]:
    """Return a distance between sets of classes, written in PyTorch, as a distance of this package.

    Automatic differentiation gives the derivatives. The function is called for every pair of classes at
    every step, so such fits are slow: it suits a few dozen classes and components.

    Parameters
    ----------
    function : callable
        A function of two sets of k classes that returns a (k, k) tensor, as the ``distance_fun`` of the
        package ``sqfa``. A set is a dict with the tensors "means" of shape (k, m) and "covariances" of
        shape (k, m, m). It is called with sets of one class, in double precision.
    second_moments : bool, default=False
        Whether a set is a tensor of second moments, of shape (k, m, m), instead of a dict.

    Returns
    -------
    callable
        A value for the parameter ``distance`` of :class:`sqfa_rs.SQFA` and of
        :func:`sqfa_rs.distances.pairwise`, also if the function compares second moments.

    Examples
    --------
    >>> import torch
    >>> from sqfa_rs import distances
    >>> from sqfa_rs.torch import as_distance
    >>> def between_means(a, b):
    ...     return torch.cdist(a["means"], b["means"])
    >>> p, q = ([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]), ([3.0, 4.0], [[1.0, 0.0], [0.0, 1.0]])
    >>> distances.pairwise(p, q, as_distance(between_means)).tolist()
    [[5.0]]
    """

    def as_set(mean: Any, covariance: Any) -> Any:
        if second_moments:
            return (covariance + torch.outer(mean, mean))[None]
        return {"means": mean[None], "covariances": covariance[None]}

    def evaluate(mean_p: Any, cov_p: Any, mean_q: Any, cov_q: Any) -> tuple[float, tuple[Any, ...]]:
        parts = [torch.tensor(part, requires_grad=True) for part in (mean_p, cov_p, mean_q, cov_q)]
        value = function(as_set(*parts[:2]), as_set(*parts[2:]))
        if not isinstance(value, torch.Tensor) or value.numel() != 1:
            kind = type(value).__name__
            found = f"shape {tuple(value.shape)}" if isinstance(value, torch.Tensor) else kind
            raise TypeError(
                f"distance '{evaluate.__name__}' returned {found} for two sets of one class: return a "
                "tensor of shape (k, l) for sets of k and l classes"
            )
        slopes = torch.autograd.grad(value.sum(), parts, materialize_grads=True)
        return value.item(), tuple(slope.numpy() for slope in slopes)

    evaluate.__name__ = getattr(function, "__name__", "a function of tensors")
    return evaluate
