"""`choose`, and `train --encoding auto`, as a user calls them."""
import json

import numpy as np
import pytest
from program import rejected, run

QUICK = ("--split", "series", "--preset", "plain", "--width", 8, "--heads", 2, "--layers", 1, "--epochs", 25, "--rate", 0.01, "--folds", 3)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Series with a bump; its place tells the class."""
    random = np.random.default_rng(1)
    rows = ["case,kind,a"]
    for case in range(60):
        values = 0.3 * random.normal(size=16)
        values[1 if case % 2 else 10:][:4] += 2
        rows += [f"{case},{'late' if case % 2 == 0 else 'early'},{value:.5f}" for value in values]
    path = tmp_path_factory.mktemp("places") / "places.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def options(path):
    return (path, "--series", "case", "--label", "kind", "--label-of", "series")


def test_choose_finds_the_encoding(places):
    done = run("choose", *options(places), *QUICK, "--encoding", "none", "--encodings", "dft,none", "--repeats", 2, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["encoding"] == "dft" and found["measure"] == "accuracy" and found["folds"] == 6
    none, dft = found["scores"]
    assert none["encoding"] == "none" and none["difference"] is None and len(dft["values"]) == 6
    assert dft["better"] and dft["low"] > 0 and dft["p"] < 0.05 and np.isclose(np.mean(dft["values"]), dft["mean"])
    again = run("choose", *options(places), *QUICK, "--encoding", "none", "--encodings", "dft,none", "--repeats", 2, "--threads", 1)
    assert again.stdout.splitlines()[-1] == found["sentence"]
    assert "95 % interval" in again.stdout and "Encodings on 6 folds" in again.stdout


def test_train_takes_what_is_found(places, tmp_path):
    model = tmp_path / "m.safetensors"
    done = run("train", *options(places), *QUICK, "--encoding", "auto", "-o", model)
    assert done.returncode == 0, done.stderr
    chosen = "which is kept" if "which is kept" in done.stdout else "is better than"
    assert "Encodings on" in done.stdout and chosen in done.stdout and model.exists()
    assert rejected("train", *options(places), "--encoding", "auto", "--resume", "-o", model) == (
        "--resume needs the encoding that was chosen: --encoding NAME instead of auto")


def test_bad_usage(places):
    assert rejected("choose", *options(places), "--encodings", "dtf").startswith('--encodings: expected the name of an encoding, found "dtf"')
    assert rejected("choose", *options(places), "--minutes", 0).startswith("--minutes: expected a positive number")
    assert rejected("choose", *options(places), "--split", "random").startswith("--split: expected parts that do not overlap")
    late = run("choose", *options(places), *QUICK, "--minutes", 1e-6)
    assert late.returncode == 1 and "fewer than two folds ended within 1e-06 minutes: more --minutes, or fewer --encodings" in late.stderr
