"""The job scripts of examples/slurm, on Debian's Slurm: controller, node and munge are started here, on one machine, as daemons of this
user. Skipped where they cannot start."""
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

import pytest

from program import BUILD, PROGRAM, SOURCE, TINY, run, stable, write_tiny

pytestmark = pytest.mark.unsanitized("the scripts are the same; sanitizers make the daemons' time limits too short")

CONFIGURATION = """
ClusterName=faithful
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={controller}
SlurmdPort={node}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
MinJobAge=600
ReturnToService=2
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def tool(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


@contextlib.contextmanager
def daemons(folder):
    """Starts munge, the controller and one node; yields the environment of their clients."""
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch", "srun") if not tool(name)]
    if missing:
        pytest.skip(f"Slurm cannot start: {', '.join(missing)} not installed (tools/packages.txt)")
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    host = socket.gethostname().split(".")[0]
    user = subprocess.run(["id", "-un"], text=True, capture_output=True, check=True).stdout.strip()
    (folder / "slurm.conf").write_text(CONFIGURATION.format(host=host, user=user, folder=folder, controller=free_port(), node=free_port(),
                                                            cores=len(os.sched_getaffinity(0))))
    commands = [["munged", "--force", "--foreground", f"--key-file={key}", f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
                 f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed"],
                ["slurmctld", "-D", "-i", "-f", f"{folder}/slurm.conf"], ["slurmd", "-D", "-f", f"{folder}/slurm.conf", "-N", host]]
    environment = {**os.environ, "SLURM_CONF": f"{folder}/slurm.conf", "PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"}
    started = []
    try:
        for command in commands:
            with open(folder / f"{command[0]}.out", "w") as output:
                started.append(subprocess.Popen([tool(command[0]), *command[1:]], stdout=output, stderr=output, env=environment))
            wait_for(lambda: (folder / "munge.socket").exists() or started[-1].poll() is not None, 20)
        idle = lambda: "idle" in subprocess.run(["sinfo", "-h", "-o", "%t"], env=environment, text=True, capture_output=True).stdout
        if not wait_for(lambda: idle() or any(daemon.poll() is not None for daemon in started), 60) or not idle():
            said = " ".join((folder / f"{command[0]}.out").read_text()[-300:].replace("\n", " ") for command in commands)
            pytest.skip(f"Slurm cannot start: {said}")
        yield environment
    finally:
        for daemon in reversed(started):
            daemon.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(timeout=20)
            if daemon.poll() is None:
                daemon.kill()
                daemon.wait()


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


@pytest.fixture(scope="module")
def slurm():
    with tempfile.TemporaryDirectory(prefix="faithful-slurm-") as name, daemons(pathlib.Path(name)) as environment:
        yield environment


@pytest.fixture
def folder(tmp_path):
    write_tiny(tmp_path / "tiny.csv", 400)
    return tmp_path


def submitted(slurm, folder, *arguments):
    """What the jobs of a script printed, which must end well."""
    done = subprocess.run(["sbatch", "--wait", "--output=job-%a.out", *map(str, arguments)], cwd=folder, env=slurm, text=True,
                          capture_output=True, timeout=300)
    outputs = [path.read_text() for path in sorted(folder.glob("job-*.out"))]
    assert done.returncode == 0, (done.stderr, outputs)
    return outputs


STUDY = ["tiny.csv", "--label", "broken", *TINY, "--epochs", "2", "--seeds", "1", "--encodings", "dft", "--rates", "0.01", "--gap-seeds", "0",
         "--no-minirocket"]


def check_study(folder, outputs):
    alone = run("compare", *STUDY, "-o", "alone", cwd=folder)
    assert alone.returncode == 0, alone.stderr
    table = alone.stdout.replace("alone/report.html", "out/report.html")
    assert sum(table in output for output in outputs) == 1, outputs
    runs = [stable("runs.jsonl", (folder / name / "runs.jsonl").read_bytes()) for name in ("alone", "out")]
    assert runs[0] == runs[1]


def test_an_array_of_workers(slurm, folder):
    outputs = submitted(slurm, folder, SOURCE / "examples/slurm/compare-array.sbatch", "out", *STUDY)
    assert len(outputs) == 2
    check_study(folder, outputs)


def mpi_plugins():
    return [(name, mpi) for name, mpi in (("openmpi", "pmix"), ("mpich", "pmi2")) if (BUILD / f"lib/faithful/libfaithful_{name}.so").exists()]


@pytest.fixture
def srun_mpi(slurm):
    """An --mpi of this srun for which there is a plug-in; Debian's srun has pmix and pmi2."""
    known = subprocess.run(["srun", "--mpi=list"], env=slurm, text=True, capture_output=True)
    for _, mpi in mpi_plugins():
        if mpi in known.stdout + known.stderr:
            return {**slurm, "FAITHFUL_SRUN_MPI": mpi}
    pytest.skip("no MPI plug-in was built (FAITHFUL_MPI)")


def test_a_study_over_ranks(srun_mpi, folder):
    check_study(folder, submitted(srun_mpi, folder, SOURCE / "examples/slurm/compare-ranks.sbatch", "out", *STUDY))


def test_a_training_over_ranks(srun_mpi, folder):
    options = ["--label", "broken", *TINY, "--epochs", "3", "--no-baselines"]
    submitted(srun_mpi, folder, SOURCE / "examples/slurm/train.sbatch", "tiny.csv", "ranks.safetensors", *options)
    alone = run("train", "tiny.csv", "-o", "alone.safetensors", "--threads", "1", *options, cwd=folder)
    assert alone.returncode == 0, alone.stderr
    assert (folder / "ranks.safetensors").read_bytes() == (folder / "alone.safetensors").read_bytes()
