"""Robust estimates of location and covariance."""

from __future__ import annotations

from ._robust import RobustCovariance, robust_covariance

__all__ = ["RobustCovariance", "robust_covariance"]
