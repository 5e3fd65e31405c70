"""tools/probes and tools/regret: what their windows have in them, how they choose and count, and that a model which gets
real times solves a task that asks for them."""
import json
import pathlib
import sys

import numpy as np
import pytest

from program import PROGRAM, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
for folder in ("accuracy", "probes"):
    sys.path.insert(0, str(ROOT / "bench" / folder))
import probes  # noqa: E402
import regret  # noqa: E402
import windows  # noqa: E402


def events(values):
    """[N, 2]: the sample of the event in each channel."""
    assert (np.sort(values, axis=1)[:, -2] < 1.6).all() and (values.max(axis=1) > 1.6).all()
    return values.argmax(axis=1)


def test_windows_of_the_gap_probe():
    values, labels, distances = windows.gap_windows(480, np.random.default_rng(1))
    found = events(values)
    np.testing.assert_array_equal(found[:, 0] < found[:, 1], labels == 1)
    np.testing.assert_array_equal(abs(found[:, 0] - found[:, 1]), distances)
    for distance in windows.DISTANCES:
        assert sorted(labels[distances == distance]) == [0] * 40 + [1] * 40


def test_windows_of_the_time_probe_tell_nothing_by_counting():
    values, labels, times = windows.time_windows(4000, np.random.default_rng(2))
    first, last = np.sort(events(values), axis=1).T
    assert (np.diff(times, axis=1) > 0).all()
    apart = times[np.arange(4000), last] - times[np.arange(4000), first]
    assert (apart[labels == 0] < 6.001).all() and (apart[labels == 1] > 9.999).all()
    counts = last - first
    assert set(counts) == set(range(5, 17))
    shares = [np.bincount(counts[labels == label], minlength=17)[5:] / 2000 for label in (0, 1)]
    assert abs(shares[0] - shares[1]).max() < 0.03  # three standard errors


def test_the_program_reads_what_is_written(tmp_path):
    data, test, labels, _ = windows.write_times(tmp_path, 1)
    shown = json.loads(run("data", "info", data, "--json").stdout)
    assert shown["name"] == "times"
    assert run("data", "info", test).returncode == 0
    assert len(labels) == 500


def test_tuning_takes_the_best_mean_of_the_seeds_that_are_not_reported():
    tries = probes.tries_of(PROGRAM)
    assert len(tries) == 15 and tries["tape, rho = 100"][-2:] == ["--rho", "100"]
    line = {row: {"right": {"1": 0.5, "2": 0.6}} for row in tries}
    line["spectral, L = S/3"] = {"right": {"1": 0.9, "2": 0.7}}
    found = {(row, seed): line[row] for row in tries for seed in probes.TUNING_SEEDS}
    assert probes.tuned_rows(found, tries)["spectral, tuned"] == tries["spectral, L = S/3"]
    del found["spectral, L = S/6", probes.TUNING_SEEDS[0]]
    assert "spectral, tuned" not in probes.tuned_rows(found, tries)


def test_every_encoding_is_probed():
    names = {entry["name"] for entry in probes.catalog(PROGRAM)}
    assert names <= set(probes.gap_rows(PROGRAM))
    rows = probes.time_rows(PROGRAM)
    for name in ("alibi", "kerple", "fire", "t5", "shaw", "erpe", "transformer-xl", "spectral", "dynamic-bias", "rope"):
        assert rows[f"{name}, time"] == [*rows[f"{name}, index"], "--positions", "time"]


@pytest.mark.unsanitized("two trainings of 1,200 steps")
def test_real_times_solve_what_counting_cannot():
    by_time = probes.run(PROGRAM, "times", ["--encoding", "rope", "--positions", "time"], 1)["right"]["0"]
    by_index = probes.run(PROGRAM, "times", ["--encoding", "rope"], 1)["right"]["0"]
    assert by_time > 0.97
    assert abs(by_index - 0.5) < 0.1


def test_regret_is_the_distance_to_the_best():
    line = {"set": "Libras", "seed": 1, "choice": "rope", "inner": {"tape": 0.8, "none": 0.7}, "folds": 5, "steps": 600,
            "all_steps": 1200, "minutes": 3, "outer": {"none": 0.7, "sinusoidal": 0.9, "dft": 0.5, "spectral": 0.9,
                                                       "tape": 0.85, "rope": 0.8, "erpe": 0.2}}
    other = {**line, "choice": "tape", "steps": 1200, "outer": {**line["outer"], "tape": 0.9}}
    assert regret.regrets([line, other], regret.RULES["`choose`"]) == pytest.approx([0.1, 0])
    shown = regret.table([line, other])
    assert "| `choose` | 5.0 | 5.0 ± 5.0 |" in shown
    assert "| best mean of the folds | 2.5 | 2.5 ± 2.5 |" in shown
    assert "the default was kept in 1; trainings were shortened in 1." in shown
