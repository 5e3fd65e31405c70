"""Writes tests/io/golden_safetensors.h: small files as the Python package `safetensors` writes them.

Run by hand after a change here, with the package from PyPI (Debian has none): python3 tests/io/make_golden_safetensors.py
"""

import pathlib

import numpy as np
import safetensors
import safetensors.numpy

from make_golden import lines

HEADER = pathlib.Path(__file__).with_name("golden_safetensors.h")
KINDS = ("f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?")


def files():
    """Every file, by name; safetensors_test.cpp holds the writer to the first three. One key of metadata at most: the
    package writes more in an order that changes from run to run."""
    save = safetensors.numpy.save
    yield "several", save({
        "weight": np.arange(1, 7, dtype="<f4").reshape(2, 3),
        "scale": np.array(0.5),
        "ids": np.array([-1, 2], dtype="<i8"),
        "mark\"s\n\u00e9": np.array([7, 8, 9], dtype="<u1"),
        "empty": np.zeros((0, 4), dtype="<f4"),
    }, {"format": "caf\u00e9 \"x\"\n\x01\x7f/"})
    yield "plain", save({"b": np.array([1.5, -2], dtype="<f4"), "a": np.array([3], dtype="<f4")})
    yield "nothing", save({})
    yield "kinds", save({"k" + kind.replace("?", "bool"): np.array([0, 1], dtype=kind) for kind in KINDS})


def main():
    with HEADER.open("w") as out:
        out.write("#pragma once\n\n// Made by make_golden_safetensors.py: files as the Python package safetensors "
                  f"{safetensors.__version__} writes them, in\n// hexadecimal.\n\n")
        out.write("#include <map>\n#include <string>\n\n// clang-format off\n")
        out.write("inline const std::map<std::string, std::string> kGoldenSafetensors = {\n")
        out.writelines(lines("safetensors", files()))
        out.write("};\n// clang-format on\n")


if __name__ == "__main__":
    main()
