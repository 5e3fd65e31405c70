"""`faithful demo`: its page and its words, here with as little training as there can be. test_demo_slow.py runs it in full."""
import csv
import re

import pytest

from program import quick_folder, rejected, run

TINY = ["--trips", "60", "--test-trips", "40", "--samples", "100", "--steps", "100", "--alarms", "2"]


@pytest.fixture(scope="module")
def made():
    with quick_folder() as folder:
        done = run("demo", *TINY, "-o", folder / "out", env={"PATH": f"{folder}:/usr/bin:/bin"})
        assert done.returncode == 0, done.stderr
        yield folder / "out", done


def sentences(folder):
    lead = re.search(r'<ol class="lead">(.*?)</ol>', (folder / "report.html").read_text(), re.S)[1]
    return re.findall(r"<li>(.*?)</li>", lead)


def test_page_begins_with_three_sentences_which_are_also_printed(made):
    folder, done = made
    page = (folder / "report.html").read_text()
    assert page.index('class="lead"') < page.index("<nav>")
    assert len(sentences(folder)) == 3
    for sentence in sentences(folder):
        assert sentence in done.stdout
    assert done.stdout.rstrip().endswith(str(folder / "report.html"))


def test_sentences_have_the_numbers_of_the_table(made):
    folder, _ = made
    rows = list(csv.DictReader((folder / "scores.csv").open()))
    assert [row["predictions by"] for row in rows] == [
        "the model, encoding dft", "the same, encoding none", "linear", "all positive", "random"]
    first, second, _ = sentences(folder)
    assert f"F1 {float(rows[0]['F1']):.2f} (95 % interval {rows[0]['95 % interval']})" in first
    for row in rows[1:]:
        assert f"{float(row['F1']):.2f}" in second
    assert float(rows[3]["F1"]) == pytest.approx(2 / 3)  # half of the trips have a fault


def test_figures_and_the_model_are_there(made):
    folder, _ = made
    page = (folder / "report.html").read_text()
    assert page.count(">yes<") == 18 and ">no<" not in page  # reference numbers of Figures 1 and 2
    for name in ["spectrum.svg", "reconstruction.svg", "reference.csv"]:
        assert (folder / name).exists(), name
    told = run("show", folder / "model.safetensors")
    assert told.returncode == 0 and "dft" in told.stdout


def test_the_surest_alarm_is_diagnosed(made):
    folder, _ = made
    third = sentences(folder)[2]
    assert re.match(r"For its surest alarm it points at \w+", third), third
    assert re.search(r"\((right|wrong) \w+, (right|wrong) \w+\)\.$|a false alarm\.$", third), third
    for name in ["channels-1.svg", "when-1.svg"]:
        assert (folder / name).exists(), name


def test_same_command_same_bytes(made, tmp_path):
    folder, _ = made
    again = run("demo", *TINY, "--threads", "1", "-o", tmp_path / "out")
    assert again.returncode == 0, again.stderr
    for name in ["scores.csv", "model.safetensors"]:
        assert (tmp_path / "out" / name).read_bytes() == (folder / name).read_bytes(), name


def test_bad_usage(tmp_path):
    assert "--trips" in rejected("demo", "--trips", "1", "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()
