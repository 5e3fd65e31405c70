"""`mpirun -n N faithful compare`, `choose`: rank 0 deals whole trainings. The table is that of one process, also after a rank was killed."""
import os
import pathlib
import shutil
import signal
import time

import pytest

from program import BUILD, TINY, stable
from studies import LONG, SHORT, ended, expected, folder, start  # noqa: F401 (two are fixtures)

pytestmark = pytest.mark.unsanitized("libraries of MPI are not made for sanitizers; tests/ranks/rank_crew_test.cpp runs there")

CHOOSE = ["choose", "tiny.csv", "--label", "broken", *TINY, "--epochs", "2", "--encodings", "none,dft", "--folds", "3", "--repeats", "2", "--threads", "1"]
STARTERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpirun.mpich"]}


@pytest.fixture(params=STARTERS)
def mpi(request):
    if not (BUILD / f"lib/faithful/libfaithful_{request.param}.so").exists() or not shutil.which(STARTERS[request.param][0]):
        pytest.skip(f"no plug-in or no mpirun of {request.param} (FAITHFUL_MPI)")
    return STARTERS[request.param]


def check(folder, arguments, expected, output):
    text, runs = expected[tuple(arguments)]
    assert output == text
    assert stable("runs.jsonl", (folder / "out/runs.jsonl").read_bytes()) == stable("runs.jsonl", runs)


@pytest.mark.parametrize("ranks", ["1", "2", "3"])
def test_ranks_print_the_table_of_one_process(folder, mpi, expected, ranks):
    check(folder, SHORT, expected, ended(start(folder, SHORT, [*mpi, "-n", ranks])))


def ranks_in(folder):
    """The processes of the job that runs there, by rank."""
    found = {}
    for name in os.listdir("/proc"):
        try:
            if not name.isdigit() or not os.readlink(f"/proc/{name}/exe").endswith("/faithful"):
                continue
            environment = dict(part.split("=", 1) for part in pathlib.Path(f"/proc/{name}/environ").read_text().split("\0") if "=" in part)
        except OSError:  # ended meanwhile
            continue
        if environment.get("FAITHFUL_TEST_JOB") == str(folder):
            found[environment.get("OMPI_COMM_WORLD_RANK", environment.get("PMI_RANK"))] = int(name)
    return found


@pytest.mark.parametrize("victim", ["0", "1"])
def test_a_killed_rank_ends_the_job_and_the_same_command_goes_on(folder, mpi, expected, victim):
    runs = folder / "out/runs.jsonl"
    process = start(folder, LONG, [*mpi, "-n", "2"])
    end = time.monotonic() + 100
    while not runs.exists() or runs.read_bytes().count(b"\n") < 4:
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.01)
    os.kill(ranks_in(folder)[victim], signal.SIGKILL)
    output, errors = process.communicate(timeout=100)
    assert process.returncode != 0
    assert "signal 9" in output + errors or "EXIT CODE: 9" in output + errors, (output, errors)
    kept = runs.read_bytes()
    finished = kept[: kept.rindex(b"\n") + 1]
    check(folder, LONG, expected, ended(start(folder, LONG, [*mpi, "-n", "2"])))
    assert runs.read_bytes().startswith(finished)  # none of them ran again


def test_choose_over_ranks_and_workers(folder, mpi):
    alone = ended(start(folder, CHOOSE))
    assert ended(start(folder, CHOOSE, [*mpi, "-n", "2"])) == alone
    assert ended(start(folder, [*CHOOSE, "-o", "kept"], [*mpi, "-n", "2"])) == alone
    kept = {path.name: path.stat().st_mtime_ns for path in (folder / "kept/trainings").iterdir()}
    assert len(kept) == 1 + 2 * 2 * 3  # the number of steps; encodings, repeats, folds
    workers = [start(folder, [*CHOOSE, "-o", "shared", "--worker", worker]) for worker in ("1/2", "2/2")]
    assert [ended(worker) for worker in workers] == [alone, alone]
    assert sorted(path.name for path in (folder / "shared/trainings").iterdir()) == sorted(kept)
    assert ended(start(folder, [*CHOOSE, "-o", "kept"])) == alone  # nothing is trained again
    assert {path.name: path.stat().st_mtime_ns for path in (folder / "kept/trainings").iterdir()} == kept


def test_one_line_from_rank_zero(folder, mpi):
    for arguments, message in (([*SHORT, "--seeds", "0"], "--seeds"), ([*SHORT[:1], "none.csv", *SHORT[2:]], "none.csv"),
                               ([*SHORT, "--worker", "1/2"], "--worker runs as one process")):
        process = start(folder, arguments, [*mpi, "-n", "2"])
        _, errors = process.communicate(timeout=100)
        assert process.returncode != 0
        lines = [line for line in errors.splitlines() if line.startswith("faithful: ")]
        assert len(lines) == 1 and message in lines[0], errors
