"""
From spikes to a figure: what a population tells about a stimulus
=================================================================

Spike times become counts, counts are cleaned, methods are compared, and two filters show how the
population tells orientations apart. The recording is simulated; put your own spike times in its place.
"""

# %%
# A recording
# -----------
# What an experiment leaves behind: for every neuron the times of its spikes on one clock, for every
# trial its start and its stimulus. Here a simulated V1 population sees one of eight orientations a
# second; the response that matters comes 50 to 100 ms after the start, other spikes come at any time.

import matplotlib.pyplot as plt
import numpy as np

from sqfa_rs import SQFA, compare, distances, neural, plots
from sqfa_rs.datasets import make_neural

rng = np.random.default_rng(0)
simulated = make_neural(0, n_trials=200)
orientation = simulated.target / 10
starts = np.arange(len(orientation)) * 1.0


def times(counts):
    """Spikes of one neuron: its response in every trial, and others in the rest of the second."""
    response = np.repeat(starts, counts.astype(int)) + 0.05
    response += rng.uniform(0, 0.05, len(response))
    others = rng.choice(starts, 3000) + rng.uniform(0.2, 1.0, 3000)
    return np.sort(np.concatenate([response, others]))


spikes = [times(counts) for counts in simulated.data.T]
print(f"{len(spikes)} neurons, {len(starts)} trials, {sum(map(len, spikes))} spikes")

with plots.style():
    figure, ax = plt.subplots(figsize=(7, 3.2))
    first = [neuron[neuron < 3] for neuron in spikes[:40]]
    ax.eventplot(first, linewidths=0.8, colors=[plots.palette(1)[0]])
    for start in starts[:3]:
        ax.axvspan(start + 0.05, start + 0.1, color="0.88", zorder=0)
    ax.set(xlabel="seconds", ylabel="neuron", title="three trials; the windows are gray")

# %%
# Counts
# ------
# A window after every start. What lies in no window is counted apart, so that nothing is lost unseen.

counts, outside = neural.spike_counts(spikes, starts, window=(0.05, 0.1))
print(f"{counts.sum()} spikes in windows, {outside.sum()} in none")

# %%
# Cleaning
# --------
# Quiet neurons go, then trials that lie far from the others of their stimulus, then neurons with too
# many outlying trials. The result says what went and why.

cleaned = neural.clean(counts, orientation, window_seconds=0.05, max_outlying_trials=30)
print(cleaned)
X, y = cleaned.counts.astype(float), cleaned.labels

# %%
# Comparison
# ----------
# Splits of the trials: a tenth to test, a tenth to choose settings on, the rest to learn from.

table = compare(
    X,
    y,
    splits=2,
    methods=["sqfa-h", "lda", "pca"],
    n_components=[2, 4],
    seeds=1,
    scaling="per-feature",
)
print(table.pivot_table(index="n_components", columns="method", values="qda_accuracy").round(3))

# %%
# Filters and their tuning
# ------------------------
# Two filters, each a weight a neuron. Their outputs trace out the circle of orientations.

model = SQFA(2, distance="hellinger").fit(X, y)
Z = model.transform(X)
stimuli = model.classes_
mean = np.array([Z[y == stimulus].mean(axis=0) for stimulus in stimuli])
spread = np.array([Z[y == stimulus].std(axis=0) for stimulus in stimuli])

with plots.style():
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for k in range(2):
        # Orientation repeats after 180°: the first stimulus is drawn again at the end.
        around = np.r_[0 : len(stimuli), 0]
        left.errorbar(
            np.r_[stimuli, stimuli[0] + 180],
            mean[around, k],
            spread[around, k],
            marker="o",
            capsize=2,
            label=f"filter {k + 1}",
        )
    left.set(xlabel="orientation (°)", ylabel="output, mean ± sd", title="tuning of the filters")
    left.set_xticks(range(0, 181, 45))
    left.legend()
    best = stimuli[np.argmax([X[y == stimulus].mean(axis=0) for stimulus in stimuli], axis=0)]
    for k, weights in enumerate(model.components_):
        right.plot(best + 4 * k, weights, "o", alpha=0.6, label=f"filter {k + 1}")
    right.axhline(0, color="0.8", zorder=0)
    right.set(xlabel="neuron's best orientation (°)", ylabel="weight", title="which neurons carry them")

for k, weights in enumerate(model.components_):
    heavy = cleaned.neurons[np.argsort(-np.abs(weights))[:3]]
    print(f"filter {k + 1}: neurons {heavy.tolist()} weigh most")

# %%
# How far stimuli are from each other
# -----------------------------------
# The exact Fisher–Rao distance between the responses to every two stimuli, in the space of the filters.

matrix = distances.pairwise(model, distance="fisher-rao")
names = [f"{stimulus:g}" for stimulus in stimuli]
plots.distance_matrix(matrix, labels=names).set_title("exact Fisher–Rao distances")

# %%
# A map of the stimuli: points in the plane whose distances are as close to the matrix as a plane allows.
# Neighbors in orientation are neighbors on the map, and the circle closes.

size = len(matrix)
centring = np.eye(size) - 1 / size
values, vectors = np.linalg.eigh(-0.5 * centring @ matrix**2 @ centring)
places = vectors[:, -2:] * np.sqrt(values[-2:])
with plots.style():
    figure, ax = plt.subplots(figsize=(4.8, 4.4))
    ax.plot(*places[np.r_[0:size, 0]].T, color="0.85", zorder=0)
    ax.scatter(*places.T, s=500, color="0.93", zorder=1)
    for place, name in zip(places, names, strict=True):
        ax.annotate(f"{name}°", place, ha="center", va="center", color=plots.palette(1)[0])
    share = values[-2:].sum() / values[values > 0].sum()
    ax.set(title=f"stimuli in the plane ({share:.0%} of the spread)", xticks=[], yticks=[])
    ax.set_aspect("equal")

# %%
# Several sessions are lists: ``compare([monday, tuesday], [y, z], splits=5, circular=180,
# report="sessions.html")`` learns filters for each, shows the spread between sessions apart from that
# within, and draws the tuning of every filter.
