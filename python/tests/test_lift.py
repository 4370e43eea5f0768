"""Nonlinear features: scikit-learn's contract and kernels, files shared with the command."""

import json
import os
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_circles
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import sqfa_rs
from sqfa_rs import QDA, SQFA, ClassAccumulator
from sqfa_rs.preprocessing import Lift


@parametrize_with_checks([Lift(), Lift("fourier:5"), Lift("nystroem:4")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_quadratic_features_are_scikit_learns_polynomials(blobs):
    X, _ = blobs
    theirs = PolynomialFeatures(2, include_bias=False).fit_transform(StandardScaler().fit_transform(X))
    np.testing.assert_allclose(Lift().fit_transform(X), theirs, atol=1e-10)


def test_features_have_the_names_of_scikit_learns_polynomials(blobs):
    X, _ = blobs
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d", "e"])
    for given in (X, frame):
        theirs = PolynomialFeatures(2, include_bias=False).fit(given)
        names = Lift().fit(given).get_feature_names_out()
        assert names.tolist() == theirs.get_feature_names_out().tolist()
    renamed = Lift().fit(X).get_feature_names_out(list("vwxyz"))
    assert renamed[:7].tolist() == ["v", "w", "x", "y", "z", "v^2", "v w"]
    lift = Lift("fourier:3").set_output(transform="pandas").fit(frame)
    assert lift.transform(frame).columns.tolist() == ["fourier0", "fourier1", "fourier2"]
    assert Lift("nystroem:2").fit(frame).get_feature_names_out().tolist() == ["nystroem0", "nystroem1"]
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        Lift().fit(frame).get_feature_names_out(list("vwxyz"))


def test_kernels_are_scikit_learns(blobs):
    X, _ = blobs
    scaled = StandardScaler().fit_transform(X)
    lift = Lift("nystroem:180").fit(X)
    kernel = rbf_kernel(scaled, gamma=0.5 / lift.bandwidth_**2)
    features = lift.transform(X)
    np.testing.assert_allclose(features @ features.T, kernel, atol=1e-4)
    # As near to the kernel as scikit-learn's map of as many points.
    ours = Lift("nystroem:40", bandwidth=2.0).fit_transform(X)
    theirs = Nystroem(gamma=0.125, n_components=40, random_state=0).fit_transform(scaled)
    exact = rbf_kernel(scaled, gamma=0.125)
    gap = [np.abs(Z @ Z.T - exact).mean() for Z in (ours, theirs)]
    assert gap[0] < 2 * gap[1]


def test_what_a_line_cannot_tell_apart():
    X, y = make_circles(600, factor=0.6, noise=0.08, random_state=0)
    X = X * [1.0, 1000.0]
    learn, held = slice(0, 400), slice(400, 600)
    linear = make_pipeline(SQFA(1), QDA()).fit(X[learn], y[learn]).score(X[held], y[held])
    for kind in ("quadratic", "fourier:100", "nystroem:100"):
        model = make_pipeline(Lift(kind), SQFA(1), QDA()).fit(X[learn], y[learn])
        assert model.score(X[held], y[held]) > max(0.97, linear + 0.1), kind


def test_batches_are_lifted_and_summed_one_by_one(blobs):
    X, y = blobs
    lift = Lift("fourier:12").fit(X)
    sums = ClassAccumulator()
    for rows in np.array_split(np.arange(len(X)), 4):
        sums.update(lift.transform(X[rows]), y[rows])
    whole = sqfa_rs.class_statistics(lift.transform(X), y)
    np.testing.assert_allclose(sums.finish().covariances, whole.covariances, atol=1e-12)


@pytest.mark.parametrize("kind", ["quadratic", "fourier:20", "nystroem:20"])
def test_files_keep_the_map(blobs, tmp_path, kind):
    X, y = blobs
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = make_pipeline(Lift(kind), SQFA(2)).fit(frame, y)
    path = tmp_path / "model.sqfa"
    sqfa_rs.save(model, path)
    again = sqfa_rs.load(path)
    assert (again.transform(frame) == model.transform(frame)).all()
    assert again[0].feature_names_in_.tolist() == list("abcde") and again[0].kind == kind
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(again)).transform(X), model.transform(frame))


@pytest.mark.skipif("SQFA_COMMAND" not in os.environ, reason="the command is not built")
@pytest.mark.parametrize("kind", ["quadratic", "fourier:20", "nystroem:20"])
def test_the_command_lifts_as_python_does(blobs, tmp_path, kind):
    X, y = blobs
    np.savez(tmp_path / "blobs.npz", X=X, y=y)
    command = os.environ["SQFA_COMMAND"]

    def run(*arguments):
        return subprocess.run(
            [command, *arguments], cwd=tmp_path, check=True, capture_output=True, text=True
        )

    told = run("fit", "blobs.npz", "-m", "2", "--lift", kind, "--out", "command.sqfa")
    assert f"lift {kind}: 5 columns → 20 features" in told.stderr
    ours = make_pipeline(Lift(kind), SQFA(2)).fit(X, y)
    theirs = sqfa_rs.load(tmp_path / "command.sqfa")
    np.testing.assert_array_equal(theirs[1].components_, ours[1].components_)
    np.testing.assert_array_equal(theirs.transform(X), ours.transform(X))
    # And the other way round.
    sqfa_rs.save(ours, tmp_path / "python.sqfa")
    run("transform", "python.sqfa", "blobs.npz", "--out", "features.npy")
    np.testing.assert_allclose(np.load(tmp_path / "features.npy"), ours.transform(X), atol=1e-12)
    facts = json.loads(run("inspect", "python.sqfa", "--json").stdout)
    assert facts["lift"]["kind"] == kind and facts["dimensions"] == 5


def test_bad_maps_say_what_helps(blobs):
    X, _ = blobs
    with pytest.raises(ValueError, match="did you mean 'nystroem'"):
        Lift("nystrom:5").fit(X)
    with pytest.raises(ValueError, match="specify the number of features"):
        Lift("fourier").fit(X)
    with pytest.raises(ValueError, match="there are only 180"):
        Lift("nystroem:500").fit(X)
    with pytest.raises(ValueError, match="above 0"):
        Lift("fourier:5", bandwidth=-1.0).fit(X)
    with pytest.raises(TypeError, match="the step StandardScaler"):
        sqfa_rs.save(make_pipeline(StandardScaler(), SQFA(2)), "nowhere")
