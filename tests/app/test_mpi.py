"""`mpirun -n N faithful train`: the same bytes as one process, and failures that end the job with one line."""
import os
import re
import shutil
import signal

import numpy as np
import pytest

from mpi import LAUNCHERS, ended, missing, needs, our_lines, process_of, run_ranks, start, wait_for
from program import BUILD, TINY, quick_folder, run, write_tiny

pytestmark = pytest.mark.unsanitized("MPI libraries leak; threads inside of ranks are watched by hand (docs/testing.md)")

EXCHANGE = BUILD / "bin/ranks_exchange"


@pytest.fixture(params=LAUNCHERS)
def mpi(request):
    needs(request.param)
    return request.param


@pytest.fixture
def any_mpi():
    for name in LAUNCHERS:
        if not missing(name):
            return name
    pytest.skip("; ".join(missing(name) for name in LAUNCHERS))


@pytest.fixture(scope="module")
def folder():
    with quick_folder() as path:
        write_tiny(path / "tiny.csv", 400)
        write_three(path / "Three")
        yield path


def write_three(folder):
    """Series of three classes, with a train and a test part."""
    folder.mkdir()
    rng = np.random.default_rng(2)
    for part, count in (("TRAIN", 30), ("TEST", 12)):
        lines = ["@problemName Three", "@univariate false", "@dimensions 2", "@equalLength true", "@seriesLength 16",
                 "@classLabel true a b c", "@data"]
        for i in range(count):
            x = rng.normal(size=(2, 16))
            x[0, 4 * (i % 3):4 * (i % 3) + 4] += 2
            lines.append(":".join(",".join(f"{v:.3f}" for v in row) for row in x) + ":" + "abc"[i % 3])
        (folder / f"Three_{part}.ts").write_text("\n".join(lines) + "\n")


def train(folder, output, *arguments, ranks=1, threads=1, mpi=None, data="tiny.csv"):
    """The bytes of the model."""
    words = ["train", data, *arguments, "--no-baselines", "--threads", threads, "-o", output]
    if data == "tiny.csv":
        words += ["--label", "broken"]
    done = run(*words, cwd=folder) if ranks == 1 else run_ranks(mpi, ranks, *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(output) == 1 and not our_lines(done), done
    assert not list(folder.glob(f"{output}.*")), "a checkpoint is left"
    return (folder / output).read_bytes()


# ---- messages

def test_messages_arrive(mpi):
    done = run_ranks(mpi, 3, "exchange", program=EXCHANGE)
    assert (done.returncode, done.stdout) == (0, "exchange of 3 ranks: done\n"), done.stderr


@pytest.mark.parametrize("mode, line", [("fail", r"said: rank 2 on \S+: it is all wrong"), ("all-fail", "said: it is all wrong"),
                                        ("stop", r"said: no sign of life from rank 2( on \S+)? for 3 s: .*")])
def test_a_failure_ends_the_job_with_one_line(mpi, mode, line):
    process = start(mpi, 3, mode, "3", program=EXCHANGE)
    done = ended(process, 40)
    said = [each for each in done.stderr.splitlines() if each.startswith("said:")]
    assert done.returncode != 0 and len(said) == 1 and re.fullmatch(line, said[0]), done.stderr


# ---- the same bytes

# Batch norms, dropout and augmentation; attention over steps and sensors; a part of the batch that is smaller than the
# number of shards.
STANDARD = ["--preset", "standard", "--width", "8", "--heads", "2", "--window", "16", "--stride", "4", "--steps", "30", "--shards", "4"]
DFSTRANS = ["--model", "dfstrans", "--segment", "4", "--window", "16", "--stride", "4", "--filters", "4", "--stages", "1", "--heads", "2",
            "--feed-forward", "16", "--head-hidden", "8", "--epochs", "3", "--dropout", "0.1"]
PLAIN = [*TINY, "--epochs", "4", "--dropout", "0.1", "--patience", "2"]


@pytest.mark.parametrize("arguments", [STANDARD, DFSTRANS, PLAIN], ids=["standard", "dfstrans", "plain"])
def test_bits_do_not_depend_on_ranks(mpi, folder, arguments):
    expected = train(folder, "one.safetensors", *arguments, threads=4)
    assert train(folder, "ranks.safetensors", *arguments, mpi=mpi, ranks=2, threads=2) == expected
    assert train(folder, "ranks.safetensors", *arguments, mpi=mpi, ranks=4, threads=1) == expected


def test_bits_of_folds_and_contests(any_mpi, folder):
    """Folds, members of an ensemble, and the contest of kinds: all Transformers go over the ranks."""
    small = ["--width", "8", "--heads", "2", "--folds", "2", "--split", "given"]
    for arguments in (["--preset", "best", "--steps", "20", *small], ["--preset", "plain", "--layers", "1", "--epochs", "3", *small]):
        expected = train(folder, "one.safetensors", *arguments, data="Three")
        assert train(folder, "ranks.safetensors", *arguments, data="Three", mpi=any_mpi, ranks=2) == expected


def test_other_kinds_are_fitted_by_rank_0(any_mpi, folder):
    for kind in ("kernels", "linear"):
        arguments = ["--model", kind, "--window", "8", "--stride", "8"]
        expected = train(folder, "one.safetensors", *arguments)
        assert train(folder, "ranks.safetensors", *arguments, mpi=any_mpi, ranks=2) == expected


# ---- stopped and resumed

LONG = ["train", "tiny.csv", "--label", "broken", *TINY, "--epochs", "120", "--patience", "0", "--no-baselines", "--dropout", "0.1", "--threads", "1",
        "--checkpoint-every", "0"]


def expected_of_long(folder):
    if not (folder / "expected.safetensors").exists():
        assert run(*LONG, "-o", "expected.safetensors", cwd=folder).returncode == 0
    return (folder / "expected.safetensors").read_bytes()


def interrupted(mpi, folder, output, how, ranks=3, victim=1):
    """A job whose rank gets a signal while it trains."""
    process = start(mpi, ranks, *LONG, "-o", output, cwd=folder)
    wait_for(folder / f"{output}.checkpoint")
    os.kill(process_of(victim, output), how)
    done = ended(process, 60)
    assert done.returncode != 0 and (folder / f"{output}.checkpoint").exists(), done
    assert not (folder / output).exists()
    return done


def resumed(mpi, folder, output, ranks):
    words = [*LONG, "-o", output, "--resume"]
    done = run(*words, cwd=folder) if ranks == 1 else run_ranks(mpi, ranks, *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return (folder / output).read_bytes()


def test_a_killed_rank_ends_the_job_and_it_resumes(mpi, folder):
    expected = expected_of_long(folder)
    interrupted(mpi, folder, f"killed-{mpi}.safetensors", signal.SIGKILL)
    assert resumed(mpi, folder, f"killed-{mpi}.safetensors", ranks=2) == expected


def test_a_signal_to_one_rank_stops_all_after_the_same_step(mpi, folder):
    expected = expected_of_long(folder)
    output = f"stopped-{mpi}.safetensors"
    done = interrupted(mpi, folder, output, signal.SIGTERM, victim=2)
    assert our_lines(done) == [f"stopped; all of it is in {output}.checkpoint: go on with the same command and --resume"], done.stderr
    assert resumed(mpi, folder, output, ranks=1) == expected


# ---- refused

def refused(mpi, ranks, *arguments, cwd, env=None):
    done = run_ranks(mpi, ranks, *arguments, cwd=cwd, env=env)
    assert done.returncode == 2 and done.stdout == "", done
    lines = our_lines(done)
    assert len(lines) == 1, done.stderr
    return lines[0]


def test_refusals_are_one_line(mpi, folder):
    base = ["train", "tiny.csv", "--label", "broken", *TINY, "-o", "no.safetensors"]
    assert refused(mpi, 3, *base, "--shards", "2", cwd=folder) == \
        "ranks: expected at most 2: a batch is cut into so many shards, found 3 (--shards 3)"
    assert refused(mpi, 2, "train", "nowhere.csv", *TINY, "-o", "no.safetensors", cwd=folder).startswith("nowhere.csv: ")
    assert "expected a whole number" in refused(mpi, 2, *base, "--shards", "many", cwd=folder)
    assert refused(mpi, 2, "list", cwd=folder).startswith("faithful list runs as one process, but mpirun of ")
    assert not (folder / "no.safetensors").exists()


def test_without_the_plug_in_nothing_is_trained(any_mpi, folder):
    line = refused(any_mpi, 2, "train", "tiny.csv", "--label", "broken", *TINY, "-o", "no.safetensors", cwd=folder,
                   env={"FAITHFUL_MPI": "/nowhere/plugin.so"})
    assert re.fullmatch(r"mpirun of .* has started 2 processes, but there is no MPI plug-in for it \(/nowhere.*", line), line


def test_ranks_with_other_data_are_refused(any_mpi, folder):
    """Rank 1 finds another file under the same name."""
    for name in ("a", "b"):
        (folder / name).mkdir(exist_ok=True)
        write_tiny(folder / name / "tiny.csv", 400 if name == "a" else 408)
    script = folder / "here"
    script.write_text('#!/bin/sh\n[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] && cd a || cd b\nexec "$@"\n')
    script.chmod(0o755)
    from program import PROGRAM
    done = run_ranks(any_mpi, 2, PROGRAM, "train", "tiny.csv", "--label", "broken", *TINY, "-o", "no.safetensors", cwd=folder,
                     program=script)
    assert done.returncode == 2 and our_lines(done)[0].startswith("rank 1: expected the data and options of rank 0, with "), done


def test_the_program_itself_needs_no_mpi():
    """Neither the program nor the library names an MPI library: only the plug-in does."""
    for file in ("bin/faithful", "lib/libfaithful.so"):
        assert b"libmpi" not in (BUILD / file).read_bytes()
    assert shutil.which("faithful-mpi") is None
