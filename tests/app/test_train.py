"""`faithful train` as a user meets it: a good model from a table, the same bytes whatever happens on the way."""
import json
import os
import random
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


def test_threads_change_nothing(table, tmp_path):
    one, two = tmp_path / "one.safetensors", tmp_path / "two.safetensors"
    train(table, one, "--epochs", "3", "--threads", "1")
    train(table, two, "--epochs", "3", "--threads", "2")
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.unsanitized("takes minutes; the moments of the kills are the same without them")
@pytest.mark.parametrize("attempt", range(int(os.environ.get("FAITHFUL_KILL_RUNS", "3"))))
def test_killed_and_resumed_is_the_same(table, tmp_path, attempt):
    whole, pieces = tmp_path / "whole.safetensors", tmp_path / "pieces.safetensors"
    epochs = ["--epochs", "60", "--patience", "0", "--no-baselines"]
    begin = time.monotonic()
    train(table, whole, *epochs)
    duration = time.monotonic() - begin
    command = [PROGRAM, "train", table, "--time", "time", "--label", "broken", *SMALL, "-o", pieces, *epochs]
    command += ["--checkpoint-every", "0"]
    checkpoint, moments, kills = tmp_path / "pieces.safetensors.checkpoint", random.Random(attempt), 0
    for _ in range(100):
        resume = ["--resume"] if checkpoint.exists() else []
        process = subprocess.Popen([*map(str, command), *resume], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if kills < 6:
            time.sleep(moments.uniform(0.05, 0.6) * duration)
        else:
            process.wait(timeout=100)
        killed = process.poll() is None
        if killed:
            process.send_signal(signal.SIGKILL)
        error = process.communicate()[1].decode()
        if not killed:
            assert process.returncode == 0, error
            break
        kills += 1
    assert kills > 0
    assert whole.read_bytes() == pieces.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir() if ".checkpoint" not in p.name) == ["pieces.safetensors", "whole.safetensors"]


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
        (["-o", "m.safetensors", "--epochs", "0"], "--epochs"),
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
