"""evaluate, predict and show with a small trained model, as a user calls them."""
import csv
import io
import json
import math
import random
import subprocess
import time

import pytest
from program import PROGRAM, rejected, run

SMALL = ("--preset", "plain", "--width", 8, "--heads", 2, "--layers", 1, "--window", 16, "--stride", 4, "--epochs", 6,
         "--no-baselines")
NAMES = ["flow", "pressure", "speed"]


def rows(count, seed):
    """A machine that swings; in the labelled spans it swings twice as fast, and higher."""
    draw = random.Random(seed)
    phase, out = 0.0, []
    for t in range(count):
        broken = t % 160 >= 120
        phase += 0.8 if broken else 0.4
        values = [2 * broken + math.sin(phase) + 0.1 * draw.gauss(0, 1), math.cos(phase), draw.gauss(0, 1)]
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_700_000_000 + t))
        out.append((stamp, values, int(broken)))
    return out


def write_table(path, table, order=(0, 1, 2), label=True, stamps=True, names=NAMES):
    lines = [",".join((["time"] if stamps else []) + [names[c] for c in order] + (["broken"] if label else []))]
    for stamp, values, broken in table:
        cells = ([stamp] if stamps else []) + [f"{values[c]:.6f}" for c in order] + ([str(broken)] if label else [])
        lines.append(",".join(cells))
    path.write_text("\n".join(lines) + "\n")
    return path


def parsed(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("predict")
    write_table(folder / "pump.csv", rows(1600, 1))
    write_table(folder / "june.csv", rows(640, 2))
    done = run("train", "pump.csv", "--time", "time", "--label", "broken", *SMALL, "-o", "m.safetensors", cwd=folder)
    assert done.returncode == 0, done.stderr
    # four classes of whole series, of unequal lengths
    series = []
    draw = random.Random(3)
    for i in range(40):
        kind = i % 4
        series += [f"s{i},{math.sin((kind + 1) * 0.3 * t) + 0.1 * draw.gauss(0, 1):.5f},kind{kind}"
                   for t in range(18 + i % 3)]
    (folder / "waves.csv").write_text("name,x,kind\n" + "\n".join(series) + "\n")
    done = run("train", "waves.csv", "--series", "name", "--label", "kind", "--label-of", "series", "--preset", "plain",
               "--width", 8, "--heads", 2, "--layers", 1, "--epochs", 3, "--no-baselines", "-o", "w.safetensors",
               cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_predict_answers_every_window(folder):
    done = run("predict", "m.safetensors", "june.csv", "--time", "time", "-o", "s.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = parsed((folder / "s.csv").read_text())
    assert list(found[0]) == ["series", "begin", "end", "start_time", "end_time", "score", "class", "status", "reason"]
    assert len(found) == (640 - 16) // 4 + 1
    assert (found[3]["series"], found[3]["begin"], found[3]["end"]) == ("june", "12", "28")
    assert found[3]["start_time"] == "2023-11-14T22:13:32Z" and found[3]["end_time"] == "2023-11-14T22:13:47Z"
    threshold = json.loads(run("show", "m.safetensors", "--json", cwd=folder).stdout)["threshold"]["value"]
    for row in found:
        assert row["class"] == ("anomalous" if float(row["score"]) >= threshold else "normal")
    flagged = sum(row["class"] == "anomalous" for row in found)
    assert 10 < flagged < 120
    assert done.stdout.splitlines()[-1] == f"s.csv: {len(found)} windows: {len(found) - flagged} normal, {flagged} anomalous"


def scores(folder, *arguments, **options):
    done = run("predict", "m.safetensors", *arguments, cwd=folder, **options)
    assert done.returncode == 0, done.stderr
    return [(row["begin"], row["score"]) for row in parsed(done.stdout)]


def test_order_of_columns_labels_and_threads_change_nothing(folder):
    expected = scores(folder, "june.csv", "--time", "time")
    write_table(folder / "other.csv", rows(640, 2), order=(2, 0, 1), label=False)
    assert scores(folder, "other.csv", "--time", "time") == expected
    assert scores(folder, "other.csv", "--threads", 1) == expected  # the column of times is not looked at
    write_table(folder / "bare.csv", rows(640, 2), label=False, stamps=False)
    assert scores(folder, "bare.csv") == expected
    text = (folder / "bare.csv").read_text()
    (folder / "nameless.csv").write_text(text[text.index("\n") + 1:])
    done = run("predict", "m.safetensors", "nameless.csv", cwd=folder)
    assert done.stderr == "faithful: channels are matched by position, because the model or the data has no names\n"
    assert [(row["begin"], row["score"]) for row in parsed(done.stdout)] == expected


def test_other_formats_give_the_same(folder):
    expected = scores(folder, "june.csv", "--time", "time")
    assert run("data", "convert", "june.csv", "june.npz", "--time", "time", "--label", "broken", cwd=folder).returncode == 0
    assert scores(folder, "june.npz") == expected
    (folder / "months").mkdir()
    (folder / "months/june.csv").write_text((folder / "bare.csv").read_text())
    assert scores(folder, "months") == expected


def test_predict_whole_series(folder):
    done = run("predict", "w.safetensors", "waves.csv", "--series", "name", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = parsed(done.stdout)
    assert len(found) == 40 and found[1]["end"] == "19"
    assert list(found[0]) == ["series", "begin", "end", "p(kind0)", "p(kind1)", "p(kind2)", "p(kind3)", "class", "status", "reason"]
    for row in found:
        shares = {name[2:-1]: float(value) for name, value in row.items() if name.startswith("p(")}
        assert abs(sum(shares.values()) - 1) < 1e-5 and row["class"] == max(shares, key=shares.get)


def test_stream_equals_the_batch_and_answers_at_once(folder):
    everything = run("predict", "m.safetensors", "bare.csv", cwd=folder)
    expected = {row["begin"]: row["score"] for row in parsed(everything.stdout)}
    lines = (folder / "bare.csv").read_text().splitlines()
    process = subprocess.Popen([PROGRAM, "predict", "m.safetensors", "-"], cwd=folder, text=True, bufsize=1,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        process.stdin.write("\n".join(lines[:16]) + "\n")  # names and 15 samples
        process.stdin.flush()
        assert process.stdout.readline() == "begin,end,score,class,status,reason\n"
        for i, line in enumerate(lines[16:200]):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            begin, end, score, _, status, _ = process.stdout.readline().strip().split(",")
            assert status in ("ok", "out_of_range")
            assert (int(begin), int(end)) == (i, i + 16)
            if begin in expected:
                assert score == expected[begin]
        process.stdin.close()
        assert process.wait(timeout=60) == 0 and process.stdout.read() == "" and process.stderr.read() == ""
    finally:
        process.kill()


def test_stream_matches_names_and_has_times(folder):
    text = (folder / "june.csv").read_text()
    done = run("predict", "m.safetensors", "-", "--time", "time", cwd=folder, stdin=text)
    assert done.returncode == 0
    assert done.stderr == ""  # `broken` is the label of the training
    first = parsed(done.stdout)[0]
    assert first["start_time"] == "2023-11-14T22:13:20Z" and first["end_time"] == "2023-11-14T22:13:35Z"


@pytest.mark.parametrize("line,message", [
    ("1,2", "standard input:21: expected 3 fields, found 2"),
    ("1,x,3", 'standard input:21:2: expected a number, found "x"'),
    ("1,,3", "standard input:21:2: expected a number, found an empty cell (missing values: --missing keep)"),
])
def test_bad_line_of_a_stream(folder, line, message):
    lines = (folder / "bare.csv").read_text().splitlines()
    done = run("predict", "m.safetensors", "-", cwd=folder, stdin="\n".join(lines[:20] + [line]) + "\n")
    assert done.returncode == 2
    assert done.stderr == f"faithful: {message}\n"
    assert len(done.stdout.splitlines()) == 1 + 4  # what came before was answered


def test_evaluate_has_intervals_and_a_page(folder):
    arguments = ("evaluate", "m.safetensors", "june.csv", "--time", "time", "--label", "broken")
    found = json.loads(run(*arguments, "--json", "-o", "page", cwd=folder).stdout)
    assert found["scores"]["windows"] == 157 and found["scores"]["f1"] > 0.5
    for key in ("precision", "recall", "f1", "auc_pr", "auc_roc", "accuracy", "log_loss", "brier"):
        low, high = found["intervals"][key]
        assert low <= found["scores"][key] <= high
    assert sum(one["count"] for one in found["reliability"]) == 157
    assert 0 <= found["scores"]["ece"] <= 1 and 0 < found["scores"]["ece_floor"] < 0.2
    assert found["scores"]["events"]["events"] == 4
    assert json.loads((folder / "page/evaluation.json").read_text()) == found
    page = (folder / "page/report.html").read_text()
    assert page.count("<figure") == 3 and "Timelines" in page and "perfectly calibrated" in page
    text = run(*arguments, cwd=folder).stdout
    assert "AUC-PR" in text and "events: " in text and "threshold" in text and "Brier score" in text
    assert "expected calibration error (ECE) 0." in text and "would have 0." in text


def test_intervals_of_one_event(folder):
    # A third of the resamples has no event. They say nothing about recall, and must not enter its interval.
    write_table(folder / "event.csv", rows(200, 5))
    found = json.loads(run("evaluate", "m.safetensors", "event.csv", "--time", "time", "--label", "broken", "--json", cwd=folder).stdout)
    assert found["scores"]["events"]["events"] == 1
    for key in ("precision", "recall", "f1", "auc_pr", "auc_roc", "accuracy"):
        low, high = found["intervals"][key]
        assert 0.01 < low <= found["scores"][key] <= high <= 1, (key, low, high)


def test_evaluate_agrees_with_the_test_scores_of_training(folder):
    record = json.loads(run("show", "m.safetensors", "--json", cwd=folder).stdout)["record"]
    arguments = ("evaluate", "m.safetensors", "pump.csv", "--time", "time", "--label", "broken")
    held_out = json.loads(run(*arguments, "--held-out", "--json", cwd=folder).stdout)
    for key in ("windows", "precision", "recall", "f1", "auc_pr", "auc_roc", "log_loss", "brier", "ece", "ece_floor", "confusion"):
        assert held_out["scores"][key] == record["test"][key]
    assert "too good" in run(*arguments, cwd=folder).stdout
    assert "expected the data that the model was trained on" in rejected(
        "evaluate", "m.safetensors", "june.csv", "--time", "time", "--label", "broken", "--held-out", cwd=folder)


def test_evaluate_many_classes(folder):
    found = json.loads(run("evaluate", "w.safetensors", "waves.csv", "--series", "name", "--label", "kind", "--label-of",
                           "series", "--json", cwd=folder).stdout)
    assert found["scores"]["windows"] == 40 and found["threshold"] is None and found["resampled"] == "series"
    assert set(found["intervals"]) == {"accuracy", "macro_f1", "weighted_f1", "log_loss", "brier"}


def test_show_tells_about_a_model(folder):
    text = run("show", "m.safetensors", cwd=folder).stdout
    for part in ("classifier of ", "encoding    dft", '"flow", "pressure", "speed"', "16 samples, stride 4", "data", "test",
                 "no sample and no window is in two parts"):
        assert part in text, text


def test_data_that_does_not_fit(folder):
    write_table(folder / "renamed.csv", rows(100, 4), label=False, stamps=False, names=["flow", "druck", "speed"])
    assert rejected("predict", "m.safetensors", "renamed.csv", cwd=folder) == (
        'renamed.csv: expected channel "pressure", found only "flow", "druck", "speed" (columns are matched by name, in any order)')
    write_table(folder / "short.csv", rows(15, 4), label=False, stamps=False)
    assert rejected("predict", "m.safetensors", "short.csv", cwd=folder) == (
        'short.csv: series "short": expected at least the 16 samples of the model\'s windows, found 15 samples')
    assert rejected("evaluate", "m.safetensors", "bare.csv", cwd=folder) == (
        "bare.csv: expected labels to compare with, found none (--label COLUMN)")
    (folder / "long.csv").write_text("x\n" + "1\n" * 21)
    assert rejected("predict", "w.safetensors", "long.csv", cwd=folder) == (
        'long.csv: series "long": expected at most the 20 samples that the model takes, found 21 samples')
    assert "--scale-as: expected a training series" in rejected("predict", "m.safetensors", "bare.csv", "--scale-as", "x",
                                                                cwd=folder)


def test_the_name_of_a_file_does_not_matter(tmp_path):
    (tmp_path / "runs").mkdir()
    for number in range(1, 7):
        table = [(stamp, [5 * number + values[0], *values[1:]], broken) for stamp, values, broken in rows(400, number)]
        write_table(tmp_path / "runs" / f"{number}.csv", table, stamps=False)
    write_table(tmp_path / "1.csv", rows(200, 9), label=False, stamps=False)
    (tmp_path / "monday.csv").write_bytes((tmp_path / "1.csv").read_bytes())
    scores = lambda name, *more: [row["score"] for row in parsed(  # noqa: E731
        run("predict", "m.safetensors", f"{name}.csv", *more, cwd=tmp_path).stdout)]
    for flags, chosen in (((), "--split series: 6 of 6 series have anomalies"),
                          (("--split", "blocked", "--scaling", "series"), "(blocked split)")):
        done = run("train", "runs", "--label", "broken", *SMALL, *flags, "-o", "m.safetensors", cwd=tmp_path)
        assert done.returncode == 0 and chosen in done.stdout, done
        assert scores("1") == scores("monday")
    note = run("predict", "m.safetensors", "1.csv", cwd=tmp_path).stderr
    assert note.count("\n") == 1 and "--scale-as SERIES takes one" in note, note
    assert scores("monday", "--scale-as", "1") != scores("monday")
    held = run("evaluate", "m.safetensors", "runs", "--label", "broken", "--held-out", cwd=tmp_path)
    assert held.returncode == 0 and "--scale-as" not in held.stdout, held
    assert run("evaluate", "m.safetensors", "runs", "--label", "broken", cwd=tmp_path).stdout.count("--scale-as") == 1


def test_thresholds(folder):
    table = run("show", "m.safetensors", "--thresholds", cwd=folder).stdout
    assert "threshold  precision  recall  events detected  false alarms  a day" in table, table
    curve = json.loads(run("show", "m.safetensors", "--json", cwd=folder).stdout)["threshold"]["curve"]
    assert curve["days"] > 0 and curve["smoothed_f1_interval"][0] <= curve["smoothed_f1"] <= curve["smoothed_f1_interval"][1]
    june = ("june.csv", "--time", "time", "--label", "broken")
    found = {}
    for rule in ("0.9", "f1", "false-alarms=0/day", "false-alarms=1/1000samples"):
        said = json.loads(run("evaluate", "m.safetensors", *june, "--threshold", rule, "--json", cwd=folder).stdout)
        found[rule] = said["threshold"]
        rows_ = parsed(run("predict", "m.safetensors", *june, "--threshold", rule, cwd=folder).stdout)
        assert all((row["class"] == "anomalous") == (float(row["score"]) >= said["threshold"]) for row in rows_)
        diagnosed = json.loads(run("diagnose", "m.safetensors", *june, "--threshold", rule, "--most", 1, "--json",
                                   cwd=folder).stdout)
        assert diagnosed["threshold"] == said["threshold"]
    assert found["0.9"] == 0.9 and found["f1"] == curve["smoothed_f1"]
    assert "flags every normal window" in run("evaluate", "m.safetensors", *june, "--threshold", 0, cwd=folder).stderr
    assert rejected("predict", "m.safetensors", "bare.csv", "--threshold", "best", cwd=folder).startswith(
        "--threshold: expected a number from 0 to 1, f1, false-alarms=N/day")
    assert rejected("predict", "w.safetensors", "waves.csv", "--threshold", "f1", cwd=folder) == (
        "--threshold: expected a model of two classes, found 4")
    assert "expected a model that keeps its validation scores" in rejected("show", "w.safetensors", "--thresholds", cwd=folder)


def test_files_that_are_no_models(folder):
    whole = (folder / "m.safetensors").read_bytes()
    (folder / "cut.safetensors").write_bytes(whole[:-5])
    flipped = bytearray(whole)
    flipped[-3] ^= 1
    (folder / "flipped.safetensors").write_bytes(flipped)
    (folder / "text.safetensors").write_text("hello, this is no model")
    (folder / "foreign.safetensors").write_bytes(
        (60).to_bytes(8, "little") + b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'.ljust(60) + bytes(8))
    for verb in ("predict", "evaluate"):
        for name in ("cut", "flipped", "text", "foreign", "absent"):
            assert rejected(verb, f"{name}.safetensors", "bare.csv", cwd=folder).startswith(f"{name}.safetensors: ")
        assert "expected a model of faithful" in rejected(verb, "foreign.safetensors", "bare.csv", cwd=folder)
        rejected(verb, "bare.csv", "bare.csv", cwd=folder)
    assert "the file is damaged" in rejected("show", "flipped.safetensors", cwd=folder)
    assert run("show", "foreign.safetensors", cwd=folder).stdout == "a: F32 (2,), 0 to 0, mean 0\n"
    assert rejected("predict", "m.safetensors", "bare.csv", "-o", "scores.txt", cwd=folder) == (
        '--output: expected a file name that ends in .csv, found "scores.txt"')
    assert "--output does not apply to -" in rejected("predict", "m.safetensors", "-", "-o", "s.csv", cwd=folder,
                                                               stdin="")
