"""Every method × data × settings by the command and by the package: both agree, or there is a reason.

`make test` runs a sample of the cells and `make test-matrix` all of them (SQFA_MATRIX=all). Both
agree when they find exactly the same filters, or when both reject the fit. A cell with a reason has to
differ in the way that the reason states: when it no longer does, the test fails until the reason is
removed.
"""

import itertools
import os
from typing import Any, NamedTuple

import numpy as np
import pytest
from command_worker import CommandWorker
from scipy import sparse

from sqfa_rs import class_statistics, estimators, load
from sqfa_rs._methods import METHODS as CATALOG
from sqfa_rs.estimators._base import Reducer

FILTERS = 2
# One cell in so many is in the sample; no common divisor with the numbers of data sets and settings.
STRIDE = 17

# -- methods ------------------------------------------------------------------------------------

CLASSES = {
    cls._method: cls
    for cls in (getattr(estimators, name) for name in estimators.__all__)
    if issubclass(cls, Reducer)
}
# Methods of the command that are SQFA or its heavy-tailed form with other parameters.
VARIANTS: dict[str, dict[str, Any]] = {
    "sqfa-h": {"distance": "hellinger"},
    "sqfa-b": {"distance": "bhattacharyya"},
    "sqfa-j": {"distance": "jeffreys"},
    "sqfa-w": {"distance": "wasserstein", "constraint": "orthonormal"},
    "sqfa-fr": {"distance": "fisher-rao"},
    "sqfa-cauchy": {"nu": 1.0},
}
# Refinement is a setting of its own; two methods stand for all.
METHODS = (*CATALOG, "sqfa-h+refine", "lda+refine")


def estimator(method: str, **settings: Any) -> Reducer:
    """Return the estimator of a method of the command."""
    base, _, refined = method.partition("+")
    settings |= VARIANTS.get(base, {}) | ({"refine": True} if refined else {})
    if base in VARIANTS:
        base = "sqfa-t" if "nu" in settings else "sqfa"
    return CLASSES[base](FILTERS, **settings)


# -- data ---------------------------------------------------------------------------------------


class Data(NamedTuple):
    """A data set as arrays, and how it is passed to an estimator and to the command."""

    X: Any
    y: np.ndarray
    weights: np.ndarray | None = None
    kind: str = "samples"


def labeled(rows: int, columns: int, unit: float = 10) -> Data:
    """Return three classes that differ in the first columns, of which one is in another unit."""
    rng = np.random.default_rng(0)
    y = np.arange(rows) % 3
    X = rng.normal(size=(rows, columns))
    X[:, 0] += 1.5 * y
    X[:, 1] *= 1 + y
    X[:, 2] -= 1.5 * (y == 1)
    X[:, 3] *= unit
    return Data(X, y)


def with_weights() -> Data:
    data = labeled(150, 6)
    return data._replace(weights=1 + np.arange(150) % 4 // 2)


def with_constant() -> Data:
    data = labeled(150, 6)
    return data._replace(X=np.insert(data.X, 4, 7.0, axis=1))


def as_sparse() -> Data:
    data = labeled(60, 120)
    rows, columns = data.X.shape
    kept = np.random.default_rng(1).random(data.X.shape) < 0.03
    kept[:, :3] = True
    # No column is constant.
    kept[np.arange(columns) % rows, np.arange(columns)] = True
    return data._replace(X=sparse.csr_matrix(data.X * kept))


DATA = {
    "more samples than columns": lambda: labeled(150, 6),
    "fewer samples than columns": lambda: labeled(60, 120, unit=1000),
    "more than 256 columns": lambda: labeled(300, 260),
    "weights": with_weights,
    "a constant column": with_constant,
    "statistics": lambda: labeled(150, 6)._replace(kind="statistics"),
    "sparse": as_sparse,
    "second moments": lambda: labeled(150, 6)._replace(kind="second moments"),
}


def moments(data: Data) -> dict[str, Any]:
    """Return the statistics of a data set as a file of statistics holds them."""
    own = class_statistics(data.X, data.y)
    both = {"counts": own.counts, "classes": own.classes}
    if data.kind == "statistics":
        return {"means": own.means, "covariances": own.covariances, **both}
    second = own.covariances + np.einsum("ki,kj->kij", own.means, own.means)
    return {"second_moments": second, **both}


def write(data: Data, folder: Any, name: str) -> list[str]:
    """Write a data set; returns how the command names it."""
    path = str(folder / f"{name.replace(' ', '-')}.npz")
    X, y = data.X, data.y
    if data.kind != "samples":
        np.savez(path, **moments(data))
        return [path]
    if sparse.issparse(X):
        sparse.save_npz(path, X)
        np.save(f"{path}.labels.npy", y)
        return [path, "--labels", f"{path}.labels.npy"]
    if data.weights is not None:
        # The command fits repeated rows, which are what weights mean.
        X, y = np.repeat(X, data.weights, axis=0), np.repeat(y, data.weights)
    np.savez(path, X=X, y=y)
    return [path]


# -- settings -----------------------------------------------------------------------------------

SETTINGS = ("nothing", "noise", "noise and scaling", "principal components", "initial filters")


def initial(columns: int) -> np.ndarray:
    """Return initial filters, one per row."""
    return np.random.default_rng(2).normal(size=(FILTERS, columns))


def specified(settings: str, method: str, columns: int, folder: Any) -> tuple[dict[str, Any], list[str]]:
    """Return settings as parameters of an estimator and as flags."""
    names = {setting.name for setting in CATALOG[method.partition("+")[0]]["settings"]}
    if settings == "noise":
        return {"noise": 0.5}, ["--noise", "0.5"]
    if settings == "noise and scaling":
        scale = {"scaling": "per-feature"}, ["--scaling", "per-feature"]
        if "noise" not in names:
            return scale
        return {"noise": 0.5, **scale[0]}, ["--noise", "0.5", *scale[1]]
    if settings == "principal components":
        return {"pca_dims": 4}, ["--pca-dims", "4"]
    if settings == "initial filters":
        path = folder / f"initial-{columns}.npy"
        np.save(path, initial(columns).T)
        return {"init": initial(columns)}, ["--init", str(path)]
    return {}, []


# -- cells --------------------------------------------------------------------------------------

SAME = "same filters"
REJECTED = "both reject"
ROUNDING = "differ by rounding"
DIFFERENT = "different filters"
COMMAND_REJECTS = "the command rejects"
PYTHON_REJECTS = "Python rejects"


class Reason(NamedTuple):
    """Why some cells differ: those of all named methods, data and settings.

    A pattern is a list of names separated by commas; "*" stands for all names and "-name" excludes one.
    """

    outcome: str
    methods: str
    data: str
    settings: str
    why: str

    def holds(self, method: str, data: str, settings: str) -> bool:
        return (
            _within(self.methods, method, METHODS)
            and _within(self.data, data, DATA)
            and _within(self.settings, settings, SETTINGS)
        )


def _within(pattern: str, name: str, names: Any) -> bool:
    parts = pattern.split(", ")
    included = [part for part in parts if part[0] != "-"]
    excluded = [part[1:] for part in parts if part[0] == "-"]
    assert all(part in names for part in (*included, *excluded) if part != "*"), pattern
    return name not in excluded and ("*" in included or not included or name in included)


GAUSSIAN = "sqfa, smsqfa, sqfa-h, sqfa-b, sqfa-j, sqfa-w, sqfa-fr"
NO_COMPONENTS = "Only the estimators of LFDA, WDA, LMNN and NCA have the parameter pca_dims."
ROUNDED_WEIGHTS = "Weighted sums are rounded differently from sums over repeated rows."
REASONS: list[Reason] = [
    Reason(
        PYTHON_REJECTS,
        "*, -lfda, -wda, -lmnn, -nca, -ama, -sqfa-cauchy, -sqfa-h+refine, -lda+refine",
        "*",
        "principal components",
        NO_COMPONENTS,
    ),
    Reason(
        PYTHON_REJECTS,
        "ama, sqfa-cauchy, sqfa-h+refine, lda+refine",
        "*, -statistics, -second moments",
        "principal components",
        NO_COMPONENTS,
    ),
    *(
        Reason(ROUNDING, methods, "weights", settings, ROUNDED_WEIGHTS)
        for methods, settings in (
            ("lda, spca, pca, lda+refine", "nothing, noise and scaling"),
            ("ama, save, directional-regression", "nothing, noise, noise and scaling"),
            ("lad", "nothing, noise, noise and scaling, initial filters"),
            ("lfda, wda", "nothing, noise and scaling, principal components"),
        )
    ),
    Reason(
        DIFFERENT,
        "lmnn, nca",
        "weights",
        "nothing, noise and scaling, principal components",
        "Optimizers of losses over single samples magnify the rounding of weighted sums.",
    ),
    Reason(
        ROUNDING,
        f"{GAUSSIAN}, sqfa-h+refine",
        "weights",
        "nothing, noise, noise and scaling",
        ROUNDED_WEIGHTS,
    ),
    Reason(
        DIFFERENT,
        "sqfa-t, sqfa-cauchy",
        "weights",
        "nothing, noise, noise and scaling",
        "Scatters of weighted samples differ from those of repeated rows by more than rounding.",
    ),
]


def cells() -> list[tuple[str, str, str]]:
    """Return all cells, or the sample of them that is run by default."""
    everything = list(itertools.product(METHODS, DATA, SETTINGS))
    return everything if os.environ.get("SQFA_MATRIX") == "all" else everything[::STRIDE]


def by_python(method: str, data: Data, settings: dict[str, Any]) -> np.ndarray | str:
    """Return the filters that the package finds, or why it rejects the fit."""
    try:
        reducer = estimator(method, **settings)
        if data.kind != "samples":
            own = moments(data)
            given = own.pop("means", None), own.pop("covariances", own.pop("second_moments", None))
            return reducer.fit_statistics(*given, own["counts"], classes=own["classes"]).components_
        weights = {} if data.weights is None else {"sample_weight": data.weights}
        return reducer.fit(data.X, data.y, **weights).components_
    except (TypeError, ValueError) as error:
        return str(error)


def by_command(
    worker: CommandWorker, method: str, data: list[str], flags: list[str], folder: Any
) -> np.ndarray | str:
    """Return the filters that the command finds, or why it rejects the fit."""
    base, _, refined = method.partition("+")
    model = folder / "model.sqfa"
    words = ["fit", *data, "--method", base, "-m", str(FILTERS), *flags, "--out", str(model), "--quiet"]
    done = worker.run(*words, *(["--refine"] if refined else []))
    if done.code != 0:
        assert done.code in (1, 2) and "error: " in done.printed, done
        return done.printed
    return load(model).components_


def outcome(here: np.ndarray | str, there: np.ndarray | str) -> str:
    """Compare the results of the package and of the command."""
    if isinstance(here, str) and isinstance(there, str):
        return REJECTED
    if isinstance(here, str):
        return PYTHON_REJECTS
    if isinstance(there, str):
        return COMMAND_REJECTS
    if np.array_equal(here, there):
        return SAME
    close = here.shape == there.shape and np.abs(here - there).max() <= 1e-6 * np.abs(here).max()
    return ROUNDING if close else DIFFERENT


@pytest.fixture(scope="module")
def worker():
    one = CommandWorker()
    yield one
    one.close()


@pytest.fixture(scope="module")
def data_sets(tmp_path_factory):
    """Data sets by name, each as arrays and as words of the command."""
    folder = tmp_path_factory.mktemp("matrix")
    made = {name: make() for name, make in DATA.items()}
    return {name: (data, write(data, folder, name)) for name, data in made.items()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("method", "data", "settings"), cells())
def test_the_command_and_the_package_agree(worker, data_sets, tmp_path, method, data, settings):
    own, words = data_sets[data]
    parameters, flags = specified(settings, method, own.X.shape[1], tmp_path)
    here = by_python(method, own, parameters)
    there = by_command(worker, method, words, flags, tmp_path)
    found = outcome(here, there)
    expected = [reason for reason in REASONS if reason.holds(method, data, settings)]
    assert len(expected) < 2, "a cell has one reason"
    told = [one for one in (here, there) if isinstance(one, str)]
    if expected:
        # How far results are apart may depend on the machine, so rounding is a difference, too.
        allowed = (DIFFERENT, ROUNDING) if expected[0].outcome == DIFFERENT else (expected[0].outcome,)
        assert found in allowed, f"{found}, but the reason is: {expected[0].why} {told}"
    else:
        assert found in (SAME, REJECTED), f"{found}, and there is no reason {told}"


def test_the_sample_covers_every_method_data_set_and_setting():
    sample = list(itertools.product(METHODS, DATA, SETTINGS))[::STRIDE]
    for names, part in zip((METHODS, DATA, SETTINGS), zip(*sample, strict=True), strict=True):
        assert set(part) == set(names)
