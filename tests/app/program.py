"""How the Python tests call the program: run("encode", "dft", ...) -> exit code, standard output, standard error."""
import contextlib
import functools
import os
import pathlib
import re
import resource
import subprocess
import tempfile

import numpy as np

PROGRAM = os.environ["FAITHFUL"]
SOURCE = pathlib.Path(os.environ["FAITHFUL_SOURCE"])
BUILD = pathlib.Path(os.environ["FAITHFUL_BUILD"])
SANITIZED = "FAITHFUL_SANITIZED" in os.environ  # the program is built with sanitizers, and takes many times as long


def run(*arguments, cwd=None, stdin=None, env=None, preexec_fn=None):
    done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, input=stdin, text=True, capture_output=True,
                          env={**os.environ, **(env or {})}, preexec_fn=preexec_fn, timeout=1200 if SANITIZED else 120)
    assert "Sanitizer" not in done.stderr and "runtime error:" not in done.stderr, done.stderr
    for mark in ("\x1c", "\x1d", "\x1e", "u001c", "u001d", "u001e"):  # a field of the library that no flag replaced
        assert mark not in done.stdout + done.stderr, done
    return done


def rejected(*arguments, **options):
    """The one line on standard error of a call that must end with exit code 2 and print nothing else."""
    done = run(*arguments, **options)
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.startswith("faithful: ") and done.stderr.count("\n") == 1, done.stderr
    return done.stderr[len("faithful: "):-1]


def bounded(*arguments, memory=256 << 20, cwd):
    """rejected(), in a process that may not even map more than `memory` bytes. (AddressSanitizer maps terabytes; it
    limits each allocation instead.)"""
    if SANITIZED:
        limits = f"{os.environ.get('ASAN_OPTIONS', '')}:max_allocation_size_mb={memory >> 20}"
        return rejected(*arguments, cwd=cwd, env={"FAITHFUL_THREADS": "1", "ASAN_OPTIONS": limits})
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return rejected(*arguments, cwd=cwd, env={"FAITHFUL_THREADS": "1"}, preexec_fn=limit)


def write_pump(path, rows):
    """A CSV of two noisy channels with a time column; in anomalous stretches the second follows the first with the wrong sign."""
    rng = np.random.default_rng(1)
    first = rng.normal(size=rows).cumsum() * 0.1
    label = np.zeros(rows, int)
    for begin in range(100, rows - 100, 200):
        label[begin : begin + 40] = 1
    second = np.where(label == 1, -first, first) + 0.05 * rng.normal(size=rows)
    lines = [f"{i},{a:.5f},{b:.5f},{y}\n" for i, (a, b, y) in enumerate(zip(first, second, label))]
    path.write_text("time,pressure,flow,broken\n" + "".join(lines))
    return path


def write_tiny(path, rows):
    """As write_pump, for trainings of a few milliseconds: no times, and an anomaly in every 24 rows."""
    rng = np.random.default_rng(1)
    first, label = rng.normal(size=rows), np.arange(rows) % 24 >= 16
    second = np.where(label, -first, first) + 0.1 * rng.normal(size=rows)
    path.write_text("pressure,flow,broken\n" + "".join(f"{a:.3f},{b:.3f},{y:d}\n" for a, b, y in zip(first, second, label)))
    return path


# A training or a run of `compare` on write_tiny() takes milliseconds.
TINY = ["--preset", "plain", "--width", "8", "--heads", "2", "--layers", "1", "--window", "8", "--stride", "4", "--batch", "16"]


@contextlib.contextmanager
def quick_folder():
    """A temporary folder where an fsync costs nothing, and with a gnuplot that draws nothing, in a millisecond."""
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="faithful-tests-", dir=where) as name:
        folder = pathlib.Path(name)
        (folder / "gnuplot").write_text("#!/bin/sh\nread -r line\necho '<svg width=\"1\" height=\"1\"></svg>'\n")
        (folder / "gnuplot").chmod(0o755)
        yield folder


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def stable(name, data, volatile=r'(?!)'):
    """The bytes of a file without what differs from run to run: in runs.jsonl of a study the member `seconds` of each run,
    and the order of the lines (runs end in any order)."""
    if name.endswith("runs.jsonl"):
        return b"".join(sorted(re.sub(rb',"seconds":[^,}]*', b"", data).splitlines(True)))
    return re.sub(volatile.encode(), b"", data, flags=re.M)


@functools.cache
def built_without_hdf5():
    with tempfile.TemporaryDirectory() as folder:
        return "built without it" in run("data", "info", "x.h5", cwd=folder).stderr
