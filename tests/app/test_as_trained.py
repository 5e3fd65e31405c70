"""New data is read as the training data was, from a file and from a stream alike; what cannot be is refused or said."""
import csv
import datetime
import json

import numpy as np
import pytest
from program import rejected, run

WINDOWS = ("--label", "state", "--window", 20, "--stride", 10, "--model", "linear", "--no-baselines")
START = 1_700_000_000


def rows_of(count=600, seed=1, fault="leak", other="idle"):
    """(time, temp, flow, state): a temperature that rises in faults; one third of what is normal has another name."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        hot = i % 150 >= 120
        state = fault if hot else (other if i % 3 == 0 else "ok")
        yield START + i, f"{20 + 5 * hot + rng.random():.3f}", f"{np.sin(i / 10) + rng.random():.3f}", state


def write_table(path, rows, names=("time", "temp", "flow", "state"), separator=","):
    path.write_text("\n".join([separator.join(names), *(separator.join(map(str, row)) for row in rows)]) + "\n")
    return path


def train(data, model, *options):
    done = run("train", data, *options, "-o", model)
    assert done.returncode == 0, done.stderr
    return done.stdout


def answers(done):
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(done.stdout.splitlines()))


def scores(done):
    return [float(row["score"]) for row in answers(done)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("as_trained")
    write_table(folder / "pump.csv", rows_of())
    train(folder / "pump.csv", folder / "model.safetensors", *WINDOWS, "--positive", "leak")
    return folder


def predict(folder, data, *options, stdin=None):
    return run("predict", folder / "model.safetensors", data, *options, stdin=stdin)


# Labels

def test_a_label_that_training_did_not_have_is_no_normal_one(folder):
    new = write_table(folder / "new.csv", rows_of(seed=2, fault="leakage"))
    line = rejected("evaluate", folder / "model.safetensors", new)
    assert line.endswith('new.csv:122:4: expected a label that training had: "leak", "idle", "ok", found "leakage" '
                         '(where all but one label are normal: --positive VALUE)')
    assert "normal" in run("evaluate", folder / "model.safetensors", new, "--positive", "leakage").stdout
    assert len(answers(predict(folder, new))) > 50  # a prediction needs no labels


@pytest.mark.parametrize("label", [(), ("--label", "state")])
@pytest.mark.parametrize("normal", ["ok", "idle"])
def test_a_label_that_was_normal_is_not_detected(folder, label, normal):
    for verb in "evaluate", "diagnose":
        line = rejected(verb, folder / "model.safetensors", folder / "pump.csv", "--positive", normal, *label)
        assert line == f'--positive: expected a label that is not normal in training, found "{normal}"'


def test_zero_is_normal_unless_said(folder, tmp_path):
    data = write_table(tmp_path / "bits.csv", [(*row[:3], int(row[3] == "leak")) for row in rows_of()])
    train(data, tmp_path / "bits.safetensors", *WINDOWS)
    for zero in "0", "0.0":
        line = rejected("evaluate", tmp_path / "bits.safetensors", data, "--positive", zero)
        assert line == f'--positive: expected a label that is not normal in training, found "{zero}"'
    assert run("evaluate", tmp_path / "bits.safetensors", data, "--positive", 1).returncode == 0
    data = write_table(tmp_path / "turned.csv", [(*row[:3], int(row[3] != "leak")) for row in rows_of()])
    train(data, tmp_path / "turned.safetensors", *WINDOWS, "--positive", "0")
    assert run("evaluate", tmp_path / "turned.safetensors", data, "--positive", 0).returncode == 0
    assert "not normal in training" in rejected("evaluate", tmp_path / "turned.safetensors", data, "--positive", 1)


def test_labels_that_training_had_need_no_word(folder):
    assert run("evaluate", folder / "model.safetensors", write_table(folder / "same.csv", rows_of(seed=3))).returncode == 0


@pytest.mark.parametrize("cell, found", [("", "an empty cell"), ("nan", '"nan", a missing value'), ("?", '"?", a missing value')])
def test_a_series_without_a_label(tmp_path, cell, found):
    rows = [(f"s{i // 4}", i, cell if 8 <= i < 12 else "ab"[i % 8 // 4]) for i in range(40)]
    data = write_table(tmp_path / "x.csv", rows, ("id", "x", "kind"))
    line = rejected("data", "info", data, "--series", "id", "--label", "kind", "--label-of", "series")
    assert line.endswith(f"x.csv:10:3: expected a label, found {found}")


def test_empty_labels_of_points_are_said(tmp_path):
    rows = [(a, b, c, "" if i % 7 == 0 else d) for i, (a, b, c, d) in enumerate(rows_of(other="ok"))]
    data = write_table(tmp_path / "x.csv", rows)
    done = run("data", "info", data, "--label", "state", "--positive", "leak")
    assert 'labels other than "leak" count as normal: an empty cell, "ok"' in done.stdout


# Streams

@pytest.mark.parametrize("options", [("--axes", "tc"), ("--values", "X"), ("--format", "npz")])
def test_options_that_a_stream_does_not_have(folder, options):
    done = predict(folder, "-", *options, stdin=(folder / "pump.csv").read_text())
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1, done.stderr


@pytest.mark.parametrize("separator, decimal", [(";", ","), ("\t", ","), (";", "."), ("\t", ".")])
def test_a_stream_finds_the_separator_of_a_file(folder, separator, decimal):
    rows = [[str(cell).replace(".", decimal) for cell in row] for row in rows_of(100, seed=4)]
    data = write_table(folder / "cells.csv", rows, separator=separator)
    options = ("--decimal", decimal)
    same = scores(predict(folder, write_table(folder / "plain.csv", rows_of(100, seed=4))))
    assert scores(predict(folder, data, *options)) == same
    stream = answers(predict(folder, "-", *options, stdin=data.read_text()))
    begins = {row["begin"]: float(row["score"]) for row in stream}
    of_file = {row["begin"]: float(row["score"]) for row in answers(predict(folder, data, *options))}
    assert {begin: begins[begin] for begin in of_file} == of_file


def test_a_separator_in_quotes_separates_nothing(folder):
    text = write_table(folder / "quoted.csv", rows_of(30), ("time", '"temp"', '"flow"', '"state;old"')).read_text()
    answers(predict(folder, "-", stdin=text))


def test_a_comma_is_not_both(folder):
    text = (folder / "pump.csv").read_text()
    (folder / "commas.csv").write_text(text)
    wanted = 'expected names with ; or a tab between them, beside a decimal comma, found "time,temp,flow,state"'
    assert wanted in rejected("predict", folder / "model.safetensors", folder / "commas.csv", "--decimal", ",")
    done = predict(folder, "-", "--decimal", ",", "--separator", ",", stdin=text)
    assert done.returncode == 2 and "expected a separator that is not the decimal sign" in done.stderr


def test_a_stream_is_one_series(tmp_path):
    rows = [(f"pump{i // 300}", b, c, d) for i, (_, b, c, d) in enumerate(rows_of())]
    data, model = write_table(tmp_path / "pumps.csv", rows, ("unit", "temp", "flow", "state")), tmp_path / "m.safetensors"
    train(data, model, *WINDOWS, "--positive", "leak", "--series", "unit")
    done = run("predict", model, "-", stdin=data.read_text())
    assert done.returncode == 2
    assert 'standard input:302:1: expected series "pump0", as before, found "pump1" (a stream is one series: ' in done.stderr
    one = "\n".join(data.read_text().splitlines()[:301]) + "\n"
    assert len(answers(run("predict", model, "-", stdin=one))) == 281


def test_gaps_are_said_by_predict(folder):
    rows = [(time + 3600 * (i >= 300), *rest) for i, (time, *rest) in enumerate(rows_of(seed=5))]
    data = write_table(folder / "gap.csv", rows)
    said = "the times have 1 gap, the longest 1 h 00 min: windows reach across it"
    assert said in predict(folder, data).stderr
    done = predict(folder, "-", stdin=data.read_text())
    assert f"sample 300: {said}" in done.stderr
    whole = write_table(folder / "whole.csv", rows_of(seed=5))
    for done in (predict(folder, whole), predict(folder, "-", stdin=whole.read_text())):
        assert "gap" not in done.stderr


@pytest.fixture(scope="module")
def timed(tmp_path_factory):
    """A Transformer whose positions are times."""
    folder = tmp_path_factory.mktemp("timed")
    write_table(folder / "pump.csv", rows_of(600))
    train(folder / "pump.csv", folder / "model.safetensors", "--label", "state", "--positive", "leak", "--window", 20,
          "--stride", 10, "--encoding", "spectral", "--positions", "time", "--preset", "plain", "--width", 16, "--layers", 1, "--heads", 2,
          "--steps", 3, "--no-baselines")
    return folder


def test_times_that_a_model_does_not_take(timed):
    """A window across a gap of years has no answer; the others have theirs, from a file and from a stream."""
    rows = [(time + 3_000_000_000 * (i >= 50), *rest) for i, (time, *rest) in enumerate(rows_of(100, seed=6))]
    data = write_table(timed / "gap.csv", rows)
    for done in (predict(timed, data), predict(timed, "-", stdin=data.read_text())):
        assert done.returncode == 1, done.stderr
        rows = list(csv.DictReader(done.stdout.splitlines()))
        across = [int(row["begin"]) < 50 < int(row["end"]) for row in rows]
        assert any(across) and not all(across)
        for row, bad in zip(rows, across, strict=True):
            assert (row["status"] == "invalid") == bad, row
            assert ("the model does not take the times of the window: " in row["reason"]) == bad, row


GLITCH = 4_000_000_000  # in the year 2096


def with_times(rows, times):
    return [(times.get(i, row[0]), *row[1:]) for i, row in enumerate(rows)]


def test_one_time_far_ahead_ends_no_stream(folder, tmp_path):
    rows = list(rows_of(120, seed=5))
    text = write_table(tmp_path / "glitch.csv", with_times(rows, {50: GLITCH})).read_text()
    done = predict(folder, "-", "--on-error", "skip", stdin=text)
    found = answers(done)
    invalid = [row for row in found if row["status"] == "invalid"]
    assert len(invalid) == 1
    assert f'standard input:53:1: expected times that never decrease, found "{START + 51}"' in invalid[0]["reason"]
    note = "faithful: sample 51: the time goes back from 2096-10-02T07:06:40Z to 2023-11-14T22:14:12Z, and two lines agree: " \
           "the window begins anew"
    assert done.stderr.splitlines().count(note) == 1
    # From there on the answers are those of a stream that begins there.
    rest = answers(predict(folder, "-", stdin=write_table(tmp_path / "rest.csv", rows[52:]).read_text()))
    after = found[found.index(invalid[0]) + 1:]
    assert len(rest) == len(after) == 120 - 52 - 20 + 1
    for key in ("score", "class", "start_time", "end_time"):
        assert [row[key] for row in after] == [row[key] for row in rest]
    assert (after[0]["begin"], after[0]["end"]) == ("51", "71")
    # Without the option, the first such line ends the stream.
    done = predict(folder, "-", stdin=text)
    assert done.returncode == 2 and "standard input:53:1: expected times that never decrease" in done.stderr


def test_one_time_far_back_is_one_bad_line(folder, tmp_path):
    text = write_table(tmp_path / "back.csv", with_times(list(rows_of(120, seed=5)), {50: 86_400, 70: 86_400})).read_text()
    done = predict(folder, "-", "--on-error", "skip", stdin=text)
    assert len(answers(done)) == 118 - 20 + 1 + 2 and "begins anew" not in done.stderr


def test_a_reading_is_named_by_its_number_in_the_stream(folder, tmp_path):
    rows = with_times(list(rows_of(80, seed=5)), {30: GLITCH})
    rows[40] = (rows[40][0], "900", *rows[40][2:])
    text = write_table(tmp_path / "far.csv", rows).read_text()
    found = answers(predict(folder, "-", "--on-error", "skip", stdin=text))
    assert {row["reason"].split(";")[0] for row in found if row["status"] == "out_of_range"} == {"temp reads 900 at sample 39"}


def test_a_window_that_never_fills_is_said(folder, tmp_path):
    text = write_table(tmp_path / "short.csv", with_times(list(rows_of(30, seed=5)), {15: GLITCH})).read_text()
    done = predict(folder, "-", "--on-error", "skip", stdin=text)
    assert "13 samples are fewer than a window of 20: no prediction" in done.stderr


def test_a_stream_without_the_times_that_a_model_needs(folder, tmp_path):
    """With --on-error skip it ended as "out of memory"."""
    model = tmp_path / "times.safetensors"
    train(folder / "pump.csv", model, "--label", "state", "--positive", "leak", "--window", 20, "--stride", 10, "--positions",
          "time", "--encoding", "sinusoidal", "--steps", 2, "--width", 8, "--layers", 1, "--no-baselines")
    text = write_table(tmp_path / "bare.csv", [row[1:3] for row in rows_of(40)], ("temp", "flow")).read_text()
    for options in (), ("--on-error", "skip"):
        done = run("predict", model, "-", *options, stdin=text)
        assert done.returncode == 2 and done.stdout == ""
        assert "standard input: expected times, because the model uses times as positions, found none" in done.stderr


# Columns

def test_numbered_names_in_another_order(tmp_path):
    numbered = [(b, c, d) for _, b, c, d in rows_of()]
    model = tmp_path / "m.safetensors"
    train(write_table(tmp_path / "x.csv", numbered, ("channel_1", "channel_2", "state")), model, *WINDOWS, "--positive", "leak")
    turned = write_table(tmp_path / "turned.csv", [(c, b, d) for b, c, d in numbered], ("channel_2", "channel_1", "state"))
    assert scores(run("predict", model, turned)) == scores(run("predict", model, tmp_path / "x.csv"))


COMMAS = 'lines such as "20,5" are read as two columns (one number with a decimal comma: --decimal ,)'


@pytest.mark.parametrize("text, said", [("20,5\n21,5\n22,7\n", True), ("-20,5\n21,50\n", True), ("20,5\n", True),
                                        ("20,5\n21,5.5\n", False), ("20,5\n21,-5\n", False), ("20,5.0\n21,5\n", False),
                                        ("20.5,5\n21,5\n", False), ("20,5,1\n21,5,2\n", False), ("20;5\n21;5\n", False),
                                        ("a,b\n20,5\n21,5\n", False)])
def test_one_column_with_decimal_commas(tmp_path, text, said):
    data = tmp_path / "de.csv"
    data.write_text(text)
    done = run("data", "info", data)
    assert done.returncode == 0 and (COMMAS.replace("20,5", text.split()[0]) in done.stdout) == said, done.stdout
    assert "decimal comma" not in run("data", "info", data, "--decimal", ".").stdout
    if said:
        assert "channels           1: channel_1" in run("data", "info", data, "--decimal", ",").stdout


def test_two_columns_with_roles_are_two(tmp_path):
    (tmp_path / "x.csv").write_text("20,1\n21,0\n")
    assert "decimal comma" not in run("data", "info", tmp_path / "x.csv", "--label", 2).stdout
    assert "decimal comma" not in run("data", "info", tmp_path / "x.csv", "--separator", ",").stdout


def test_dates_without_a_name_are_found_and_said(folder, tmp_path):
    rows = [(b, c) for _, b, c, _ in rows_of(60, seed=7)]
    named = write_table(tmp_path / "named.csv", rows, ("temp", "flow"))
    dated = tmp_path / "dated.csv"
    dated.write_text("".join(f"2024-03-30T00:{i:02}:00,{b},{c}\n" for i, (b, c) in enumerate(rows)))
    done = predict(folder, dated)
    assert 'column "1" is taken as the time (another column: --time COLUMN; none: --time none)' in done.stderr
    assert scores(done) == scores(predict(folder, named))


def test_files_of_one_name_are_two_series(folder, tmp_path):
    runs = tmp_path / "runs"
    (runs / "june").mkdir(parents=True)
    (runs / "may").mkdir()
    for name in ("a.csv", "a.tsv", "june/a.csv", "may/a.csv"):
        write_table(runs / name, rows_of(60), separator="\t" if name.endswith("tsv") else ",")
    assert {row["series"] for row in answers(predict(folder, runs))} == {"a.csv", "a.tsv", "june/a", "may/a"}


# What is written can be read again

def read_again(done, path):
    """What `data info` says of the file, by the settings that the conversion named."""
    said = next((line for line in (done.stdout + done.stderr).splitlines() if "read it with " in line), None)
    assert said is not None, done.stdout
    return json.loads(run("data", "info", path, *said.split("read it with ")[1].split(), "--json").stdout)


@pytest.mark.parametrize("names, options", [(("time", "b"), ("--time", "none")), (("1", "2"), ("--header", "yes"))])
def test_written_names_that_look_like_something_else(tmp_path, names, options):
    data = write_table(tmp_path / "x.csv", [(i, i % 5) for i in range(40)], names)
    done = run("data", "convert", data, *options, tmp_path / "y.csv")
    assert done.returncode == 0, done.stderr
    about = read_again(done, tmp_path / "y.csv")
    assert ([channel["name"] for channel in about["parts"][0]["channels"]], about["parts"][0]["rows"]) == (list(names), 40)


def test_spans_of_another_clock(tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "a.csv").write_text("time,v\n" + "".join(f"2024-03-30T00:{i:02}:00Z,{i % 5}\n" for i in range(60)))
    def info(*ends):
        (runs / "combined_windows.json").write_text(json.dumps({"a.csv": [list(ends)]}))
        return run("data", "info", runs)
    assert info("2024-03-30T00:10:00Z", "2024-03-30T00:20:00Z").returncode == 0
    done = info("2024-03-30 00:10:00", "2024-03-30 00:20:00")
    assert done.returncode == 2
    assert "expected times with their offset from UTC, as the table has them, found 2024-03-30T00:10:00" in done.stderr
    done = info("2024-03-30T00:10:00Z", "2024-03-30 00:20:00")
    assert done.returncode == 2 and "expected both ends with an offset from UTC, or both without" in done.stderr


# Times

def write_log(path, step=20, rows=600, seed=1, time_format="%Y-%m-%d %H:%M:%S", gap=0, names=("time", "temp", "flow", "state")):
    """A sample every `step` seconds; after each 100 of them nobody watches for `gap` days."""
    start = datetime.datetime(2024, 3, 30)
    rows = [((start + datetime.timedelta(seconds=step * i, days=gap * (i // 100))).strftime(time_format), *rest)
            for i, (_, *rest) in enumerate(rows_of(rows, seed))]
    return write_table(path, rows, names)


def test_a_clock_of_minutes_has_a_rate_and_gaps(tmp_path):
    """Times that are coarser than the samples mostly stand still: no rate, no gap was seen."""
    minutes = "%Y-%m-%d %H:%M"
    models = {}
    for name, form in (("exact", "%Y-%m-%d %H:%M:%S"), ("coarse", minutes)):
        models[name] = tmp_path / f"{name}.safetensors"
        train(write_log(tmp_path / f"{name}.csv", time_format=form), models[name], *WINDOWS, "--positive", "leak")
    slow, gaps = write_log(tmp_path / "slow.csv", step=600), write_log(tmp_path / "gaps.csv", time_format=minutes, gap=30)
    for model in models.values():
        assert "has a sample every 600 s, but the training had one every 20 s" in run("predict", model, slow).stderr
    info = run("data", "info", gaps, "--label", "state", "--positive", "leak").stdout
    assert "one sample every 20." in info and "5 gaps, the longest 30 d 00 h" in info
    for done in (run("predict", models["exact"], gaps), run("predict", models["coarse"], gaps)):
        assert "the times have 5 gaps, the longest 30 d 00 h" in done.stderr


def test_a_date_without_its_time_of_day_is_no_time(folder, tmp_path):
    whole = write_log(tmp_path / "whole.csv")
    lines = [line.replace(" ", ",", 1) for line in whole.read_text().splitlines()[1:]]
    for header in ("Date,Time", "day,clock"):
        (tmp_path / "two.csv").write_text("\n".join([f"{header},temp,flow,state", *lines]) + "\n")
        first, second = header.split(",")
        wanted = (f'two.csv: expected dates and times of day in one column, found two: "{first}", "{second}" '
                  "(join them into one, or take one as the time: --time COLUMN)")
        for arguments in (("data", "info", tmp_path / "two.csv", "--label", "state", "--positive", "leak"),
                          ("train", tmp_path / "two.csv", *WINDOWS, "--positive", "leak", "-o", tmp_path / "m.safetensors"),
                          ("predict", folder / "model.safetensors", tmp_path / "two.csv")):
            assert rejected(*arguments).endswith(wanted)
    assert predict(folder, tmp_path / "two.csv", "--time", "none").returncode == 0


def test_a_table_of_several_machines_says_so(folder, tmp_path):
    rows = [(time, unit, *rest) for time, *rest in rows_of(300, seed=8) for unit in "AB"]
    data = write_table(tmp_path / "long.csv", rows, ("time", "unit", "temp", "flow", "state"))
    for verb in ("predict", "evaluate"):
        done = run(verb, folder / "model.safetensors", data)
        said = done.stdout + done.stderr
        assert 'are ignored: "unit" (where one of them tells series apart: --series COLUMN)' in said
        assert "has a sample every 0.5 s, but the training had one every 1 s" in said
    assert {row["series"] for row in answers(predict(folder, data, "--series", "unit"))} == {"A", "B"}


# Thresholds

def test_a_sure_model_has_a_threshold_that_a_weaker_fault_reaches(tmp_path):
    """The scores of a linear model of faults that a line separates are 1 to the last bit; those of others need not be."""
    def fleet(path, seed, rise):
        rng = np.random.default_rng(seed)
        rows = [(unit, f"{20 + rise * hot + rng.normal():.4f}", f"{0.1 * rise * hot + 0.2 * rng.normal():.4f}", hot)
                for unit in "ABCDEF" for i in range(700) for hot in [int(i % 100 >= 80)]]
        return write_table(path, rows, ("unit", "temp", "flow", "state"))
    model = tmp_path / "m.safetensors"
    train(fleet(tmp_path / "may.csv", 1, 12), model, *WINDOWS, "--series", "unit")
    threshold = json.loads(run("show", model, "--json").stdout)["threshold"]
    assert 0.01 < threshold["value"] < 0.99
    done = run("evaluate", model, fleet(tmp_path / "june.csv", 2, 8), "--json")
    assert json.loads(done.stdout)["scores"]["recall"] > 0.95, done.stdout


# Training data

def test_a_part_of_the_training_data_is_known_again(tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    for i in range(6):
        write_table(runs / f"{i}.csv", rows_of(600, seed=10 + i))
    model = tmp_path / "m.safetensors"
    train(runs, model, *WINDOWS, "--positive", "leak")
    def said(data):
        done = run("evaluate", model, data)
        assert done.returncode == 0, done.stderr
        return done.stdout
    assert "the model was trained on this data, so the scores are too good" in said(runs)
    shares = [said(runs / f"{i}.csv") for i in range(6)]
    known = [i for i in range(6) if "% of the data that the model was trained on is in this data" in shares[i]]
    assert len(known) == 4, "two of six are held out"
    lines = (runs / f"{known[0]}.csv").read_text().splitlines()
    (tmp_path / "less.csv").write_text("\n".join([lines[0], *lines[2:]]) + "\n")
    assert " % of the data that the model was trained on" in said(tmp_path / "less.csv")
    assert "trained on" not in said(write_table(tmp_path / "new.csv", rows_of(600, seed=30)))


# What a model has not seen

def test_a_constant_that_moves_is_out_of_range(tmp_path):
    """100000 in all of the training, then 100090: 90 deviations to the model, which does not scale a constant."""
    def table(name, level):
        return write_table(tmp_path / name, [(b, c, level, d) for _, b, c, d in rows_of()], ("temp", "flow", "level", "state"))
    model = tmp_path / "m.safetensors"
    train(table("x.csv", 100000), model, *WINDOWS, "--positive", "leak")
    for level, status in ((100000, "ok"), (100000.0625, "ok"), (100001, "out_of_range"), (100090, "out_of_range")):
        assert {row["status"] for row in answers(run("predict", model, table("new.csv", level)))} == {status}, level


def test_one_missing_value_does_not_excuse_a_dead_sensor(tmp_path):
    rows = [list(row) for row in rows_of()]
    for row in rows[::97]:
        row[1] = ""
    model = tmp_path / "m.safetensors"
    train(write_table(tmp_path / "x.csv", rows), model, *WINDOWS, "--positive", "leak", "--missing", "keep")
    dead = write_table(tmp_path / "dead.csv", [(a, "", c, d) for a, _, c, d in rows_of(60, seed=9)])
    said = "temp has no reading; in training every window had one"
    for done in (run("predict", model, dead), run("predict", model, "-", stdin=dead.read_text())):
        assert {(row["status"], row["reason"]) for row in answers(done)} == {("out_of_range", said)}


def test_what_no_window_covers_is_said(folder, tmp_path):
    rows = [(*row[:3], "leak" if i >= 112 or 40 <= i < 50 else "ok") for i, row in enumerate(rows_of(119, seed=4))]
    done = run("evaluate", folder / "model.safetensors", write_table(tmp_path / "end.csv", rows))
    assert "9 of 17 anomalous samples lie in no window" not in done.stdout
    assert "7 of 17 anomalous samples lie in no window, and are not scored" in done.stdout
    assert "lie in no window" not in run("evaluate", folder / "model.safetensors", folder / "pump.csv").stdout


def test_the_usual_stride_leaves_no_samples_out(tmp_path):
    data, model = write_table(tmp_path / "x.csv", rows_of()), tmp_path / "m.safetensors"
    options = ("--label", "state", "--positive", "leak", "--model", "linear", "--no-baselines")
    train(data, model, *options, "--window", 10)
    assert json.loads(run("show", model, "--json").stdout)["window"]["stride"] == 10
    said = train(data, model, *options, "--window", 10, "--stride", 15)
    assert "the model never sees the 5 samples between two windows: --stride is larger than --window" in said
