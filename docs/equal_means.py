"""Draws the picture at the top of the README: two classes with equal means, LDA against SQFA.

``python docs/equal_means.py docs/_static/equal-means.svg docs/_static/equal-means-tall.svg`` draws the
panels side by side, and one below the other for phones.
"""

import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

from sqfa_rs import SQFA, plots
from sqfa_rs.baselines import LDA

COUNT = 250
CLASSES = ("class a", "class b")


def data() -> tuple[np.ndarray, np.ndarray]:
    """Two classes in six dimensions that differ in a hidden plane, where long and short trade places."""
    rng = np.random.default_rng(3)
    y = np.repeat(CLASSES, COUNT)
    spread = np.where((y == CLASSES[0])[:, None], [3.0, 0.55], [0.55, 3.0])
    X = np.hstack([rng.normal(size=(2 * COUNT, 2)) * spread, 3.0 * rng.normal(size=(2 * COUNT, 4))])
    turn, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    # The means are equal to the last digit, not only on average.
    for name in CLASSES:
        X[y == name] -= X[y == name].mean(axis=0)
    return X @ turn, y


def main(wide: str, tall: str) -> None:
    """Draw both."""
    draw(wide, (1, 3), (11, 3.7))
    draw(tall, (3, 1), (3.9, 9.6))


def draw(path: str, grid: tuple[int, int], size: tuple[float, float]) -> None:
    """Draw the three panels in a grid."""
    X, y = data()
    sqfa = SQFA(2, random_state=0).fit(X, y)
    # Equal means leave LDA nothing to choose by; by a hair's breadth between them it chooses chance.
    lda = LDA(1, shrinkage=0.0).fit(X + 1e-6 * (y == CLASSES[0])[:, None] * np.arange(6), y)
    colors = plots.palette(2)
    with plots.style():
        plt.rcParams.update({"svg.hashsalt": "sqfa", "font.size": 11, "axes.titlesize": 12.5})
        figure, axes = plt.subplots(*grid, figsize=size, layout="constrained")
        plots.scatter(X[:, :2], y, ax=axes[0], legend=False, per_class=COUNT)
        axes[0].set(title="two of six columns", xlabel="column 1", ylabel="column 2")
        line = lda.transform(X)[:, 0]
        edges = np.linspace(line.min(), line.max(), 30)
        for name, color in zip(CLASSES, colors, strict=True):
            axes[1].hist(line[y == name], edges, color=color, alpha=0.55)
        axes[1].set(title=f"LDA: {lda.score(X, y):.0%} right", xlabel="filter 1", ylabel="points")
        plots.scatter(sqfa.transform(X), y, ax=axes[2], legend=False, per_class=COUNT)
        plots.ellipses(sqfa, ax=axes[2], legend=False)
        axes[2].set(title=f"SQFA: {sqfa.score(X, y):.0%} right", xlabel="filter 1", ylabel="filter 2")
        for ax in axes:
            ax.set(xticks=[], yticks=[])
        axes[0].legend(
            loc="upper left", handletextpad=0.2, borderaxespad=0, frameon=True, framealpha=0.85
        )
        # The same points give the same file.
        figure.savefig(path, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
