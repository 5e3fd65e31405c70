"""Right answers or a clear refusal: readings that blow up, bad streams, closed descriptors."""
import csv
import io
import os
import pathlib
import subprocess

import pytest
from program import PROGRAM, run

SOURCE = pathlib.Path(os.environ["FAITHFUL_SOURCE"])
HEADER = "temp,flow,hum\n"
CALM = "20,1,1\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trust")
    with open(folder / "pump.csv", "w") as out:
        subprocess.run(["awk", "-f", SOURCE / "examples/pump.awk"], stdout=out, check=True)
    done = run("train", "pump.csv", "--label", "hot", "--window", 30, "--stride", 10, "--preset", "small", "--epochs", 3,
               "--no-baselines", "-o", "pump.safetensors", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def stream(folder, text, *options):
    done = run("predict", "pump.safetensors", "-", *options, cwd=folder, stdin=HEADER + text)
    return done, list(csv.DictReader(io.StringIO(done.stdout)))


def test_a_sensor_that_blows_up_is_invalid(folder):
    done, rows = stream(folder, 31 * "1e20,-1e20,1\n")
    assert done.returncode == 1
    assert [row["class"] for row in rows] == ["invalid", "invalid"] and rows[0]["score"] == ""
    assert rows[1]["status"] == "invalid" and rows[1]["reason"] == "flow reads -1e+20 at sample 1; training saw -1 to 1"
    assert done.stderr == ("faithful: 2 of 2 predictions are invalid: see the column reason "
                           "(--on-error skip ends with exit code 0)\n")
    assert stream(folder, 31 * "1e20,-1e20,1\n", "--on-error", "skip")[0].returncode == 0


@pytest.mark.parametrize("options", [["--steps", 30], ["--model", "kernels"], ["--model", "linear"],
                                     ["--preset", "best", "--steps", 20]])
def test_no_model_takes_a_sensor_that_blows_up_for_normal(folder, options):
    run("train", "pump.csv", "--label", "hot", "--window", 30, "--stride", 10, *options, "--no-baselines", "-o", "other.safetensors",
        cwd=folder)
    for reading in ("1e20", "1e38"):
        text = HEADER + 31 * f"{reading},-{reading},1\n"
        done = run("predict", "other.safetensors", "-", cwd=folder, stdin=text)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        assert len(rows) == 2 and {row["status"] for row in rows} <= {"out_of_range", "invalid"}
        assert done.returncode == (1 if rows[0]["status"] == "invalid" else 0)
        assert "nan" not in done.stdout and "inf" not in done.stdout.replace("invalid", "")


def test_a_file_that_blows_up_is_invalid_in_every_verb(folder):
    (folder / "big.csv").write_text("temp,flow,hum,hot\n" + 60 * "1e20,1,1,0\n")
    done = run("predict", "pump.safetensors", "big.csv", "-o", "big_scores.csv", cwd=folder)
    assert done.returncode == 1 and "4 windows: 4 invalid" in done.stdout
    rows = list(csv.DictReader(open(folder / "big_scores.csv")))
    assert {row["class"] for row in rows} == {"invalid"} and "nan" not in (folder / "big_scores.csv").read_text()
    for verb in (("evaluate", "--label", "hot"), ("diagnose",)):
        done = run(verb[0], "pump.safetensors", "big.csv", *verb[1:], cwd=folder)
        assert done.returncode == 2 and done.stdout == ""
        assert done.stderr == ('faithful: big.csv: series "big": expected readings that the model can score, found '
                               "temp reads 1e+20 at sample 0; training saw 19 to 25\n")


def test_far_readings_are_answered_and_flagged(folder):
    done, rows = stream(folder, 20 * CALM + "90,1,1\n" + 10 * CALM)
    assert done.returncode == 0 and rows[0]["class"] in ("normal", "anomalous")
    assert rows[0]["status"] == "out_of_range"
    assert rows[0]["reason"] == "temp reads 90 at sample 20; training saw 19 to 25"
    assert "2 of 2 windows have readings far outside of what training has seen, or a sensor that is silent" in done.stderr
    (folder / "far.csv").write_text("temp,flow,hum,hot\n" + 30 * "20,1,1,0\n" + 30 * "90,1,1,1\n")
    done = run("evaluate", "pump.safetensors", "far.csv", "--label", "hot", "-o", "page", cwd=folder)
    note = "30 of 60 samples have readings far outside of what training has seen"
    assert done.returncode == 0 and note in done.stdout and note in next((folder / "page").glob("*.html")).read_text()


def test_near_readings_are_ok(folder):
    done, rows = stream(folder, 31 * CALM)
    assert done.returncode == 0 and done.stderr == "" and {row["status"] for row in rows} == {"ok"}


def test_infinity_is_refused_in_a_stream_as_in_a_file(folder):
    done, _ = stream(folder, 31 * CALM + "20,inf,1\n")
    assert done.returncode == 2 and 'standard input:33:2: expected a finite number, found "inf"' in done.stderr
    (folder / "inf.csv").write_text(HEADER + 31 * CALM + "20,inf,1\n")
    assert run("predict", "pump.safetensors", "inf.csv", cwd=folder).returncode == 2


@pytest.mark.parametrize("line", ["20,x,1", "20,1", "20,inf,1", 2_000_000 * "7"],
                         ids=["a word", "a field less", "infinity", "too long"])
def test_one_bad_line(folder, line):
    text = 31 * CALM + line + "\n" + CALM
    assert stream(folder, text)[0].returncode == 2
    done, rows = stream(folder, text, "--on-error", "skip")
    assert done.returncode == 0 and [row["class"] for row in rows[:2] + rows[3:]] == 3 * [rows[0]["class"]]
    assert rows[2]["class"] == "invalid" and "standard input:33" in rows[2]["reason"]
    assert "1 of 4 predictions are invalid" in done.stderr


def test_a_bad_line_before_the_first_sample_is_skipped(folder):
    done, rows = stream(folder, "20,x,1\n" + 30 * CALM, "--on-error", "skip")
    assert done.returncode == 0 and [row["status"] for row in rows] == ["invalid", "ok"]
    text = "t," + HEADER + "0,20,x,1\n" + 30 * ("1," + CALM)
    done = run("predict", "pump.safetensors", "-", "--time", "t", "--on-error", "skip", cwd=folder, stdin=text)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["start_time"], row["status"]) for row in rows] == [("", "invalid"), ("1970-01-01T00:00:01Z", "ok")]


def test_a_stream_without_times_says_none_as_a_file_does(folder):
    done, rows = stream(folder, 30 * CALM, "--time", "none")
    assert done.returncode == 0 and [row["status"] for row in rows] == ["ok"], done.stderr


@pytest.mark.parametrize("redirection, found", [("< .", "a folder"), ("<&-", "nothing: it is closed")])
def test_standard_input_that_cannot_be_read(folder, redirection, found):
    done = subprocess.run(f"'{PROGRAM}' predict pump.safetensors - {redirection}", shell=True, cwd=folder, text=True,
                          capture_output=True)
    assert done.returncode == 2 and found in done.stderr and done.stdout == ""


def test_an_empty_stream_is_refused(folder):
    done = run("predict", "pump.safetensors", "-", cwd=folder, stdin="")
    assert done.returncode == 2 and "standard input: expected samples, a line each, found none" in done.stderr


@pytest.mark.parametrize("output", [">/dev/full", ">&-"])
def test_a_standard_output_that_fails_never_costs_the_model(folder, output):
    done = subprocess.run(f"'{PROGRAM}' train pump.csv --label hot --window 30 --stride 10 --epochs 1 --no-baselines "
                          f"-o kept.safetensors {output}", shell=True, cwd=folder, text=True, capture_output=True)
    assert done.returncode == 1 and "standard output: cannot be written" in done.stderr
    assert run("show", "kept.safetensors", cwd=folder).returncode == 0
    (folder / "kept.safetensors").unlink()


# A column "time" makes a note, which is printed before the training begins.
@pytest.mark.parametrize("output, code", [(">/dev/full", 1), (">&-", 1), ("| true", 0), ("2>&1 | true", 0)])
@pytest.mark.parametrize("command, made", [
    ("train timed.csv --label hot --window 30 --stride 10 --epochs 1 --no-baselines -o kept.safetensors", "kept.safetensors"),
    ("data convert timed.csv kept.npz --label hot", "kept.npz"),
    ("data info timed.csv --label hot -o kept", "kept/index.html"),
    ("predict pump.safetensors timed.csv -o kept.csv", "kept.csv")])
def test_a_note_that_cannot_be_printed_costs_nothing(folder, output, code, command, made):
    lines = (folder / "pump.csv").read_text().splitlines()
    timed = [f"time,{lines[0]}"] + [f"2026-01-02T03:{i // 60:02}:{i % 60:02},{line}" for i, line in enumerate(lines[1:3000])]
    (folder / "timed.csv").write_text("\n".join(timed) + "\n")
    done = subprocess.run(f"'{PROGRAM}' {command} {output}", shell=True, cwd=folder, text=True, capture_output=True)
    assert done.returncode == code, done.stderr
    assert code == 0 or "standard output: cannot be written" in done.stderr
    assert (folder / made).stat().st_size > 0
    (folder / made).unlink()


def test_a_line_without_an_end_is_refused_at_once(folder):
    for skip in [], ["--on-error", "skip"]:
        with open("/dev/zero") as endless:
            done = subprocess.run([PROGRAM, "predict", "pump.safetensors", "-", *skip], stdin=endless, cwd=folder, text=True,
                                  capture_output=True, timeout=60)
        assert done.returncode == 2 and done.stdout == ""
        assert done.stderr == "faithful: standard input:1: expected a line of at most 1048576 bytes, found a longer one\n"


def test_progress_never_goes_into_a_file(folder):
    """With standard error closed, the first file that is opened would get its number."""
    done = subprocess.run(f"'{PROGRAM}' compare pump.csv --label hot --window 30 --encodings none,dft --seeds 2 --epochs 1 "
                          "--gap-seeds 0 --preset plain --width 8 --heads 2 --rates 0.002 -o closed >/dev/null 2>&-",
                          shell=True, cwd=folder)
    assert done.returncode == 0
    lines = (folder / "closed/runs.jsonl").read_text().splitlines()
    assert lines and all(line.startswith("{") for line in lines)
