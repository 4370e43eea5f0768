"""The classes of all methods beside the SQFA family: a new one is tested without being named."""

from sqfa_rs import estimators
from sqfa_rs.estimators._base import Reducer
from sqfa_rs.estimators._family import BaseSQFA

BASELINES = [
    cls
    for cls in (getattr(estimators, name) for name in estimators.__all__)
    if issubclass(cls, Reducer) and not issubclass(cls, BaseSQFA)
]


def takes(cls, **settings):
    """Those of some parameters that a class has."""
    return {name: value for name, value in settings.items() if name in cls._get_param_names()}
