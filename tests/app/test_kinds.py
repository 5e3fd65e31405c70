"""Kinds of models, ensembles and presets, as a user calls them."""
import json

import pytest
from program import rejected, run
from test_predict import parsed, rows, write_table

WINDOWS = ("--time", "time", "--label", "broken", "--window", 16, "--stride", 8, "--no-baselines")
KINDS = {"auto": [], "linear": ["--model", "linear"], "ensemble": ["--ensemble", 2, "--steps", 15],
         "best": ["--preset", "best", "--steps", 15]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    write_table(folder / "pump.csv", rows(1600, 1))
    write_table(folder / "june.csv", rows(320, 2))
    write_table(folder / "bare.csv", rows(200, 2), label=False, stamps=False)
    for name, options in KINDS.items():
        done = run("train", "pump.csv", *WINDOWS, *options, "-o", f"{name}.safetensors", cwd=folder)
        assert done.returncode == 0, done.stderr
        (folder / f"{name}.txt").write_text(done.stdout)
    return folder


def about(folder, name):
    return json.loads(run("show", f"{name}.safetensors", "--json", cwd=folder).stdout)


def test_auto_shows_the_contest_and_keeps_the_winner(folder):
    shown = (folder / "auto.txt").read_text()
    assert "Kinds of models on" in shown and " is kept: " in shown
    record = about(folder, "auto")["record"]
    contest = record["contest"]["rows"]
    assert [row["name"] for row in contest] == ["Transformer", "kernels", "linear"] and record["contest"]["measure"] == "AUC-PR"
    better = [row for row in contest if row["difference"] > row["error"]]
    winner = max(better, key=lambda row: row["difference"])["name"] if better else "Transformer"
    assert [row["name"] for row in contest if row["kept"]] == [winner] and f"{winner} is kept: " in shown
    assert {"Transformer": "config", "kernels": "kernels", "linear": "linear"}[winner] in about(folder, "auto")


def test_show_describes_each_kind(folder):
    assert "logistic regression on 15 summaries" in run("show", "linear.safetensors", cwd=folder).stdout
    best = run("show", "best.safetensors", cwd=folder).stdout
    assert "mean of 4 models" in best and best.count("member ") == 4 and "ridge classifier" in best
    weights = [member["weight"] for member in about(folder, "best")["ensemble"]["members"]]
    assert abs(sum(weights) - 1) < 1e-12 and len(set(weights[:3])) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_done_with_a_model(folder, kind):
    model = f"{kind}.safetensors"
    batch = {row["begin"]: row["score"] for row in parsed(run("predict", model, "bare.csv", cwd=folder).stdout)}
    done = run("predict", model, "-", cwd=folder, stdin=(folder / "bare.csv").read_text())
    stream = {row["begin"]: row["score"] for row in parsed(done.stdout)}
    assert len(batch) == 24 and {begin: stream[begin] for begin in batch} == batch
    done = run("evaluate", model, "june.csv", "-o", f"page-{kind}", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "log loss" in done.stdout and (folder / f"page-{kind}" / "report.html").exists()
    done = run("diagnose", model, "june.csv", "--threshold", 0.3, "--most", 1, cwd=folder)
    assert done.returncode == 0 and "Look first at" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["ensemble", "best"])
def test_same_bytes_on_any_threads(folder, kind):
    done = run("train", "pump.csv", *WINDOWS, *KINDS[kind], "--threads", 1, "-o", "one.safetensors", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "one.safetensors").read_bytes() == (folder / f"{kind}.safetensors").read_bytes()
    assert not list(folder.glob("*.checkpoint"))


@pytest.mark.unsanitized("twelve trainings of 1,200 steps")
def test_the_transformer_of_auto_is_that_of_encoder(tmp_path):
    """Three shapes that a Transformer learns and summaries do not: auto keeps it, with the bits of --model encoder."""
    header = "@problemName turns\n@timeStamps false\n@univariate true\n@equalLength true\n@seriesLength 16\n@classLabel true a b\n@data\n"
    for part, count in (("TRAIN", 24), ("TEST", 12)):
        lines = [",".join(str((j + i) % 16 if i % 2 else 15 - (j + i) % 16) for j in range(16)) + ":" + "ab"[i % 2] for i in range(count)]
        (tmp_path / f"turns_{part}.ts").write_text(header + "\n".join(lines) + "\n")
    said = {}
    for kind in ("auto", "encoder"):
        done = run("train", ".", "--split", "given", "--model", kind, "--no-baselines", "-o", f"{kind}.safetensors", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        said[kind] = run("predict", f"{kind}.safetensors", "turns_TEST.ts", cwd=tmp_path).stdout
    assert "config" in about(tmp_path, "auto") and said["auto"] == said["encoder"]


def test_fast_is_kernels(folder):
    for name, options in {"fast": ["--preset", "fast"], "kernels": ["--model", "kernels"]}.items():
        assert run("train", "pump.csv", *WINDOWS, *options, "-o", f"{name}.safetensors", cwd=folder).returncode == 0
    assert (folder / "fast.safetensors").read_bytes() == (folder / "kernels.safetensors").read_bytes()


@pytest.mark.parametrize("options, says", [
    (["--model", "linear", "--width", 8], "--width does not apply to --model linear"),
    (["--model", "kernels", "--ensemble", 2], "--ensemble does not apply to --model kernels"),
    (["--preset", "fast", "--steps", 5], "--steps does not apply to --model kernels"),
    (["--model", "linear", "--resume"], "--resume does not apply to --model linear"),
    (["--ensemble", 0], "--ensemble: expected a whole number from 1 to 100, found \"0\""),
    (["--model", "forest"], "--model: expected one of auto, encoder, dfstrans, kernels, linear"),
    (["--preset", "bets"], "--preset: expected one of best, fast"),
    (["--model", "dfstrans", "--preset", "small"], "--preset small does not go with --model dfstrans"),
    (["--model", "linear", "--preset", "fast"], "--preset fast does not go with --model linear"),
    (["--preset", "standard", "--model", "kernels"], "--preset standard does not go with --model kernels"),
    (["--model", "encoder", "--preset", "best"], "--preset best does not go with --model encoder"),
    (["--threshold", ""], "--threshold: expected a value, found an empty text"),
])
def test_mistakes_get_one_line(folder, options, says):
    assert says in rejected("train", "pump.csv", *WINDOWS, *options, "-o", "m.safetensors", cwd=folder)
