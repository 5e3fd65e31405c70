"""diagnose on a small simulated lift and on a table, as a user calls it."""
import importlib.machinery
import importlib.util
import json
import math
import random

import numpy as np
import pytest
from program import SOURCE, rejected, run

SMALL = ("--preset", "plain", "--width", 16, "--heads", 2, "--layers", 1, "--epochs", 8, "--no-baselines")
MEASURES = ["hit@1", "hit@3", "hit@100%", "hit@150%", "pointing", "overlap"]


def write_pump(path, seed, count=1600, faults=True):
    """Three sensors of noise; in the labelled spans the second one is far too high."""
    draw = random.Random(seed)
    lines = ["time,flow,pressure,speed,broken"]
    for t in range(count):
        broken = faults and t % 200 >= 180
        values = [draw.gauss(0, 1), draw.gauss(0, 1) + 6 * broken, math.sin(0.3 * t)]
        stamp = f"2024-05-01T{t // 3600:02}:{t // 60 % 60:02}:{t % 60:02}Z"
        lines.append(",".join([stamp] + [f"{v:.5f}" for v in values] + [str(int(broken))]))
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diagnose")
    write_pump(folder / "pump.csv", 1)
    write_pump(folder / "june.csv", 2, 600)
    write_pump(folder / "good.csv", 3, 400, faults=False)
    done = run("train", "pump.csv", "--time", "time", "--label", "broken", *SMALL, "--window", 30, "--stride", 10, "-o",
               "pump.safetensors", cwd=folder)
    assert done.returncode == 0, done.stderr
    done = run("data", "elevator", "--trips", 60, "--anomalies", 50, "--test-trips", 16, "--samples", 120, "--channels", 6,
               "--faults", "dropout", "--seed", 4, "-o", "lift.npz", cwd=folder)
    assert done.returncode == 0, done.stderr
    done = run("train", "lift.npz", *SMALL, "--segment", 10, "--folds", 2, "-o", "lift.safetensors", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def diagnosed(folder, *arguments):
    done = run("diagnose", *arguments, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_finds_the_sensor_and_the_time(folder):
    found = diagnosed(folder, "pump.safetensors", "june.csv", "--time", "time", "--label", "broken")
    real = [alarm for alarm in found["alarms"] if not alarm["truth"]["false_alarm"]]
    assert len(real) == 3
    for alarm in real:
        assert [entry["sensor"] for entry in alarm["sensors"]][0] == "pressure"
        assert alarm["methods"]["attention"]["sensors"] is None  # this form cannot say
        assert alarm["methods"]["occlusion"]["sensors"][0]["sensor"] == "pressure"
        assert sum(entry["share"] for entry in alarm["sensors"]) == pytest.approx(1)
        span, truth = alarm["spans"][0], alarm["truth"]["spans"][0]
        assert max(span["begin"], truth["begin"]) < min(span["end"], truth["end"])
        assert span["start_time"].startswith("2024-05-01T00:0")
        assert alarm["advice"].startswith("june, 2024-05-01T00:0") and "Look first at pressure, 2024" in alarm["advice"]
    assert found["scores"]["alarms"] == 3 and found["scores"]["with_sensors"] == 0  # the labels name no sensors
    methods = found["scores"]["methods"]
    assert methods["together"]["pointing"]["value"] == 1 and methods["together"]["hit@1"] is None
    assert methods["random"]["pointing"]["value"] < 1
    assert "windows of this data that raise no alarm" in found["normal"]
    text = run("diagnose", "pump.safetensors", "june.csv", "--time", "time", "--label", "broken", cwd=folder).stdout
    assert "The fault according to the labels: 2024-05-01T00:0" in text, text


def test_what_is_normal_can_be_given(folder):
    arguments = ("pump.safetensors", "june.csv", "--time", "time", "--label", "broken", "--normal", "good.csv")
    assert "of good" in diagnosed(folder, *arguments)["normal"]
    lines = (folder / "june.csv").read_text().splitlines()
    (folder / "short.csv").write_text("\n".join([lines[0]] + lines[171:202]) + "\n")
    short = diagnosed(folder, "pump.safetensors", "short.csv", "--time", "time", "--label", "broken")
    assert "as the model's scaler knows it" in short["normal"]  # too little data to know better
    assert short["alarms"][0]["sensors"][0]["sensor"] == "pressure"


def test_threads_and_labels_change_no_answer(folder):
    arguments = ("diagnose", "pump.safetensors", "june.csv", "--json")
    one = run(*arguments, "--threads", 1, "--ignore", "broken", cwd=folder).stdout
    two = run(*arguments, "--threads", 2, "--ignore", "broken", cwd=folder).stdout
    assert one == two and '"scores": null' in one
    labelled = diagnosed(folder, "pump.safetensors", "june.csv", "--label", "broken")
    assert [alarm["sensors"] for alarm in labelled["alarms"]] == [alarm["sensors"] for alarm in json.loads(one)["alarms"]]


def names_in(page):
    return {path.name for path in page.iterdir()}


def test_figures_of_an_earlier_page_are_removed(folder):
    """A script that globs channels-*.csv took an alarm for one that never was."""
    page = folder / "pages"
    arguments = ("diagnose", "pump.safetensors", "june.csv", "--label", "broken", "-o", page)
    figures = {f"{what}-{i}.{ending}" for what in ("channels", "when", "occlusion", "heads") for i in (1, 2, 3)
               for ending in ("csv", "svg")}
    assert run(*arguments, "--shown", 3, cwd=folder).returncode == 0
    assert names_in(page) == figures | {"diagnosis.json", "report.html"}
    mine = {"channels-9.csv": "time,flow\n1,2\n", "channels-9.svg": "<svg/>", "channels-3-old.csv": "panel,curve,x,y,low,high,value\n",
            "when-03.csv": "panel,curve,x,y,low,high,value\n", "when-7.svg": "<svg/>", "notes.txt": "",
            "timeline-5.csv": "panel,curve,x,y,low,high,value\n"}
    for name, text in mine.items():
        (page / name).write_text(text)
    assert run(*arguments, "--shown", 1, cwd=folder).returncode == 0
    assert names_in(page) == {name for name in figures if "-1." in name} | {"diagnosis.json", "report.html"} | set(mine)
    assert {name: (page / name).read_text() for name in mine} == mine
    done = run("evaluate", "pump.safetensors", "june.csv", "-o", page, cwd=folder)
    assert done.returncode == 0 and "timeline-5.csv" not in names_in(page) and "timeline-1.csv" in names_in(page)
    assert set(mine) - names_in(page) == {"timeline-5.csv"}


def test_a_page_without_alarms_replaces_one_with_some(folder):
    arguments = ("diagnose", "pump.safetensors", "june.csv", "--label", "broken", "-o", "calm")
    assert run(*arguments, cwd=folder).returncode == run(*arguments, "--above", 1, cwd=folder).returncode == 0
    assert names_in(folder / "calm") == {"diagnosis.json", "report.html"}


def test_a_picture_that_is_not_drawn_again_is_removed(folder, tmp_path):
    arguments = ("diagnose", "pump.safetensors", "june.csv", "--label", "broken", "--shown", 1, "-o", "undrawn")
    assert run(*arguments, cwd=folder).returncode == 0
    done = run(*arguments, cwd=folder, env={"PATH": str(tmp_path)})
    assert done.returncode == 0 and "gnuplot was not found" in done.stderr
    assert names_in(folder / "undrawn") == {"channels-1.csv", "when-1.csv", "occlusion-1.csv", "heads-1.csv",
                                            "diagnosis.json", "report.html"}


def test_lift_is_scored_with_its_known_faults(folder):
    arguments = ("lift.safetensors", "lift.npz", "--part", "test", "--above", 0, "--normal", "lift.npz")
    found = diagnosed(folder, *arguments, "-o", "page")
    assert found["found"] == 16 and len(found["alarms"]) == 16 and found["scores"]["with_sensors"] == 8
    assert found["normal"].startswith("the mean, sample by sample, of the 30 windows")
    for name in ("together", "occlusion", "gradient", "largest peak", "largest mean", "random"):
        for measure in MEASURES:
            entry = found["scores"]["methods"][name][measure]
            assert 0 <= entry["interval"][0] <= entry["value"] <= entry["interval"][1] <= 1
    assert found["scores"]["methods"]["random"]["hit@1"]["value"] == pytest.approx(1 / 6)
    for alarm in found["alarms"]:
        truth = alarm["truth"]
        if truth["false_alarm"]:
            continue
        assert truth["kinds"] == ["dropout"] and len(truth["sensors"]) == 1
        assert truth["measures"]["hit@1"] == (alarm["sensors"][0]["sensor"] == truth["sensors"][0])
    text = run("diagnose", *arguments, "--shown", 1, cwd=folder).stdout
    for part in ("Look first at ", "Sensors, most suspect first", "Times that stand out", "Do the methods agree?",
                 "Alarms, surest first", "Were the diagnoses right?", "largest peak", "random"):
        assert part in text, text
    page = (folder / "page/report.html").read_text()
    assert page.count("<figure") == 3 * 4 and "attention shows only when" in page and "Were the diagnoses right?" in page
    assert json.loads((folder / "page/diagnosis.json").read_text()) == found


def test_dfstrans_says_where_by_attention_too(folder):
    done = run("train", "lift.npz", "--model", "dfstrans", "--segment", 20, "--filters", 4, "--stages", 2, "--heads", 2,
               "--feed-forward", 16, "--head-hidden", 8, "--epochs", 2, "--folds", 2, "--no-baselines", "-o",
               "df.safetensors", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = diagnosed(folder, "df.safetensors", "lift.npz", "--part", "test", "--above", 0, "--shown", 1, "-o", "df")
    assert len(found["alarms"]) == 16
    for alarm in found["alarms"]:
        attention = alarm["methods"]["attention"]
        assert sum(entry["weight"] for entry in attention["sensors"]) == pytest.approx(1, abs=1e-4)
        assert sum(attention["times"]) == pytest.approx(1, abs=1e-4) and len(attention["times"]) == 6
        assert all(pair["sensors"] is not None for pair in alarm["agreement"])
    assert found["scores"]["methods"]["attention"]["hit@1"] is not None
    page = (folder / "df/report.html").read_text()
    assert page.count("<figure") == 5 and "Which sensor attends to which" in page


def test_of_many_classes_one_is_looked_for(folder):
    draw = random.Random(3)
    series = [f"s{i},{math.sin((i % 3 + 1) * 0.3 * t) + 0.1 * draw.gauss(0, 1):.5f},{draw.gauss(0, 1):.5f},kind{i % 3}"
              for i in range(30) for t in range(20)]
    (folder / "waves.csv").write_text("name,x,y,kind\n" + "\n".join(series) + "\n")
    read = ("--label", "kind", "--label-of", "series")
    done = run("train", "waves.csv", "--series", "name", *read, *SMALL, "-o", "waves.safetensors", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert rejected("diagnose", "waves.safetensors", "waves.csv", "--series-column", "name", *read, cwd=folder) == (
        "--class: expected a class that the model knows, found none (known: kind0, kind1, kind2)")
    found = diagnosed(folder, "waves.safetensors", "waves.csv", "--series-column", "name", *read, "--class", "kind2",
                      "--above", "0.1", "--series", "s2")
    assert found["class"] == "kind2" and [alarm["series"] for alarm in found["alarms"]] == ["s2"]


def test_held_out_is_what_evaluate_holds_out(folder):
    arguments = ("pump.safetensors", "pump.csv", "--time", "time", "--label", "broken", "--held-out")
    found = diagnosed(folder, *arguments)
    evaluated = json.loads(run("evaluate", *arguments, "--json", cwd=folder).stdout)
    assert 0 < found["scores"]["alarms"] <= evaluated["scores"]["events"]["events"] < 8
    assert "expected the data that the model was trained on" in rejected(
        "diagnose", "pump.safetensors", "june.csv", "--time", "time", "--label", "broken", "--held-out", cwd=folder)


def test_one_series_by_name_or_number(folder):
    arguments = ("lift.safetensors", "lift.npz", "--part", "test", "--above", 0)
    by_name = diagnosed(folder, *arguments, "--series", "test trip 3")
    assert [alarm["series"] for alarm in by_name["alarms"]] == ["test trip 3"]
    assert diagnosed(folder, *arguments, "--series", "3") == by_name
    assert len(diagnosed(folder, *arguments, "--most", 5)["alarms"]) == 5


def test_no_alarm_says_what_to_do(folder):
    done = run("diagnose", "pump.safetensors", "good.csv", "--above", 1, "-o", "nothing", cwd=folder)
    assert done.returncode == 0
    line, page = done.stdout.splitlines()[-2:]
    assert line in (folder / page).read_text()
    assert line.startswith("no alarm: the highest score is ") and "below the threshold 1" in line
    above = line.split("--above ")[1].split()[0]
    assert run("diagnose", "pump.safetensors", "good.csv", "--above", above, cwd=folder).stdout.count("Look first at") == 1


def test_mistakes(folder):
    assert rejected("diagnose", "lift.safetensors", "june.csv", cwd=folder).startswith("june.csv: expected channels ")
    assert rejected("diagnose", "pump.safetensors", "june.csv", "--series", "time", cwd=folder) == (
        '--series: expected the name of a series, or a number from 1 to 1, found "time" '
        "(a column that names the series of each row: --series-column)")
    assert rejected("diagnose", "pump.safetensors", "june.csv", "--class", "anomalos", cwd=folder) == (
        '--class: expected a class that the model knows, found "anomalos" (did you mean anomalous?)')
    assert rejected("diagnose", "pump.csv", "june.csv", cwd=folder).startswith("pump.csv: ")
    assert rejected("diagnose", "pump.safetensors", "june.csv", "--normal", "absent.csv", cwd=folder).startswith("absent.csv: ")


def test_twins_give_the_exact_evidence():
    """bench/diagnosis_twins.py: of a model whose logit is a, or b, above a half, each alone is enough."""
    loader = importlib.machinery.SourceFileLoader("twins", str(SOURCE / "bench" / "diagnosis_twins.py"))
    twins = importlib.util.module_from_spec(importlib.util.spec_from_loader("twins", loader))
    loader.exec_module(twins)
    window, twin = np.array([[1.0, 1.0, 5.0]]), np.array([[0.0, 0.0, 7.0]])
    every = np.concatenate([window[None], twin[None], twins.exchanged(window, twin), twins.exchanged(twin, window)])
    assert every[2].tolist() == [[0, 1, 5]] and every[7].tolist() == [[0, 0, 5]]
    logits = np.where((every[:, 0, :2] > .5).any(axis=1), 4.0, -4.0)
    evidence = twins.exact_evidence(window, twin, logits)
    assert evidence.tolist() == [4, 4, 0]
    assert twins.scores(0, {1}, evidence) == (0, 1, 1) and twins.scores(2, {2}, evidence) == (1, 0, 1)
    assert next(twins.fault_rows({"slip": [(logits[:4], evidence)]}, "abc")) == (
        "slip | 1 | 4.0 | -4.0 | 4.0 | 4.0 | a 4.0, b 4.0, c 0.0")
