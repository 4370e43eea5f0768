"""Many methods on one data set or several sessions, evaluated on points they have not seen."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from . import _core
from ._sessions import as_sessions
from ._threads import thread_count
from .data._inputs import dense, loose_points
from .data._labels import class_names, positions
from .data._statistics import estimator_name
from .typing import CovarianceEstimator, Scaling


def compare(
    X: Any,
    y: Any,
    X_test: Any = None,
    y_test: Any = None,
    *,
    methods: Sequence[str] = ("paper",),
    n_components: int | Sequence[int] | None = None,
    seeds: int = 3,
    random_state: int = 0,
    classifiers: Sequence[Literal["qda", "qda-t", "knn"]] = ("qda",),
    test_fraction: float | None = None,
    cv: int | None = None,
    splits: int | None = None,
    sessions: Any = None,
    groups: Any = None,
    circular: float | None = None,
    scaling: Scaling = "auto",
    covariance_estimator: CovarianceEstimator | None = None,
    noise: float | str = "auto",
    n_init: int | None = None,
    n_neighbors: int = 5,
    time_limit: float = 0.0,
    name: str = "data",
    image_shape: tuple[int, int] | None = None,
    report: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
) -> Any:
    """Compare methods by the accuracy of classifiers on points held out.

    Parameters
    ----------
    X, y : array-likes of shapes (n_samples, n_features) and (n_samples,), or lists of them
        Labeled points. Lists hold sessions, each with features and filters of its own.
    X_test, y_test : array-likes, default=None
        Test points; otherwise ``X`` is held out in folds, or a part of it from 5000 points on.
    methods : sequence of str, default=("paper",)
        Methods by name ("sqfa", "sqfa-h", "lda", …, "sqfa+refine"), or "paper" or "all".
    n_components : int or sequence of ints, default=None
        Numbers of components. By default 2, 4 and 8 as far as there are features, and the most that LDA
        can have, which is one fewer than classes.
    seeds : int, default=3
        How many seeds every method that uses one is run with.
    random_state : int, default=0
        The first seed; the others follow it.
    classifiers : sequence of {"qda", "qda-t", "knn"}, default=("qda",)
        What scores the features.
    test_fraction : float, default=None
        The share of every class that is held out, instead.
    cv : int, default=None
        Folds, each held out once, instead.
    splits : int, default=None
        Stratified splits of every session, instead: a tenth to test, a tenth to choose settings on, the
        rest to learn from.
    sessions : array-like of shape (n_samples,), default=None
        The session of every point; sessions share no filters. Where ``X`` is a list, their names.
    groups : array-like of shape (n_samples,), default=None
        The group of every point; a group stays on one side of every split. A list where ``X`` is one.
    circular : float, default=None
        The period after which labels repeat (180 for orientations), for the tuning in the report.
    scaling : {"auto", "none", "common", "per-feature", "within-class"}, default="auto"
        Scaling of the columns; "auto" selects it as ``fit`` does.
    covariance_estimator : str or float, default=None
        Estimator of the class covariances, as in :class:`SQFA`; None is every method's own.
    noise : float or str, default="auto"
        Regularization noise of the methods that have one, as in :class:`SQFA`; "auto" selects it as
        ``fit`` does.
    n_init : int, default=None
        Starts of every fit; 0 lets the method decide. Otherwise it decides where the noise is chosen,
        and there is one start where the noise is given.
    n_neighbors : int, default=5
        Neighbors of the kNN classifier.
    time_limit : float, default=0
        Seconds one fit may take; 0 is no limit.
    name : str, default="data"
        What the report calls the data.
    image_shape : tuple of two ints, default=None
        Height and width, when points are images.
    report : path-like, default=None
        Where to write a report as one HTML page.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    Comparison
        A data frame with one row for every method, number of components, seed, session and fold: status,
        accuracy by every classifier, seconds, objective, settings. ``show()`` shows its report, in a
        notebook or in the browser; ``report(path)`` writes it. It needs pandas.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sqfa_rs import compare
    >>> X, y = load_iris(return_X_y=True)
    >>> table = compare(X, y, methods=["pca", "lda"], n_components=2, cv=3)
    >>> len(table)
    6
    """
    try:
        from ._comparison import comparison
    except ImportError as error:
        raise ImportError("compare needs pandas: install it with pip install pandas") from error
    classes, every = as_sessions(name, X, y, sessions, groups)
    held = {"test_fraction": test_fraction, "cv": cv, "splits": splits}
    given = [what for what, value in held.items() if value is not None]
    if len(given) > 1:
        raise ValueError(f"give {' or '.join(given)}, not both")
    test = test_codes = None
    if (X_test is None) != (y_test is None):
        raise ValueError("give both X_test and y_test, or neither")
    if X_test is not None:
        given += ["sessions"] * (len(every) > 1) + ["groups"] * (groups is not None)
        if given:
            raise ValueError(f"test points were given: leave out {' and '.join(given)}")
        test = dense(loose_points(X_test))
        check_consistent_length(test, y_test)
        test_codes = positions(column_or_1d(y_test), classes)
    if circular is not None and not 0 < circular < float("inf"):
        raise ValueError(f"circular is {circular}: give the period of the labels, as in 180")
    if n_components is None:
        counts: list[Any] = []
    else:
        counts = [n_components] if np.ndim(n_components) == 0 else list(n_components)  # type: ignore[arg-type]
    parts: Any = "given"
    if test_fraction is not None:
        parts = {"fraction": float(test_fraction)}
    elif cv is not None:
        parts = {"folds": int(cv)}
    elif splits is not None:
        parts = {"splits": int(splits)}
    spec = {
        "methods": [methods] if isinstance(methods, str) else list(methods),
        "filters": [int(count) for count in counts],
        "seeds": int(seeds),
        "first_seed": int(random_state),
        "classifiers": [classifiers] if isinstance(classifiers, str) else list(classifiers),
        "parts": parts,
        "scaling": scaling,
        "noise": noise if isinstance(noise, str) else repr(float(noise)),
        **({} if n_init is None else {"n_init": int(n_init)}),
        **(
            {}
            if covariance_estimator is None
            else {"covariance_estimator": estimator_name(covariance_estimator)}
        ),
        "neighbors": int(n_neighbors),
        "time_limit": float(time_limit),
    }
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "report.html" if report is None else pathlib.Path(report)
        lines = _core.compare(
            name,
            [tuple(session) for session in every],
            class_names(classes),
            test,
            test_codes,
            json.dumps(spec),
            str(page),
            image_shape,
            circular,
            thread_count(n_jobs),
        )
        names = [session.name for session in every]
        rows = [_row(json.loads(line), spec["classifiers"], names) for line in lines]
        return comparison(rows, page.read_text(encoding="utf-8"))


def _row(record: dict[str, Any], classifiers: Any, sessions: list[str]) -> dict[str, Any]:
    """One record as a flat row."""
    outcome = record["outcome"]
    done = outcome if outcome["status"] == "done" else {}
    accuracies = {score["classifier"]: score["accuracy"] for score in done.get("verdicts", [])}
    return {
        "method": record["method"],
        "n_components": record["filters"],
        "seed": record["seed"],
        "session": sessions[record.get("session", 0)],
        "fold": record["fold"],
        "status": outcome["status"],
        **{f"{name}_accuracy": accuracies.get(name) for name in classifiers},
        "fit_seconds": done.get("fit_seconds"),
        "search_seconds": done.get("search_seconds"),
        "objective": done.get("objective"),
        "converged": done.get("converged"),
        "n_iter": done.get("iterations"),
        "settings": {setting["name"]: setting["value"] for setting in done.get("settings", [])},
        "message": outcome.get("reason") or outcome.get("error"),
    }
