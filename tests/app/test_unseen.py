"""Logs that nobody here had seen: what the program once answered wrongly, with exit code 0."""
import csv
import datetime

import numpy as np
import pytest
from program import run

WINDOWS = ("--label", "hot", "--window", 20, "--stride", 5, "--model", "linear", "--no-baselines")
START = datetime.datetime(2024, 3, 30, tzinfo=datetime.timezone.utc)


def write_log(path, minutes, seed=1, rows=1500, rise=3, time=lambda minute: (START + minute).isoformat()):
    """A temperature that rises in faults, and a flow whose deviation hardly varies. minutes(i): the time of row i."""
    rng = np.random.default_rng(seed)
    hot = (np.arange(rows) % 150 >= 120).astype(int)
    temperature = 20 + rise * hot + rng.normal(size=rows)
    flow = np.sin(np.arange(rows) * np.pi / 10) + 0.002 * rng.normal(size=rows)
    lines = ["time,temp,flow,hot"]
    for i in range(rows):
        lines.append(f"{time(datetime.timedelta(minutes=minutes(i)))},{temperature[i]:.4f},{flow[i]:.5f},{hot[i]}")
    path.write_text("\n".join(lines) + "\n")
    return path


def days_of_a_spreadsheet(minute):
    return f"{45381 + minute / datetime.timedelta(days=1):.9f}"


def train(data, model, *options):
    done = run("train", data, *WINDOWS, *options, "-o", model)
    assert done.returncode == 0, done.stderr
    return done.stdout


def answers(done):
    return list(csv.DictReader(done.stdout.splitlines()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unseen")
    write_log(folder / "pump.csv", lambda i: i)
    train(folder / "pump.csv", folder / "model.safetensors")
    return folder


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_frozen_sensor_does_not_decide_alone(tmp_path, seed):
    model, frozen = tmp_path / "model.safetensors", tmp_path / "frozen.csv"
    train(write_log(tmp_path / "pump.csv", lambda i: i, rise=6), model, "--seed", seed)
    text = write_log(tmp_path / "new.csv", lambda i: i, seed=9, rise=6).read_text().splitlines()
    rows = [line.split(",") for line in text]
    frozen.write_text("\n".join([text[0], *(",".join([a, b, "0.5", d]) for a, b, _, d in rows[1:])]) + "\n")
    before, after = (answers(run("predict", model, tmp_path / name)) for name in ("new.csv", "frozen.csv"))
    same = [a["class"] == b["class"] for a, b in zip(before, after, strict=True)]
    assert np.mean(same) > 0.97


def test_nobody_watches_in_a_gap(tmp_path):
    whole = write_log(tmp_path / "whole.csv", lambda i: i, rise=0.7)
    gaps = write_log(tmp_path / "gaps.csv", lambda i: i + 43_200 * (i // 37), rise=0.7)  # 40 times 30 days
    said = [train(path, tmp_path / "m.safetensors", "--threshold", "false-alarms=5/day").splitlines() for path in (whole, gaps)]
    assert "; 40 gaps, the longest 30 d 00 h: windows reach across them" in run("data", "info", gaps, "--label", "hot").stdout
    assert "gaps" not in run("data", "info", whole, "--label", "hot").stdout
    of_threshold = [[line for line in lines if "threshold" in line] for lines in said]
    assert of_threshold[0] == of_threshold[1] != []


def test_where_nothing_was_read_there_is_no_class(folder):
    (folder / "silent.csv").write_text("time,temp,flow\n" + "".join(f"2024-06-01T00:{i:02}:00Z,,\n" for i in range(30)))
    for done in (run("predict", folder / "model.safetensors", folder / "silent.csv", "--missing", "keep"),
                 run("predict", folder / "model.safetensors", "-", "--missing", "keep",
                     stdin=(folder / "silent.csv").read_text())):
        assert done.returncode == 1
        assert {(row["class"], row["status"], row["reason"]) for row in answers(done)} == {
            ("invalid", "invalid", "nothing was read: all values are missing")}


def test_a_silent_sensor_is_said(folder):
    text = (folder / "pump.csv").read_text().splitlines()[:41]
    cells = [line.split(",") for line in text]
    table = "\n".join([text[0], *(",".join([a, "" if i >= 10 else b, c, d]) for i, (a, b, c, d) in enumerate(cells[1:]))]) + "\n"
    (folder / "silent.csv").write_text(table)
    whole = answers(run("predict", folder / "model.safetensors", folder / "silent.csv", "--missing", "keep"))
    stream = answers(run("predict", folder / "model.safetensors", "-", "--missing", "keep", stdin=table))
    said = {int(row["begin"]): (row["status"], row["reason"]) for row in stream}
    assert said[9] == ("ok", "")  # one reading is left
    assert said[10] == said[20] == ("out_of_range", "temp has no reading; in training every window had one")
    assert [(row["status"], row["reason"]) for row in whole] == [said[int(row["begin"])] for row in whole]


def test_days_are_no_seconds_after_a_training_on_dates(folder):
    days = write_log(folder / "days.csv", lambda i: i, time=days_of_a_spreadsheet, rows=40)
    says = "steps of 0.000694 on average, which look like days of a spreadsheet (days: --time-unit days; seconds: --time-unit s)"
    for done in (run("predict", folder / "model.safetensors", days),
                 run("predict", folder / "model.safetensors", "-", stdin=days.read_text())):
        assert done.returncode == 2 and says in done.stderr
    row = answers(run("predict", folder / "model.safetensors", days, "--time-unit", "days"))[0]
    assert row["start_time"] == "2024-03-30T00:00:00Z" and row["end_time"] == "2024-03-30T00:19:00Z"


@pytest.mark.parametrize("first, other, wanted", [
    ("2024-03-30T00:00:00+02:00", "2024-03-30T00:01:00", "a date with its offset from UTC"),
    ("2024-03-30 00:00", "2024-03-30 00:01Z", "a date without an offset from UTC"),
    ("2024-03-30", "1711843201", "a date without an offset from UTC"),
    ("1711756800", "2024-03-30 00:01", "a number"),
])
def test_one_column_has_times_of_one_form(folder, first, other, wanted):
    table = f"time,temp,flow\n{first},20,0\n{first},20,0\n{other},20,0\n"
    (folder / "mixed.csv").write_text(table)
    says = f':4:1: expected {wanted}, as in the first row, found "{other}" (write all times of a column in one form)'
    for done in (run("data", "info", folder / "mixed.csv"), run("predict", folder / "model.safetensors", folder / "mixed.csv"),
                 run("predict", folder / "model.safetensors", "-", stdin=table)):
        assert done.returncode == 2 and says in done.stderr, done.stderr


def test_a_day_is_written_as_its_midnight(folder):
    (folder / "days.csv").write_text("time,temp,flow\n2024-03-30 23:59:59.5,20,0\n2024-03-31,20,0\n2024-03-31 00:00:00.5,20,0\n")
    assert run("data", "info", folder / "days.csv").returncode == 0


def test_training_data_is_known_by_its_windows(folder):
    (folder / "renamed.csv").write_text((folder / "pump.csv").read_text())
    (folder / "june").mkdir()
    other = write_log(folder / "june" / "pump.csv", lambda i: i, seed=5)
    said = {name: run("evaluate", folder / "model.safetensors", path).stdout
            for name, path in {"renamed": folder / "renamed.csv", "other": other}.items()}
    assert "the model was trained on this data, so the scores are too good" in said["renamed"]
    assert "trained on" not in said["other"] and "has the name" not in said["other"], "its content is new"


def test_digits_that_single_precision_loses_are_said(tmp_path):
    (tmp_path / "meter.csv").write_text("meter,level\n" + "".join(f"{1_000_000_000 + i % 7},{i % 5}\n" for i in range(50)))
    done = run("data", "info", tmp_path / "meter.csv")
    assert done.returncode == 0
    assert ('channel "meter" has values from 1000000000 to 1000000000, and single precision keeps only multiples of 64 there: '
            "subtract a constant from it first, else small differences are lost") in done.stdout
    assert 'channel "level"' not in done.stdout
