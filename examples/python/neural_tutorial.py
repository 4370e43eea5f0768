"""From spike counts to a figure: cleaning, comparison, filters, tuning, Fisher–Rao distances of stimuli.

Run with ``python examples/python/neural_tutorial.py``; with matplotlib it also draws ``neural.svg``. The
recording is simulated; with your own, put its counts (trials × neurons) and labels in place of it.
"""

import numpy as np
from sklearn.model_selection import train_test_split

from sqfa_rs import LDA, PCA, SQFA, class_statistics, fisher_rao, neural
from sqfa_rs.datasets import make_neural

# Counts: a simulated population, eight orientations. `neural.spike_counts` makes them from spike times.
recording = make_neural(0, n_trials=200)
counts, orientation = recording.data, recording.target
print(f"{len(counts)} trials of {counts.shape[1]} neurons")

# Cleaning: quiet neurons, outlying trials, unstable neurons. Print `cleaned` for what went and why.
cleaned = neural.clean(counts, orientation, window_seconds=recording.window_seconds)
print(str(cleaned).splitlines()[0])
X, y = np.asarray(cleaned.counts, dtype=float), cleaned.labels

# Comparison: accuracy of a quadratic classifier on held-out trials.
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
print("\nfilters     SQFA-H      LDA      PCA")
for count in (2, 4):
    fitted = [SQFA(count, distance="hellinger"), LDA(count), PCA(count)]
    scores = [one.fit(X_train, y_train).score(X_test, y_test) for one in fitted]
    print(f"{count:7d}" + "".join(f"{score:9.1%}" for score in scores))

# Filters and their tuning: the mean output of every filter for every orientation.
model = SQFA(2, distance="hellinger").fit(X, y)
Z = model.transform(X)
stimuli = np.unique(y)
tuning = np.array([Z[y == stimulus].mean(axis=0) for stimulus in stimuli])
for k, filter_ in enumerate(model.components_):
    heavy = cleaned.neurons[np.argsort(-np.abs(filter_))[:3]]
    best = stimuli[np.argmax(tuning[:, k])]
    print(f"filter {k + 1}: neurons {heavy.tolist()} weigh most, largest output at {best / 10:g}°")

# Exact Fisher–Rao distances of stimuli in the space of the filters, and their embedding in the plane.
statistics = class_statistics(Z, y)
gaussians = list(zip(statistics.means, statistics.covariances, strict=True))
D = np.array([[fisher_rao(*a, *b) if a is not b else 0.0 for b in gaussians] for a in gaussians])
centre = np.eye(len(D)) - 1.0 / len(D)
values, vectors = np.linalg.eigh(-0.5 * centre @ D**2 @ centre)
plane = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))
neighbours = np.mean([D[k, (k + 1) % len(D)] for k in range(len(D))])
opposite = np.mean([D[k, (k + len(D) // 2) % len(D)] for k in range(len(D))])
print(f"\nFisher–Rao distance: {neighbours:.2f} of neighbours, {opposite:.2f} of orthogonal stimuli")

try:
    import matplotlib
except ImportError:
    print("no matplotlib, no figure")
else:
    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 3))
    left.plot(stimuli / 10, tuning, marker="o")
    left.set(xlabel="orientation (°)", ylabel="mean output", title="tuning of filters")
    middle.imshow(D)
    middle.set_title("Fisher–Rao distances")
    right.plot(*np.vstack([plane, plane[:1]]).T, marker="o")
    for place, stimulus in zip(plane, stimuli, strict=True):
        right.annotate(f"{stimulus / 10:g}°", place)
    right.set_title("their embedding")
    figure.tight_layout()
    figure.savefig("neural.svg")
    print("drawn: neural.svg")
