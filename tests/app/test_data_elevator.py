"""`faithful data elevator`: what it writes, that the same seed gives the same bytes, and what it refuses."""

import json

import numpy as np
import pytest

from program import built_without_hdf5, rejected, run

SMALL = ["--trips", 40, "--anomalies", 10, "--samples", 64, "--seed", 7]
needs_hdf5 = pytest.mark.skipif(built_without_hdf5(), reason="built without HDF5")
each_format = pytest.mark.parametrize("name", [pytest.param("lift.h5", marks=needs_hdf5), "lift.npz"])


def elevator(*arguments, cwd):
    done = run("data", "elevator", *arguments, cwd=cwd)
    # A slow run shows its progress, and nothing else.
    assert done.returncode == 0 and all(line.startswith("simulating: ") for line in done.stderr.splitlines()), done.stderr
    return done.stdout


def test_help_shows_an_example():
    done = run("data", "elevator", "--help")
    assert done.returncode == 0
    assert "Usage: faithful data elevator --output FILE [options]" in done.stdout
    assert "faithful data elevator --trips 1000 --anomalies 3 --seed 1 -o lift.h5" in done.stdout


@each_format
def test_info_reads_what_it_wrote(tmp_path, name):
    said = elevator(*SMALL, "-o", name, cwd=tmp_path)
    assert said == f"{name}: 40 trips, 4 of them anomalous, 20 channels x 64 samples at 3.2 Hz, seed 7\n"
    [part] = json.loads(run("data", "info", name, "--json", cwd=tmp_path).stdout)["parts"]
    assert (part["series"], part["shortest"], part["rows"], len(part["channels"])) == (40, 64, 40 * 64, 20)
    assert part["classes"] == {"normal": 36, "anomalous": 4}
    assert part["spans"] == 4, "each anomalous trip has its fault's time"


@pytest.mark.unsanitized("simulates for long; the same threads run in the unit tests there")
@each_format
def test_same_bytes_on_any_number_of_threads(tmp_path, name):
    files = []
    for threads in (1, 2, 5):
        elevator(*SMALL, "--threads", threads, "-o", name, cwd=tmp_path)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1] == files[2]
    elevator(*SMALL, "--seed", 8, "-o", name, cwd=tmp_path)
    assert (tmp_path / name).read_bytes() != files[0]


@needs_hdf5
def test_both_formats_hold_the_same_trips(tmp_path):
    import h5py
    elevator(*SMALL, "-o", "lift.h5", cwd=tmp_path)
    elevator(*SMALL, "-o", "lift.npz", cwd=tmp_path)
    with h5py.File(tmp_path / "lift.h5") as file, np.load(tmp_path / "lift.npz") as archive:
        rows = file["dataset"][:]
        assert np.array_equal(rows[:, :-1].reshape(40, 20, 64), archive["values"].reshape(40, 64, 20).transpose(0, 2, 1))
        assert np.array_equal(rows[:, -1], archive["label"])


def test_a_test_part_is_drawn_apart(tmp_path):
    elevator(*SMALL, "--test-trips", 10, "-o", "lift.npz", cwd=tmp_path)
    train, test = json.loads(run("data", "info", "lift.npz", "--json", cwd=tmp_path).stdout)["parts"]
    assert (train["part"], train["series"], test["part"], test["series"]) == ("train", 40, "test", 10)
    assert test["classes"] == {"normal": 5, "anomalous": 5}


ENDINGS = "expected a name that ends in .npz, .csv, .csv.gz, .ts or .h5, found "


@pytest.mark.parametrize("arguments, message", [
    (["--trips", "x", "-o", "a.npz"], '--trips: expected a whole number from 0 to 100000000, found "x"'),
    (["--trips", "-3", "-o", "a.npz"], '--trips: expected a whole number from 0 to 100000000, found "-3"'),
    (["--trips", "0", "-o", "a.npz"], "--trips: expected at least one trip, found 0"),
    (["--trips", "1e99", "-o", "a.npz"], '--trips: expected a whole number from 0 to 100000000, found "1e99"'),
    (["--trips", "99999999999999", "-o", "a.npz"], '--trips: expected a whole number from 0 to 100000000, found "99999999999999"'),
    (["--anomalies", "101", "-o", "a.npz"], '--anomalies: expected a number from 0 to 100, found "101"'),
    (["--anomalies", "nan", "-o", "a.npz"], '--anomalies: expected a number from 0 to 100, found "nan"'),
    (["--samples", "0", "-o", "a.npz"], '--samples: expected a whole number from 1 to 1000000, found "0"'),
    (["--samples", "999999999999999", "-o", "a.npz"], '--samples: expected a whole number from 1 to 1000000, found "999999999999999"'),
    (["--threads", "0", "-o", "a.npz"], '--threads: expected a whole number from 1 to 1024, found "0"'),
    (["--trips", "3"], "data elevator: --output is missing (usage: faithful data elevator --output FILE [options])"),
    (["-o", "a.xyz"], f'a.xyz: {ENDINGS}".xyz"'),
    (["-o", "a"], f"a: {ENDINGS}no ending"),
    (["--trips", "3", "--samples", "8", "-o", "none/a.npz"], 'none/a.npz: expected a folder to write in, found no folder "none"'),
])
def test_what_it_refuses(tmp_path, arguments, message):
    assert rejected("data", "elevator", *arguments, cwd=tmp_path) == message
    assert list(tmp_path.iterdir()) == []


@each_format
def test_an_unwritable_output_is_said_in_one_line(tmp_path, name):
    (tmp_path / name).mkdir()
    done = run("data", "elevator", "--trips", 3, "--samples", 8, "-o", name, cwd=tmp_path)
    assert done.returncode in (1, 2) and done.stdout == ""
    assert done.stderr.startswith(f"faithful: {name}: ") and done.stderr.count("\n") == 1, done.stderr
    assert list((tmp_path / name).iterdir()) == []
