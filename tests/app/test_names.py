"""Hostile names of channels and classes, from data to predictions: nothing of them acts on a terminal, a page, gnuplot
or a spreadsheet."""

import csv
import io
import json

import numpy as np
import pytest

from program import run

CHANNELS = ["\x1b[31mred", "'quoted", "new\nline", "bi\u202edi", "c1\u009b2J", "<b>bold</b>"]
CLASSES = ["=cmd|' /C calc'!A0", "'fine\x1b]0;title\x07\n"]
LABEL = ("--label", "kind", "--label-of", "series")
ACTING = "\x1b\x07\r\u202e\u009b"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Runs of two classes, a file each, and a model of them."""
    path = tmp_path_factory.mktemp("names")
    (path / "runs").mkdir()
    rng = np.random.default_rng(1)
    for i in range(16):
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow([*CHANNELS, "kind"])
        for row in rng.normal(i % 2, 1, (24, len(CHANNELS))):
            writer.writerow([*(f"{value:.4f}" for value in row), CLASSES[i % 2].strip()])
        (path / "runs" / f"{i}.csv").write_bytes(text.getvalue().encode())
    done = run("train", "runs", *LABEL, "--preset", "plain", "--epochs", 2, "--width", 16, "--heads", 2,
               "--layers", 1, "--seed", 1, "--threads", 1, "-o", "m.safetensors", cwd=path)
    check(done)
    return path


def check(done):
    assert done.returncode == 0, done.stderr
    for text in (done.stdout, done.stderr):
        assert not any(mark in text for mark in ACTING), text
    return done.stdout


def test_data_info(folder):
    text = check(run("data", "info", "runs", *LABEL, cwd=folder))
    assert r"\x1b[31mred, 'quoted, new\nline, bi\u202edi, c1\u009b2J, <b>bold</b>" in text
    parts = check(run("data", "info", "runs", *LABEL, "--json", cwd=folder))
    assert [channel["name"] for channel in json.loads(parts)["parts"][0]["channels"]] == CHANNELS


def test_evaluate_and_its_page(folder):
    check(run("evaluate", "m.safetensors", "runs", *LABEL, "-o", "evaluation", cwd=folder))
    check_page(folder / "evaluation")


def check_page(folder):
    [page] = folder.glob("*.html")
    text = page.read_text()
    assert not any(mark in text for mark in ACTING) and "<b>bold" not in text
    assert "gnuplot failed" not in text


def test_diagnose_draws_its_figures(folder):
    text = check(run("diagnose", "m.safetensors", "runs", *LABEL, "-o", "diagnosis", cwd=folder))
    check_page(folder / "diagnosis")
    assert "new\nline" not in text  # sentences name channels too
    page = (folder / "diagnosis" / "report.html").read_text()
    assert "new\nline" not in page and r"new\nline" in page


def test_predict(folder):
    text = check(run("predict", "m.safetensors", "runs", *LABEL, cwd=folder))
    classes = {row["class"] for row in csv.DictReader(io.StringIO(text))}
    assert classes <= {"'" + CLASSES[0], r"'fine\x1b]0;title\x07"}
    check(run("predict", "m.safetensors", "runs", *LABEL, "-o", "p.csv", cwd=folder))
    text = (folder / "p.csv").read_text()
    assert not any(line.split(",")[-1].startswith("=") for line in text.splitlines())
    assert not any(mark in text for mark in ACTING)


def test_the_name_of_a_file(folder):
    table = "a\x1b[31mb\u009b.csv"
    rows = "".join(f"{i % 7 + i / 1000},{int(i % 40 > 30)}\n" for i in range(1600))
    (folder / table).write_text("v,hot\n" + rows)
    options = ("--label", "hot", "--window", 10, "--stride", 10)
    check(run("train", table, *options, "--model", "linear", "-o", "named.safetensors", cwd=folder))
    assert r"a\x1b[31mb\u009b" in check(run("predict", "named.safetensors", table, cwd=folder))
    done = run("compare", table, *options, "--encodings", "none,dft", "--seeds", 2, "--epochs", 1, "--gap-seeds", 0,
               "--preset", "plain", "--width", 8, "--heads", 2, "--rates", 0.002, "--no-minirocket", "-o", "named", cwd=folder)
    check(done)
    assert r"a\x1b[31mb\u009b 1/" in done.stderr
    for path in (folder / "named").rglob("*.csv"):
        assert not any(mark in path.read_text() for mark in ACTING), path
