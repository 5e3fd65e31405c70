"""The golden files of the io room's tests are what this machine's NumPy writes."""

import importlib.util
import io
import os
import pathlib
import re

import numpy as np
import pytest

FOLDER = pathlib.Path(os.environ.get("FAITHFUL_SOURCE", pathlib.Path(__file__).parents[2])) / "tests" / "io"
spec = importlib.util.spec_from_file_location("make_golden", FOLDER / "make_golden.py")
make_golden = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_golden)


def hexadecimal_files(header):
    """The files of a C++ map of names to hexadecimal strings."""
    entries = re.findall(r'\{"([^"]+)",((?:\s*"[0-9a-f]*")+)\}', (FOLDER / header).read_text())
    return {name: bytes.fromhex("".join(re.findall(r'"([0-9a-f]*)"', text))) for name, text in entries}


ENTRIES = int(re.search(r"kZip64Entries = (\d+)", (FOLDER / "ours.h").read_text())[1])


@pytest.mark.parametrize("name,content", list(make_golden.arrays()))
def test_npy_golden_is_what_numpy_writes(name, content):
    assert hexadecimal_files("golden.h")[name + ".npy"] == content


@pytest.mark.parametrize("name", ["stored", "deflated", "zip64"])
def test_numpy_reads_our_archives(name):
    """npz_test.cpp holds save_npz to these bytes; NumPy must find in them what was saved."""
    ours = hexadecimal_files("ours.h")
    content = hexadecimal_files("golden.h")["zip64.npz"][:ENTRIES] + ours["zip64 after its entries"] if name == "zip64" else ours[name + ".npz"]
    with np.load(io.BytesIO(content)) as archive:
        assert archive.files == ["x", "y"]
        assert archive["x"].dtype == np.float32 and archive["x"].tolist() == [[1, 2], [3, 4]]
        assert archive["y"].dtype == np.int64 and archive["y"].tolist() == [5, 6, 7]
