"""Compiled part of sqfa_rs, which is private but typed."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str
SKETCH_SIZE: int
LARGEST_SKETCH: int

_Names = list[int] | list[str]
_Matrix = NDArray[np.float64]

class Accumulator:
    def __init__(self, names: _Names, dimension: int, sketch: int | None = None) -> None: ...
    def update(
        self,
        points: NDArray[Any],
        codes: NDArray[np.uint32],
        weights: NDArray[np.uint64] | None,
        threads: int,
    ) -> None: ...
    def copied(self) -> Accumulator: ...
    def merge(self, other: Accumulator) -> None: ...
    def widen(self, names: _Names) -> None: ...
    def finish(self, estimator: str, threads: int) -> Statistics: ...
    def classes(self) -> _Names: ...
    def counts(self) -> NDArray[np.uint64]: ...
    def sketch(self) -> int | None: ...
    def dimension(self) -> int: ...
    def to_bytes(self) -> bytes: ...
    @classmethod
    def from_bytes(cls, bytes: bytes) -> Accumulator: ...

class Statistics:
    @classmethod
    def given(
        cls,
        labels: _Names,
        means: _Matrix | None,
        matrices: NDArray[Any],
        counts: NDArray[np.uint64] | None,
        threads: int,
    ) -> Statistics: ...
    def classes(self) -> _Names: ...
    def counts(self) -> NDArray[np.uint64] | None: ...
    def means(self) -> _Matrix: ...
    def covariances(self) -> NDArray[Any]: ...
    def fourth_moments(
        self,
        points: NDArray[Any],
        codes: NDArray[np.uint32],
        weights: NDArray[np.uint64] | None,
        threads: int,
    ) -> NDArray[np.float64]: ...
    def ledoit_wolf(self, fourth: NDArray[np.float64]) -> Statistics: ...
    def bounds(self) -> NDArray[np.float64] | None: ...
    def second_moments(self) -> bool: ...
    def dimension(self) -> int: ...
    def noise_scale(self) -> float: ...
    def project(self, components: _Matrix, noise: float, threads: int) -> tuple[_Matrix, _Matrix]: ...

class Qda:
    def __init__(
        self,
        names: _Names,
        means: _Matrix,
        covariances: _Matrix,
        priors: _Matrix,
        shrinkage: float | None,
        threads: int,
        degrees: float | None = None,
    ) -> None: ...
    def predict(self, points: NDArray[Any], threads: int) -> NDArray[np.uint32]: ...
    def log_posteriors(self, points: NDArray[Any], threads: int) -> _Matrix: ...

class FeatureClassifier:
    title: str
    whitening: _Matrix | None
    def __init__(
        self,
        kind: str,
        names: _Names,
        means: _Matrix,
        covariances: _Matrix,
        counts: NDArray[np.uint64] | None,
        priors: NDArray[np.float64] | None,
        threads: int,
    ) -> None: ...
    def predict(self, features: NDArray[Any], threads: int) -> NDArray[np.uint32]: ...
    def log_posteriors(self, features: NDArray[Any], threads: int) -> _Matrix: ...

class Knn:
    def __init__(
        self,
        names: _Names,
        points: NDArray[Any],
        codes: NDArray[np.uint32],
        neighbors: int,
        threads: int,
    ) -> None: ...
    def predict(self, points: NDArray[Any], threads: int) -> NDArray[np.uint32]: ...
    def posteriors(self, points: NDArray[Any], threads: int) -> _Matrix: ...

class Linear:
    def __init__(
        self,
        names: _Names,
        means: _Matrix,
        covariances: _Matrix,
        priors: _Matrix,
        shrinkage: float | None,
        threads: int,
    ) -> None: ...
    def predict(self, points: NDArray[Any], threads: int) -> NDArray[np.uint32]: ...
    def log_posteriors(self, points: NDArray[Any], threads: int) -> _Matrix: ...

class Geodesic:
    @classmethod
    def between(
        cls,
        mean_a: _Matrix,
        covariance_a: _Matrix,
        mean_b: _Matrix,
        covariance_b: _Matrix,
        tolerance: float,
    ) -> Geodesic: ...
    @classmethod
    def shoot(
        cls,
        mean: _Matrix,
        covariance: _Matrix,
        velocity_mean: _Matrix,
        velocity_covariance: _Matrix,
    ) -> Geodesic: ...
    def length(self) -> float: ...
    def point(self, time: float) -> tuple[_Matrix, _Matrix]: ...
    def velocity(self) -> tuple[_Matrix, _Matrix]: ...

_Scorer = tuple[_Matrix, NDArray[np.float64] | None, _Matrix, NDArray[np.float64], NDArray[np.float64]]

class Remote:
    def __init__(
        self,
        method: str,
        parts: list[Accumulator],
        rest: Accumulator,
        estimator: str,
        settings: dict[str, Any],
    ) -> None: ...
    def ask(
        self, callback: Callable[..., object] | None, threads: int
    ) -> tuple[list[tuple[int, list[_Scorer]]], list[bool]] | None: ...
    def answer(self, sums: NDArray[np.int64]) -> None: ...
    def fit(self, callback: Callable[..., object] | None, threads: int) -> dict[str, Any]: ...
    def coordinates(self, threads: int) -> tuple[_Matrix, NDArray[np.float64] | None]: ...
    def refine(
        self,
        coordinates: NDArray[Any],
        codes: NDArray[np.uint32],
        callback: Callable[..., object] | None,
        threads: int,
    ) -> dict[str, Any]: ...
    def classes(self) -> _Names: ...

def chooses(method: str, settings: dict[str, Any]) -> bool: ...
def row_keys(points: NDArray[Any], seed: int, first: int | None, threads: int) -> NDArray[np.uint64]: ...
def tally(
    scorers: list[_Scorer],
    names: _Names,
    points: NDArray[Any],
    codes: NDArray[np.uint32],
    weights: NDArray[np.uint64] | None,
    threads: int,
) -> NDArray[np.int64]: ...
def fisher_rao(
    mean_a: _Matrix,
    covariance_a: _Matrix,
    mean_b: _Matrix,
    covariance_b: _Matrix,
    tolerance: float,
    bounds: bool,
) -> tuple[float, float, float, float, int, bool]: ...
def check_labels(names: _Names, codes: NDArray[np.uint32]) -> None: ...
def robust_covariance(
    points: NDArray[Any], support: float, starts: int, seed: int, threads: int
) -> dict[str, Any]: ...
def clean(
    points: NDArray[Any],
    names: _Names,
    codes: NDArray[np.uint32],
    window: float | None,
    rate: float,
    components: int,
    support: float,
    deviations: float,
    outlying: float,
    unstable: int,
    seed: int,
    threads: int,
) -> dict[str, Any]: ...
def fit_points(
    method: str,
    points: NDArray[Any],
    names: _Names,
    codes: NDArray[np.uint32],
    weights: NDArray[np.uint64] | None,
    held: tuple[NDArray[np.uint32] | None, NDArray[np.uint16] | int | None],
    estimator: str | None,
    settings: dict[str, Any],
    callback: Callable[..., object] | None,
    threads: int,
) -> dict[str, Any]: ...
def fit_statistics(
    method: str,
    statistics: Statistics,
    estimator: str | None,
    settings: dict[str, Any],
    callback: Callable[..., object] | None,
    threads: int,
) -> dict[str, Any]: ...
def compare(
    name: str,
    sessions: list[tuple[str, NDArray[Any], NDArray[np.uint32], NDArray[np.uint32] | None, list[str]]],
    names: _Names,
    test: NDArray[Any] | None,
    test_codes: NDArray[np.uint32] | None,
    spec: str,
    report: str | None,
    image_shape: tuple[int, int] | None,
    circular: float | None,
    threads: int,
) -> list[str]: ...
def class_statistics(
    points: NDArray[Any],
    names: _Names,
    codes: NDArray[np.uint32],
    weights: NDArray[np.uint64] | None,
    estimator: str,
    threads: int,
) -> Statistics: ...
def covariances(
    method: str,
    estimator: str | None,
    settings: dict[str, Any],
    rows: int,
    columns: int,
    classes: int,
    width: int,
) -> int | None: ...
def sample_statistics(
    points: NDArray[Any], names: _Names, codes: NDArray[np.uint32], estimator: str, threads: int
) -> Statistics: ...
def keeps_sparse(entries: int, rows: int, columns: int, classes: int, width: int) -> bool: ...
def sparse_statistics(
    columns: int,
    starts: NDArray[np.uint64],
    indices: NDArray[np.uint32],
    values: NDArray[Any],
    names: _Names,
    codes: NDArray[np.uint32],
    estimator: str,
    threads: int,
) -> Statistics: ...
def transform(
    points: NDArray[Any], components: _Matrix, offset: _Matrix | None, threads: int
) -> NDArray[Any]: ...
def distance_names() -> list[tuple[str, str, str]]: ...
def pairwise(
    given: str | Callable[..., Any],
    means_a: _Matrix,
    covariances_a: _Matrix,
    means_b: _Matrix,
    covariances_b: _Matrix,
    threads: int,
) -> _Matrix: ...
def value_and_gradient(
    given: str | Callable[..., Any],
    means: _Matrix,
    covariances: _Matrix,
    weights: _Matrix | None,
    threads: int,
) -> tuple[float, _Matrix, NDArray[np.float64]]: ...
def check_settings(method: str, settings: dict[str, Any]) -> None: ...
def choices() -> dict[str, list[str]]: ...
def methods() -> list[dict[str, Any]]: ...
def settings_table() -> list[dict[str, Any]]: ...
def available_threads() -> int: ...
def make_neural(session: int, trials: int, seed: int, threads: int) -> dict[str, Any]: ...
def make_speed(
    tenths: list[int] | None, train: int, test: int, seed: int, threads: int
) -> dict[str, Any]: ...
def make_toy(name: str, train: int, test: int, seed: int, threads: int) -> dict[str, Any]: ...
def make_scaling(
    dimensions: int,
    informative: int,
    spread: float,
    a: float,
    b: float,
    seed: int,
    single: bool,
    threads: int,
) -> dict[str, Any]: ...
def load_idx(path: str | os.PathLike[str]) -> NDArray[Any]: ...
def save_model(
    path: str | os.PathLike[str],
    filters: _Matrix,
    means: _Matrix,
    covariances: _Matrix,
    counts: NDArray[np.uint64] | None,
    preprocessing: tuple[_Matrix, _Matrix] | None,
    mean: _Matrix | None,
    lift: dict[str, Any] | None,
    description: str,
) -> None: ...
def fit_lift(
    points: NDArray[Any], kind: str, bandwidth: float | None, seed: int, threads: int
) -> dict[str, Any]: ...
def apply_lift(points: NDArray[Any], lift: dict[str, Any], threads: int) -> NDArray[Any]: ...
def load_model(path: str | os.PathLike[str]) -> dict[str, Any]: ...
def main(words: list[str]) -> int: ...
def model_report(
    path: str | os.PathLike[str],
    components: _Matrix,
    means: _Matrix,
    covariances: _Matrix,
    counts: NDArray[np.uint64] | None,
    names: _Names,
    tested: tuple[_Matrix, NDArray[np.uint32], NDArray[np.uint32]] | None,
    traces: list[_Matrix],
    words: dict[str, Any],
) -> None: ...
