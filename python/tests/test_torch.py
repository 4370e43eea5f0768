"""The loss of PyTorch: gradients by ``gradcheck``, values by the package's distances, bad batches."""

import pathlib
import runpy

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")

from sqfa_rs import SQFA, SecondMomentSQFA, class_statistics, distances
from sqfa_rs.torch import as_distance, class_moments, mean_distance, separation_loss

NAMES = ["hellinger", "calvo-oller", "fisher-rao", "bhattacharyya", "jeffreys", "wasserstein"]


@pytest.fixture
def batch():
    generator = torch.Generator().manual_seed(0)
    labels = torch.tensor([0, 1, 2, 2, 1, 0] * 5)
    features = torch.randn(30, 2, generator=generator, dtype=torch.float64) * (1 + labels[:, None])
    return features, labels


@pytest.mark.parametrize("name", NAMES)
def test_gradients_pass_gradcheck(batch, name):
    features, labels = batch
    features.requires_grad_()
    assert torch.autograd.gradcheck(lambda f: separation_loss(f, labels, name, noise=0.1), (features,))


@pytest.mark.parametrize("name", NAMES)
def test_the_loss_is_minus_the_mean_distance_of_the_statistics(batch, name):
    features, labels = batch
    statistics = class_statistics(features.numpy(), labels.numpy())
    noisy = statistics.covariances + 0.1 * np.eye(2)
    matrix = distances.pairwise((statistics.means, noisy), distance=name)
    expected = -matrix[np.triu_indices(3, 1)].mean()
    assert separation_loss(features, labels, name, noise=0.1).item() == pytest.approx(
        expected, rel=1e-10
    )


def test_weights_and_single_precision(batch):
    features, labels = batch
    weights = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    whole = separation_loss(features, labels, weights=weights)
    two = labels < 2
    assert whole.item() == pytest.approx(separation_loss(features[two], labels[two]).item(), rel=1e-12)
    single = separation_loss(features.float().requires_grad_(), labels)
    assert single.dtype == torch.float32
    assert single.item() == pytest.approx(separation_loss(features, labels).item(), rel=1e-5)
    single.backward()


def test_a_class_with_one_point_is_left_out_and_one_class_is_refused(batch):
    features, labels = batch
    lonely = torch.cat([labels[:-1], torch.tensor([9])])
    classes, means, covariances = class_moments(features, lonely)
    assert classes.tolist() == [0, 1, 2] and means.shape == (3, 2) and covariances.shape == (3, 2, 2)
    with pytest.raises(ValueError, match="1 classes have at least 2 samples in a batch of 30"):
        separation_loss(features, torch.zeros(30))
    with pytest.raises(ValueError, match="do not match"):
        separation_loss(features, labels[:3])
    with pytest.raises(ValueError, match="noise is -1"):
        separation_loss(features, labels, noise=-1)


def test_steps_down_the_loss_part_the_classes():
    generator = torch.Generator().manual_seed(1)
    labels = torch.arange(200) % 2
    # Equal means: only the variance of one direction tells the classes apart.
    points = torch.randn(200, 5, generator=generator, dtype=torch.float64)
    points[:, 3] *= 1 + 3 * labels
    filters = torch.full((5, 1), 0.5, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([filters], lr=0.05)
    for _ in range(200):
        optimizer.zero_grad()
        loss = separation_loss(points @ filters / filters.norm(), labels)
        loss.backward()
        optimizer.step()
    assert filters[3].abs() > 0.9 * filters.norm()


def test_the_example_runs():
    script = pathlib.Path(__file__).parents[2] / "examples" / "torch" / "network.py"
    told = runpy.run_path(str(script), run_name="example")["run"](epochs=2)
    assert {"cross-entropy", "hellinger", "fisher-rao"} <= told.keys()


def test_mean_distance_takes_tensors():
    means = torch.tensor([[0.0], [2.0]], requires_grad=True)
    value = mean_distance(means, torch.ones(2, 1, 1), "wasserstein")
    value.backward()
    assert value.item() == 2.0 and means.grad.tolist() == [[-1.0], [1.0]]


def test_a_distance_written_in_torch_is_the_cores(block_of, blobs):
    names = {}
    exec(block_of("user-guide/migrating.md", "A distance written in torch"), names)
    model = names["model"].fit(*blobs)
    same = SQFA(2, distance="mahalanobis", noise=0.1, scaling="none").fit(*blobs)
    assert model.objective_ == pytest.approx(same.objective_, rel=1e-6)
    assert np.allclose(abs(model.components_ @ same.components_.T).max(axis=1), 1, atol=1e-3)


def squared_mahalanobis(a, b):
    difference = a["means"][:, None] - b["means"][None]
    average = (a["covariances"][:, None] + b["covariances"][None]) / 2
    return torch.einsum("pqi,pqi->pq", difference, torch.linalg.solve(average, difference))


def log_euclidean(a, b):
    def logarithm(matrices):
        values, vectors = torch.linalg.eigh(matrices)
        return vectors @ torch.diag_embed(values.log()) @ vectors.mT

    return torch.linalg.matrix_norm(logarithm(a)[:, None] - logarithm(b)[None])


def test_a_distance_in_pytorch_learns_the_components_of_the_same_distance_of_the_package(batch):
    features, labels = batch
    X, y = features.numpy(), labels.numpy()
    settings = {"noise": 0.1, "scaling": "none", "random_state": 0, "tol": 1e-10}
    for ours, theirs in (
        (SQFA(1, distance="squared-mahalanobis", **settings), as_distance(squared_mahalanobis)),
        (
            SecondMomentSQFA(1, distance="log-euclidean", **settings),
            as_distance(log_euclidean, second_moments=True),
        ),
    ):
        ours.fit(X, y)
        other = SQFA(1, distance=theirs, **settings).fit(X, y)
        assert other.objective_ == pytest.approx(ours.objective_, rel=1e-9)
        np.testing.assert_allclose(other.components_, ours.components_, atol=1e-5)
        statistics = class_statistics(X, y)
        np.testing.assert_allclose(
            distances.pairwise(statistics, distance=theirs, noise=0.1),
            distances.pairwise(statistics, distance=ours.distance, noise=0.1),
            rtol=1e-9,
            atol=1e-12,
        )


def test_a_function_of_tensors_that_is_not_wrapped_is_rejected_with_the_remedy(batch):
    features, labels = batch
    for estimator in (SQFA, SecondMomentSQFA):
        with pytest.raises(TypeError, match="squared_mahalanobis.*sqfa_rs.torch.as_distance"):
            estimator(1, distance=squared_mahalanobis).fit(features.numpy(), labels.numpy())
    with pytest.raises(TypeError, match=r"returned shape \(2,\).*shape \(k, l\)"):
        wrong = as_distance(lambda a, b: a["means"][0])
        distances.pairwise(class_statistics(features.numpy(), labels.numpy()), distance=wrong)
