"""Made data and MNIST's file format."""

import gzip

import numpy as np
import pytest

from sqfa_rs import SQFA, class_statistics, datasets, neural


def test_speed_lives_in_the_covariances():
    speed = datasets.make_speed(60, 20, tenths=[-30, 0, 30], random_state=3)
    assert speed.data.shape == (180, 450) and speed.data.dtype == np.float32
    assert speed.data_test.shape == (60, 450) and speed.image_shape == (15, 30)
    assert sorted(set(speed.target.tolist())) == [-30, 0, 30]
    again = datasets.make_speed(60, tenths=[-30, 0, 30], random_state=3, n_jobs=1)
    np.testing.assert_array_equal(again.data, speed.data)
    sqfa = SQFA(4, random_state=0).fit(speed.data, speed.target)
    assert sqfa.score(speed.data_test, speed.target_test) > 0.6


def test_simulated_neurons_are_told_apart_after_cleaning():
    recording = datasets.make_neural(1, 60, random_state=2)
    assert recording.data.shape == (480, 88) and recording.window_seconds == 0.05
    assert sorted(set(recording.target.tolist())) == [225 * k for k in range(8)]
    assert (recording.data == np.round(recording.data)).all() and (recording.data >= 0).all()
    again = datasets.make_neural(1, 60, random_state=2, n_jobs=1)
    np.testing.assert_array_equal(again.data, recording.data)
    cleaned = neural.clean(recording.data, recording.target, window_seconds=0.05)
    X, y = cleaned.counts, cleaned.labels
    assert SQFA(4, random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.7


@pytest.mark.parametrize("name", ["toy-6d", "toy-4d", "toy-lda"])
def test_toys_have_the_statistics_they_claim(name):
    toy = datasets.make_toy(name, 4000, 10, random_state=1)
    statistics = class_statistics(toy.data, toy.target)
    np.testing.assert_allclose(statistics.means, toy.means, atol=0.1)
    np.testing.assert_allclose(statistics.covariances, toy.covariances, atol=0.1)
    assert len(toy.data_test) == 10 * len(toy.means)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scaling_hides_a_subspace(dtype):
    problem = datasets.make_scaling(60, 8, dtype=dtype)
    assert problem.covariances.shape == (5, 60, 60) and problem.covariances.dtype == dtype
    np.testing.assert_allclose(problem.basis @ problem.basis.T, np.eye(8), atol=1e-10)
    inside = problem.means @ problem.basis.T @ problem.basis
    np.testing.assert_allclose(inside, problem.means, atol=1e-6)


def test_idx(tmp_path):
    images = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    header = bytes([0, 0, 8, 3]) + np.array(images.shape, dtype=">i4").tobytes()
    plain, packed = tmp_path / "a", tmp_path / "b.gz"
    plain.write_bytes(header + images.tobytes())
    packed.write_bytes(gzip.compress(header + images.tobytes()))
    for path in (plain, packed, str(plain)):
        np.testing.assert_array_equal(datasets.load_idx(path), images)
    plain.write_bytes(header + images.tobytes()[:-1])
    with pytest.raises(ValueError, match="a"):
        datasets.load_idx(plain)
    with pytest.raises(FileNotFoundError):
        datasets.load_idx(tmp_path / "nothing")


def test_refusals():
    with pytest.raises(ValueError, match="unknown toy problem"):
        datasets.make_toy("toy-7d")
    with pytest.raises(ValueError, match="ascending"):
        datasets.make_speed(1, tenths=[3, 1])
    with pytest.raises(ValueError, match="n_train"):
        datasets.make_speed(-1)
    with pytest.raises(ValueError, match="session is 5"):
        datasets.make_neural(5)
    with pytest.raises(ValueError, match="even number"):
        datasets.make_scaling(10, 5)
    with pytest.raises(ValueError, match="float64 or float32"):
        datasets.make_scaling(10, dtype=int)
