"""`faithful compare` as a user meets it: the same table whatever happens on the way, and statistics that are SciPy's."""
import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest
from scipy import stats

from program import PROGRAM, SOURCE, rejected, run, write_pump

COLUMNS = ["--time", "time", "--label", "broken"]
SMALL = ["--preset", "plain", "--width", "16", "--heads", "2", "--layers", "1", "--window", "20", "--stride", "10", "--epochs", "3",
         "--rates", "0.003", "--gap-seeds", "0"]

ALL = ["--seeds", "2", "--null", "--length-test", "2S"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_pump(tmp_path_factory.mktemp("data") / "pump.csv", 2000)


def compare(table, *more, **how):
    done = run("compare", table, *COLUMNS, *SMALL, *more, **how)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def finished(table, tmp_path_factory):
    """A comparison that ran through: its folder and what it printed."""
    folder = tmp_path_factory.mktemp("study") / "out"
    return folder, compare(table, *ALL, "-o", folder).stdout


def lines_of(folder):
    return [json.loads(line) for line in (folder / "runs.jsonl").read_text().splitlines()]


def without_path(text):
    return text[: text.rindex("\n\n")]


def test_table_has_everything_that_must_stand_beside_the_scores(finished):
    _, text = finished
    for word in ["sinusoidal", "dft", "none", "sinusoidal again", "MiniRocket-style", "linear", "all positive", "random", "AUC-PR",
                 "event F1", "time shuffled", "longer windows", "not applicable", "|e| / |x|", "sign-flip p", "exploratory"]:
        assert word in text, word
    assert "Exploratory (2 seeds): " in text
    assert text.rstrip().endswith("report.html")


def test_page_and_tables_are_written(finished):
    folder, _ = finished
    page = (folder / "report.html").read_text()
    for word in ["Paired differences", "Figure 1", "first projection", "exploratory"]:
        assert word in page, word
    for name in ["scores-table", "controls-table", "differences-table", "differences", "precision-recall", "training", "shuffled"]:
        assert (folder / f"{name}.csv").stat().st_size > 0, name


@pytest.mark.unsanitized("trains for long; the same threads run in the unit tests there")
def test_threads_change_nothing(table, finished, tmp_path):
    _, text = finished
    again = compare(table, *ALL, "--threads", "1", "-o", tmp_path / "one").stdout
    assert without_path(again) == without_path(text)


def test_stopped_and_started_again_is_the_same(table, finished, tmp_path):
    folder, text = finished
    command = [PROGRAM, "compare", table, *COLUMNS, *SMALL, *ALL,
               "-o", tmp_path / "pieces"]
    runs = tmp_path / "pieces" / "runs.jsonl"
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        wanted = 1 + (runs.read_text().count("\n") if runs.exists() else 1)
        process = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(2000):
            if runs.exists() and runs.read_text().count("\n") >= wanted or process.poll() is not None:
                break
            time.sleep(0.02)
        if process.poll() is None:
            process.send_signal(how)
        _, errors = process.communicate(timeout=100)
        if how != signal.SIGKILL and process.returncode != 0:
            assert process.returncode == 1 and "the same command continues" in errors
    whole = runs.read_bytes()
    runs.write_bytes(whole[: -len(whole.splitlines()[-1]) // 2])  # a torn last line
    done = compare(table, *ALL, "-o", tmp_path / "pieces")
    assert "the last line is not complete and is dropped" in done.stderr
    assert without_path(done.stdout) == without_path(text)


def test_finished_runs_are_not_done_again(table, finished):
    folder, text = finished
    before = (folder / "runs.jsonl").read_bytes()
    begin = time.monotonic()
    assert compare(table, *ALL, "-o", folder).stdout == text
    assert (folder / "runs.jsonl").read_bytes() == before
    assert time.monotonic() - begin < 30


def test_finished_makes_the_tables_without_the_data(finished, tmp_path):
    folder, text = finished
    done = run("compare", "--finished", folder, "-o", tmp_path / "page")
    assert done.returncode == 0, done.stderr
    assert without_path(done.stdout) == without_path(text)


def write_machine(path):
    """A table that is the same on every machine: neither random numbers nor functions."""
    lines = ["time,pressure,flow,broken\n"]
    for i in range(900):
        broken = i % 150 >= 110
        pressure = (i * 37 % 101 + i % 60) / 100
        flow = (-pressure if broken else pressure) + (i * 53 % 17) / 200
        lines.append(f"{i},{pressure:.4f},{flow:.4f},{int(broken)}\n")
    path.write_text("".join(lines))


# The commands that wrote golden/runs.jsonl, with the program of commit 631212f.
GOLDEN = ["--encodings none,sinusoidal,dft,haar --scale unit --seeds 1 --epochs 1 --rates 0.001,0.002 --preset plain --width 80 --heads 4 "
          "--layers 1 --gap-seeds 1 --null --length-test 2S",
          "--encodings none,dft --seeds 1 --epochs 1 --rates 0.002 --split random --model dfstrans --filters 2 --segment 10 --stages 1 "
          "--heads 2 --head-hidden 8 --weights per-sensor --differences 1 --gap-seeds 0 --no-minirocket --prevalence 10 "
          "--label-rule majority --scaler robust"]


@pytest.mark.parametrize("options", GOLDEN)
def test_runs_of_an_older_program_are_reused(tmp_path, options):
    write_machine(tmp_path / "machine.csv")
    (tmp_path / "out").mkdir()
    golden = (SOURCE / "tests/app/golden/runs.jsonl").read_bytes()
    (tmp_path / "out/runs.jsonl").write_bytes(golden)
    done = run("compare", "machine.csv", *COLUMNS, "--window", "40", "--stride", "20", *options.split(), "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/runs.jsonl").read_bytes() == golden  # every key is known: nothing was trained


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in (SOURCE / "docs/results").glob("*/runs.jsonl")))
def test_published_tables_are_what_the_runs_show(folder):
    done = run("compare", "--finished", SOURCE / "docs/results" / folder)
    assert done.returncode == 0, done.stderr
    if folder != "paper":  # that one is of reproduce
        assert done.stdout == without_path((SOURCE / "docs/results" / folder / "table.txt").read_text()) + "\n"


def write_finished(folder, scores, split="blocked", leaks=False):
    """runs.jsonl of a comparison that never was: F1 by encoding, a seed each."""
    line = {"kind": "run", "data": "made", "split": split, "scale": "as-defined", "again": False, "rate": 0.001, "weights": 10,
            "norm_ratio": None, "windows": [100, 20, 20], "leaks": leaks, "threshold": 0.5, "epochs": 1, "validation": 0.5,
            "shuffled": {}, "longer": {}, "longer_note": "", "start": {}, "trained": {}, "precision": [], "losses": [],
            "validations": [], "others": {}, "settings": "x", "seconds": 1.0, "program": ""}
    rows = []
    for encoding, values in scores.items():
        for seed, f1 in enumerate(values, 1):
            rows.append({**line, "encoding": encoding, "seed": seed, "scores": {"f1": float(f1)}, "key": f"{encoding}{seed}"})
    (folder / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize("leaks, which", [(True, "overlapping"), (False, "neighbouring")])
def test_a_random_split_says_what_leaks(tmp_path, leaks, which):
    write_finished(tmp_path, {"sinusoidal": [0.5, 0.6], "dft": [0.6, 0.5]}, "random", leaks)
    assert f"made, split random (leaks: {which} windows lie in several parts)" in run("compare", "--finished", tmp_path).stdout


def test_statistics_are_those_of_scipy(tmp_path):
    rng = np.random.default_rng(3)
    n, ratio = 12, 0.2
    a = 0.5 + 0.05 * rng.normal(size=n)
    b = a + 0.01 + 0.02 * rng.normal(size=n)
    write_finished(tmp_path, {"sinusoidal": a, "dft": b})
    done = run("compare", "--finished", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    (one,) = found["comparisons"]
    d = b - a
    close = lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)
    paired = stats.ttest_rel(b, a)
    close(one["paired_p"], paired.pvalue)
    sem = d.std(ddof=1) / np.sqrt(n)
    close([one["paired"]["low"], one["paired"]["high"]], stats.t.interval(0.95, n - 1, d.mean(), sem))
    close([one["corrected"]["low"], one["corrected"]["high"]],
          stats.t.interval(0.95, n - 1, d.mean(), d.std(ddof=1) * np.sqrt(1 / n + ratio)))
    flips = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf)
    close(one["sign_flip_p"], flips.pvalue)
    close(one["holm_p"], flips.pvalue)  # a family of one
    arm = {arm["name"]: arm["measures"]["f1"] for arm in found["groups"][0]["arms"]}["dft"]
    close([arm["mean"], arm["sd"]], [b.mean(), b.std(ddof=1)])
    close([arm["low"], arm["high"]], stats.t.interval(0.95, n - 1, b.mean(), b.std(ddof=1) / np.sqrt(n)))


def test_errors_say_place_wanted_found(table, finished, tmp_path):
    folder, _ = finished
    base = ["compare", table, *COLUMNS, *SMALL]
    assert rejected(*base, "--encodings", "sinusodal") == (
        '--encodings: expected the name of an encoding, found "sinusodal" (did you mean sinusoidal?)')
    assert "--seeds" in rejected(*base, "--seeds", "0")
    for single in ("--encoding", "--rate", "--learning-rate"):  # here they are lists
        assert rejected(*base, single, "1").startswith(f'compare: unknown option "{single}" (')
    assert "twice" in rejected(*base, "--encodings", "dft,dft")
    assert "--scale" in rejected(*base, "--scale", "huge")
    assert "no-such-file" in rejected("compare", "no-such-file.csv", cwd=tmp_path)
    assert "--length-test" in rejected(*base, "--length-test", "5")
    message = rejected(*[word if word != "3" else "4" for word in base], "--seeds", "2", "--length-test", "2S", "-o", folder)
    assert "expected runs of pump with epochs 4, found epochs 3" in message
    (tmp_path / "runs.jsonl").write_text("not json\n")
    assert "runs.jsonl:1" in rejected("compare", "--finished", tmp_path)
    (tmp_path / "runs.jsonl").write_text("")
    assert "expected finished runs, found none" in rejected("compare", "--finished", tmp_path)
    assert "runs.jsonl" in rejected("compare", "--finished", tmp_path / "nowhere")
