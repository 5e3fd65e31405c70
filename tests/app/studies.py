"""A small comparison that several processes share: its commands, and what one process prints and keeps."""
import os
import subprocess

import pytest

from program import PROGRAM, TINY, quick_folder, write_tiny

STUDY = ["compare", "tiny.csv", "--label", "broken", *TINY, "--seeds", "2", "--encodings", "sinusoidal,dft", "--rates", "0.01,0.02", "--gap-seeds",
         "0", "--no-minirocket", "--threads", "1", "-o", "out"]
SHORT, LONG = [*STUDY, "--epochs", "2"], [*STUDY, "--epochs", "60"]


def start(folder, arguments, starter=()):
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "TMPDIR": str(folder), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "FAITHFUL_TEST_JOB": str(folder)}
    return subprocess.Popen([*starter, PROGRAM, *arguments], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def ended(process, code=0):
    """What it printed: on standard output, or, where it failed as it should, on standard error."""
    output, errors = process.communicate(timeout=600)
    assert process.returncode == code, (process.returncode, output, errors)
    return output if code == 0 else errors


def undisturbed():
    """By command: what one process prints, and its runs.jsonl."""
    found = {}
    for arguments in (SHORT, LONG):
        with quick_folder() as folder:
            write_tiny(folder / "tiny.csv", 400)
            found[tuple(arguments)] = ended(start(folder, arguments)), (folder / "out/runs.jsonl").read_bytes()
    return found


@pytest.fixture
def folder():
    with quick_folder() as path:
        write_tiny(path / "tiny.csv", 400)
        yield path


@pytest.fixture(scope="module")
def expected():
    return undisturbed()
