"""Comparison of methods on one data set or several sessions, evaluated on held-out samples."""

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
    """Compare methods by the held-out accuracy of classifiers on their features.

    Parameters
    ----------
    X, y : array-likes of shapes (n_samples, n_features) and (n_samples,), or lists of them
        Samples and their labels. Lists contain sessions, each with its own features and its own
        components.
    X_test, y_test : array-likes, default=None
        Test samples. By default, ``X`` is split into folds, or, from 5000 samples on, into training
        and test samples.
    methods : sequence of str, default=("paper",)
        Names of methods ("sqfa", "sqfa-h", "lda", …, "sqfa+refine"), or "paper" or "all".
    n_components : int or sequence of ints, default=None
        Numbers of components to compare. None uses 2, 4 and 8, except for numbers larger than the
        number of features, and ``n_classes − 1``, the maximum for LDA.
    seeds : int, default=3
        Number of seeds for each method that uses random numbers.
    random_state : int, default=0
        First seed; the other seeds are the numbers that follow it.
    classifiers : sequence of {"qda", "qda-t", "knn"}, default=("qda",)
        Classifiers that score the features.
    test_fraction : float, default=None
        Fraction of each class that is held out for testing, instead of folds.
    cv : int, default=None
        Number of folds. Each fold is held out once.
    splits : int, default=None
        Number of stratified splits of each session, instead of folds: 10 % of the samples for
        testing, 10 % to select settings, and the rest for training.
    sessions : array-like of shape (n_samples,), default=None
        Session of each sample. Each session has its own components. If ``X`` is a list, the names
        of the sessions.
    groups : array-like of shape (n_samples,), default=None
        Group of each sample. All samples of a group are on the same side of every split. If ``X``
        is a list, a list as well.
    circular : float, default=None
        Period of circular labels (180 for orientations), which the tuning curves in the report use.
    scaling : {"auto", "none", "common", "per-feature", "within-class"}, default="auto"
        Scaling of the columns; "auto" selects it as ``fit`` does.
    covariance_estimator : str or float, default=None
        Estimator of the class covariances, as in :class:`SQFA`. None uses the default of each
        method.
    noise : float or str, default="auto"
        Regularization noise of the methods that use it, as in :class:`SQFA`; "auto" selects it as
        ``fit`` does.
    n_init : int, default=None
        Number of initializations per fit; 0 uses the default of the method. None means 0 if the
        noise is selected, and 1 if it is specified.
    n_neighbors : int, default=5
        Number of neighbors of the kNN classifier.
    time_limit : float, default=0
        Maximum time of one fit in seconds; 0 is no limit.
    name : str, default="data"
        Name of the data in the report.
    image_shape : tuple of two ints, default=None
        Height and width of samples that are images.
    report : path-like, default=None
        Path of a report to write, as one HTML page.
    n_jobs : int, default=None
        Number of threads. None uses all processors. The results do not depend on it.

    Returns
    -------
    Comparison
        Data frame with one row per method, number of components, seed, session and fold. Its
        columns are the status, the accuracy of each classifier, the time in seconds, the objective
        and the settings. ``show()`` shows its report in a notebook or in the browser, and
        ``report(path)`` writes it. pandas is required.

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
        raise ValueError(f"{' and '.join(given)} cannot be used together: give only one of them")
    test = test_codes = None
    if (X_test is None) != (y_test is None):
        raise ValueError("only one of X_test and y_test was passed: pass both or neither")
    if X_test is not None:
        given += ["sessions"] * (len(every) > 1) + ["groups"] * (groups is not None)
        if given:
            raise ValueError(
                f"{' and '.join(given)} cannot be used together with X_test and "
                f"y_test: leave out {' and '.join(given)}"
            )
        test = dense(loose_points(X_test))
        check_consistent_length(test, y_test)
        test_codes = positions(column_or_1d(y_test), classes)
    if circular is not None and not 0 < circular < float("inf"):
        raise ValueError(f"circular is {circular}: give the period of the labels, such as 180")
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
    """Return one record as a row."""
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
