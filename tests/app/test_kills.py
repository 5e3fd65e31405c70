"""Killed at random moments and started again: the bytes are those of a run that nobody disturbed. FAITHFUL_TRAIN_KILLS and
FAITHFUL_COMPARE_KILLS: how many kills."""
import os
import random
import signal
import subprocess
import time

import pytest

from program import PROGRAM, TINY, files_of, quick_folder, stable, write_tiny

pytestmark = pytest.mark.unsanitized("takes minutes; the moments of the kills are the same without them")


@pytest.fixture
def folder():
    with quick_folder() as path:
        write_tiny(path / "tiny.csv", 400)
        yield path


class Killed:
    """A command that writes below the folder `out`, and is killed again and again."""

    def __init__(self, folder, arguments, resume=()):
        self.folder, self.arguments, self.resume = folder, [str(word) for word in arguments], list(resume)
        self.expected, self.duration = self.undisturbed()

    def start(self):
        resume = self.resume if list(self.folder.glob("out/*.checkpoint")) else []
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "TMPDIR": str(self.folder)}
        return subprocess.Popen([PROGRAM, *self.arguments, *resume], cwd=self.folder, env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def result(self, process):
        """What a run that ended has given: its files, which it leaves none of to the next one, and what it printed."""
        output, errors = process.communicate(timeout=100)
        assert process.returncode == 0, errors
        files = files_of(self.folder / "out")
        for name in files:
            (self.folder / "out" / name).unlink()
        lines = [line for line in output.splitlines() if not line.startswith(("time: ", "resumed at step "))]
        return {name: stable(name, data) for name, data in files.items()}, lines

    def undisturbed(self):
        (self.folder / "out").mkdir()
        begin = time.monotonic()
        return self.result(self.start()), time.monotonic() - begin

    def kill(self, times, seed):
        """Ends with a run that nobody kills. How many runs ended, each with the expected result."""
        moments, kills, ended = random.Random(seed), 0, 0
        while kills < times:
            process = self.start()
            try:
                process.wait(timeout=moments.uniform(0, 1.1 * self.duration))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
            if process.returncode == -signal.SIGKILL:
                kills += 1
                continue
            assert self.result(process) == self.expected, f"after {kills} kills"
            ended += 1
        assert self.result(self.start()) == self.expected
        return ended + 1


def test_killed_trainings_give_the_same_bytes(folder):
    arguments = ["train", "tiny.csv", "--label", "broken", *TINY, "--epochs", "40", "--patience", "0", "--no-baselines", "-o", "out/m.safetensors",
                 "--checkpoint-every", "0"]
    kills = int(os.environ.get("FAITHFUL_TRAIN_KILLS", "20"))
    ended = Killed(folder, arguments, ["--resume"]).kill(kills, seed=1)
    print(f"\ncount: {kills} kills of train, {ended} trainings with the same bytes")


def test_killed_ensembles_give_the_same_bytes(folder):
    arguments = ["train", "tiny.csv", "--label", "broken", "--preset", "best", "--width", "8", "--heads", "2", "--window", "8", "--stride", "4",
                 "--steps", "60", "--no-baselines", "-o", "out/m.safetensors", "--checkpoint-every", "0"]
    kills = int(os.environ.get("FAITHFUL_ENSEMBLE_KILLS", "5"))
    ended = Killed(folder, arguments, ["--resume"]).kill(kills, seed=3)
    print(f"\ncount: {kills} kills of train --preset best, {ended} trainings with the same bytes")


def test_killed_comparisons_give_the_same_bytes(folder):
    arguments = ["compare", "tiny.csv", "--label", "broken", *TINY, "--epochs", "2", "--seeds", "2", "--encodings", "sinusoidal,dft", "--rates",
                 "0.01", "--gap-seeds", "0", "--no-minirocket", "-o", "out"]
    kills = int(os.environ.get("FAITHFUL_COMPARE_KILLS", "20"))
    ended = Killed(folder, arguments).kill(kills, seed=2)
    print(f"\ncount: {kills} kills of compare, {ended} comparisons with the same bytes")
