"""Ranks on hosts of their own: network namespaces with delay and loss, and a host that is cut off while it trains. Skipped
where no such namespaces can be made. FAITHFUL_HOST_ROUNDS: more rounds and four hosts with both MPIs (`tools/soak hosts`)."""
import os
import re
import subprocess

import pytest

import hosts
from hosts import Hosts
from mpi import LAUNCHERS, ended, needs, our_lines, wait_for
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
    for mpi in LAUNCHERS if ROUNDS else ["openmpi"]:
        needs(mpi)
        with Hosts(count, delay) as network:
            if loss:
                network.lose(loss)
            done = ended(network.start(mpi, *BASE, "--epochs", 3, "-o", "m.safetensors", cwd=folder), 300)
            assert done.returncode == 0, done.stderr
            assert (folder / "m.safetensors").read_bytes() == expected(folder, 3)


@pytest.mark.parametrize("count, victim", [(2, 1)] + [(4, 2), (2, 0)] * ROUNDS)
def test_a_host_that_is_cut_off_ends_the_job(folder, count, victim):
    """One clear line within the time-out; the checkpoint is kept, and one process goes on from it to the same bytes. Where host
    0 is cut off, it is the same for it: the others are silent."""
    needs("openmpi")
    output = "cut.safetensors"
    with Hosts(count) as network:
        process = network.start("openmpi", *BASE, "--epochs", 2000, "-o", output, cwd=folder, env={"FAITHFUL_RANKS_TIMEOUT": str(TIME_OUT)})
        wait_for(folder / f"{output}.checkpoint", 120)
        network.cut(victim)
        lines = []
        try:
            done = ended(process, 20 * TIME_OUT)
            lines = our_lines(done)
            assert done.returncode != 0
        except subprocess.TimeoutExpired as late:
            pytest.fail(f"the job still runs: {late.stderr}")
    silent = r"no sign of life from rank \d( on host\d)? for 5 s: its host or the network has failed; what was saved is kept"
    assert lines and all(re.fullmatch(silent, line) for line in lines), done.stderr
    assert (folder / f"{output}.checkpoint").exists() and not (folder / output).exists()
    resumed = run(*BASE, "--epochs", 2000, "-o", output, "--resume", "--checkpoint-every", "30", cwd=folder)
    assert resumed.returncode == 0, resumed.stderr
    assert (folder / output).read_bytes() == expected(folder, 2000)
    (folder / output).unlink()
