"""Robust covariances against scikit-learn's, and recordings from spikes to clean counts."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.covariance import MinCovDet

from sqfa_rs import neural
from sqfa_rs.baselines import LDA
from sqfa_rs.covariance import robust_covariance
from sqfa_rs.neural import clean, raster_counts, spike_counts


def contaminated(seed, rows=200, width=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, width)) @ rng.normal(size=(width, width))
    X[: rows // 8] += rng.normal(size=width) * 15
    return X


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("support", [0.6, 0.8])
def test_no_determinant_is_larger_than_that_of_scikit_learn(seed, support):
    X = contaminated(seed)
    found = robust_covariance(X, support_fraction=support)
    peer = MinCovDet(support_fraction=support, random_state=seed).fit(X)
    assert found.raw_support.sum() == peer.raw_support_.sum()
    log_determinant = np.linalg.slogdet(peer.raw_covariance_)[1]
    assert found.raw_log_determinant <= log_determinant + 1e-9
    if (found.raw_support == peer.raw_support_).all():
        np.testing.assert_allclose(found.raw_location, peer.raw_location_, rtol=1e-9, atol=1e-9)
        centered = X - peer.raw_location_
        raw = np.einsum("ij,jk,ik->i", centered, np.linalg.inv(peer.raw_covariance_), centered)
        np.testing.assert_allclose(found.raw_distances, raw, rtol=1e-7)
        np.testing.assert_allclose(found.location, peer.location_, rtol=1e-7, atol=1e-9)
        np.testing.assert_array_equal(found.support, peer.support_)
        np.testing.assert_allclose(found.distances, peer.dist_, rtol=1e-6)


def test_supports_agree_often_enough_to_be_compared():
    agreed = 0
    for seed in range(6):
        X = contaminated(seed)
        peer = MinCovDet(support_fraction=0.8, random_state=0).fit(X)
        agreed += bool((robust_covariance(X).raw_support == peer.raw_support_).all())
    assert agreed >= 3


def test_robust_covariance_is_the_same_at_any_number_of_threads():
    X = contaminated(1, rows=2000)
    one, two = robust_covariance(X, n_jobs=1), robust_covariance(X, n_jobs=2)
    assert (one.distances == two.distances).all()


def test_robust_covariance_refuses():
    X = contaminated(0)
    with pytest.raises(ValueError, match=r"above 0\.5"):
        robust_covariance(X, support_fraction=0.3)
    with pytest.raises(ValueError, match="hyperplane"):
        robust_covariance(np.repeat(X[:, :1], 2, axis=1))
    with pytest.raises(ValueError, match="reduce the dimension"):
        robust_covariance(X[:5])


def test_spikes_are_counted_in_half_open_windows():
    spikes = [[0.0, 0.499, 0.5, 1.0, 7.0], [1.2]]
    found = spike_counts(spikes, starts=[0, 1], window=0.5)
    assert found.counts.tolist() == [[2, 0], [1, 1]]
    assert found.outside.tolist() == [2, 0]
    late = spike_counts(spikes, starts=[0, 1], window=(0.1, 0.6))
    assert late.counts.tolist() == [[2, 0], [0, 1]]
    # Overlapping windows count a spike twice, and it is outside none.
    twice = spike_counts([[1.0]], starts=[0.0, 0.5], window=2.0)
    assert twice.counts.tolist() == [[1], [1]] and twice.outside.tolist() == [0]


def test_spikes_that_cannot_be_counted():
    with pytest.raises(ValueError, match="an end after the beginning"):
        spike_counts([[1.0]], [0.0], (0.5, 0.5))
    with pytest.raises(ValueError, match="trial 1 has the start nan"):
        spike_counts([[1.0]], [0.0, np.nan], 1.0)
    with pytest.raises(ValueError, match="neuron 1 has a spike at nan"):
        spike_counts([[1.0], [np.nan]], [0.0], 1.0)
    with pytest.raises(ValueError, match="no neurons"):
        spike_counts([], [0.0], 1.0)
    # One neuron's times would be as many neurons with one spike each.
    with pytest.raises(ValueError, match=r"neuron 0 are the single value 1\.0.*as \[times\]"):
        spike_counts([1.0, 2.0], [0.0], 5.0)
    with pytest.warns(UserWarning, match="all 2 spikes are outside all windows"):
        spike_counts([[100.0, 200.0]], [0.0], 1.0)


def test_times_by_name_are_counted_in_their_order():
    spikes = {7: [0.1, 0.2], 3: [1.5]}
    assert spike_counts(spikes, [0.0, 1.0], 1.0).counts.tolist() == [[2, 0], [0, 1]]


def test_labeled_rasters_keep_their_names():
    xarray = pytest.importorskip("xarray")
    spikes = np.random.default_rng(0).integers(0, 2, size=(5, 3, 20))
    raster = xarray.DataArray(
        spikes,
        dims=("trial", "unit", "time"),
        coords={"unit": ["a", "b", "c"], "time": np.arange(20), "angle": ("trial", np.arange(5))},
    )
    counts = raster_counts(raster, (5, 12))
    np.testing.assert_array_equal(counts.values, spikes[:, :, 5:12].sum(axis=2))
    assert counts.unit.values.tolist() == ["a", "b", "c"] and counts.dims == ("trial", "unit")
    assert counts.angle.values.tolist() == list(range(5)) and "time" not in counts.coords


def test_rasters_are_counted_in_a_window():
    raster = np.random.default_rng(0).integers(0, 2, size=(5, 3, 20))
    np.testing.assert_array_equal(raster_counts(raster, (5, 12)), raster[:, :, 5:12].sum(axis=2))
    with pytest.raises(ValueError, match="the raster has 20 bins"):
        raster_counts(raster, (5, 21))
    with pytest.raises(ValueError, match="2 dimension"):
        raster_counts(raster[0])
    with pytest.raises(ValueError, match=r"an end at 0\.05: give bins"):
        raster_counts(raster, (0.05, 0.1))
    bad = raster.astype(float)
    bad[2, 1, 7] = -1
    with pytest.raises(ValueError, match="trial 2, neuron 1, bin 7"):
        raster_counts(bad)


@pytest.fixture
def recording():
    """Eight stimuli, twelve neurons, one of them quiet, and three wild trials."""
    rng = np.random.default_rng(5)
    y = np.repeat(np.arange(8) * 22.5, 60)
    tuned = 4 + 3 * np.cos(np.deg2rad(2 * (y[:, None] - np.arange(12) * 15)))
    counts = rng.poisson(tuned)
    counts[[3, 100, 400]] += 15
    counts[:, 4] = rng.random(len(y)) < 0.01
    return counts, y


def test_cleaning_follows_the_protocol_step_by_step(recording):
    counts, y = recording
    cleaned = clean(counts, y, window_seconds=0.05, max_outlying_trials=8)
    rates = counts / 0.05
    loud = np.flatnonzero(rates.mean(axis=0) > 2)
    assert [index for index, _ in cleaned.quiet_neurons] == [4]

    def scores(rows):
        z = np.empty((len(rows), len(loud)))
        for label in np.unique(y):
            own = y[rows] == label
            part = rates[rows][own][:, loud]
            z[own] = (part - part.mean(axis=0)) / (part.std(axis=0, ddof=1) + 1e-6)
        return z

    everything = np.arange(len(y))
    z, distances = scores(everything), np.empty(len(y))
    for label in np.unique(y):
        own = y == label
        _, _, axes = np.linalg.svd(z[own] - z[own].mean(axis=0), full_matrices=False)
        components = z[own] @ axes[:10].T
        distances[own] = robust_covariance(components, support_fraction=0.8).distances
    limit = np.median(distances) + 4 * distances.std(ddof=1)
    assert cleaned.limit == pytest.approx(limit, rel=1e-6)
    np.testing.assert_array_equal(cleaned.trials, np.flatnonzero(distances <= limit))
    assert not set(cleaned.trials) & {3, 100, 400}
    beyond = (abs(scores(cleaned.trials)) > 3).sum(axis=0)
    np.testing.assert_array_equal(cleaned.neurons, loud[beyond < 8])
    np.testing.assert_array_equal(cleaned.counts, counts[np.ix_(cleaned.trials, cleaned.neurons)])
    np.testing.assert_array_equal(cleaned.labels, y[cleaned.trials])
    assert "trials and " in str(cleaned) and "quiet neurons      1" in str(cleaned)


def test_frames_and_labeled_arrays_keep_their_names(recording):
    counts, y = recording
    names = [f"unit {i}" for i in range(12)]
    frame = clean(pd.DataFrame(counts, columns=names), y, window_seconds=0.05).counts
    assert "unit 4" not in frame.columns and "unit 5" in frame.columns
    assert 100 not in frame.index
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(counts, dims=("trial", "unit"), coords={"unit": names})
    kept = clean(array, y, window_seconds=0.05).counts
    assert kept.unit.values.tolist() == frame.columns.tolist()


def test_cleaning_refuses(recording):
    counts, y = recording
    with pytest.raises(ValueError, match="whole numbers"):
        clean(counts + 0.5, y, window_seconds=0.05)
    with pytest.raises(ValueError, match="none of 12 neurons"):
        clean(counts, y, window_seconds=0.05, min_rate=1e6)
    with pytest.raises(ValueError, match="one label per trial"):
        clean(counts, y[:-1], window_seconds=0.05)
    with pytest.raises(ValueError, match=r"class '0\.0'.*support"):
        clean(counts[::8], y[::8], window_seconds=0.05)
    bad = counts.astype(float)
    bad[0, 0] = np.nan
    with pytest.raises(ValueError, match="row 0.*NaN"):
        clean(bad, y)
    blank = y.copy()
    blank[[5, 6]] = np.nan
    with pytest.raises(ValueError, match=r"trial 5 has no label \(2 in total"):
        clean(counts, blank, window_seconds=0.05)
    names = y.astype(str).astype(object)
    names[9] = None
    with pytest.raises(ValueError, match=r"trial 9 has no label \(1 in total"):
        clean(counts, names, window_seconds=0.05)


def test_orientations_are_labels_of_fits_as_they_are_of_cleaning(recording):
    counts, y = recording
    model = LDA(2, shrinkage=0.1).fit(counts, y)
    assert model.classes_.tolist() == (np.arange(8) * 22.5).tolist()
    whole = LDA(2, shrinkage=0.1).fit(counts, (10 * y).astype(int))
    np.testing.assert_array_equal(model.components_, whole.components_)
    assert model.score(counts, y) == whole.score(counts, (10 * y).astype(int)) > 0.5


def test_nwb_files_are_read(tmp_path):
    pynwb = pytest.importorskip("pynwb")
    rng = np.random.default_rng(0)
    file = pynwb.NWBFile(
        session_description="three units",
        identifier="test",
        session_start_time=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    )
    file.add_trial_column("orientation", "of the grating")
    starts = np.arange(6) * 2.0
    for trial, start in enumerate(starts):
        file.add_trial(start_time=start, stop_time=start + 1, orientation=float(45 * (trial % 2)))
    spikes = [np.sort(rng.uniform(0, 12, 40)) for _ in range(3)]
    for times in spikes:
        file.add_unit(spike_times=times)
    with pynwb.NWBHDF5IO(tmp_path / "a.nwb", "w") as sink:
        sink.write(file)
    found = neural.from_nwb(tmp_path / "a.nwb", label="orientation", window=(0.1, 0.6))
    np.testing.assert_array_equal(found.counts, spike_counts(spikes, starts, (0.1, 0.6)).counts)
    assert found.labels.tolist() == [0.0, 45.0] * 3
    assert found.window_seconds == pytest.approx(0.5)
    np.testing.assert_array_equal(found.outside, spike_counts(spikes, starts, (0.1, 0.6)).outside)
    one = neural.from_nwb(tmp_path / "a.nwb", label="orientation", window=0.5, units=[2])
    assert one.counts.shape == (6, 1) and one.neurons.tolist() == [2]
    with pytest.raises(ValueError, match="no column 'contrast'"):
        neural.from_nwb(tmp_path / "a.nwb", label="contrast", window=0.5)
    with pytest.raises(ValueError, match="there is no unit 3: the units table has rows 0 to 2"):
        neural.from_nwb(tmp_path / "a.nwb", label="orientation", window=0.5, units=[3])


def test_counts_that_pass_for_rates_are_told(recording):
    counts, y = recording
    with pytest.warns(UserWarning, match=r"treated as rates, and 1 of 12 .*window_seconds"):
        clean(counts, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clean(counts, y, window_seconds=0.05)
        clean(counts / 0.05 + 0.5, y)
