"""Local estimators with a few more parameters, for engines that keep their constructors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from sklearn.base import clone


def constructor(local: type[Any], *extra: str) -> Callable[..., None]:
    """A constructor with the parameters of the local estimator and some more, ``None`` by default."""
    original = inspect.signature(local.__init__)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Any")
        for name in extra
    ]

    def __init__(self: Any, *args: Any, **settings: Any) -> None:
        values = {name: settings.pop(name, None) for name in extra}
        local.__init__(self, *args, **settings)
        for name, value in values.items():
            setattr(self, name, value)

    # scikit-learn reads the parameters off the signature.
    parameters = [*original.parameters.values(), *added]
    __init__.__signature__ = original.replace(parameters=parameters)  # type: ignore[attr-defined]
    return __init__


class OnEngine:
    """An estimator that computes its statistics on an engine and is a local one in all else."""

    _local: type[Any]
    # The parameter that names the engine's connection, which is never copied, compared or pickled.
    _connection: str
    # The other parameters that only the engine takes.
    _engine_only: tuple[str, ...] = ()

    def to_local(self) -> Any:
        """Return the same estimator, fitted or not, without the engine.

        Returns
        -------
        estimator : object
            The local estimator.
        """
        settings = self.get_params(deep=False)  # type: ignore[attr-defined]
        gone = (self._connection, *self._engine_only)
        local = self._local(**{name: value for name, value in settings.items() if name not in gone})
        state = {name: value for name, value in vars(self).items() if name not in gone}
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
