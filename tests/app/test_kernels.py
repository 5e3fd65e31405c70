"""train --model kernels, and what is done with its model, as a user calls them."""
import json

import pytest
from program import rejected, run
from test_predict import parsed, rows, write_table

TRAIN = ("--model", "kernels", "--window", 16, "--stride", 4, "--no-baselines")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    write_table(folder / "pump.csv", rows(1600, 1))
    write_table(folder / "june.csv", rows(320, 2))
    done = run("train", "pump.csv", "--time", "time", "--label", "broken", *TRAIN, "-o", "m.safetensors", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "features of random convolutions; validation log loss" in done.stdout
    return folder


def test_finds_the_faults(folder):
    record = json.loads(run("show", "m.safetensors", "--json", cwd=folder).stdout)
    assert record["kernels"]["features"] > 50_000 and "config" not in record
    assert record["record"]["test"]["auc_pr"] > 0.9
    assert 0 < record["record"]["held_out_log_loss"] < 0.3
    assert "ridge classifier on" in run("show", "m.safetensors", cwd=folder).stdout


def test_same_bytes_on_any_threads(folder):
    for threads in (1, 3):
        done = run("train", "pump.csv", "--time", "time", "--label", "broken", *TRAIN, "--threads", threads, "-o",
                   f"t{threads}.safetensors", cwd=folder)
        assert done.returncode == 0, done.stderr
        assert (folder / f"t{threads}.safetensors").read_bytes() == (folder / "m.safetensors").read_bytes()


def test_stream_equals_the_batch(folder):
    write_table(folder / "bare.csv", rows(200, 2), label=False, stamps=False)
    done = run("predict", "m.safetensors", "bare.csv", cwd=folder)
    batch = {row["begin"]: row["score"] for row in parsed(done.stdout)}
    done = run("predict", "m.safetensors", "-", cwd=folder, stdin=(folder / "bare.csv").read_text())
    assert done.returncode == 0, done.stderr
    stream = {row["begin"]: row["score"] for row in parsed(done.stdout)}
    assert len(batch) == 47 and {begin: stream[begin] for begin in batch} == batch


def test_evaluate_has_a_page(folder):
    done = run("evaluate", "m.safetensors", "june.csv", "--time", "time", "--label", "broken", "-o", "page", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "random convolutions" in (folder / "page" / "report.html").read_text()


def test_diagnosis_by_occlusion(folder):
    done = run("diagnose", "m.safetensors", "june.csv", "--time", "time", "--label", "broken", "-o", "why", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Look first at flow" in done.stdout
    page = (folder / "why" / "report.html").read_text()
    assert "neither attention nor gradients" in page and "Attention shows" not in page


def test_whole_series_of_unequal_lengths(folder):
    series = [f"s{i},{(i % 3 + 1) * 0.3 * t % 2 + 0.001 * i:.4f},kind{i % 3}"
              for i in range(30) for t in range(9 + 5 * (i % 4))]
    (folder / "waves.csv").write_text("name,x,kind\n" + "\n".join(series) + "\n")
    done = run("train", "waves.csv", "--series", "name", "--label", "kind", "--label-of", "series", "--model",
               "kernels", "-o", "w.safetensors", cwd=folder)
    assert done.returncode == 0, done.stderr
    answers = parsed(run("predict", "w.safetensors", "waves.csv", "--series", "name", cwd=folder).stdout)
    assert [row["class"] for row in answers] == [f"kind{i % 3}" for i in range(30)]


@pytest.mark.parametrize("option", [("--width", 32), ("--epochs", 3), ("--encoding", "dft"), ("--resume",)])
def test_options_of_transformers_are_rejected(folder, option):
    message = rejected("train", "pump.csv", "--label", "broken", *TRAIN, *option, "-o", "no.safetensors", cwd=folder)
    assert message == f"{option[0]} does not apply to --model kernels"
