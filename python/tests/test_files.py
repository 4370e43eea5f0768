"""Model files: what goes in comes out, and nothing in a file is believed."""

import os
import pathlib
import subprocess

import numpy as np
import pytest
from patience import PATIENCE
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import sqfa_rs
from sqfa_rs import SQFA, SecondMomentSQFA


@pytest.mark.parametrize(
    "estimator",
    [
        SQFA(3, random_state=5),
        SQFA(2, distance="wasserstein", constraint="orthonormal", noise=0.5, scaling="none"),
        SQFA(2, init="pca", covariance_estimator="oas"),
        SQFA(2, init="differences", noise="scale", scaling="none"),
        SQFA(2, noise="auto", n_init=1, random_state=1),
        SecondMomentSQFA(2, random_state=0),
        SecondMomentSQFA(2, distance="log-euclidean", covariance_estimator=0.25),
    ],
    ids=str,
)
def test_round_trip(digits, tmp_path, estimator):
    X, y = digits
    estimator.fit(X, y)
    path = tmp_path / "model.safetensors"
    sqfa_rs.save(estimator, path)
    again = sqfa_rs.load(path)
    assert type(again) is type(estimator)
    np.testing.assert_array_equal(again.transform(X), estimator.transform(X))
    assert again.score(X, y) == estimator.score(X, y)
    for name in ("noise_", "objective_", "n_iter_", "converged_", "termination_"):
        assert getattr(again, name) == getattr(estimator, name)
    for name in ("n_components", "constraint", "noise", "covariance_estimator", "max_iter", "tol"):
        assert getattr(again, name) == getattr(estimator, name)
    np.testing.assert_array_equal(again.objective_trace_, estimator.objective_trace_)
    sqfa_rs.save(again, str(path))
    np.testing.assert_array_equal(sqfa_rs.load(path).components_, estimator.components_)


def test_text_classes_and_the_way_back(digits, tmp_path):
    X, y = digits
    labels = np.array(list("abcdefghij"))[y]
    sqfa = SQFA(4, random_state=0).fit(X, labels)
    sqfa_rs.save(sqfa, tmp_path / "m")
    again = sqfa_rs.load(tmp_path / "m")
    assert again.classes_.tolist() == list("abcdefghij")
    features = sqfa.transform(X)
    np.testing.assert_allclose(again.transform(again.inverse_transform(features)), features, atol=1e-8)


def test_a_model_with_an_offset(digits, tmp_path):
    X, y = digits
    sqfa = SQFA(3).fit(X, y)
    np.testing.assert_allclose(sqfa.offset_, -sqfa.components_ @ X.mean(axis=0), atol=1e-9)
    sqfa_rs.save(sqfa, tmp_path / "m")
    again = sqfa_rs.load(tmp_path / "m")
    np.testing.assert_allclose(again.transform(np.asfortranarray(X)), sqfa.transform(X), atol=1e-9)
    np.testing.assert_allclose(
        again.transform(X.astype(np.float32)), sqfa.transform(X), rtol=1e-4, atol=1e-3
    )
    features = again.transform(X)
    np.testing.assert_allclose(again.transform(again.inverse_transform(features)), features, atol=1e-8)


def test_damage_is_a_value_error(digits, tmp_path):
    X, y = digits
    path = tmp_path / "m"
    sqfa_rs.save(SQFA(2, random_state=0).fit(X, y), path)
    whole = path.read_bytes()
    for damaged in (b"", whole[:7], whole[: len(whole) // 2], b"\xff" * 8 + whole[8:], b"pickle"):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="model file"):
            sqfa_rs.load(path)
    with pytest.raises(FileNotFoundError):
        sqfa_rs.load(tmp_path / "nothing")
    with pytest.raises(OSError):
        sqfa_rs.save(SQFA(2, random_state=0).fit(X, y), tmp_path / "no" / "folder")
    with pytest.raises(NotFittedError):
        sqfa_rs.save(sqfa_rs.QDA(), path)


COMMAND = pathlib.Path(
    os.environ.get("SQFA_COMMAND", pathlib.Path(__file__).parents[2] / "target" / "debug" / "sqfa")
)


@pytest.mark.skipif(not COMMAND.exists(), reason="the command sqfa was not built; set SQFA_COMMAND")
def test_the_command_reads_and_writes_the_same_files(digits, tmp_path):
    X, y = digits
    np.savez(tmp_path / "digits.npz", X=X, y=y)

    def command(*arguments):
        subprocess.run(
            [COMMAND, *arguments], cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE
        )

    ours = SQFA(3, noise="scale", scaling="none").fit(X, y)
    sqfa_rs.save(ours, tmp_path / "ours")
    command("transform", "ours", "digits.npz", "-o", "features.npy")
    np.testing.assert_allclose(np.load(tmp_path / "features.npy"), ours.transform(X), rtol=1e-12)

    command("fit", "digits.npz", "-m", "3", "--noise", "scale", "--scaling", "none", "-o", "theirs")
    theirs = sqfa_rs.load(tmp_path / "theirs")
    np.testing.assert_allclose(theirs.components_, ours.components_, atol=1e-9)
    assert theirs.score(X, y) == ours.score(X, y)

    command("fit", "digits.npz", "-m", "3", "--scaling", "per-feature", "-o", "scaled")
    command("transform", "scaled", "digits.npz", "-o", "scaled.npy")
    scaled = sqfa_rs.load(tmp_path / "scaled")
    np.testing.assert_allclose(scaled.transform(X), np.load(tmp_path / "scaled.npy"), atol=1e-9)


def test_names_of_columns_survive_the_file(digits, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = digits
    names = [f"pixel {i}" for i in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    sqfa = SQFA(2, random_state=0).fit(frame, y)
    path = tmp_path / "named.safetensors"
    sqfa_rs.save(sqfa, path)
    again = sqfa_rs.load(path)
    assert again.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(again.transform(frame), sqfa.transform(frame))
    with pytest.raises(ValueError, match="feature names"):
        again.transform(frame[names[::-1]])
    sqfa_rs.save(SQFA(2, random_state=0).fit(X, y), path)
    assert not hasattr(sqfa_rs.load(path), "feature_names_in_")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "estimator",
    [
        sqfa_rs.baselines.LFDA(2, n_neighbors=[3, 5], local_scale="anchor", pca_dims=4),
        sqfa_rs.baselines.PCA(2, solver="randomized"),
        sqfa_rs.SQFA(
            2,
            distance="chernoff:0.3",
            noise=0.25,
            scaling="none",
            sequential=1,
            pairs=2,
            max_iter=7,
            tol=1e-4,
        ),
        sqfa_rs.HeavyTailedSQFA(2, nu=3.5, constraint="orthonormal", init="pca", n_init=1),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_specified_settings_are_kept(blobs, tmp_path, estimator):
    X, y = blobs
    fitted = estimator.fit(X, y)
    sqfa_rs.save(fitted, tmp_path / "model")
    again = sqfa_rs.load(tmp_path / "model")
    parameters = again.get_params()
    for name, value in fitted.get_params().items():
        # The lists of choices come back as numbers; starts and threads are not settings of a file.
        if value != type(estimator)().get_params()[name]:
            assert parameters[name] == value, name


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_file_holds_the_whole_record(blobs, tmp_path):
    X, y = blobs
    path = tmp_path / "model"

    def again(estimator):
        sqfa_rs.save(estimator.fit(X, y), path)
        return sqfa_rs.load(path)

    lda = sqfa_rs.baselines.LDA(2, random_state=0)
    loaded = again(lda)
    assert len(lda.trials_) > 1 and loaded.trials_ == lda.trials_
    assert loaded.settings_ == lda.settings_

    several = SQFA(2, noise=0.1, n_init=3, sequential=1, random_state=0)
    loaded = again(several)
    assert len(several.initializations_) == 3
    for old, new in zip(several.initializations_, loaded.initializations_, strict=True):
        assert old[:-1] == new[:-1] and len(old.trace) > 1
        np.testing.assert_array_equal(old.trace, new.trace)
    assert len(several.group_traces_) == 2
    for old, new in zip(several.group_traces_, loaded.group_traces_, strict=True):
        np.testing.assert_array_equal(old, new)

    for refined in (
        SQFA(2, refine=True, random_state=0),
        sqfa_rs.baselines.PCA(2, refine=True, random_state=0),
    ):
        loaded = again(refined)
        assert loaded.selection_ == refined.selection_ and loaded.n_iter_ == refined.n_iter_
        np.testing.assert_array_equal(loaded.objective_trace_, refined.objective_trace_)
        shown = {
            name: getattr(refined, name)
            for name in ("refinement_", "settings_")
            if hasattr(refined, name)
        }
        assert shown and all(getattr(loaded, name) == value for name, value in shown.items())


def test_a_model_without_its_lift_is_saved_alone(blobs, tmp_path):
    X, y = blobs
    pipeline = make_pipeline(sqfa_rs.preprocessing.Lift("quadratic"), SQFA(2, random_state=0)).fit(X, y)
    sqfa_rs.save(pipeline, tmp_path / "both")
    inner = sqfa_rs.load(tmp_path / "both")[1]
    sqfa_rs.save(inner, tmp_path / "inner")
    lifted = pipeline[0].transform(X)
    np.testing.assert_array_equal(
        sqfa_rs.load(tmp_path / "inner").transform(lifted), inner.transform(lifted)
    )
