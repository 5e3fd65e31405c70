"""Results are written neither over the data nor among it. Two further ways to lose an answer: labels and times."""
import json

import pytest

from program import TINY, rejected, run, write_pump, write_tiny


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("apart")
    (folder / "runs").mkdir()
    for name in ("1", "2"):
        write_tiny(folder / "runs" / f"{name}.csv", 200)
    write_tiny(folder / "tiny.csv", 200)
    done = run("train", "tiny.csv", "--label", "broken", "--model", "linear", *TINY[8:12], "-o", "m.safetensors", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_results_are_not_written_over_the_data(place):
    before = (place / "tiny.csv").read_bytes()
    (place / "link.csv").symlink_to("tiny.csv")
    for output in ("tiny.csv", "./runs/../tiny.csv", "link.csv"):
        assert rejected("predict", "m.safetensors", "tiny.csv", "-o", output, cwd=place) == (
            f'--output: expected another place than that of the data, found "{output}"')
        assert "expected another place than that of the data" in rejected("data", "convert", "tiny.csv", output, cwd=place)
    assert (place / "tiny.csv").read_bytes() == before


def test_results_are_not_written_among_the_data(place):
    """A folder is read with all its tables: the results would be series of the next reading."""
    files = sorted((place / "runs").rglob("*"))
    wanted = '--output: expected a place outside of "runs", whose tables are the data, found "runs/'
    assert rejected("predict", "m.safetensors", "runs", "-o", "runs/scores.csv", cwd=place) == wanted + 'scores.csv"'
    for verb in (["evaluate", "m.safetensors"], ["diagnose", "m.safetensors"], ["data", "info"], ["compare"]):
        assert rejected(*verb, "runs", "--label", "broken", "-o", "runs/page", cwd=place) == wanted + 'page"'
        assert "another place than that of the data" in rejected(*verb, "runs", "--label", "broken", "-o", "runs", cwd=place)
    assert sorted((place / "runs").rglob("*")) == files
    assert run("predict", "m.safetensors", "runs", "-o", "runs.csv", cwd=place).returncode == 0


def test_a_batch_of_any_size(place):
    """A batch is at most the training part, and takes no more memory."""
    arguments = ["train", "tiny.csv", "--label", "broken", *TINY[:-2], "--epochs", 1, "-o", "b.safetensors"]
    assert run(*arguments, "--batch", 1_000_000_000, cwd=place).returncode == 0
    assert rejected(*arguments, "--batch", 10**18, cwd=place) == (
        '--batch: expected a whole number from 0 to 1000000000, found "1000000000000000000"')


def test_labels_that_count_as_normal_are_named(place):
    rows = (place / "tiny.csv").read_text().splitlines()
    kinds = [row.rsplit(",", 1) for row in rows[1:]]
    names = [["ok", "leak"][y == "1"] if i % 50 else "wear" for i, (_, y) in enumerate(kinds)]
    (place / "kinds.csv").write_text("\n".join([rows[0], *(f"{x},{name}" for (x, _), name in zip(kinds, names))]) + "\n")
    done = run("data", "info", "kinds.csv", "--label", "broken", "--positive", "leak", cwd=place)
    assert 'labels other than "leak" count as normal: "ok", "wear"\n' in done.stdout, done.stdout
    assert rejected("data", "info", "kinds.csv", "--label", "broken", "--positive", "Leak", cwd=place).endswith(
        'expected "Leak", as --positive has it, found "leak" (spell a label the same everywhere)')


def test_compare_by_times(tmp_path):
    """`none` is always compared, and has no positions to be times."""
    table = write_pump(tmp_path / "pump.csv", 2000)
    small = ["--preset", "plain", "--width", 8, "--heads", 2, "--layers", 1, "--window", 20, "--stride", 20, "--epochs", 1,
             "--rates", 0.01, "--gap-seeds", 0, "--seeds", 1, "--no-minirocket", "--positions", "time"]
    done = run("compare", table, "--time", "time", "--label", "broken", *small, "--encodings", "sinusoidal", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    runs = [json.loads(line) for line in (tmp_path / "out" / "runs.jsonl").read_text().splitlines()]
    assert {one["encoding"] for one in runs if "encoding" in one} == {"sinusoidal", "none"}
    assert rejected("compare", table, "--time", "time", "--label", "broken", *small, "--encodings", "sinusoidal,cpe", "-o", "other",
                    cwd=tmp_path).endswith("--encodings: expected encodings of times, for --positions time, found cpe")
    assert not (tmp_path / "other").exists()
