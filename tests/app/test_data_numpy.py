"""`faithful data`: what NumPy and h5py read from our files and write into files for us, and usage."""

import json
import os

import h5py
import numpy as np
import pytest

from program import built_without_hdf5, rejected, run

CSV = "time,unit,a,b,state\n2024-01-01T00:00:00Z,p,1.5,2,0\n2024-01-01T00:00:01Z,p,0.1,-3e-20,1\n2024-01-01T00:00:00Z,q,7,8,0\n"
FLAGS = ["--time", "time", "--series", "unit", "--label", "state"]


def info(*arguments, **options):
    done = run("data", "info", *arguments, "--json", **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def converted(*arguments, **options):
    done = run("data", "convert", *arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_numpy_reads_our_npz(tmp_path):
    (tmp_path / "x.csv").write_text(CSV)
    converted("x.csv", "x.npz", *FLAGS, cwd=tmp_path)
    with np.load(tmp_path / "x.npz") as archive:
        assert archive["values"].dtype == np.float32
        assert archive["values"].tolist() == np.float32([[1.5, 2], [0.1, -3e-20], [7, 8]]).tolist()
        assert archive["lengths"].tolist() == [2, 1]
        assert archive["labels"].tolist() == [0, 1, 0]
        assert archive["times"].tolist() == [1704067200000000000, 1704067201000000000, 1704067200000000000]
        meta = json.loads(bytes(archive["meta"]))
    assert meta["channels"] == ["a", "b"] and [s["name"] for s in meta["series"]] == ["p", "q"]


def test_text_round_trip_is_exact(tmp_path):
    rng = np.random.default_rng(1)
    values = rng.standard_normal((50, 3)).astype(np.float32)
    np.save(tmp_path / "x.npy", values)
    converted("x.npy", "x.csv", "--axes", "tc", cwd=tmp_path)
    converted("x.csv", "y.npz", cwd=tmp_path)
    with np.load(tmp_path / "y.npz") as archive:
        assert np.array_equal(archive["values"], values)


@pytest.fixture
def hdf5(tmp_path):
    if built_without_hdf5():
        pytest.skip("built without HDF5")
    return tmp_path


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("compression", [None, "gzip"])
def test_h5py_file_of_the_authors_layout(hdf5, dtype, compression):
    values = np.arange(4 * 20 * 6, dtype=dtype).reshape(4, 20, 6) / 7
    labels = np.array([0, 1, 0, 0])
    with h5py.File(hdf5 / "trips.h5", "w") as file:
        file.create_dataset("dataset", data=np.hstack([values.reshape(4, -1), labels[:, None]]), compression=compression)
    [part] = info("trips.h5", cwd=hdf5)["parts"]
    assert (part["series"], part["shortest"], len(part["channels"])) == (4, 6, 20)
    assert part["classes"] == {"normal": 3, "anomalous": 1}
    converted("trips.h5", "trips.npz", cwd=hdf5)
    with np.load(hdf5 / "trips.npz") as archive:
        assert np.array_equal(archive["values"].reshape(4, 6, 20), values.astype(np.float32).transpose(0, 2, 1))
        assert archive["label"].tolist() == labels.tolist()
    converted("trips.npz", "back.h5", cwd=hdf5)
    with h5py.File(hdf5 / "back.h5") as file:
        assert file["dataset"].dtype == np.float32
        assert np.array_equal(file["dataset"][:, :-1].reshape(4, 20, 6), values.astype(np.float32))
        assert file["dataset"][:, -1].tolist() == labels.tolist()


def test_plain_hdf5(hdf5):
    with h5py.File(hdf5 / "x.h5", "w") as file:
        file["group/X"] = np.arange(24.0).reshape(2, 3, 4)
        file["y"] = np.array([1, 0])
    [part] = info("x.h5", "--values", "group/X", "--axes", "nct", "--label", "y", cwd=hdf5)["parts"]
    assert (part["series"], part["shortest"], len(part["channels"])) == (2, 4, 3)


def test_usage(tmp_path):
    assert rejected("data", "info", "none", cwd=tmp_path) == "none: expected a file or folder, found nothing there"
    assert rejected("data", "infos") == 'data: unknown verb "infos" (did you mean info?)'
    (tmp_path / "x.csv").write_text("1,2\n")
    assert rejected("data", "info", "x.csv", "--part", "test", cwd=tmp_path) == '--part: expected a part that the data set has, found "test"'
    assert rejected("data", "info", "x.csv", "--verify", cwd=tmp_path) == "x.csv: expected files of a known data set, found none (faithful data list)"


def test_list():
    sets = json.loads(run("data", "list", "--json").stdout)
    assert {"SMD", "MSL", "BasicMotions"} <= {s["name"] for s in sets}
    assert all(s["published"] for s in sets)


def test_page(tmp_path):
    (tmp_path / "x.csv").write_text(CSV)
    done = run("data", "info", "x.csv", *FLAGS, "-o", "page", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page" / "index.html").read_text()
    assert "Data set x" in page and "src=\"http" not in page


@pytest.mark.skipif("FAITHFUL_DATA" not in os.environ, reason="FAITHFUL_DATA is not set: the published sets are not read")
def test_published_sets():
    train, test = info("SMD", "--verify")["parts"]
    assert (test["series"], test["rows"], round(100 * test["anomalous_rows"] / test["rows"], 2)) == (23, 565059, 4.34)
    assert (train["part"], train["series"]) == ("train", 3)
    train, test = info("MSL", "--verify")["parts"]
    assert (test["series"], test["rows"], test["spans"], round(100 * test["anomalous_rows"] / test["rows"], 2)) == (27, 73729, 36, 10.53)
