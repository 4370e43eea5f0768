"""Train a two-layer network with a distance between classes as the loss, and compare with cross-entropy.

Run it with ``python examples/torch/network.py`` (needs PyTorch and scikit-learn).
"""

from __future__ import annotations

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from sqfa_rs import QDA, SQFA
from sqfa_rs.baselines import KNN
from sqfa_rs.torch import separation_loss

FEATURES = 4
HIDDEN = 64
BATCH = 500


class Network(torch.nn.Module):
    """Map 64 pixels to standardized features, with a linear read-out for cross-entropy."""

    def __init__(self) -> None:
        super().__init__()
        self.features = torch.nn.Sequential(
            torch.nn.Linear(64, HIDDEN),
            torch.nn.ReLU(),
            torch.nn.Linear(HIDDEN, FEATURES),
            torch.nn.BatchNorm1d(FEATURES, affine=False),
        )
        self.read_out = torch.nn.Linear(FEATURES, 10)


def train(loss_of, X, y, epochs, seed):
    """Train a network with Adam on shuffled batches, minimizing ``loss_of(network, X, y)``."""
    torch.manual_seed(seed)
    network = Network()
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3, weight_decay=1e-4)
    for _ in range(epochs):
        for rows in torch.randperm(len(X)).split(BATCH):
            if len(rows) < BATCH // 2:
                continue
            optimizer.zero_grad()
            loss_of(network, X[rows], y[rows]).backward()
            optimizer.step()
    return network.eval()


def cross_entropy(network, X, y):
    """Return the cross-entropy of a linear read-out of the features."""
    return torch.nn.functional.cross_entropy(network.read_out(network.features(X)), y)


def separation(distance):
    """Return a loss: the negative mean distance between the classes' Gaussians in feature space."""
    return lambda network, X, y: separation_loss(network.features(X), y, distance, noise=0.01)


def run(epochs=150, seeds=1):
    """Return test accuracies of QDA and of 5 nearest neighbors for each kind of features."""
    X, y = load_digits(return_X_y=True)
    losses = {
        "cross-entropy": cross_entropy,
        "hellinger": separation("hellinger"),
        "fisher-rao": separation("fisher-rao"),
    }
    found = {}
    for seed in range(seeds):
        split = train_test_split(X / 16, y, test_size=0.3, random_state=seed, stratify=y)
        learn, held, own, other = split
        spaces = {"SQFA-H (linear)": SQFA(FEATURES, distance="hellinger").fit(learn, own).transform}
        tensors = torch.tensor(learn, dtype=torch.float32), torch.tensor(own)
        for name, loss in losses.items():
            network = train(loss, *tensors, epochs, seed)

            def features(points, network=network):
                with torch.no_grad():
                    return network.features(torch.tensor(points, dtype=torch.float32)).double().numpy()

            spaces[name] = features
        for name, features in spaces.items():
            Z, held_out = features(learn), features(held)
            scores = [model.fit(Z, own).score(held_out, other) for model in (QDA(), KNN(5))]
            found.setdefault(name, []).append(scores)
    return {name: np.mean(scores, axis=0) for name, scores in found.items()}


if __name__ == "__main__":
    print(f"digits, {FEATURES} features, test accuracy in %, mean of 5 seeds")
    print(f"{'features':<18}{'QDA':>7}{'5-NN':>7}")
    for name, (qda, knn) in run(seeds=5).items():
        print(f"{name:<18}{100 * qda:7.1f}{100 * knn:7.1f}")
