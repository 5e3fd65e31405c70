"""Bad input for each format, by way of the program: the exact line, exit code 2, and no large allocation (256 MiB of
address space for all of it, program and libraries included)."""

import gzip
import zipfile

import numpy as np
import pytest

from program import bounded, built_without_hdf5, rejected, run

HEAD = "@problemName p\n@classLabel true ok bad\n@data\n"
ARFF = "@relation p\n@attribute a real\n@attribute b real\n@attribute k {x,y}\n@data\n"
TEN_GIGABYTES = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2500000000,), }"
HUGE_NPY = b"\x93NUMPY\x01\x00" + (len(TEN_GIGABYTES) + 1).to_bytes(2, "little") + TEN_GIGABYTES + b"\n"
CLAIM = "expected 10000000000 bytes of data for shape (2500000000,) of <f4, found 0"
needs_hdf5 = pytest.mark.skipif(built_without_hdf5(), reason="built without HDF5")

LEAVE_OUT = "(to leave out a column of words: --ignore COLUMN; if it has the labels: --label COLUMN)"


def complaint(folder, name, content, *flags):
    """What `data info` says of a file with that content."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    message = bounded("data", "info", name, *flags, cwd=folder)
    assert message.startswith(name)
    return message[len(name):].removeprefix(": ")


@pytest.mark.parametrize("name, content, message", [
    ("x.csv", "", "expected a table, found an empty file"),
    ("x.csv", "a,b\n1,2\n3", ":3:2: expected 2 columns, found 1"),
    ("x.csv", "a,b\n1,2\n3,4,5\n", ":3:3: expected 2 columns, found 3"),
    ("x.csv", 'a,b\n1,2\n3,"4', ":3:2: expected a closing quote, found the end of the file"),
    ("x.csv", "a,b\n1,2\n3,x\n", f':3:2: expected a number, found "x" {LEAVE_OUT}'),
    ("x.tsv", "a\tb\n1\tx\n", f':2:2: expected a number, found "x" {LEAVE_OUT}'),
    ("x.csv.gz", gzip.compress(b"a,b\n1,2\n3,4\n", mtime=0)[:-9], "expected whole gzip data, found a truncated file"),
    ("x.csv.gz", b"", "expected a table, found an empty file"),
    ("x.npy", b"", "expected a .npy file, found an empty file"),
    ("x.npy", HUGE_NPY, CLAIM),
    ("x.npz", b"", "expected a .npz file, found an empty file"),
    ("x.ts", "", "expected a line @data, found the end of the file"),
    ("x.ts", HEAD + "1,2:3,4:ok\n1,2:3", ':5:2: expected one of the classes of @classLabel, found "3"'),
    ("x.ts", HEAD + "1,2:3,4:ok\n1,2:ok\n", ":5: expected 2 dimensions, as in the first case, found 1"),
    ("x.ts", HEAD + "1,x:3,4:ok\n", ':4:1: expected a number, found "x"'),
    ("x.ts", "@seriesLength 2500000000\n@data\n1,2\n", ":3: expected 2500000000 values (@seriesLength), found 2"),
    ("x.arff", "", "expected a line @data, found the end of the file"),
    ("x.arff", ARFF + "1,2,x\n3,4", ":7:3: expected 3 cells, found 2"),
    ("x.arff", ARFF + "1,2,x,4\n", ":6:4: expected 3 cells, found 4"),
    ("x.arff", ARFF + "1,z,x\n", ':6:2: expected a number, found "z"'),
])
def test_one_file(tmp_path, name, content, message):
    assert complaint(tmp_path, name, content) == message


def test_gzipped_bomb(tmp_path):
    bomb = gzip.compress(b"1,2\n" + bytes(200 << 20), 1)
    assert len(bomb) < 1_000_000
    assert complaint(tmp_path, "x.csv.gz", bomb) == ":2:1: expected a field of at most 1048576 bytes, found 134217724"


def test_truncated_npy(tmp_path):
    np.save(tmp_path / "whole.npy", np.zeros((3, 2), np.float32))
    content = (tmp_path / "whole.npy").read_bytes()[:-3]
    assert complaint(tmp_path, "x.npy", content, "--axes", "tc") == "expected 24 bytes of data for shape (3, 2) of <f4, found 21"


def test_npz(tmp_path):
    np.savez(tmp_path / "whole.npz", a=np.zeros((3, 2)))
    whole = (tmp_path / "whole.npz").read_bytes()
    for kept in (len(whole) - 30, len(whole) // 2):
        assert complaint(tmp_path, "x.npz", whole[:kept], "--axes", "tc") == \
            "expected a sound .npz archive, found no directory at its end (a truncated file?)"
    with zipfile.ZipFile(tmp_path / "huge.npz", "w") as archive:
        archive.writestr("a.npy", HUGE_NPY)
    assert bounded("data", "info", "huge.npz", "--values", "a", "--axes", "tc", cwd=tmp_path) == f'huge.npz["a"]: {CLAIM}'
    np.savez(tmp_path / "labels.npz", X=np.zeros((2, 3, 2)), y=np.zeros(3, int))
    assert bounded("data", "info", "labels.npz", "--values", "X", "--label", "y", "--axes", "ntc", cwd=tmp_path) == \
        'labels.npz["y"]: expected 2 labels, one for each series, or 2 x 3, found (3,)'


@needs_hdf5
def test_hdf5(tmp_path):
    import h5py
    with h5py.File(tmp_path / "whole.h5", "w") as file:
        file["dataset"] = np.zeros((3, 41), np.float32)
    whole = (tmp_path / "whole.h5").read_bytes()
    damaged = "expected an HDF5 file, found a damaged one, or another format"
    assert complaint(tmp_path, "x.h5", b"") == "expected an HDF5 file, found an empty file"
    for content in (whole[:-10], whole[:len(whole) // 2], bytes(range(256)) * 8):
        assert complaint(tmp_path, "x.h5", content) == damaged
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["other"] = np.zeros((3, 41))
    assert bounded("data", "info", "other.h5", cwd=tmp_path) == 'other.h5: expected a dataset named "dataset", found none'
    with h5py.File(tmp_path / "text.h5", "w") as file:
        file["dataset"] = np.array([[b"a", b"b"]])
    assert bounded("data", "info", "text.h5", cwd=tmp_path) == 'text.h5: expected numbers in "dataset", found another type'
    with h5py.File(tmp_path / "huge.h5", "w") as file:  # nothing is stored
        file.create_dataset("dataset", shape=(2500, 1000001), dtype="f4", chunks=(1, 1000001))
    assert (tmp_path / "huge.h5").stat().st_size < 1_000_000
    assert bounded("data", "info", "huge.h5", cwd=tmp_path) == \
        'huge.h5: expected as many elements as "dataset" claims: (2500, 1000001), found 0 bytes stored'


def hdf5_saying(tmp_path, make, *flags):
    """What `data info` says of the HDF5 file that make(file) fills; a secret lies beside it."""
    import h5py
    (tmp_path / "secret").write_bytes(np.arange(123, dtype="<f4").tobytes())
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["dataset"] = np.zeros((3, 41), np.float32)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        make(file)
    message = bounded("data", "info", "x.h5", *flags, cwd=tmp_path)
    assert message.startswith("x.h5: ")
    return message[6:]


@needs_hdf5
def test_hdf5_that_reaches_for_other_files(tmp_path):
    import h5py

    def external(file):
        space = h5py.h5s.create_simple((3, 41))
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_external(b"secret", 0, 3 * 41 * 4)
        h5py.h5d.create(file.id, b"dataset", h5py.h5t.IEEE_F32LE, space, creation)
    assert hdf5_saying(tmp_path, external) == 'expected the values of "dataset" in this file, found external storage'

    def virtual(file):
        layout = h5py.VirtualLayout(shape=(3, 41), dtype="f4")
        layout[:] = h5py.VirtualSource("other.h5", "dataset", shape=(3, 41))
        file.create_virtual_dataset("dataset", layout)
    assert hdf5_saying(tmp_path, virtual) == 'expected the values of "dataset" in this file, found a virtual dataset, made of other files'

    def link(file):
        file["dataset"] = h5py.ExternalLink("other.h5", "/dataset")
    outside = 'expected "dataset" in this file, found a link that leads out of it'
    assert hdf5_saying(tmp_path, link) == outside

    def hidden(file):  # by way of a group, and of a soft link to it
        file["group"] = h5py.ExternalLink("other.h5", "/")
        file["dataset"] = h5py.SoftLink("/group/dataset")
    assert hdf5_saying(tmp_path, hidden) == outside

    def circle(file):
        file["dataset"] = h5py.SoftLink("/other")
        file["other"] = h5py.SoftLink("dataset")
    assert hdf5_saying(tmp_path, circle) == 'expected "dataset" in this file, found links that lead nowhere'


@needs_hdf5
def test_hdf5_with_a_filter_from_elsewhere(tmp_path):
    def filtered(file):
        import h5py
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((3, 41))
        creation.set_filter(32001, h5py.h5z.FLAG_OPTIONAL)  # blosc
        h5py.h5d.create(file.id, b"dataset", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((3, 41)), creation)
    message = 'expected the values of "dataset" plain, or behind filters of HDF5 itself (such as gzip), found filter number 32001'
    assert hdf5_saying(tmp_path, filtered) == message


@needs_hdf5
def test_hdf5_links_inside_of_the_file_are_followed(tmp_path):
    import h5py
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["deep/values"] = np.zeros((3, 41), np.float32)
        file["deep/soft"] = h5py.SoftLink("values")
        file["dataset"] = h5py.SoftLink("/deep/./soft")
    (tmp_path / "link.h5").symlink_to("x.h5")
    for name in ("x.h5", "link.h5"):
        assert run("data", "info", name, cwd=tmp_path).returncode == 0


@needs_hdf5
def test_hdf5_that_would_take_all_memory(tmp_path):
    def zeros(file):
        file.create_dataset("dataset", data=np.zeros((1000, 100_001), np.float32), compression="gzip")
    message = hdf5_saying(tmp_path, zeros)
    assert "bytes in \"dataset\", found 4 for each of 100001000 numbers (if you trust it" in message


@needs_hdf5
def test_hdf5_is_written_as_every_file(tmp_path):
    elevator = ("data", "elevator", "--trips", 3, "--seed", 1, "-o")
    (tmp_path / "real.h5").write_bytes(b"old")
    (tmp_path / "real.h5").chmod(0o640)
    (tmp_path / "link.h5").symlink_to("real.h5")
    (tmp_path / ".real.h5.0.part").write_bytes(b"of a killed run")
    assert run(*elevator, "link.h5", cwd=tmp_path).returncode == 0
    assert (tmp_path / "link.h5").is_symlink()
    assert (tmp_path / "real.h5").stat().st_mode & 0o7777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.h5", "real.h5"]
    (tmp_path / "pipe.h5").symlink_to("/dev/null")
    assert rejected(*elevator, "pipe.h5", cwd=tmp_path) == "pipe.h5: expected a file to write, found a pipe or a device"


@pytest.mark.skipif(not built_without_hdf5(), reason="built with HDF5")
def test_without_hdf5(tmp_path):
    message = "expected another format, found HDF5 (this faithful was built without it: convert the file to .npz, or build with -DFAITHFUL_HDF5=ON)"
    assert complaint(tmp_path, "x.h5", b"\x89HDF\r\n\x1a\n") == message
    assert rejected("data", "elevator", "--trips", 3, "-o", "y.h5", cwd=tmp_path) == f"y.h5: {message}"
    (tmp_path / "x.csv").write_text("a\n1\n")
    assert rejected("data", "convert", "x.csv", "y.h5", cwd=tmp_path) == f"y.h5: {message}"
    assert run("data", "info", "x.csv", cwd=tmp_path).returncode == 0


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_a_class_of_the_test_part_only(tmp_path):
    write(tmp_path, {"P/P_TRAIN.ts": HEAD + "1,2:ok\n", "P/P_TEST.ts": HEAD + "1,2:bad\n"})
    assert bounded("data", "info", "P", cwd=tmp_path) == \
        'P: expected every class of the test part in the training part, found class "bad" in test only (series "1")'


def test_smd_folder(tmp_path):
    labels = "SMD/test_label/machine-1-1.txt"
    write(tmp_path, {"SMD/train/machine-1-1.txt": "1,2\n", "SMD/test/machine-1-1.txt": "1,2\n3,4\n", labels: "0\n"})
    assert bounded("data", "info", "SMD", cwd=tmp_path) == \
        f"{labels}: expected 2 labels, one for each row of the machine's telemetry, found 1"
    write(tmp_path, {labels: "0\nx\n"})
    assert bounded("data", "info", "SMD", cwd=tmp_path) == f'{labels}:2: expected a label, 0 or 1, found "x"'
    write(tmp_path, {labels: "0\n1\n", "SMD/test/machine-1-1.txt": "1,2\n3"})
    assert bounded("data", "info", "SMD", cwd=tmp_path) == "SMD/test/machine-1-1.txt:2:2: expected 2 columns, found 1"


def test_telemanom_folder(tmp_path):
    write(tmp_path, {"MSL/labeled_anomalies.csv": "chan_id,spacecraft,anomaly_sequences,class,num_values\nP-1,MSL,\"[[0, 1]]\",[point],3\n"})
    for part in ("train", "test"):
        (tmp_path / "MSL" / part).mkdir()
        np.save(tmp_path / "MSL" / part / "P-1.npy", np.zeros((2, 2)))
    assert bounded("data", "info", "MSL", cwd=tmp_path) == \
        "MSL/labeled_anomalies.csv:2: expected 2 values, as MSL/test/P-1.npy has, found 3"
    (tmp_path / "MSL/test/P-1.npy").write_bytes(HUGE_NPY)
    assert bounded("data", "info", "MSL", cwd=tmp_path) == f"MSL/test/P-1.npy: {CLAIM}"
