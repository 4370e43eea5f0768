"""Report of a fitted estimator: the page that ``sqfa fit --report`` writes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from .. import _core
from .._methods import METHODS
from ..data._labels import class_names, positions


def write_report(
    estimator: Any,
    path: str | os.PathLike[str],
    X: Any,
    y: Any,
    image_shape: tuple[int, int] | None,
    name: str,
) -> None:
    """Write the page. With samples, it also shows how these are classified."""
    from ._summary import Summary, held_out_accuracy

    if (X is None) != (y is None):
        raise ValueError("only one of X and y was passed: pass both or neither")
    if not hasattr(estimator, "classes_"):
        raise ValueError("a report needs class labels: pass y to fit")
    count, width = estimator.components_.shape
    # Weights of the scaled columns, as in sqfa fit --report. Weights of the original columns would
    # depend on their units.
    filters, _ = estimator._unfolded or (estimator.components_, None)
    filters = np.ascontiguousarray(filters, dtype=np.float64)
    if image_shape is not None and image_shape[0] * image_shape[1] != width:
        raise ValueError(
            f"image_shape is {image_shape[0]} × {image_shape[1]}, but samples have {width} features"
        )
    about = [(title.capitalize(), value) for title, value in Summary(estimator).rows]
    tested = None
    classifier = ""
    headline = _held_out_words(estimator, held_out_accuracy(estimator))
    if X is not None:
        features = np.ascontiguousarray(estimator.transform(X), dtype=np.float64)
        check_consistent_length(features, y)
        truth = positions(column_or_1d(y), estimator.classes_)
        classifier = estimator._feature_classifier().title
        guess = positions(estimator._predicted(X), estimator.classes_)
        tested = (features, truth, guess)
        accuracy = f"{np.mean(truth == guess):.1%}"
        headline = f"Test accuracy {accuracy} on the samples passed to report"
        about.insert(2, (f"{classifier} accuracy", f"{accuracy} on the samples passed to report"))
    about.append(("Software", f"sqfa_rs {_core.__version__}"))
    starts = getattr(estimator, "initializations_", None)
    traces = [estimator.objective_trace_] if starts is None else [start.trace for start in starts]
    title = METHODS[estimator._method]["title"]
    names = getattr(estimator, "feature_names_in_", ())
    how_many = f"{count} filter{'s' if count > 1 else ''}"
    _core.model_report(
        os.fspath(path),
        filters,
        np.ascontiguousarray(estimator.feature_means_),
        np.ascontiguousarray(estimator.feature_covariances_),
        estimator.class_counts_,
        class_names(estimator.classes_),
        tested,
        [np.ascontiguousarray(trace) for trace in traces if len(trace)],
        {
            "title": f"{title} with {how_many} on {name}",
            "headline": headline,
            "data": name,
            "tested_on": "test points",
            "classifier": classifier,
            "image_shape": image_shape,
            "features": [str(column) for column in names],
            "warnings": list(estimator._record["fit"]["warnings"]),
            "tried": [(one.n_components, one.accuracy) for one in getattr(estimator, "curve_", [])],
            "about": about,
        },
    )


def _held_out_words(estimator: Any, accuracy: float | None) -> str:
    """Return the held-out accuracy of the fit as text, as ``sqfa fit --report`` prints it."""
    if accuracy is None:
        return "No accuracy: no samples were held out; pass test samples to report"
    folds = getattr(getattr(estimator, "selection_", None), "folds", 0)
    how = {0: "held-out samples", 1: "one held-out part"}.get(folds, f"{folds}-fold cross-validation")
    return f"Held-out accuracy {accuracy:.1%} ({how})"
