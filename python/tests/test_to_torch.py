"""model.to_torch() predicts what the model predicts: for every encoding and every form of a model file. The cases are those of
tests/app/test_specification.py; here the module of PyTorch takes the place of the NumPy program.

The module computes in float64 there: the library computes in float32, and two such computations with other orders of sums may
differ by more than 1e-6 together. test_single_precision has the module in float32."""
import os
import pathlib
import sys

import numpy as np
import pytest
import torch

import faithful
import faithful.torch as ft
from conftest import PROGRAM, ROOT

os.environ.setdefault("FAITHFUL", PROGRAM)
os.environ.setdefault("FAITHFUL_SOURCE", str(ROOT))
os.environ.setdefault("FAITHFUL_BUILD", str(ROOT / "build/release"))
sys.path.append(str(ROOT / "tests" / "app"))
import test_specification as cases  # noqa: E402
from specification.windows import begins  # noqa: E402
from test_specification import *  # noqa: E402, F403: all its tests and fixtures

torch.set_num_threads(1)


def windows_of(file, length, series, times):
    """x [B, length, C] with NaN at padding, mask and times: windows as they are in the data"""
    pieces = [(number, begin) for number, values in enumerate(series) for begin in begins(file, length, len(values))]
    x = torch.full((len(pieces), length, series[0].shape[1]), torch.nan)
    at = torch.zeros(len(pieces), length, dtype=torch.float64)
    mask = torch.zeros(len(pieces), length, dtype=torch.bool)
    for row, (number, begin) in enumerate(pieces):
        own = torch.from_numpy(series[number][begin:begin + length])
        x[row, :len(own)], mask[row, :len(own)] = own, True
        if times is not None:
            at[row, :len(own)] = torch.from_numpy(times[number][begin:begin + length])
    return x, mask, at


def predict_by_torch(folder):
    def predict(file, series, times=None):
        model = faithful.load_model(folder / "model.safetensors")
        module = model.to_torch(dtype=torch.float64)
        with torch.no_grad():
            return module(*windows_of(file, model.length, series, times)).softmax(-1).numpy()
    return predict


@pytest.fixture(autouse=True)
def by_torch(monkeypatch, folder):
    monkeypatch.setattr(cases, "predict", predict_by_torch(folder))
