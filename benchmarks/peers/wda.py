"""WDA's loss beside a literal run of the paper's optimizer on the same samples.

In the peers' environment (torch):
``wda.py DATA --set svhn --reg 512 --filters 8 --command target/release/sqfa``.
Takes 500 samples a class in 100 principal components, minimizes the loss as the paper's experiments
do (L-BFGS, lr 1, strong Wolfe, five iterations a step, at most 100 steps, until a step changes the
loss by less than 1e-7, from a random orthogonal start, gradients by torch), runs
``sqfa fit --method wda`` on the same samples, and evaluates both sides' filters with the same torch
function.
"""

import argparse
import gzip
import json
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

CLASSES, SAMPLES, COMPONENTS, ITERATIONS = 10, 500, 100, 10


def images(folder, name):
    """Training images, scaled by one standard deviation and centered, and their labels."""
    if name == "svhn":
        arrays = np.load(folder / "svhn" / "svhn_gray.npz")
        X, y = arrays["X_train"], arrays["y_train"]
    else:
        with gzip.open(folder / "mnist" / "train-images-idx3-ubyte.gz") as file:
            X = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)
        with gzip.open(folder / "mnist" / "train-labels-idx1-ubyte.gz") as file:
            y = np.frombuffer(file.read(), np.uint8, offset=8)
    X = X.astype(np.float32)
    X /= X.std(ddof=1)
    return X - X.mean(0), y


def samples(folder, name, seed):
    """Classes × samples × components."""
    X, y = images(folder, name)
    axes = np.linalg.eigh((X.T @ X).astype(np.float64))[1][:, : -COMPONENTS - 1 : -1]
    rng = np.random.default_rng(seed)
    rows = [rng.choice(np.flatnonzero(y == k), SAMPLES, replace=False) for k in range(CLASSES)]
    return np.stack([X[own].astype(np.float64) @ axes for own in rows])


def loss(X, filters, reg):
    """Transport within classes over transport between them.

    Least costs of columns and rows are taken out of the kernel, which leaves the plan as it is.
    """
    Z = X @ filters
    squares = (Z**2).sum(-1)
    within, between = 0.0, 0.0
    for i in range(CLASSES):
        others = list(range(i, CLASSES))
        costs = (
            squares[i][None, :, None]
            + squares[others][:, None, :]
            - 2 * Z[i] @ Z[others].transpose(1, 2)
        )
        costs = costs.clamp(min=0)
        column = costs.detach().min(1, keepdim=True).values
        row = (costs.detach() - column).min(2, keepdim=True).values
        kernel, u = torch.exp(-(costs - column - row) / reg), torch.exp(-row / reg)
        for _ in range(ITERATIONS):
            v = 1 / SAMPLES / (kernel.transpose(1, 2) @ u)
            u = 1 / SAMPLES / (kernel @ v)
        price = (u * ((kernel * costs) @ v)).sum((1, 2))
        within, between = within + price[0], between + price[1:].sum()
    return within / between.clamp(min=1e-12)


def literal(X, count, reg, seed):
    """The filters and the number of evaluations of the paper's optimizer."""
    torch.manual_seed(seed)
    layer = torch.nn.Linear(COMPONENTS, count, bias=False).double()
    torch.nn.init.orthogonal_(layer.weight)
    torch.nn.utils.parametrizations.orthogonal(layer)
    optimizer = torch.optim.LBFGS(layer.parameters(), lr=1, max_iter=5, line_search_fn="strong_wolfe")
    evaluations, before = 0, None

    def closure():
        nonlocal evaluations
        evaluations += 1
        optimizer.zero_grad()
        value = loss(X, layer.weight.T, reg)
        value.backward()
        return value

    for _ in range(100):
        value = optimizer.step(closure).item()
        if before is not None and abs(value - before) < 1e-7:
            break
        before = value
    return layer.weight.T.detach(), evaluations


def ours(X, count, reg, seed, command):
    """The filters of ``sqfa fit`` and the seconds it reports."""
    with tempfile.TemporaryDirectory() as folder:
        data, model = Path(folder) / "samples.npz", Path(folder) / "wda.sqfa"
        np.savez(data, X=X.numpy().reshape(-1, COMPONENTS), y=np.repeat(np.arange(CLASSES), SAMPLES))
        flags = f"--method wda -m {count} --reg {reg} --seed {seed} --json"
        flags += f" --pca-dims {COMPONENTS} --per-class {SAMPLES}"
        run = [command, "fit", data, *flags.split(), "--out", model]
        told = subprocess.run(run, check=True, capture_output=True)
        content = model.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    entry = json.loads(content[8 : 8 + size])["filters"]
    first, last = (8 + size + at for at in entry["data_offsets"])
    kind = {"F32": np.float32, "F64": np.float64}[entry["dtype"]]
    filters = np.frombuffer(content[first:last], kind).reshape(entry["shape"]).astype(np.float64)
    filters = filters if filters.shape == (COMPONENTS, count) else filters.T
    report = json.loads(told.stdout)
    return torch.tensor(np.linalg.qr(filters)[0]), report


def main():
    """Prints one line of JSON a seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--set", choices=["mnist", "svhn"], required=True)
    parser.add_argument("--reg", type=float, required=True)
    parser.add_argument("--filters", type=int, default=8)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--command", default="target/release/sqfa")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    count, reg = arguments.filters, arguments.reg
    for seed in range(arguments.seeds):
        X = torch.tensor(samples(arguments.data, arguments.set, seed))
        began = time.perf_counter()
        own, report = ours(X, count, reg, seed, arguments.command)
        told = {"set": arguments.set, "filters": count, "reg": reg, "seed": seed}
        told["ours"] = {
            "loss": loss(X, own, reg).item(),
            "reported": report.get("objective"),
            "seconds": time.perf_counter() - began,
        }
        began = time.perf_counter()
        theirs, evaluations = literal(X, count, reg, seed)
        told["literal"] = {
            "loss": loss(X, theirs, reg).item(),
            "evaluations": evaluations,
            "seconds": time.perf_counter() - began,
        }
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
