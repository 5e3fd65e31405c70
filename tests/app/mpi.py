"""How the tests start the program as several processes: Open MPI and MPICH, where they are installed and have a plug-in."""
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

from program import BUILD, PROGRAM

LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"], "mpich": ["mpirun.mpich"]}

# Root may start Open MPI in a test; copies between processes by ptrace are not allowed in every container.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
               "OMPI_MCA_btl_base_warn_component_unused": "0", "TMPDIR": "/tmp"}


def missing(mpi):
    """Why there are no ranks by this MPI; nothing where there are."""
    if shutil.which(LAUNCHERS[mpi][0]) is None:
        return f"{LAUNCHERS[mpi][0]} is not installed"
    if not (BUILD / f"lib/faithful/libfaithful_{mpi}.so").exists():
        return f"the plug-in for {mpi} is not built: -DFAITHFUL_MPI=ON"
    return ""


def needs(mpi):
    if missing(mpi):
        pytest.skip(missing(mpi))


def command(mpi, ranks, *arguments, program=PROGRAM):
    return [*LAUNCHERS[mpi], "-n", str(ranks), str(program), *map(str, arguments)]


def environment(more=None):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI", "SLURM_"))}
    return {**clean, **ENVIRONMENT, **(more or {})}


def start(mpi, ranks, *arguments, cwd=None, env=None, program=PROGRAM):
    return subprocess.Popen(command(mpi, ranks, *arguments, program=program), cwd=cwd, env=environment(env), text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def ended(process, seconds=100):
    """Exit code, output and errors of a job; it must have ended by itself."""
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def run_ranks(mpi, ranks, *arguments, cwd=None, env=None, program=PROGRAM):
    return ended(start(mpi, ranks, *arguments, cwd=cwd, env=env, program=program))


def our_lines(done):
    """What the program said on standard error, without the words of mpirun."""
    return [line[len("faithful: "):] for line in done.stderr.splitlines() if line.startswith("faithful: ")]


def process_of(rank, word, seconds=30):
    """The process of a rank, by an argument that no other process has."""
    for _ in range(int(seconds * 50)):
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                arguments = (folder / "cmdline").read_bytes().split(b"\0")
                variables = (folder / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            marks = (b"OMPI_COMM_WORLD_RANK=%d" % rank, b"PMI_RANK=%d" % rank)
            if word.encode() in arguments and any(mark in variables for mark in marks):
                return int(folder.name)
        time.sleep(0.02)
    raise AssertionError(f"no process of rank {rank}")


def wait_for(path, seconds=60):
    for _ in range(int(seconds * 100)):
        if path.exists():
            return
        time.sleep(0.01)
    raise AssertionError(f"no {path.name}")
