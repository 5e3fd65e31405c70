"""Tables as people have them, which the program once took for something else, with exit code 0 and without a word."""
import json

import numpy as np
import pytest
from program import rejected, run

SERIES = ("--series", "id", "--label", "kind", "--label-of", "series", "--model", "linear", "--no-baselines")
WINDOWS = ("--label", "hot", "--window", 20, "--stride", 10, "--model", "linear", "--no-baselines")


def write_cases(path, names, count=60, rows=16):
    """Series of two kinds, a tenth of them with a bump; names: of the usual kind, of the other."""
    rng = np.random.default_rng(5)
    lines = ["id,x,y,kind"]
    for i in range(count):
        bump = i % 10 == 0
        for t in range(rows):
            x = np.sin(0.4 * t) + rng.random() + (2 if bump and 8 < t < 12 else 0)
            lines.append(f"s{i},{x:.4f},{rng.random():.4f},{names[bump]}")
    path.write_text("\n".join(lines) + "\n")
    return path


def write_pump(path, step=1, rows=900, seed=1, order=("temp", "flow"), label=True):
    """A sample every `step` seconds of a minute-long rhythm; hot now and then."""
    rng = np.random.default_rng(seed)
    lines = [",".join(["time", *order] + ["hot"] * label)]
    for i in range(rows):
        hot = i % 150 >= 120
        values = {"temp": f"{20 + 5 * hot + rng.random():.3f}", "flow": f"{np.sin(i * step / 10) + rng.random():.3f}"}
        lines.append(",".join([str(1_700_000_000 + i * step), *(values[name] for name in order)] + [str(int(hot))] * label))
    path.write_text("\n".join(lines) + "\n")
    return path


def trained(data, model, *options):
    done = run("train", data, *options, "-o", model)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("usual, other", [("normal", "fault"), ("ok", "bad"), ("Healthy", "anomaly"), ("good", "bad")])
def test_what_is_usual_is_not_what_is_detected(tmp_path, usual, other):
    shown = trained(write_cases(tmp_path / "cases.csv", (usual, other)), tmp_path / "m.safetensors", *SERIES)
    assert f'the class to detect is "{other}": scores are its probabilities (--positive {usual} names another)' in shown
    about = json.loads(run("show", tmp_path / "m.safetensors", "--json").stdout)
    assert about["classes"] == [usual, other]


def test_names_that_say_nothing_keep_their_order(tmp_path):
    shown = trained(write_cases(tmp_path / "cases.csv", ("walk", "run")), tmp_path / "m.safetensors", *SERIES)
    assert 'the class to detect is "walk"' in shown


def test_another_rate_is_said(tmp_path):
    model = tmp_path / "m.safetensors"
    trained(write_pump(tmp_path / "pump.csv"), model, *WINDOWS)
    slow, same = write_pump(tmp_path / "slow.csv", step=2, seed=2), write_pump(tmp_path / "same.csv", seed=2)
    said = "has a sample every 2 s, but the training had one every 1 s: scores may be wrong."
    for arguments, stdin in ((("predict", model, slow), None), (("predict", model, "-"), slow.read_text()),
                             (("evaluate", model, slow), None), (("diagnose", model, slow), None)):
        done = run(*arguments, stdin=stdin)
        assert done.returncode == 0 and said in done.stdout + done.stderr, done.stderr
    for arguments, stdin in ((("predict", model, same), None), (("predict", model, "-"), same.read_text())):
        assert "a sample every" not in run(*arguments, stdin=stdin).stderr


def test_gaps_are_said_before_windows_reach_across_them(tmp_path):
    lines = write_pump(tmp_path / "pump.csv").read_text().splitlines()
    moved = [line if i <= 450 else line.replace(line.split(",")[0], str(int(line.split(",")[0]) + 3600), 1)
             for i, line in enumerate(lines)]
    (tmp_path / "gap.csv").write_text("\n".join(moved) + "\n")
    said = "the times have 1 gap, the longest 1 h 00 min: windows reach across it"
    assert said in trained(tmp_path / "gap.csv", tmp_path / "m.safetensors", *WINDOWS)
    for verb in ("evaluate", "diagnose"):
        assert said in run(verb, tmp_path / "m.safetensors", tmp_path / "gap.csv").stdout


@pytest.mark.parametrize("labels, positive, found", [([1, 0, 1, 0, 0, 2], "leak", '"leak"'), ([1, 0, 0, 0, 0, 1], "1.0", '"1.0"')])
def test_a_label_that_no_array_has(tmp_path, labels, positive, found):
    np.savez(tmp_path / "l.npz", X=np.arange(12.0).reshape(6, 2), y=labels)
    line = rejected("data", "info", tmp_path / "l.npz", "--values", "X", "--axes", "tc", "--label", "y", "--positive", positive)
    assert line.startswith("--positive: expected a label that ") and line.endswith(f"found {found}")


def test_other_numbers_count_as_normal_and_are_said(tmp_path):
    np.savez(tmp_path / "l.npz", X=np.arange(12.0).reshape(6, 2), y=[1, 0, 1, 0, 0, 2])
    done = run("data", "info", tmp_path / "l.npz", "--values", "X", "--axes", "tc", "--label", "y", "--positive", 1)
    assert 'labels other than "1" count as normal: "0", "2"' in done.stdout and "2 of 6 rows anomalous" in done.stdout


@pytest.mark.parametrize("header", ["0,1,2", ",0,1,2"])
def test_names_of_pandas_may_be_a_sample(tmp_path, header):
    cells = header.count(",") + 1
    rows = "\n".join(",".join(str(float(i + c)) for c in range(cells)) for i in range(40))
    (tmp_path / "x.csv").write_text(f"{header}\n{rows}\n")
    line = rejected("data", "info", tmp_path / "x.csv")
    assert line.endswith(f"x.csv:1: expected names of columns, or numbers, found {header}, which may be both "
                         "(names: --header yes; a sample: --header no)")
    for how, count in (("yes", 40), ("no", 41)):
        done = run("data", "info", tmp_path / "x.csv", "--header", how, "--json")
        assert done.returncode == 0 and json.loads(done.stdout)["parts"][0]["rows"] == count, done.stderr


def test_a_row_needs_its_series(tmp_path):
    (tmp_path / "x.csv").write_text("unit,v,lab\na,1,0\n,2,0\nb,3,1\n")
    line = rejected("data", "info", tmp_path / "x.csv", "--series", "unit", "--label", "lab")
    assert line.endswith("x.csv:3:1: expected the name of a series, found an empty cell")


def test_whole_days_are_no_seconds(tmp_path):
    (tmp_path / "x.csv").write_text("time,v\n" + "".join(f"{45000 + i},{i % 7}\n" for i in range(50)))
    line = rejected("data", "info", tmp_path / "x.csv")
    assert "look like days of a spreadsheet" in line and "--time-unit days" in line
    done = run("data", "info", tmp_path / "x.csv", "--time-unit", "s", "--json")
    assert json.loads(done.stdout)["parts"][0]["rate"] == 1


def test_normal_data_in_another_unit_is_said(tmp_path):
    model = tmp_path / "m.safetensors"
    pump = write_pump(tmp_path / "pump.csv")
    trained(pump, model, *WINDOWS)
    rows = [line.split(",") for line in pump.read_text().splitlines()]
    hotter = [rows[0], *([a, str(100 * float(b)), c, d] for a, b, c, d in rows[1:])]
    (tmp_path / "f.csv").write_text("\n".join(map(",".join, hotter)) + "\n")
    done = run("diagnose", model, pump, "--normal", tmp_path / "f.csv")
    assert done.returncode == 0 and "far outside" in done.stdout, done.stdout


@pytest.mark.parametrize("one, other", [("1", "1.0"), ("True", "true"), ("fault", "Fault")])
def test_a_class_has_one_name(tmp_path, one, other):
    lines = write_cases(tmp_path / "x.csv", ("usual", one)).read_text().splitlines()
    lines[-16:] = [line.replace("usual", other) for line in lines[-16:]]
    (tmp_path / "x.csv").write_text("\n".join(lines) + "\n")
    line = rejected("data", "info", tmp_path / "x.csv", *SERIES[:6])
    assert "expected one name for each class" in line and f'"{one}"' in line and f'"{other}"' in line
    assert "spell a label the same everywhere" in line


def test_invalid_is_no_class(tmp_path):
    write_cases(tmp_path / "x.csv", ("usual", "invalid"))
    assert 'expected another name for a class, found "invalid"' in rejected("data", "info", tmp_path / "x.csv", *SERIES[:6])


def test_predictions_need_no_labels(tmp_path):
    model = tmp_path / "m.safetensors"
    cases = write_cases(tmp_path / "cases.csv", ("ok", "bad"))
    trained(cases, model, *SERIES)
    scores = run("predict", model, cases).stdout
    lines = cases.read_text().splitlines()
    for label in ("", "?", "new"):
        lines[1:17] = [line.rsplit(",", 1)[0] + "," + label for line in lines[1:17]]
        (tmp_path / "x.csv").write_text("\n".join(lines) + "\n")
        done = run("predict", model, tmp_path / "x.csv")
        assert done.returncode == 0 and done.stdout == scores, done.stderr


def test_files_of_a_folder_may_lack_the_label_and_have_another_order(tmp_path):
    model, runs = tmp_path / "m.safetensors", tmp_path / "runs"
    trained(write_pump(tmp_path / "pump.csv"), model, *WINDOWS)
    runs.mkdir()
    write_pump(runs / "a.csv", seed=3)
    write_pump(runs / "b.csv", seed=3, order=("flow", "temp"), label=False)
    (runs / "._a.csv").write_bytes(b"\0\5\26\7")  # what macOS leaves on other file systems
    done = run("predict", model, runs)
    assert done.returncode == 0, done.stderr
    rows = [line.split(",", 1) for line in done.stdout.splitlines()[1:]]
    assert {name for name, _ in rows} == {"a", "b"} and done.stderr.count("ignored") <= 1
    of_a, of_b = ([rest.split(",") for name, rest in rows if name == which] for which in "ab")
    assert of_a == of_b and len(of_a) > 80, "the same samples, in columns of another order"


@pytest.mark.parametrize("text, found, hint", [
    ("# made by a logger\ntime,v\n1,2\n", '"# made by a logger"', "remove the lines that begin with #"),
    ("sep=;\na;b\n1;2\n", '"sep=', "remove this line")])
def test_first_lines_that_are_no_table(tmp_path, text, found, hint):
    (tmp_path / "x.csv").write_text(text)
    line = rejected("data", "info", tmp_path / "x.csv")
    assert "x.csv:1: expected names of columns, or numbers, found " + found in line and hint in line


def test_missing_values_are_treated_as_in_training(tmp_path):
    pump, model = write_pump(tmp_path / "pump.csv"), tmp_path / "m.safetensors"
    lines = pump.read_text().splitlines()
    for at in range(5, 800, 60):
        cells = lines[at].split(",")
        lines[at] = ",".join([cells[0], "", *cells[2:]])
    pump.write_text("\n".join(lines) + "\n")
    for how in ("interpolate", "zero", "keep"):
        trained(pump, model, *WINDOWS, "--missing", how)
        shown = json.loads(run("show", model, "--json").stdout)
        assert shown["record"]["data"]["missing"] == how
        said, unsaid = (run("predict", model, pump, *options) for options in (("--missing", how), ()))
        assert unsaid.returncode == 0 and unsaid.stdout == said.stdout, unsaid.stderr
        assert run("evaluate", model, pump).returncode == 0
        assert "expected a number" in rejected("predict", model, pump, "--missing", "error")
    stream = run("predict", model, "-", stdin=pump.read_text())  # of the last, keep
    assert stream.returncode == 0, stream.stderr
