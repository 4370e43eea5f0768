"""
From spike times to filters: a neural population
================================================

This tutorial counts spikes per trial, removes bad neurons and trials, compares methods, and shows
how two filters represent the orientation of a stimulus. The recording is simulated. Replace it with
your own spike times.
"""

# %%
# A recording
# -----------
# The input consists of the spike times of each neuron, and the start time and stimulus of each
# trial. Here, a simulated V1 population is shown one of eight orientations per second. The neurons
# respond 50 to 100 ms after the start of a trial. Other spikes occur at random times.

import matplotlib.pyplot as plt
import numpy as np

from sqfa_rs import SQFA, compare, distances, neural, plots
from sqfa_rs.datasets import make_neural

rng = np.random.default_rng(0)
simulated = make_neural(0, n_trials=200)
orientation = simulated.target / 10
starts = np.arange(len(orientation)) * 1.0


def times(counts):
    """Return the spike times of one neuron: its responses, and other spikes between 0.2 s and 1 s."""
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
    ax.set(xlabel="time (s)", ylabel="neuron", title="three trials (gray: counting windows)")

# %%
# Counts
# ------
# ``spike_counts`` counts the spikes in a window after each start. It also returns the number of
# spikes outside of all windows, so you notice if the windows are wrong.

counts, outside = neural.spike_counts(spikes, starts, window=(0.05, 0.1))
print(f"{counts.sum()} spikes in windows, {outside.sum()} outside")

# %%
# Cleaning
# --------
# ``clean`` removes neurons that hardly fire, then trials that differ strongly from the others with
# the same stimulus, then neurons with too many outlying trials. The result lists what was removed
# and why.

cleaned = neural.clean(counts, orientation, window_seconds=0.05, max_outlying_trials=30)
print(cleaned)
X, y = cleaned.counts.astype(float), cleaned.labels

# %%
# Comparison
# ----------
# Each split uses a tenth of the trials as test set, a tenth to select settings, and the rest for
# fitting. The table shows the mean test accuracy of QDA.

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
# Each filter has one weight per neuron. The left panel shows the mean output of two filters for
# each orientation. The right panel shows the weights, with neurons ordered by their preferred
# orientation.

model = SQFA(2, distance="hellinger").fit(X, y)
Z = model.transform(X)
stimuli = model.classes_
mean = np.array([Z[y == stimulus].mean(axis=0) for stimulus in stimuli])
spread = np.array([Z[y == stimulus].std(axis=0) for stimulus in stimuli])

with plots.style():
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for k in range(2):
        # 0° and 180° are the same orientation, so the first stimulus is drawn again at the end.
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
    right.set(
        xlabel="preferred orientation of the neuron (°)", ylabel="weight", title="weights of the neurons"
    )

for k, weights in enumerate(model.components_):
    heavy = cleaned.neurons[np.argsort(-np.abs(weights))[:3]]
    print(f"filter {k + 1}: largest weights for neurons {heavy.tolist()}")

# %%
# Distances between stimuli
# -------------------------
# The matrix shows the exact Fisher–Rao distance between the responses to each pair of stimuli, in
# the space of the two filters.

matrix = distances.pairwise(model, distance="fisher-rao")
names = [f"{stimulus:g}" for stimulus in stimuli]
plots.distance_matrix(matrix, labels=names).set_title("exact Fisher–Rao distances")

# %%
# Classical multidimensional scaling places the stimuli in the plane so that their distances are
# similar to those in the matrix. Neighboring orientations are neighbors on this map, and they form
# a closed curve.

size = len(matrix)
centering = np.eye(size) - 1 / size
values, vectors = np.linalg.eigh(-0.5 * centering @ matrix**2 @ centering)
places = vectors[:, -2:] * np.sqrt(values[-2:])
with plots.style():
    figure, ax = plt.subplots(figsize=(4.8, 4.4))
    ax.plot(*places[np.r_[0:size, 0]].T, color="0.85", zorder=0)
    ax.scatter(*places.T, s=500, color="0.93", zorder=1)
    for place, name in zip(places, names, strict=True):
        ax.annotate(f"{name}°", place, ha="center", va="center", color=plots.palette(1)[0])
    fraction = values[-2:].sum() / values[values > 0].sum()
    ax.set(title=f"stimuli in the plane ({fraction:.0%} of the variation)", xticks=[], yticks=[])
    ax.set_aspect("equal")

# %%
# Several sessions
# ----------------
# For several sessions, pass lists: ``compare([monday, tuesday], [y_monday, y_tuesday], splits=5,
# circular=180, report="sessions.html")``. It learns filters for each session. The report shows the
# variation between sessions and within sessions, and the tuning of each filter.
