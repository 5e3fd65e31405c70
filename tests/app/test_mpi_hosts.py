"""Ranks on hosts of their own: network namespaces with delay and loss, and a host that is cut off while it trains. Skipped
where no such namespaces can be made. FAITHFUL_HOST_ROUNDS: more rounds and four hosts (`tools/soak hosts`). Open MPI only:
Debian's MPICH does not always connect such namespaces (docs/testing.md)."""
import os
import re
import signal
import time

import pytest

import hosts
from hosts import Hosts
from mpi import ended, needs, wait_for
from program import TINY, quick_folder, run, write_tiny

ROUNDS = int(os.environ.get("FAITHFUL_HOST_ROUNDS", "0"))
TIME_OUT = 5

pytestmark = [pytest.mark.unsanitized("MPI libraries leak"), pytest.mark.skipif(bool(hosts.missing()), reason=hosts.missing() or "-")]

BASE = ["train", "tiny.csv", "--label", "broken", *TINY, "--patience", "0", "--no-baselines", "--dropout", "0.1", "--threads", "1",
        "--checkpoint-every", "0"]


@pytest.fixture(scope="module")
def folder():
    with quick_folder() as path:
        write_tiny(path / "tiny.csv", 400)
        yield path


def expected(folder, epochs):
    name = f"expected-{epochs}.safetensors"
    if not (folder / name).exists():
        assert run(*BASE, "--epochs", epochs, "-o", name, cwd=folder).returncode == 0
    return (folder / name).read_bytes()


@pytest.mark.parametrize("count, delay, loss", [(2, 0.001, 0.01), (4, 0.0, 0.0)] + [(4, 0.005, 0.01)] * (ROUNDS > 0))
def test_hosts_give_the_same_bytes(folder, count, delay, loss):
    needs("openmpi")
    with Hosts(count, delay) as network:
        if loss:
            network.lose(loss)
        done = ended(network.start("openmpi", *BASE, "--epochs", 3, "-o", "m.safetensors", cwd=folder), 300)
        assert done.returncode == 0, done.stderr
        assert (folder / "m.safetensors").read_bytes() == expected(folder, 3)


SILENT = r"faithful: no sign of life from rank \d( on host\d)? for 5 s: its host or the network has failed; what was saved is kept\n"


def wait_until(holds, seconds):
    for _ in range(int(seconds * 20)):
        if holds():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("mpi, count, victim", [("openmpi", 2, 1)] + [("openmpi", 4, 2), ("openmpi", 2, 0)] * ROUNDS)
def test_a_host_that_is_cut_off_ends_the_job(folder, mpi, count, victim):
    """One clear line within the time-out, and no rank runs on; the checkpoint is kept, and one process goes on from it to the same
    bytes. mpirun itself waits for the lost host for as long as TCP does: that is a matter of its own."""
    needs(mpi)
    output = "cut.safetensors"
    with Hosts(count) as network:
        process = network.start(mpi, *BASE, "--epochs", 500, "-o", output, cwd=folder, env={"FAITHFUL_RANKS_TIMEOUT": str(TIME_OUT)})
        wait_for(folder / f"{output}.checkpoint", 120)
        network.cut(victim)
        begin, lines = time.monotonic(), []
        while not lines or not lines[-1].startswith("faithful: "):
            lines.append(process.stderr.readline())
            assert lines[-1], f"the job ended without a word: {lines}"
        assert re.fullmatch(SILENT, lines[-1]), lines
        assert time.monotonic() - begin < TIME_OUT + 10  # on a busy machine
        assert wait_until(lambda: not network.processes(), TIME_OUT + 30), "ranks still run"
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert (folder / f"{output}.checkpoint").exists() and not (folder / output).exists()
    resumed = run(*BASE, "--epochs", 500, "-o", output, "--resume", "--checkpoint-every", "30", cwd=folder)
    assert resumed.returncode == 0, resumed.stderr
    assert (folder / output).read_bytes() == expected(folder, 500)
    (folder / output).unlink()
