#!/usr/bin/env python3
"""What Python costs: the same work from Python and in C++, in turns, as medians of ratios. Wants a quiet machine.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python_overhead.py [--rounds 7] [--epochs 10]

encode, analyze   a large input; C++ is the program, less what an empty run of it takes (start, reading its arguments). Its
                  `encode` also writes the file, so that one has the table written by NumPy on this side too.
fit               `TimeSeriesTransformer.fit` on arrays and its answers for the test part, against `faithful train --split given`, which
                  reads a file, scores the same test part and writes a file: the same model, bit for bit, which is checked.

Prints a line for each; the last column is the median over the rounds of Python / C++ (bar: 1.05).
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np

import faithful

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("FAITHFUL", str(ROOT / "build/release/bin/faithful"))


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def program(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def compare(name, rounds, in_python, in_cpp, overhead):
    """Rounds in turns; `overhead` is what the program does besides."""
    in_python(), in_cpp()  # both warm
    rows = []
    for _ in range(rounds):
        rows.append((seconds(in_python), seconds(in_cpp) - seconds(overhead)))
    ratios = [mine / theirs for mine, theirs in rows]
    python, cpp = (statistics.median(column) for column in zip(*rows))
    print(f"{name:<28} python {python:7.3f} s   c++ {cpp:7.3f} s   ratio {statistics.median(ratios):.3f} "
          f"({min(ratios):.3f} .. {max(ratios):.3f})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--epochs", type=int, default=10)
    said = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        small = ("encode", "dft", "--length", 1, "--dim", 1, "-o", folder / "small.npy")

        def encode():
            np.save(folder / "python.npy", faithful.encode("sinusoidal", 8192, 4096))
        compare("encode sinusoidal 8192x4096", said.rounds, encode,
                lambda: program("encode", "sinusoidal", "--length", 8192, "--dim", 4096, "-o", folder / "cpp.npy"),
                lambda: program(*small))
        compare("analyze dft 400x512", said.rounds, lambda: faithful.analyze("dft", 400, 512),
                lambda: program("analyze", "dft", "--length", 400, "--dim", 512, "--json"), lambda: program(*small))

        random = np.random.default_rng(1)
        X = random.normal(size=(600, 100, 8)).astype(np.float32)
        y = np.arange(600) % 2
        X[y == 1, 40:50, 0] += 1
        faithful.data.from_arrays(X, y, parts=["train"] * 500 + ["test"] * 100).save(folder / "set.npz")
        estimator = faithful.TimeSeriesTransformer(epochs=said.epochs, validation=5, threshold="validation")
        answers = []

        def fit():
            answers[:] = [estimator.fit(X[:500], y[:500]).predict_proba(X[500:])]

        model = folder / "m.safetensors"
        compare(f"fit 500x100x8, 6 x {said.epochs} epochs", said.rounds, fit,
                lambda: program("train", folder / "set.npz", "--split", "given", "--epochs", said.epochs, "--no-baselines", "-o", model),
                lambda: program(*small))
        if not np.array_equal(faithful.TimeSeriesTransformer.load(model).predict_proba(X[500:]), answers[0]):
            raise SystemExit("fit and train gave different models: what was timed is not the same work")


if __name__ == "__main__":
    main()
