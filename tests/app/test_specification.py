"""docs/model.md is a specification: an implementation in NumPy that was written from it (tests/model/specification) reads model files of
the program, and gives the probabilities of `faithful predict` to 1e-6. The files get random weights before they are compared, because after
a few steps of training most weights are near where they started."""
import csv
import io
import json
import sys

import numpy as np
import pytest

from program import SOURCE, quick_folder, run

sys.path.insert(0, str(SOURCE / "tests" / "model"))
from specification import file as model_file
from specification.catalog import ENCODINGS
from specification.predictors import predict

pytestmark = pytest.mark.unsanitized("compares numbers; other tests drive the same code")

CLOSE = 1e-6
SERIES = ["--series", "name", "--label", "kind", "--label-of", "series", "--time", "t", "--time-unit", "ms", "--split", "series"]
SMALL = ["--preset", "plain", "--width", "8", "--heads", "2", "--layers", "2", "--feed-forward", "6", "--steps", "2"]
DFSTRANS = ["--model", "dfstrans", "--segment", "4", "--stages", "1", "--filters", "2", "--kernel", "3", "--heads", "2", "--feed-forward", "6",
            "--head-hidden", "5", "--steps", "2"]
QUICK = ["--folds", "0", "--no-baselines", "--seed", "1"]


class Data:
    """Series of 10 to 13 samples of two channels at uneven times, of three classes, as a table and as arrays. They differ in level and
    slope, so that predictions differ."""

    def __init__(self, path, count=12):
        self.path, random = path, np.random.default_rng(1)
        self.series, self.times, lines = [], [], ["t,name,kind,a,b"]
        for number in range(count):
            length = 13 - number % 4
            self.times.append(np.cumsum(random.integers(300, 1700, length)) * 1e6)
            line = random.normal(size=2) + np.linspace(-1, 1, length)[:, None] * random.normal(size=2)
            self.series.append(((random.normal(size=(length, 2)) + 2 * line) * [1, 30] + [0, 100]).astype("f4"))
            for t, (a, b) in zip(self.times[-1], self.series[-1]):
                lines.append(f"{t / 1e6:.0f},s{number},{'xyz'[number % 3]},{a:.9g},{b:.9g}")
        path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def folder():
    with quick_folder() as path:
        yield path


@pytest.fixture(scope="module")
def data(folder):
    return Data(folder / "data.csv")


def train(folder, *options):
    path = folder / "model.safetensors"
    path.unlink(missing_ok=True)
    done = run("train", *options, *QUICK, "-o", path, cwd=folder)
    assert done.returncode == 0, done.stderr
    return path


def predicted(path, table, classes, *options):
    """[B, K] of `faithful predict`."""
    done = run("predict", path, table, *options)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    if len(classes) == 2:
        second = np.array([float(row["score"]) for row in rows])
        return np.stack([1 - second, second], -1)
    return np.array([[float(row[f"p({name})"]) for name in classes] for row in rows])


def randomized(file):
    """The same with random arrays."""
    random = np.random.default_rng(2)
    arrays = {}
    for name, old in file.arrays.items():
        if name.startswith(("scaler.", "seen")) or old.dtype != "<f4":
            arrays[name] = old
            continue
        new = (0.1 if name.endswith("offset_weights") else 0.4) * random.normal(size=old.shape)  # erpe's are added to shares of 1
        if name.endswith("variance"):
            new = 0.5 + np.abs(new)
        elif name.endswith(("norm.weight", "norm1.weight", "norm2.weight", "differences.weight", "linear.factor")):
            new = 1 + new
        elif name.endswith(("linear.least", "linear.greatest")):  # they bound some of the features
            new = np.where(name.endswith("least"), -1, 1) * np.abs(new)
        arrays[name] = new.astype("<f4")
    return model_file.ModelFile(file.texts, arrays)


def compare(path, table, series, times=None, *options):
    file = model_file.read(path)
    want, found = predicted(path, table, file["classes"], *options), predict(file, series, times)
    assert want.shape == found.shape
    assert np.abs(want - found).max() < CLOSE, np.abs(want - found).max()
    return want


def check(path, table, series, times=None, *options):
    """With random weights."""
    model_file.write(path, randomized(model_file.read(path)))
    want = compare(path, table, series, times, *options)
    assert np.ptp(want, 0).max() > 0.01  # else the comparison would say little
    return want


@pytest.mark.parametrize("options", [["--preset", "standard", "--steps", "30"], DFSTRANS, ["--model", "linear"]])
def test_as_trained(folder, data, options):
    compare(train(folder, data.path, *SERIES, *options), data.path, data.series)


# What each encoding does in each place, and its variants.

TIMELESS = {"none", "learned", "tupe", "tape+erpe", "onehot", "rotation", "cpe", "dywpe", "spe"}
APPENDED = {"mtan", "time2vec"}
NEEDS = {"onehot": ["--width", "16"], "dft": ["--period", "20"]}  # more columns than steps; a period longer than any window


@pytest.mark.parametrize("name", ENCODINGS)
def test_encoding(folder, data, name):
    options = [data.path, *SERIES, *SMALL, "--encoding", name, *NEEDS.get(name, [])]
    check(train(folder, *options), data.path, data.series)
    check(train(folder, *options, "--pooling", "token", "--segment", "2"), data.path, data.series)


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name not in TIMELESS])
def test_encoding_at_real_times(folder, data, name):
    options = [data.path, *SERIES, *SMALL, "--encoding", name, "--positions", "time", *NEEDS.get(name, [])]
    for more in (["--segment", "2"], ["--pooling", "token"]):
        check(train(folder, *options, *more), data.path, data.series, data.times)


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name not in APPENDED])
def test_encoding_in_dfstrans(folder, data, name):
    check(train(folder, data.path, *SERIES, *DFSTRANS, "--encoding", name), data.path, data.series)


def test_all_encodings_are_here():
    assert {entry["name"] for entry in json.loads(run("list", "--json").stdout)} == set(ENCODINGS)


VARIANTS = {
    "sinusoidal, halves": "--encoding sinusoidal --layout halves --exponent i/(d/2-1) --first-position 1 --width 9 --heads 3",
    "tape, odd": "--encoding tape --first-position 1 --width 9 --heads 3",
    "dft with a period": "--encoding dft --width 7 --heads 1 --period 20",
    "dft, unit": "--encoding dft --scale unit --width 7 --heads 1 --period 20",
    "sinusoidal, matched": "--encoding sinusoidal --scale matched",
    "learned-frequency, matched": "--encoding learned-frequency --scale matched",
    "spectral, a number": "--encoding spectral --scale 2.5",
    "sinusoidal, decaying": "--encoding sinusoidal --scale decaying",
    "spectral, periodic": "--encoding spectral --width 32",
    "spectral, periodic, odd": "--encoding spectral --basis periodic --period 40 --width 9 --heads 3 --spectrum gaussian",
    "spectral, matern": "--encoding spectral --spectrum matern --smoothness 2.5 --length-scale 3",
    "spectral-learned, frequencies": "--encoding spectral-learned --learned-spectrum frequencies",
    "spectral-learned, flat, periodic": "--encoding spectral-learned --learned-spectrum frequencies --spectrum flat --width 32",
    "mtan in attention": "--encoding mtan --mtan attention",
    "rope by halves": "--encoding rope --pairing halves",
    "rope, linear": "--encoding rope --rope-scaling linear --rope-factor 2",
    "rope, ntk": "--encoding rope --rope-scaling ntk --rope-factor 4",
    "rope, yarn": "--encoding rope --rope-scaling yarn --rope-factor 4 --rope-trained 100 --rho 50",
    "fope, more frequencies": "--encoding fope --rho 4 --pairing halves --heads 1",
    "spe, conv": "--encoding spe --spe conv --spe-kernel 3 --spe-realizations 4 --pooling token",
    "dywpe, haar": "--encoding dywpe --dywpe-wavelet haar --dywpe-levels 3",
    "shaw, clipped": "--encoding shaw --clip 3",
    "deberta, clipped": "--encoding deberta --clip 3",
    "transformer-xl, odd": "--encoding transformer-xl --width 9 --heads 3",
    "tupe, relative": "--encoding tupe --tupe-relative",
    "tupe, relative, token": "--encoding tupe --tupe-relative --pooling token",
    "alibi, one-sided": "--encoding alibi --alibi-heads one-sided --heads 4",
    "alibi, three heads": "--encoding alibi --heads 3 --width 9",
    "rotation, more columns than steps": "--encoding rotation --width 16",
    "t-pe, bare heads of another width": "--encoding t-pe --block bare --head-width 3",
    "pre": "--block pre --pooling attention",
    "bare": "--block bare --head-width 3",
    "bare, token": "--block bare --encoding shaw --pooling token",
    "no layer": "--layers 0",
    "relu": "--activation relu --head-width 5",
    "convolution": "--filters 5 --kernel 3 --segment 3",
    "differences": "--differences 3 --filters 4 --segment 2",
    "stem": "--preset standard --encoding erpe --width 8 --heads 2 --filters 3 --average 1",
    "stem, mean of samples": "--preset standard --width 8 --heads 2 --filters 3 --average 3 --branches 2 --blocks 3 --kernel 1 --segment 2",
    "stem, bottleneck": "--preset standard --width 8 --heads 2 --filters 3 --average 1 --bottleneck 2",
    "scaled by the window": "--scaling window",
    "scaled by range": "--scaler min-max",
}


@pytest.mark.parametrize("name", VARIANTS)
def test_variant(folder, data, name):
    check(train(folder, data.path, *SERIES, *SMALL, *VARIANTS[name].split()), data.path, data.series)


@pytest.mark.parametrize("options", ["", "--weights per-sensor,per-step --differences 2", "--weights per-sensor --encoding rope --activation gelu",
                                     "--weights per-step --encoding alibi --segment 5 --stages 2 --filters 4", "--scale decaying --encoding sinusoidal"])
def test_dfstrans(folder, data, options):
    check(train(folder, data.path, *SERIES, *DFSTRANS, *options.split()), data.path, data.series)


@pytest.mark.parametrize("name", ["sinusoidal", "kerple", "transformer-xl"])
def test_dfstrans_at_real_times(folder, data, name):
    path = train(folder, data.path, *SERIES, *DFSTRANS, "--encoding", name, "--positions", "time")
    check(path, data.path, data.series, data.times)


def write_timeline(path):
    """200 samples with a label for each, and a gap; the values as an array."""
    random = np.random.default_rng(3)
    values = (random.normal(size=(200, 3)) + random.normal(size=(200, 3)).cumsum(0)).astype("f4")
    values[25, 1] = np.nan
    cell = lambda value: "" if np.isnan(value) else f"{value:.9g}"
    lines = [",".join(map(cell, row)) + f",{t % 40 >= 30:d}" for t, row in enumerate(values)]
    path.write_text("a,b,c,broken\n" + "\n".join(lines) + "\n")
    return values


@pytest.mark.parametrize("options", ["--preset standard --width 8 --heads 2 --filters 3 --steps 2",
                                     "--preset plain --width 8 --heads 2 --scaling window --steps 2", "--model linear"])
def test_windows_of_a_timeline(folder, options):
    """Two classes: one logit."""
    values = write_timeline(folder / "timeline.csv")
    path = train(folder, folder / "timeline.csv", "--label", "broken", "--missing", "keep", "--window", "20", "--stride", "7", *options.split())
    found = check(path, folder / "timeline.csv", [values], None, "--missing", "keep", "--label", "broken")
    assert found.shape == (26, 2)


def member_arrays(files):
    return {f"members.{number}.{name}": array for number, file in enumerate(files) for name, array in file.arrays.items()
            if not name.startswith(("scaler.", "seen"))}


@pytest.mark.parametrize("classes", [2, 3])
def test_ensemble(folder, data, classes):
    """A Transformer and a linear model, put into one file."""
    values = write_timeline(folder / "timeline.csv")
    table, series = (data.path, data.series) if classes == 3 else (folder / "timeline.csv", [values])
    how = SERIES if classes == 3 else ["--label", "broken", "--missing", "keep", "--window", "20", "--stride", "7"]
    files = [randomized(model_file.read(train(folder, table, *how, *kind))) for kind in (SMALL, ["--model", "linear"])]
    texts = {key: text for key, text in files[0].texts.items() if key != "config"}
    members = [{"config": files[0]["config"], "weight": 0.3}, {"linear": files[1]["linear"], "weight": 0.7}]
    texts["ensemble"] = json.dumps({"temperature": 1.7, "members": members})
    common = {name: array for name, array in files[0].arrays.items() if name.startswith(("scaler.", "seen"))}
    model_file.write(folder / "model.safetensors", model_file.ModelFile(texts, {**common, **member_arrays(files)}))
    compare(folder / "model.safetensors", table, series, None, *how[2:4] if classes == 2 else [])


def test_ensemble_as_trained(folder, data):
    path = train(folder, data.path, *SERIES, *SMALL, "--ensemble", "2")
    assert len(model_file.read(path)["ensemble"]["members"]) == 2
    compare(path, data.path, data.series)


def test_kernels(folder, data):
    """As trained: biases are values of training windows, so `greater than` is put to the test."""
    few = Data(folder / "few.csv", 3)
    compare(train(folder, data.path, *SERIES, "--model", "kernels"), few.path, few.series)


def test_linear_model_of_series(folder, data):
    check(train(folder, data.path, *SERIES, "--model", "linear"), data.path, data.series)
