"""The program and its tables against NumPy, in turns: python3 bench/program.py PROGRAM BENCH_DFT_ONCE

Prints figures as lines of JSON (see bench/figure.h).
"""
import json
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

program, fill_once = sys.argv[1:3]


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def figure(name, value, unit, peer=None, ratio=None):
    print(json.dumps({"name": name, "value": float(f"{value:.4g}"), "unit": unit, "peer": peer,
                      "ratio": ratio and float(f"{ratio:.4g}")}), flush=True)


def numpy_table(table):
    """The DFT table as a NumPy user would write it, with the angle reduced in integers."""
    length, dim = table.shape
    k, s = np.arange(1, (dim - 1) // 2 + 1), np.arange(length)[:, None]
    angle = 2 * np.pi / dim * (k * s % dim)
    table[:, 0] = np.sqrt(1 / dim)
    table[:, 1:len(k) + 1] = np.sqrt(2 / dim) * np.cos(angle)
    table[:, len(k) + 1:2 * len(k) + 1] = np.sqrt(2 / dim) * np.sin(angle)
    table[:, dim - 1] = np.sqrt(1 / dim) * (1 - 2 * (np.arange(length) % 2))


def against_numpy():
    table = np.ones((1024, 65536))
    ours, theirs = [], []
    for _ in range(5):
        theirs.append(seconds(lambda: numpy_table(table)))
        ours.append(float(subprocess.run([fill_once], capture_output=True, text=True, check=True).stdout))
    figure("DFT table d=65536 S=1024, double", 1e3 * statistics.median(ours), "ms", "NumPy",
           statistics.median(theirs) / statistics.median(ours))


def whole_program():
    with tempfile.TemporaryDirectory() as folder:
        def call(*arguments):
            return lambda: subprocess.run([program, *arguments], cwd=folder, stdout=subprocess.DEVNULL, check=True)
        small = [seconds(call("encode", "dft", "--length", "8", "--dim", "8")) for _ in range(21)]
        figure("encode of a small table, start to end", 1e3 * statistics.median(small), "ms")
        for name in ("dft", "sinusoidal"):
            large = [seconds(call("analyze", name, "--length", "256", "--dim", "65536", "--json")) for _ in range(3)]
            figure(f"analyze {name} d=65536 S=256", statistics.median(large), "s")


against_numpy()
whole_program()
