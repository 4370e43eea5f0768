"""Local estimators with additional parameters, for engines that keep the local constructors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from sklearn.base import clone


def constructor(local: type[Any], *extra: str) -> Callable[..., None]:
    """Return a constructor with the parameters of the local estimator and additional ones."""
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

    # scikit-learn reads the parameters from the signature.
    parameters = [*original.parameters.values(), *added]
    __init__.__signature__ = original.replace(parameters=parameters)  # type: ignore[attr-defined]
    return __init__


class OnEngine:
    """Estimator that computes class statistics on an engine, and otherwise equals a local estimator."""

    _local: type[Any]
    # Parameter with the connection to the engine, which is never copied, compared or pickled.
    _connection: str
    # Other parameters that only the engine uses.
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
