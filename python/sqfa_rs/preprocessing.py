"""Nonlinear feature maps, which are applied before a linear method."""

from __future__ import annotations

from .estimators import Lift

__all__ = ["Lift"]
