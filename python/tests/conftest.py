"""The program that belongs to the package under test, and small data for all."""
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("FAITHFUL", str(ROOT / "build/release/bin/faithful"))


def pytest_configure(config):
    config.addinivalue_line("markers", "unsanitized(why): of tests/app, whose cases are used here too")


@pytest.fixture(scope="session")
def program():
    """Runs the program and gives what it printed; JSON where --json is asked for."""
    if not os.path.exists(PROGRAM):
        pytest.fail(f"expected the program at {PROGRAM} (set FAITHFUL), found nothing there")

    def run(*arguments, check=True, **environment):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, **environment})
        assert not check or done.returncode == 0, done.stderr
        if "--json" in arguments:
            return json.loads(done.stdout)
        return done.stdout if done.returncode == 0 else done.stderr
    return run


@pytest.fixture(scope="session")
def bumps():
    """(X, y): 60 series of 24 samples and 2 channels; those of class "bump" have one in channel 0."""
    random = np.random.default_rng(7)
    y = np.array(["bump", "flat", "flat"] * 20)
    X = random.normal(size=(60, 24, 2)).astype(np.float32)
    X[y == "bump", 8:14, 0] += 3
    return X, y


@pytest.fixture(scope="session")
def quick():
    """Arguments of a model that trains in a moment."""
    return {"preset": "plain", "width": 16, "heads": 2, "layers": 1, "epochs": 6, "n_jobs": 2}
