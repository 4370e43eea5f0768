"""Distances between classes as loss functions of PyTorch, and distances written in PyTorch.

:func:`separation_loss` is a loss function for the features of any network. :func:`as_distance`
converts a function of tensors to a distance that :class:`sqfa_rs.SQFA` maximizes.

Only this module imports PyTorch: ``pip install sqfa_rs[torch]``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

try:
    import torch
except ImportError as error:
    raise ImportError(
        "sqfa_rs.torch needs PyTorch: install it with pip install 'sqfa-rs[torch]'"
    ) from error

from . import distances
from .typing import Distance

__all__ = ["as_distance", "class_moments", "mean_distance", "separation_loss"]


class _MeanDistance(torch.autograd.Function):  # type: ignore[misc]
    """Value and gradient of the core as a node of the graph, without second derivatives."""

    @staticmethod
    def forward(ctx: Any, means: Any, covariances: Any, distance: Any, weights: Any) -> Any:
        """Compute the value, and save the gradient that the core returns with it."""
        first, second = (t.detach().to("cpu", torch.float64).numpy() for t in (means, covariances))
        value, slopes, spreads = distances.value_and_gradient(first, second, distance, weights)
        ctx.save_for_backward(
            torch.as_tensor(slopes).to(means), torch.as_tensor(spreads).to(covariances)
        )
        return means.new_tensor(value)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, slope: Any) -> Any:
        """Multiply the saved gradient by the gradient of the output."""
        means, covariances = ctx.saved_tensors
        return slope * means, slope * covariances, None, None


def mean_distance(
    means: Any,
    covariances: Any,
    distance: Distance = "hellinger",
    weights: Any = None,
) -> Any:
    """Compute the mean distance over pairs of Gaussians as a differentiable scalar tensor.

    Parameters
    ----------
    means : tensor of shape (k, m)
        Means of the Gaussians.
    covariances : tensor of shape (k, m, m)
        Covariances of the Gaussians, positive definite.
    distance : str or callable, default="hellinger"
        Distance, as in :func:`sqfa_rs.distances.value_and_gradient`.
    weights : array-like of shape (k, k), default=None
        Weight of each pair.

    Returns
    -------
    tensor
        Mean distance, with the data type of ``means``. It is computed in double precision on the
        CPU.
    """
    weights = None if weights is None else np.asarray(weights, dtype=np.float64)
    return _MeanDistance.apply(means, covariances, distance, weights)


def class_moments(features: Any, labels: Any) -> tuple[Any, Any, Any]:
    """Compute classes, means and covariances (divisor N − 1) of a batch, differentiably.

    Parameters
    ----------
    features : tensor of shape (n, m)
        Features, one row per sample.
    labels : tensor of shape (n,)
        Class labels.

    Returns
    -------
    classes, means, covariances
        Sorted classes with at least two samples in the batch, their means and their covariances.
        Classes with one sample are left out, because they have no covariance.
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
            f"only {len(kept)} classes have at least 2 samples in a batch of {len(labels)}, but "
            "distances need 2 such classes: use larger batches, or sample batches by class"
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
    """Compute minus the mean distance between the classes of a batch, as a loss to minimize.

    Parameters
    ----------
    features : tensor of shape (n, m)
        Features that a network computes for a batch, one row per sample. m should be at most a few
        dozen, and the number of samples of each class much larger than m.
    labels : tensor of shape (n,)
        Class labels. Classes with a single sample in the batch are left out.
    distance : str or callable, default="hellinger"
        Distance, as in :func:`sqfa_rs.distances.value_and_gradient`; "fisher-rao" is the exact
        distance.
    noise : float, default=1e-3
        Variance added to every feature, in squared units of the features. It keeps covariances
        invertible and determines the scale: without a normalization of the features (for example
        batch normalization without parameters), the network reduces the loss by making the features
        larger and larger.
    weights : array-like, default=None
        Weight of each pair of the classes that occur in the batch.

    Returns
    -------
    tensor
        Loss, a scalar tensor.

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
    """Convert a distance written in PyTorch to a distance of this package.

    Derivatives are computed by automatic differentiation. The function is called for every pair of
    classes in every step, so such fits are slow and suitable for at most a few dozen classes and
    components.

    Parameters
    ----------
    function : callable
        Function of two sets of k classes that returns a (k, k) tensor, such as a ``distance_fun``
        of the package ``sqfa``. A set is a dict with the tensors "means" of shape (k, m) and
        "covariances" of shape (k, m, m). The function is called with sets of one class, in double
        precision.
    second_moments : bool, default=False
        Whether a set is a tensor of second moments of shape (k, m, m), instead of a dict.

    Returns
    -------
    callable
        Value for the parameter ``distance`` of :class:`sqfa_rs.SQFA` and of
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
