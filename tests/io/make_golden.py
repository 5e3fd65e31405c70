"""Writes tests/io/golden.h: small files as NumPy writes them, for the tests of the io room.

Run by hand after a change here: /usr/bin/python3 tests/io/make_golden.py
tests/app/test_io_numpy.py checks that the NumPy of this machine still writes the same .npy bytes.
"""

import io
import pathlib
import zipfile

import numpy as np

HEADER = pathlib.Path(__file__).with_name("golden.h")


def npy(array, version=None):
    file = io.BytesIO()
    if version is None:
        np.save(file, array)
    else:
        np.lib.format.write_array(file, array, version=version)
    return file.getvalue()


def arrays():
    """Every .npy file, by name; the values are those of the same test in npy_test.cpp."""
    grid = np.arange(6, dtype=np.float64).reshape(2, 3) - 2.5
    yield "f8_2x3", npy(grid)
    yield "f4_2x3", npy(grid.astype("<f4"))
    yield "f4_2x3_fortran", npy(np.asfortranarray(grid.astype("<f4")))
    yield "f8_2x3x2_fortran_big", npy(np.asfortranarray(np.arange(12, dtype=">f8").reshape(2, 3, 2)))
    yield "f2", npy(np.array([0, -1.5, 65504, 2.0**-24, np.inf, np.nan], dtype="<f2"))
    yield "b1", npy(np.array([True, False, True]))
    for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
        limits = np.iinfo(kind)
        yield kind, npy(np.array([limits.min, 7, limits.max], dtype="<" + kind))
    yield "i4_big", npy(np.array([-2, 258], dtype=">i4"))
    yield "scalar", npy(np.array(2.5))
    yield "empty_0x3", npy(np.zeros((0, 3), dtype="<f4"))
    yield "f8_row_12345", npy(np.zeros((12345, 0)))
    yield "format_2", npy(grid, (2, 0))
    yield "format_3", npy(grid, (3, 0))
    yield "structured", npy(np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))
    yield "object", npy(np.array([None, "x"], dtype=object))
    yield "complex", npy(np.zeros(2, dtype="<c16"))
    yield "text", npy(np.array(["ab", "c"]))


class Unseekable(io.RawIOBase):
    """A pipe to zipfile: sizes then stand behind each entry."""

    def __init__(self):
        self.bytes = b""

    def writable(self):
        return True

    def write(self, data):
        self.bytes += bytes(data)
        return len(data)


def archives():
    """Every .npz file, by name: x = [[1, 2], [3, 4]] in float32, y = [5, 6, 7] in int64."""
    content = {"x": np.array([[1, 2], [3, 4]], dtype="<f4"), "y": np.array([5, 6, 7], dtype="<i8")}
    for name, save in (("stored", np.savez), ("deflated", np.savez_compressed)):
        file = io.BytesIO()
        save(file, **content)
        yield name, file.getvalue()
    pipe = Unseekable()
    with zipfile.ZipFile(pipe, "w") as archive:
        for name, array in content.items():
            archive.writestr(name + ".npy", npy(array))
    yield "descriptors", pipe.bytes
    zipfile.ZIP64_LIMIT = 8
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in content.items():
            archive.writestr(name + ".npy", npy(array))
    yield "zip64", file.getvalue()


def lines(kind, files):
    for name, content in files:
        text = content.hex()
        parts = [text[i : i + 96] for i in range(0, len(text), 96)]
        yield f'    {{"{name}.{kind}",\n' + "\n".join(f'     "{part}"' for part in parts) + "},\n"


def main():
    with HEADER.open("w") as out:
        out.write("#pragma once\n\n// Made by make_golden.py: files as NumPy writes them, in hexadecimal.\n\n")
        out.write("#include <map>\n#include <string>\n\n// clang-format off\n")
        out.write("inline const std::map<std::string, std::string> kGolden = {\n")
        out.writelines(lines("npy", arrays()))
        out.writelines(lines("npz", archives()))
        out.write("};\n// clang-format on\n")


if __name__ == "__main__":
    main()
