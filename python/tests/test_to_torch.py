"""model.to_torch() predicts what the model predicts, for every encoding and every form of a model file, and trains on. The cases
are those of tests/app/test_specification.py: the module of PyTorch takes the place of the NumPy program."""
import copy
import io
import os
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch import nn

import faithful
import faithful.torch as ft
from conftest import PROGRAM, ROOT

os.environ.setdefault("FAITHFUL", PROGRAM)
os.environ.setdefault("FAITHFUL_SOURCE", str(ROOT))
os.environ.setdefault("FAITHFUL_BUILD", str(ROOT / "build/release"))
sys.path.append(str(ROOT / "tests" / "app"))
import test_specification as cases  # noqa: E402
from faithful.torch._model_parts import Arrays, BatchNorm  # noqa: E402
from faithful.torch._model_positions import LEARNED  # noqa: E402
from specification.windows import begins  # noqa: E402
from test_specification import *  # noqa: E402, F403: all its tests and fixtures

torch.set_num_threads(1)  # what is computed here is small


def windows_of(file, length, series, times=None):
    """x [B, length, C], mask and times: windows as they are in the data, with NaN at padding"""
    pieces = [(number, begin) for number, values in enumerate(series) for begin in begins(file, length, len(values))]
    x = torch.full((len(pieces), length, series[0].shape[1]), torch.nan)
    at = torch.zeros(len(pieces), length, dtype=torch.float64)
    mask = torch.zeros(len(pieces), length, dtype=torch.bool)
    for row, (number, begin) in enumerate(pieces):
        own = torch.from_numpy(series[number][begin:begin + length].copy())
        x[row, :len(own)], mask[row, :len(own)] = own, True
        if times is not None:
            at[row, :len(own)] = torch.from_numpy(times[number][begin:begin + length])
    return x, mask, at


def probabilities(module, windows):
    with torch.no_grad():
        return module.eval()(*windows).softmax(-1)


def check_training(module, windows):
    """One step of SGD: every parameter has a gradient, and predictions change."""
    before = probabilities(module, windows)
    labels = torch.arange(len(before)) % len(module.classes)
    nn.functional.cross_entropy(module.train()(*windows), labels).backward()
    for name, parameter in module.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name
    torch.optim.SGD(module.parameters(), lr=0.1).step()
    assert (probabilities(module, windows) - before).abs().max() > 1e-6


@pytest.fixture(autouse=True)
def by_torch(monkeypatch, folder):
    def predict(file, series, times=None):
        """In place of the NumPy program; in float32, as the library computes"""
        model = faithful.load_model(folder / "model.safetensors")
        windows = windows_of(file, model.length, series, times)
        state = torch.get_rng_state()
        module = model.to_torch()
        assert torch.equal(torch.get_rng_state(), state)
        found = probabilities(module, windows)
        check_training(module, windows)
        return found.numpy()
    monkeypatch.setattr(cases, "predict", predict)


def test_kernels(folder, data):
    path = cases.train(folder, data.path, *cases.SERIES, "--model", "kernels")
    with pytest.raises(ValueError, match='to_torch: expected a Transformer.*found random convolutions.*Train with model="encoder"'):
        faithful.load_model(path).to_torch()


def test_an_array_without_a_place_is_refused(folder, data, monkeypatch):
    """As when an encoding learns something new: the module would predict something else."""
    path = cases.train(folder, data.path, *cases.SERIES, *cases.SMALL, "--encoding", "learned")
    monkeypatch.delitem(LEARNED, "learned")
    with pytest.raises(ValueError, match="to_torch: expected arrays that have a place in .*, found encoding.table, which has none"):
        faithful.load_model(path).to_torch()


STANDARD = "--preset standard --width 8 --heads 2 --filters 3 --steps 20"


@pytest.fixture(scope="module")
def trained(folder, data):
    """A model with batch norms and dropout, and its training windows."""
    path = cases.train(folder, data.path, *cases.SERIES, *STANDARD.split())
    model = faithful.load_model(path)
    return model, windows_of(cases.model_file.read(path), model.length, data.series)


def test_double_precision(trained):
    model, windows = trained
    modules = (model.to_torch(), model.to_torch(dtype=torch.float64), model.to_torch().double())
    found = [probabilities(one, windows) for one in modules]
    assert [one.dtype for one in found] == [torch.float32, torch.float64, torch.float64]
    assert max((one - found[1]).abs().max() for one in found) < 1e-6


def test_state_comes_back(trained):
    model, (x, mask, _) = trained
    module, other = model.to_torch(), model.to_torch()
    check_training(module, (x, mask))
    assert not torch.equal(module.network.stem.norm.mean, other.network.stem.norm.mean)  # statistics are state too
    wanted = probabilities(module, (x, mask))
    other.load_state_dict(module.state_dict())
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    options = {"weights_only": False} if int(torch.__version__.split(".")[0]) >= 2 else {}
    for one in (other, copy.deepcopy(module), torch.load(file, **options)):
        assert torch.equal(probabilities(one, (x, mask)), wanted)


def test_dropout_and_statistics_of_the_batch_are_for_training_alone(trained):
    model, (x, mask, _) = trained
    module = model.to_torch()
    assert not module.training and torch.equal(module(x, mask), module(x, mask))
    module.train()
    assert not torch.equal(module(x, mask), module(x, mask))


def test_padding(trained):
    """What padding holds does not count, and padding that is not there is added."""
    model, (x, mask, _) = trained
    module, least = model.to_torch(), int(mask.sum(1).min())
    short = x[:, :least].clone()
    wanted = probabilities(module, (short,))
    filled = torch.cat([short, torch.full_like(x[:, least:], 1e9)], dim=1)
    found = probabilities(module, (filled, torch.arange(x.shape[1]).expand(len(x), -1) < least))
    assert torch.equal(found, wanted)
    assert torch.allclose(torch.cat([probabilities(module, (one[None],)) for one in short]), wanted, atol=1e-6)


@pytest.mark.parametrize("shape", [(5,), (3, 5)])
def test_batch_norm_is_that_of_torch(shape):
    """Where all rows are there; of [C, W] each sensor has its own columns."""
    torch.manual_seed(1)
    arrays = {f"n.{key}": torch.rand(shape).numpy() for key in ("weight", "bias", "mean", "variance")}
    ours, theirs = BatchNorm(Arrays(arrays, torch.float64), "n"), nn.BatchNorm1d(torch.Size(shape).numel()).double()
    theirs.load_state_dict({"weight": ours.weight.flatten(), "bias": ours.bias.flatten(), "running_mean": ours.mean.flatten(),
                            "running_var": ours.variance.flatten(), "num_batches_tracked": torch.tensor(0)})
    x = torch.randn(4, *shape[:-1], 7, shape[-1], dtype=torch.float64)
    for training in (True, False):  # the second by the statistics that the first has left
        found = ours.train(training)(x, torch.ones_like(x[:, :1, ..., :1] if len(shape) == 2 else x[..., :1], dtype=torch.bool))
        flat = x.transpose(-1, -2).flatten(1, -2)  # [B, C W, T]
        assert torch.allclose(found.transpose(-1, -2).flatten(1, -2), theirs.train(training)(flat), rtol=0, atol=1e-12)


def test_estimators_and_files_are_models(trained, folder, bumps, quick):
    X, y = bumps
    fitted = faithful.TimeSeriesTransformer(**quick).fit(X, y)
    fitted.save(folder / "fitted.safetensors")
    for one in (fitted, folder / "fitted.safetensors"):
        found = probabilities(ft.Classifier(one), (torch.from_numpy(X),))
        assert abs(found.numpy() - fitted.predict_proba(X)).max() < 1e-6


def test_complaints(folder, data, trained):
    module, x = trained[0].to_torch(), trained[1][0]
    with pytest.raises(ValueError, match=r"x: expected shape \(B, S, 2\), S from 1 to 13 samples, found \(13, 2\)"):
        module(x[0])
    with pytest.raises(ValueError, match=r"S from 1 to 13 samples, found \(1, 14, 2\)"):
        module(torch.zeros(1, 14, 2))
    with pytest.raises(ValueError, match=r"mask: expected a boolean mask of shape \(12, 13\), .*found torch.float32"):
        module(x, torch.ones(12, 13))
    timed = faithful.load_model(cases.train(folder, data.path, *cases.SERIES, *cases.SMALL, "--positions", "time")).to_torch()
    with pytest.raises(ValueError, match="times: expected the times of the samples, .* found None"):
        timed(x)
    with pytest.raises(ValueError, match="times: expected nanoseconds as int64 or float64, .* found torch.float32"):
        timed(x, None, torch.zeros(12, 13))


def test_the_estimator_has_it_too(bumps, quick):
    X, y = bumps
    fitted = faithful.TimeSeriesTransformer(**quick).fit(X, np.where(y == "bump", "anomalous", "normal"))
    module = fitted.to_torch(dtype=torch.float64)
    wanted = fitted.predict_proba(X)[:, [fitted.classes_.tolist().index(name) for name in module.classes]]
    np.testing.assert_allclose(module(torch.from_numpy(X)).softmax(-1).detach(), wanted, rtol=0, atol=1e-6)
    with pytest.raises(TypeError, match=r"x: expected a tensor, found an array of shape \(60, 24, 2\), dtype float32"):
        module(X)
    with pytest.raises(ValueError, match="not fitted yet"):
        faithful.TimeSeriesTransformer().to_torch()
