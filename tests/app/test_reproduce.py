"""`faithful reproduce`: the paper in one page, here with as little training as there can be."""
import json
import re
import subprocess

import pytest

from program import PROGRAM, rejected, run, stable


# compare, analyze and the gap probe, which it calls, are tested under sanitizers by themselves.
slow_under_sanitizers = pytest.mark.unsanitized("trains for minutes")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper") / "out"
    done = run("reproduce", "--quick", "--seeds", "1", "--epochs", "1", "-o", folder)
    assert done.returncode == 0, done.stderr
    return folder, done


@slow_under_sanitizers
def test_ends_with_the_path_of_the_page(made):
    folder, done = made
    assert done.stdout.rstrip().endswith(str(folder / "report.html"))
    assert "this takes about" in done.stderr
    assert (folder / "report.html").stat().st_size > 10_000


@slow_under_sanitizers
def test_every_reference_number_agrees(made):
    folder, _ = made
    page = (folder / "report.html").read_text()
    rows = re.search(r"Reference numbers.*?</table>", page, re.S)[0]
    assert rows.count(">yes<") == 18
    assert ">no<" not in rows


@slow_under_sanitizers
def test_theorem_table_and_claims_are_there(made):
    folder, done = made
    page = (folder / "report.html").read_text()
    assert "256 of 256" in page and "255 of 255" in page
    for text in (page, done.stdout):
        assert "0.977 / 0.917 / 0.946" in text and "0.894 / 0.821 / 0.856" in text
        assert "consistently improves classification" in text
        assert "Elevator (simulated here)" in text
    for name in ["spectrum.svg", "reconstruction.svg", "differences.svg", "scores.svg"]:
        assert (folder / name).stat().st_size > 1000, name


@slow_under_sanitizers
def test_finished_runs_are_kept(made):
    folder, _ = made
    kinds = [json.loads(line)["kind"] for line in (folder / "runs.jsonl").read_text().splitlines()]
    assert sorted(kinds) == ["baselines", "minirocket", "run", "run", "run", "settings"]


@slow_under_sanitizers
def test_workers_print_what_one_process_prints(made, tmp_path):
    folder, done = made
    command = [PROGRAM, "reproduce", "--quick", "--seeds", "1", "--epochs", "1", "-o", tmp_path / "out", "--threads", "1"]
    workers = [subprocess.Popen([*map(str, command), "--worker", worker], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
               for worker in ("1/2", "2/2")]
    outputs = sorted((worker.communicate(timeout=900)[0] for worker in workers), key=len)
    assert outputs[1].replace(str(tmp_path / "out"), str(folder)) == done.stdout
    assert outputs[0].startswith("worker ") and outputs[0].count("\n") == 1
    assert stable("runs.jsonl", (tmp_path / "out/runs.jsonl").read_bytes()) == stable("runs.jsonl", (folder / "runs.jsonl").read_bytes())


def test_bad_usage():
    assert "--seeds" in rejected("reproduce", "--quick", "--seeds", "0")


def test_bad_rates_are_told_before_anything_is_made(tmp_path):
    assert "--rates" in rejected("reproduce", "--rates=-1", "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()
