"""What was read and what was not: sensors that were filled, samples that no window holds, a rate that changes."""
from program import run
from test_as_trained import WINDOWS, answers, folder, rows_of, train, write_table  # noqa: F401


def test_a_filled_sensor_is_silent(tmp_path):
    """Values that were filled are no readings, whatever they were filled with: in files, in pieces and in streams."""
    model = tmp_path / "m.safetensors"
    train(write_table(tmp_path / "x.csv", rows_of()), model, *WINDOWS, "--positive", "leak")
    rows = [(a, b if i == 2 else "", c, d) for i, (a, b, c, d) in enumerate(rows_of(60, seed=9))]
    dead = write_table(tmp_path / "dead.csv", rows)
    for missing in ("interpolate", "zero", "keep"):
        said = [row["status"] for row in answers(run("predict", model, dead, "--missing", missing))]
        first = "out_of_range" if missing == "zero" else "ok"  # 0 is far outside
        assert said == [first, *["out_of_range"] * (len(said) - 1)], missing
    reasons = [row["reason"] for row in answers(run("predict", model, dead, "--missing", "interpolate"))]
    assert reasons[1] == "temp has no reading; in training every window had one"
    stream = answers(run("predict", model, "-", "--missing", "keep", stdin=dead.read_text()))
    assert {row["status"] for row in stream[3:]} == {"out_of_range"}


def test_samples_that_no_window_holds_are_said(folder, tmp_path):
    for rows, said in ((119, "9 samples at the end of a series lie in no window and have"),
                       (111, "1 sample at the end of a series lies in no window and has"), (110, "")):
        table = write_table(tmp_path / "end.csv", [row[:3] for row in rows_of(rows, seed=4)], ("flow", "temp", "hum"))
        done = run("predict", folder / "model.safetensors", table)
        note = f"faithful: {said} no prediction: windows begin every 10 samples\n"
        assert (note in done.stderr) == bool(said), done.stderr
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in "ab":
        write_table(runs / f"{name}.csv", [row[:3] for row in rows_of(113, seed=5)], ("flow", "temp", "hum"))
    assert "6 samples at the end of a series lie in no window" in run("predict", folder / "model.safetensors", runs).stderr


def in_seconds(rows, step_of):
    """Lines with the seconds since the first one."""
    second, lines = 0, []
    for i, row in enumerate(rows):
        lines.append((f"2024-03-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}", *row))
        second += step_of(i)
    return lines


def test_a_rate_that_changes_is_said(tmp_path):
    names = ("time", "flow", "temp", "hum", "state")
    model = tmp_path / "m.safetensors"
    train(write_table(tmp_path / "x.csv", in_seconds(rows_of(), lambda i: 10), names), model, *WINDOWS, "--positive", "leak")
    new = write_table(tmp_path / "new.csv", in_seconds(rows_of(300, seed=3), lambda i: 10 if i < 200 else 2), names)
    assert "33 % of the steps in time differ from the usual 10 s by more than a third" in run("predict", model, new).stderr
    stream = run("predict", model, "-", stdin=new.read_text()).stderr
    assert "sample 210: 10 steps in time differ from the usual 10 s by more than a third" in stream
    jitter = write_table(tmp_path / "even.csv", in_seconds(rows_of(300, seed=3), lambda i: 10 + i % 3), names)
    for done in (run("predict", model, jitter), run("predict", model, "-", stdin=jitter.read_text())):
        assert "steps in time" not in done.stderr
