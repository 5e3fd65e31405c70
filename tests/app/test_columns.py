"""Logs as users have them: a folder of tables with `;`, a column of times, and two columns that look like labels.

From `data info` to `train` to `predict` on a file nobody has seen, with no flag but --label.
"""
import csv
import datetime
import json
import re
import shutil

import numpy as np
import pytest
from program import rejected, run

SENSORS = ["pressure", "flow", "t1", "t2", "t3", "t4", "t5", "t6"]
SMALL = ("--window", 30, "--stride", 10, "--epochs", 2, "--no-baselines")


def write_log(path, day, labels=("fault", "alarm"), header=True, rows=500):
    """`alarm` is the label, three samples later."""
    rng = np.random.default_rng(day)
    fault = np.zeros(rows, int)
    for begin in range(70, rows - 60, 150):
        fault[begin : begin + 40] = 1
    values = rng.normal(size=(rows, len(SENSORS)))
    values[:, 0] = 2 * np.sin(np.arange(rows) / 7) + 0.3 * values[:, 0]
    values[:, 1] = np.where(fault == 1, -values[:, 0], values[:, 0]) + 0.05 * values[:, 1]
    columns = {"fault": fault, "alarm": np.r_[0, 0, 0, fault[:-3]], "operator": np.where(fault == 1, "Eve", "Bob")}
    start = datetime.datetime(2024, 5, day)
    lines = [";".join(["datetime", *SENSORS, *labels])] if header else []
    for i, row in enumerate(values):
        cells = [(start + datetime.timedelta(seconds=i)).isoformat(), *(f"{v:.4f}" for v in row)]
        lines.append(";".join(cells + [str(columns[name][i]) for name in labels]))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("columns")
    (folder / "runs").mkdir()
    for day in range(1, 7):
        write_log(folder / "runs" / f"{day}.csv", day)
    write_log(folder / "monday.csv", 20, labels=["alarm"])
    write_log(folder / "tuesday.csv", 20)
    shutil.copy(folder / "monday.csv", folder / "1.csv")
    done = run("train", "runs", "--label", "fault", *SMALL, "-o", "runs.safetensors", cwd=folder)
    assert done.returncode == 0, done.stderr
    (folder / "train.txt").write_text(done.stderr)
    # The user who heeds the warning, on one table with a column of words.
    write_log(folder / "pump.csv", 9, ["fault", "alarm", "operator"], rows=1500)
    done = run("train", "pump.csv", "--label", "fault", "--ignore", "operator,alarm", *SMALL, "-o", "pump.safetensors",
               cwd=folder)
    assert done.returncode == 0 and "gives the labels away" not in done.stderr, done.stderr
    return folder


def scores(path):
    return [(row["begin"], row["start_time"], row["score"]) for row in csv.DictReader(open(path))]


def test_info_shows_the_leak_and_hides_no_label(folder):
    done = run("data", "info", "runs", "--label", "fault", cwd=folder)
    assert 'column "datetime" is taken as the time' in done.stdout
    assert "t6, alarm\n" in done.stdout
    assert '  label leak         "alarm": it equals the label, 3 samples later\n' in done.stdout
    part = json.loads(run("data", "info", "runs", "--label", "fault", "--json", cwd=folder).stdout)["parts"][0]
    assert part["leaks"] == [{"channel": "alarm", "equal": True, "marks": False, "auc": 1, "shift": 3,
                              "class": "anomalous"}]


def test_train_warns_before_it_trains(folder):
    lines = (folder / "train.txt").read_text().splitlines()
    assert lines[0] == ('faithful: column "alarm" gives the labels away: it equals the label, 3 samples later. If it was '
                        "made from the labels, or is not known when you predict, leave it out: --ignore alarm")


def test_an_unseen_file_by_any_name(folder):
    for name in ("monday", "1", "tuesday"):
        done = run("predict", "runs.safetensors", f"{name}.csv", "-o", f"{name}.scores.csv", cwd=folder)
        assert done.returncode == 0 and done.stdout.count("\n") == 1 and done.stderr == "", done
    assert scores(folder / "monday.scores.csv") == scores(folder / "1.scores.csv") == scores(folder / "tuesday.scores.csv")
    assert scores(folder / "monday.scores.csv")[1][1] == "2024-05-20T00:00:10Z"


def test_verbs_remember_label_time_and_ignored(folder):
    for verb in ("evaluate", "diagnose"):
        done = run(verb, "pump.safetensors", "pump.csv", cwd=folder)
        assert done.returncode == 0 and "is taken as the time" not in done.stdout, done.stderr
    write_log(folder / "june.csv", 21, ["operator", "fault"])
    done = run("evaluate", "pump.safetensors", "june.csv", "--json", cwd=folder)
    assert done.returncode == 0 and json.loads(done.stdout)["scores"]["windows"] == 48
    done = run("predict", "pump.safetensors", "june.csv", cwd=folder)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert "2024-05-21T00:00:00Z" in done.stdout


@pytest.mark.parametrize("order", [["operator"], ["operator", "alarm"], []])
def test_files_of_a_folder_need_not_have_the_same_columns_without_use(folder, order):
    """Each of three files has other columns that no channel needs, in any order; the scores are those of the file alone."""
    several = folder / f"several-{len(order)}"
    several.mkdir()
    kinds = [["operator"], ["operator", "alarm"], []]
    kinds.sort(key=lambda labels: labels != order)
    for i, labels in enumerate(kinds):
        write_log(several / f"{i}.csv", 25, labels)
    done = run("predict", "pump.safetensors", several.name, "-o", f"{several.name}.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    of_file = {}
    for row in csv.DictReader(open(folder / f"{several.name}.csv")):
        of_file.setdefault(row["series"], []).append(row["score"])
    assert list(of_file) == ["0", "1", "2"] and of_file["0"] == of_file["1"] == of_file["2"], of_file


def test_a_file_without_the_label(folder):
    write_log(folder / "new.csv", 22, [])
    assert run("predict", "pump.safetensors", "new.csv", cwd=folder).returncode == 0
    assert rejected("evaluate", "pump.safetensors", "new.csv", cwd=folder) == (
        "new.csv: expected labels to compare with, found none (--label COLUMN)")


def test_flags_win_and_unknown_columns_are_one_note(folder):
    text = (folder / "june.csv").read_text().splitlines() if (folder / "june.csv").exists() else write_log(
        folder / "june.csv", 21, ["operator", "fault"]).read_text().splitlines()
    (folder / "july.csv").write_text("\n".join(
        [text[0] + ";shift;truth"] + [f"{line};night;{line[-1]}" for line in text[1:]]) + "\n")
    done = run("predict", "pump.safetensors", "july.csv", cwd=folder)
    assert done.stderr == 'faithful: columns that the model does not know are ignored: "shift", "truth" ' \
        '(where one of them tells series apart: --series COLUMN)\n'
    done = run("evaluate", "pump.safetensors", "july.csv", "--label", "truth", "--json", cwd=folder)
    assert done.returncode == 0 and json.loads(done.stdout)["scores"]["windows"] == 48


def test_a_channel_that_is_missing_is_refused(folder):
    lines = (folder / "monday.csv").read_text().splitlines()
    (folder / "short.csv").write_text("\n".join(line.split(";", 2)[0] + ";" + line.split(";", 2)[2] for line in lines))
    assert rejected("predict", "runs.safetensors", "short.csv", cwd=folder) == (
        'short.csv: expected channel "pressure", found only "flow", "t1", "t2", "t3", "t4" and 3 more (columns are '
        "matched by name, in any order)")


def test_a_stream_with_the_columns_of_training(folder):
    text = "\n".join((folder / "pump.csv").read_text().splitlines()[:41]) + "\n"
    done = run("predict", "pump.safetensors", "-", cwd=folder, stdin=text)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert rows[0]["start_time"] == "2024-05-09T00:00:00Z" and len(rows) == 11
    whole = run("predict", "pump.safetensors", "pump.csv", cwd=folder).stdout
    assert rows[0]["score"] == next(csv.DictReader(whole.splitlines()))["score"]


@pytest.mark.parametrize("arguments, message", [
    (("train", "runs", "--label", "falt", "-o", "x.safetensors"), '(did you mean "fault"?)'),
    (("train", "runs", "--time", "datetime", "-o", "x.safetensors"), "which column holds the labels? --label"),
    (("train", "pump.csv", "--label", "fault", "-o", "x.safetensors"), 'pump.csv:2:12: expected a number, found "Bob" (to leave out a column of words: --ignore COLUMN)'),
])
def test_mistakes(folder, arguments, message):
    assert message in rejected(*arguments, cwd=folder)


def test_the_unlabelled_half_of_telemanom_can_train(tmp_path):
    rng = np.random.default_rng(3)
    rows = []
    for part in ("train", "test"):
        (tmp_path / "craft" / part).mkdir(parents=True)
        for i in range(6):
            np.save(tmp_path / "craft" / part / f"T-{i}.npy", rng.normal(size=(300, 2)))
    for i in range(6):
        rows.append(f'T-{i},MSL,"[[100, 140], [220, 240]]","[point, point]",300')
    (tmp_path / "craft" / "labeled_anomalies.csv").write_text(
        "chan_id,spacecraft,anomaly_sequences,class,num_values\n" + "\n".join(rows) + "\n")
    train = lambda *more: run("train", "craft", *SMALL, "--epochs", 1, "--split", "blocked", "--window", 10, *more, "-o",
                              "m.safetensors", cwd=tmp_path)
    done = train()
    assert "6 series without labels are left out (if they hold no anomaly, --unlabelled normal trains on them)\n" in done.stdout
    without = done.stdout
    done = train("--unlabelled", "normal")
    assert done.returncode == 0, done.stderr
    assert "6 series without labels are taken as normal: they train (--unlabelled leave-out leaves them out)\n" in done.stdout
    count = lambda text: [int(line.split()[0]) for line in text.splitlines() if " windows to train" in line][0]
    assert count(done.stdout) > count(without)
    done = run("evaluate", "m.safetensors", "craft", "--held-out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_names_in_latin_1_are_found_again(folder):
    """Loggers write degree signs as they like: what was trained on a file predicts it, in either encoding."""
    text = (folder / "runs" / sorted(p.name for p in (folder / "runs").iterdir())[0]).read_text()
    text = text.replace("t1", "T \u00b0C", 1).replace("fault", "st\u00f6rung", 1)
    (folder / "latin.csv").write_bytes(text.encode("latin-1"))
    (folder / "utf8.csv").write_bytes(text.encode())
    done = run("train", "latin.csv", "--label", "st\u00f6rung", *SMALL, "-o", "latin.safetensors", cwd=folder)
    assert done.returncode == 0, done.stderr
    scores = []
    for name in "latin.csv", "utf8.csv":
        done = run("predict", "latin.safetensors", name, cwd=folder)
        assert done.returncode == 0, done.stderr
        scores.append([line.split(",", 1)[1] for line in done.stdout.splitlines()])
    assert scores[0] == scores[1]
    assert "T \u00b0C" in run("data", "info", "latin.csv", "--label", "st\u00f6rung", cwd=folder).stdout


def test_a_name_twice_is_refused_before_the_training(folder):
    text = (folder / "runs" / sorted(p.name for p in (folder / "runs").iterdir())[0]).read_text()
    (folder / "twice.csv").write_text(text.replace("t2", "t1", 1))
    done = run("train", "twice.csv", "--label", "fault", *SMALL, "--log", "twice.jsonl", "-o", "twice.safetensors", cwd=folder)
    assert done.returncode == 2 and done.stderr.endswith('twice.csv: expected each channel once, found "t1" twice\n')
    assert not (folder / "twice.jsonl").exists(), "no epoch was trained"


def test_a_row_number_is_reported(folder):
    """pandas writes its index as a first column without a name, or as `Unnamed: 0`."""
    lines = (folder / "runs" / sorted(p.name for p in (folder / "runs").iterdir())[0]).read_text().splitlines()
    numbered = [f"Unnamed: 0;{lines[0]}", *(f"{i};{line}" for i, line in enumerate(lines[1:]))]
    (folder / "index.csv").write_text("\n".join(numbered) + "\n")
    done = run("data", "info", "index.csv", "--label", "fault", cwd=folder)
    assert 'row number         "Unnamed: 0": it changes by the same step in every row' in done.stdout
    done = run("train", "index.csv", "--label", "fault", *SMALL, "-o", "index.safetensors", cwd=folder)
    assert done.returncode == 0 and ('column "Unnamed: 0" changes by the same step in every row, as a row number does. If it '
                                     'is no reading, leave it out: --ignore "Unnamed: 0"') in done.stderr


def test_a_decimal_comma_is_recognised(folder):
    (folder / "comma.csv").write_text("a;b\n1;0,5\n2;0,25\n")
    assert rejected("data", "info", "comma.csv", cwd=folder).endswith(
        'comma.csv:2:2: expected a number, found "0,5" (a decimal comma: --decimal ,)')


def test_windows_that_all_repeat_are_explained(folder):
    rows = [f"{i % 2};1;{int(i % 300 < 40)}" for i in range(900)]
    (folder / "repeats.csv").write_text("a;b;fault\n" + "\n".join(rows) + "\n")
    for options in (SMALL, (*SMALL[:4], "--model", "linear")):
        message = rejected("train", "repeats.csv", "--label", "fault", *options, "-o", "repeats.safetensors", cwd=folder)
        assert "expected windows to train on, found none (" in message
        assert "were left out, because the same values are in the validation or test part)" in message


# ---- columns that are no readings

def test_columns_that_may_be_no_readings_are_said(tmp_path):
    def said(names, rows, *more):
        write_lines(tmp_path / "x.csv", names, rows)
        warned = run("train", "x.csv", "--label", "fault", "--model", "linear", "--window", "10", "--no-baselines", "-o",
                     "m.safetensors", *more, cwd=tmp_path).stderr
        shown = run("data", "info", "x.csv", "--label", "fault", *more, cwd=tmp_path).stdout
        return warned, shown

    def write_lines(path, names, rows):
        path.write_text("\n".join([names, *(",".join(map(str, row)) for row in rows)]) + "\n")

    def fault(i):
        return int(i % 120 > 100)

    def value(i):
        return round(20 + (i * 37 % 101) / 100 + fault(i), 2)

    epoch = [(1709251200 + 60 * i, value(i), fault(i)) for i in range(2000)]
    mark = [(-9999 if i % 500 == 250 else value(i), i * 13 % 7, fault(i)) for i in range(2000)]
    units = [(f"2024-03-01T{i // 3600:02}:{i // 60 % 60:02}:{i % 60:02}", unit, value(i + 7 * unit), fault(i))
             for i in range(1000) for unit in (1, 2)]
    for names, rows, says in (
            ("_clock,temp,fault", epoch, 'column "_clock" looks like times in s since 1970, and is taken as a sensor (as the time: '
                                         '--time _clock; to leave it out: --ignore _clock)'),
            ("temp,flow,fault", mark, '"temp" is -9999 in 4 rows, and 20 to 22 in all others: if it marks missing values, leave '
                                      'these cells empty'),
            ("time,unit,temp,fault", units, 'column "unit" has each of its values once at each time: if it tells machines apart, '
                                            '--series unit makes a series of each')):
        warned, shown = said(names, rows)
        assert says in warned and says in shown
    plain = [(value(i), i * 13 % 7, fault(i)) for i in range(2000)]
    for text in said("temp,flow,fault", plain):
        assert "looks like" not in text and "marks missing" not in text and "of its values" not in text
    for text in said("time,unit,temp,fault", units, "--series", "unit"):
        assert "of its values" not in text


# ---- data that is there twice

def recording(samples):
    """Noise with labels that have nothing to do with it."""
    rng = np.random.default_rng(2)
    return [(f"{a:.4f}", f"{b:.4f}", int(i % 120 > 100)) for i, (a, b) in enumerate(rng.normal(size=(samples, 2)))]


def write_rows(path, rows):
    path.parent.mkdir(exist_ok=True)
    path.write_text("v,w,fault\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))


TRAIN = ("--label", "fault", "--model", "linear", "--window", "30", "--stride", "10", "--no-baselines", "-o", "m.safetensors")


def test_tables_that_overlap_are_said(tmp_path):
    rows = recording(5000)
    for name, step in (("apart", 406), ("overlapping", 203)):
        for i in range(10):
            write_rows(tmp_path / name / f"{i}.csv", rows[i * step:i * step + 406])
        said = run("train", name, *TRAIN, cwd=tmp_path).stdout
        proof = next(line for line in run("show", "m.safetensors", cwd=tmp_path).stdout.splitlines() if "proof" in line)
        overlaps = name == "overlapping"
        assert ("of the test part stands in the training part, too: tables or rows overlap" in said) == overlaps
        assert ("parts share samples: scores are too good" in said) == overlaps
        assert ("no sample and no window is in two parts" in proof) != overlaps


def test_a_file_that_is_there_twice_counts_once(tmp_path):
    rows = recording(2400)
    for i in range(6):
        write_rows(tmp_path / "runs" / f"u{i}.csv", rows[400 * i:400 * i + 400])
    write_rows(tmp_path / "runs" / "v.csv", rows[400:800])
    done = run("train", "runs", *TRAIN, cwd=tmp_path)
    assert 'series "v" is the same as "u1": it is left out\n' in done.stdout
    windows = re.search(r"(\d+) windows to train, (\d+) to validate.*?, (\d+) to test", done.stdout).groups()
    assert sum(map(int, windows)) == 6 * 38
    assert run("evaluate", "m.safetensors", "runs", "--held-out", cwd=tmp_path).returncode == 0


def test_few_events_are_said(tmp_path):
    def train(events):
        rng = np.random.default_rng(1)
        rows = [(f"{a:.4f}", f"{b:.4f}", 0) for a, b in rng.normal(size=(6000, 2))]
        for k in range(events):
            begin = 500 + k * 5000 // events
            for i in range(begin, begin + 20):
                rows[i] = (f"{float(rows[i][0]) + 4:.4f}", rows[i][1], 1)
        write_rows(tmp_path / "x.csv", rows)
        return run("train", "x.csv", *TRAIN, cwd=tmp_path)

    done = train(6)
    assert re.search(r"the threshold rests on \d events?, and the test scores rest on \d events?: with other data", done.stdout)
    assert re.search(r"to validate \(\d events?\), \d+ to test \(\d events?\)", done.stdout)
    assert "rest on" not in train(50).stdout
    none = train(2)
    assert none.returncode == 2
    assert "(the data has 2 events: training, validation and test need one each)" in none.stderr


def test_labels_of_some_points_only_are_refused(tmp_path):
    write_rows(tmp_path / "x.csv", recording(300))
    run("data", "convert", "x.csv", "x.npz", "--label", "fault", cwd=tmp_path)
    arrays = dict(np.load(tmp_path / "x.npz"))
    arrays["labels"] = arrays["labels"].copy()
    arrays["labels"][:100] = 255
    np.savez(tmp_path / "part.npz", **arrays)
    assert rejected("data", "info", "part.npz", cwd=tmp_path) == (
        "part.npz: expected a label for each point of a series, or for none, found 100 of 300 points of series 1 without one")


def test_a_line_of_units_is_to_be_removed(tmp_path):
    (tmp_path / "x.csv").write_text("temp,flow,fault\ndegC,l/min,-\n20,1.5,0\n")
    assert rejected("data", "info", "x.csv", "--label", "fault", cwd=tmp_path) == (
        'x.csv:2:1: expected a number, found "degC" (no column of this line has a number: if it has units or names, remove '
        "the line)")
    (tmp_path / "x.csv").write_text("temp,flow,fault\n20,1.5,0\n20,Bad,0\n")
    assert "to leave out a column of words: --ignore COLUMN" in rejected("data", "info", "x.csv", "--label", "fault", cwd=tmp_path)
