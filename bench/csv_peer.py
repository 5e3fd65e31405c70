"""Reading a CSV of 1,000,000 x 39 against pandas, in turns: python3 bench/csv_peer.py BENCH_CSV_READ [ROWS]

Prints figures as lines of JSON (see bench/figure.h). Each side reads to float32 in a process of its own. Ours runs with
all threads and with one; the C engine of pandas has one.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

import numpy as np

ours = sys.argv[1]
rows = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
COLUMNS, RUNS = 39, 5

PANDAS = """
import json, sys, time
import pandas
start = time.perf_counter()
table = pandas.read_csv(sys.argv[1], dtype="float32")
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "sum": float(table.to_numpy(dtype="float64").sum())}))
"""


def figure(name, value, unit, peer=None, ratio=None):
    print(json.dumps({"name": name, "value": float(f"{value:.4g}"), "unit": unit, "peer": peer,
                      "ratio": ratio and float(f"{ratio:.4g}")}), flush=True)


def write_table(path):
    """Sensor-like values with six decimals, as SMD has them; a block of rows repeated."""
    block = np.random.default_rng(1).uniform(-10, 10, (min(rows, 10_000), COLUMNS))
    text = "\n".join(",".join(f"{value:.6f}" for value in row) for row in block) + "\n"
    with open(path, "w") as file:
        file.write(",".join(f"c{i}" for i in range(COLUMNS)) + "\n")
        for _ in range(rows // len(block)):
            file.write(text)


def call(*command, **variables):
    environment = {**os.environ, **variables}
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def print_reading(threads, pairs):
    for mine, theirs in pairs:  # the same numbers; pandas rounds its last bit differently
        assert mine["threads"] == threads
        assert abs(mine["sum"] - theirs["sum"]) <= 1e-6 * rows * COLUMNS, (mine, theirs)
    median = statistics.median(mine["seconds"] for mine, _ in pairs)
    ratio = statistics.median(theirs["seconds"] / mine["seconds"] for mine, theirs in pairs)
    name = f"CSV of {rows} x {COLUMNS}, read, {threads} thread{'s' if threads > 1 else ''}"
    figure(name, median, "s", "pandas", ratio)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.csv")
        write_table(path)
        rounds = [(call(ours, path), call(ours, path, FAITHFUL_THREADS="1"), call(sys.executable, "-c", PANDAS, path))
                  for _ in range(RUNS)]
    print_reading(rounds[0][0]["threads"], [(mine, theirs) for mine, _, theirs in rounds])
    print_reading(1, [(mine, theirs) for _, mine, theirs in rounds])
    peak = max(mine["peak"] / mine["result"] for mine, _, _ in rounds)
    figure(f"CSV of {rows} x {COLUMNS}, peak anonymous memory by result", peak, "x")


if __name__ == "__main__":
    main()
