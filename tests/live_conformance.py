#!/usr/bin/env python3
"""Compares a room (engine, model) with the PyTorch that is installed, on new random numbers.

    live_conformance.py ROOM TEST_PROGRAM [--seed N]

Makes a fresh set of cases (tests/ROOM/make_golden.py) in a temporary folder and runs the conformance tests of TEST_PROGRAM on
it. Exit code 0: all agree; 77: there is no PyTorch.
"""
import argparse
import importlib.util
import os
import pathlib
import random
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("room", choices=["engine", "model"])
    parser.add_argument("test_program")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    options = parser.parse_args()
    if importlib.util.find_spec("torch") is None:
        print("live_conformance: PyTorch is not installed (Debian: python3-torch)")
        return 77
    maker = pathlib.Path(__file__).parent / options.room / "make_golden.py"
    with tempfile.TemporaryDirectory() as folder:
        print(f"live_conformance: seed {options.seed}", flush=True)
        subprocess.run([sys.executable, maker, folder, "--seed", str(options.seed)], check=True)
        command = [options.test_program, "--gtest_filter=*Conformance.*", "--gtest_brief=1"]
        return subprocess.run(command, env={**os.environ, "FAITHFUL_GOLDEN": folder}).returncode


if __name__ == "__main__":
    sys.exit(main())
