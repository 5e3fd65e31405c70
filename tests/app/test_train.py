"""`faithful train` as a user meets it: a good model from a table, the same bytes whatever happens on the way."""
import json
import os
import re
import signal
import subprocess
import time

import pytest

from program import PROGRAM, rejected, run, write_pump

SMALL = ["--preset", "plain", "--width", "16", "--heads", "2", "--layers", "1", "--window", "20", "--stride", "10"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_pump(tmp_path_factory.mktemp("data") / "pump.csv", 3000)


def train(table, output, *more, **how):
    done = run("train", table, "--time", "time", "--label", "broken", *SMALL, "-o", output, *more, **how)
    assert done.returncode == 0, done.stderr
    return done


def test_ends_with_scores_beside_baselines(table, tmp_path):
    text = train(table, tmp_path / "m.safetensors", "--epochs", "20").stdout
    for word in ["windows to train", "threshold", "Test scores", "this model", "random", "all positive", "linear", "time:"]:
        assert word in text
    assert text.rstrip().endswith("m.safetensors")
    assert not (tmp_path / "m.safetensors.checkpoint").exists()


def test_learns(table, tmp_path):
    out = train(table, tmp_path / "m.safetensors", "--epochs", "40", "--json").stdout
    record = json.loads(out)["record"]
    assert record["test"]["f1"] > record["baselines"]["all positive"]["f1"]
    assert record["test"]["auc_roc"] > 0.7
    assert record["proof"]["shared_samples"] == 0


def test_the_standard_preset_sets_the_training_too(table, tmp_path):
    said = ["train", table, "--time", "time", "--label", "broken", "--window", 150, "--stride", 50, "--steps", 12, "--preset",
            "standard", "--no-baselines", "-o", tmp_path / "m.safetensors"]
    done = run(*said)
    assert done.returncode == 0, done.stderr
    assert "the mean of 2 samples counts as one: --average 2" in done.stdout
    assert "; 12 steps; validation log loss" in done.stdout
    shown = run("show", tmp_path / "m.safetensors").stdout
    assert "means of 2 samples, convolutions of 21 filters over 7, 15, 31 samples, residual blocks: 2" in shown
    options = json.loads(run("show", tmp_path / "m.safetensors", "--json").stdout)["record"]["training"]
    assert (options["steps"], options["batch"], options["select"], options["warp"]) == (12, 16, "last", 0.3)
    assert run("diagnose", tmp_path / "m.safetensors", table, "--most", 1).returncode == 0


def test_threads_change_nothing(table, tmp_path):
    one, two = tmp_path / "one.safetensors", tmp_path / "two.safetensors"
    train(table, one, "--epochs", "3", "--threads", "1")
    train(table, two, "--epochs", "3", "--threads", "2")
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupt_saves_and_says_how_to_go_on(table, tmp_path, stop):
    output = tmp_path / "m.safetensors"
    command = [PROGRAM, "train", table, "--time", "time", "--label", "broken", *SMALL, "-o", output, "--epochs", "5000", "--patience", "0"]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    process.send_signal(stop)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "go on with the same command and --resume" in error
    assert (tmp_path / "m.safetensors.checkpoint").exists() and not output.exists()
    other = rejected("train", table, "--time", "time", "--label", "broken", *SMALL, "-o", output, "--epochs", "4000", "--patience", "0", "--resume")
    assert "epochs" in other


def test_two_trainings_into_one_output_exclude_each_other(table, tmp_path):
    output, link = tmp_path / "m.safetensors", tmp_path / "link.safetensors"
    link.symlink_to(output.name)
    schedule = ["--epochs", "20", "--patience", "0"]
    command = ["train", table, "--time", "time", "--label", "broken", *SMALL, *schedule, "--checkpoint-every", "0"]
    train(table, tmp_path / "alone.safetensors", *schedule)
    first = subprocess.Popen([PROGRAM, *map(str, command), "-o", output], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while not (tmp_path / "m.safetensors.checkpoint").exists():
        assert first.poll() is None
        time.sleep(0.005)
    first.send_signal(signal.SIGSTOP)  # however long the second takes
    before = (tmp_path / "m.safetensors.checkpoint").read_bytes()
    for name in (output, link):
        assert rejected(*command, "-o", name) == \
            f"{name}: expected a file that no other process writes, found one that is in use (wait for its end, or take another)"
    assert (tmp_path / "m.safetensors.checkpoint").read_bytes() == before
    first.send_signal(signal.SIGCONT)
    assert first.wait(timeout=100) == 0, first.stderr.read()
    assert output.read_bytes() == (tmp_path / "alone.safetensors").read_bytes()
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"alone.safetensors", "m.safetensors", "link.safetensors"}


def test_a_lock_that_a_killed_training_left_is_free(table, tmp_path):
    (tmp_path / ".m.safetensors.lock").touch()
    train(table, tmp_path / "m.safetensors", "--epochs", "1")
    assert [path.name for path in tmp_path.iterdir()] == ["m.safetensors"]


def test_without_a_name_the_model_has_that_of_the_data(table, tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "pump.csv").write_bytes(table.read_bytes())
    for data, name in (("runs/pump.csv", "pump.safetensors"), ("runs/", "runs.safetensors")):
        words = ["train", data, "--label", "broken", *SMALL, "--epochs", "1"]
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout.rstrip().endswith(name) and (tmp_path / name).exists(), done.stderr
        before = (tmp_path / name).read_bytes()
        assert rejected(*words, cwd=tmp_path) == f"{name} is there already: -o {name} replaces it, -o FILE writes another file"
        assert (tmp_path / name).read_bytes() == before


def test_resume_needs_the_same_instruction_set(table, tmp_path):
    here = re.search(r"instruction set (\S+) \(of (.*)\)", run("--version").stdout)
    others = [name for name in here[2].split(", ") if name not in (here[1], "ssse3")]
    if not others:
        pytest.skip("one instruction set only")
    command = ["train", table, "--time", "time", "--label", "broken", *SMALL, "-o", tmp_path / "m.safetensors", "--epochs", "5000",
               "--patience", "0", "--checkpoint-every", "0"]
    process = subprocess.Popen([PROGRAM, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    checkpoint = tmp_path / "m.safetensors.checkpoint"
    while not checkpoint.exists():
        assert process.poll() is None
        time.sleep(0.005)
    process.kill()
    process.communicate()
    for other in others:
        assert rejected(*command, "--resume", env={"FAITHFUL_ISA": other}) == \
            f"{checkpoint}: expected a checkpoint made with {other} instructions, found {here[1]} " \
            f"(set FAITHFUL_ISA={here[1]}; without --resume it begins anew)"


@pytest.mark.parametrize("scaler", ["none", "standard", "min-max", "robust"])
def test_every_scaler_is_known_by_its_name(table, tmp_path, scaler):
    done = train(table, tmp_path / "m.safetensors", "--epochs", "1", "--scaler", scaler, "--json")
    assert json.loads(done.stdout)["scaler"]["kind"] == scaler


def test_log_has_a_line_for_every_epoch(table, tmp_path):
    train(table, tmp_path / "m.safetensors", "--epochs", "3", "--log", tmp_path / "log.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2, 3]


@pytest.mark.parametrize(
    "more, says",
    [
        (["-o", "m.bin"], "--output: expected a file name that ends in .safetensors"),
        (["-o", "none/m.safetensors"], "--output: expected a file in a folder that exists"),
        (["-o", "m.safetensors", "--encoding", "sinusoid"], "did you mean sinusoidal?"),
        (["-o", "m.safetensors", "--encoding", "onehot", "--width", "8"], "onehot"),
        (["-o", "m.safetensors", "--heads", "5"], "heads"),
        (["-o", "m.safetensors", "--resume"], "--resume: expected a checkpoint"),
        (["-o", "m.safetensors", "--window", "100000"], "window"),
        (["-o", "m.safetensors", "--split", "given"], "train and test"),
        (["-o", "m.safetensors", "--epochs", "-1"], "--epochs"),
    ],
)
def test_mistakes_get_one_line(table, tmp_path, monkeypatch, more, says):
    monkeypatch.chdir(tmp_path)
    assert says in rejected("train", table, "--time", "time", "--label", "broken", *more)
    assert list(tmp_path.iterdir()) == []


def test_without_labels_it_says_what_to_name(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("a,b\n" + "1,2\n" * 500)
    assert "label" in rejected("train", path, "-o", tmp_path / "m.safetensors")
    assert os.listdir(tmp_path) == ["plain.csv"]


def test_no_signal_no_table(tmp_path):
    """One event cannot be in three parts: a refusal in one line, not a table of zeros."""
    write_pump(tmp_path / "pump.csv", 3000)
    lines = (tmp_path / "pump.csv").read_text().splitlines()
    one = [line if number < 200 else line[:-1] + "0" for number, line in enumerate(lines)]
    (tmp_path / "one.csv").write_text("\n".join(one) + "\n")
    flags = ("--time", "time", "--label", "broken", "--window", 20, "--stride", 10, "--epochs", 1)
    line = rejected("train", "one.csv", *flags, "-o", "m.safetensors", cwd=tmp_path)
    assert "expected windows of both classes in the validation part, found" in line and "0 anomalous" in line, line
    assert rejected("compare", "one.csv", *flags, "--seeds", 2, cwd=tmp_path).startswith("seed 1: ")
    (tmp_path / "short.csv").write_text("\n".join(lines[:120]) + "\n")
    line = rejected("train", "short.csv", "--time", "time", "--label", "broken", "-o", "m.safetensors", cwd=tmp_path)
    assert "(more data, or a shorter --window)" in line and "random" not in line and "--split" not in line, line


def test_event_f1_stands_beside_all_positive(tmp_path):
    write_pump(tmp_path / "pump.csv", 3000)
    flags = ("--label", "broken", "--window", 20, "--stride", 10, "--epochs", 1, "--preset", "plain", "--width", 8)
    done = run("train", "pump.csv", *flags, "--no-baselines", "-o", "m.safetensors", cwd=tmp_path)
    assert "(all positive " in done.stdout, done
    text = run("evaluate", "m.safetensors", "pump.csv", "--label", "broken", "--held-out", cwd=tmp_path).stdout
    assert "events: " in text and "(all positive " in text, text
    normal = [line[:-1] + "0" for line in (tmp_path / "pump.csv").read_text().splitlines()[1:]]
    (tmp_path / "normal.csv").write_text("\n".join(["time,pressure,flow,broken", *normal]) + "\n")
    text = run("evaluate", "m.safetensors", "normal.csv", "--label", "broken", cwd=tmp_path).stdout
    assert 'no window is "anomalous"' in text and "F1 0" not in text, text
    scores = json.loads(run("evaluate", "m.safetensors", "normal.csv", "--label", "broken", "--json", cwd=tmp_path).stdout)
    assert scores["scores"]["f1"] is None and scores["scores"]["events"]["f1"] is None
