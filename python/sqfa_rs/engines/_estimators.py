"""Local estimators with one more parameter, for engines that keep the estimators' own constructors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from sklearn.base import clone


def constructor(local: type[Any], extra: str) -> Callable[..., None]:
    """A constructor with the parameters of the local estimator and one more, ``None`` by default."""
    original = inspect.signature(local.__init__)
    added = inspect.Parameter(extra, inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Any")

    def __init__(self: Any, *args: Any, **settings: Any) -> None:
        value = settings.pop(extra, None)
        local.__init__(self, *args, **settings)
        setattr(self, extra, value)

    # scikit-learn reads the parameters off the signature.
    parameters = [*original.parameters.values(), added]
    __init__.__signature__ = original.replace(parameters=parameters)  # type: ignore[attr-defined]
    return __init__


class OnEngine:
    """An estimator that computes its statistics on an engine and is a local one in all else."""

    _local: type[Any]
    # The parameter that names the engine's connection, which is never copied, compared or pickled.
    _connection: str

    def to_local(self) -> Any:
        """The same estimator, fitted or not, without the engine."""
        settings = self.get_params(deep=False)  # type: ignore[attr-defined]
        settings.pop(self._connection)
        local = self._local(**settings)
        state = {name: value for name, value in vars(self).items() if name != self._connection}
        vars(local).update(state)
        return local

    def __sklearn_clone__(self) -> Any:
        settings = self.get_params(deep=False)  # type: ignore[attr-defined]
        connection = settings.pop(self._connection)
        copies = {name: clone(value, safe=False) for name, value in settings.items()}
        return type(self)(**copies, **{self._connection: connection})

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {**state, self._connection: None}
