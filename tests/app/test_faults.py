"""The n-th allocation, read, write, fsync, rename, open or thread start fails (tests/faults/fail_nth.cpp, as SQLite's
tests do it). Each run succeeds with the bytes of an undisturbed one, or ends with one line that names the failure and
leaves nothing half-written. 200 spread n for each verb; FAITHFUL_FAULTS=N: so many; FAITHFUL_FAULTS=all: every n;
FAITHFUL_FAULT_PART=2/4 with it: the second of every four, so that a long run can be made in portions.
The program starts once for many faults: the library makes it a server, which forks a child for each."""
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile

import pytest

from program import BUILD, PROGRAM, TINY, built_without_hdf5, files_of, quick_folder, run, stable, write_tiny

WANTED = os.environ.get("FAITHFUL_FAULTS", "200")
EVERY = WANTED == "all"
PART, PARTS = map(int, os.environ.get("FAITHFUL_FAULT_PART", "1/1").split("/"))
WORKERS = int(os.environ.get("FAITHFUL_FAULT_WORKERS", "2"))
KINDS = ["alloc", "read", "write", "fsync", "rename", "open", "thread"]
# A kind with a "+" fails from the n-th call on.
MODES = ["alloc", "alloc+", "read", "write", "write+", "fsync", "rename", "open", "open+", "thread", "thread+"]
REASONS = {"alloc": "out of memory|Cannot allocate memory", "read": "Input/output error", "write": "No space left on device",
           "fsync": "Input/output error", "rename": "Input/output error", "open": "Too many open files",
           "thread": "Resource temporarily unavailable"}
pytestmark = pytest.mark.unsanitized("a sanitizer has allocation functions of its own, which no library replaces")


@dataclasses.dataclass
class Scenario:
    """A command, in a folder of its own."""
    arguments: list  # relative names are in the folder
    stdin: bytes = b""
    former: dict = dataclasses.field(default_factory=dict)  # {name: bytes} that are there before
    kept: str = r"(?!)"  # which further files a failed run may leave, for the next one to go on from
    resume: list = dataclasses.field(default_factory=list)  # more arguments of the run that goes on from a checkpoint
    volatile: str = r"(?!)"  # what differs from run to run: times
    progress: str = r"(?!)"  # lines on standard error that are no errors
    silent: str = r"(?!)"  # what a library may make of a lack of memory, of which it says nothing
    late: bool = True  # from the first file that is opened on; what precedes it is the same for every verb
    walk: bool = False  # no threads, no files: the server goes on to each allocation, and a child has only the rest to do


Done = collections.namedtuple("Done", "returncode stdout stderr")


class Server:
    """The program, stopped at the first call that counts. It forks a child for each fault (FAULT_SERVE)."""

    def __init__(self, faults, walk):
        place = faults.prepared()
        requests, self.requests = os.pipe()
        self.replies, replies = os.pipe()
        environment = {**faults.environment(place), "FAULT_SERVE": f"{requests},{replies}"}
        if walk:
            environment["FAULT_WALK"] = "1"
        self.process = subprocess.Popen(
            [PROGRAM, *map(str, faults.scenario.arguments)], cwd=place, env=environment, pass_fds=(requests, replies),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(requests)
        os.close(replies)

    def run(self, place, kind, n, forever):
        """The program in that folder, with that fault."""
        number = KINDS.index(kind) if kind in KINDS else len(KINDS)
        os.write(self.requests, struct.pack("1024siiQ", os.fsencode(place), number, forever, n))
        if not select.select([self.replies], [], [], 100)[0]:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(PROGRAM, 100)
        reply = os.read(self.replies, 4)
        assert len(reply) == 4, "the server ended"
        code = os.waitstatus_to_exitcode(struct.unpack("i", reply)[0])
        return Done(code, *((place.parent / name).read_bytes() for name in ("stdout", "stderr")))

    def close(self):
        os.close(self.requests)  # it ends
        self.process.wait(100)
        os.close(self.replies)


class Faults:
    """The runs of a scenario."""

    def __init__(self, scenario, folder):
        self.scenario, self.folder = scenario, pathlib.Path(folder)
        self.numbers = iter(range(10**9))
        place = self.prepared()
        self.expected = self.execute(place), files_of(place)
        assert self.expected[0].returncode == 0, self.expected[0]
        place = self.prepared()
        self.execute(place, counted=True)
        self.counts = dict(zip(KINDS, struct.unpack(f"{len(KINDS)}Q", self.counters(place).read_bytes()[:8 * len(KINDS)])))
        assert self.counts["alloc"] > 100, "the library of the tests is not loaded"

    def counters(self, place):
        return place.parent / "counters"

    def prepared(self):
        place = self.folder / str(next(self.numbers)) / "work"
        place.mkdir(parents=True)
        self.counters(place).write_bytes(bytes(4096))
        (place.parent / "stdin").write_bytes(self.scenario.stdin)
        for name, content in self.scenario.former.items():
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_bytes(content)
        return place

    def environment(self, place):
        """Of a program with the library; place: None: without it."""
        environment = {**os.environ, "TMPDIR": str(self.folder), "PATH": f"{self.folder.parent}:{os.environ['PATH']}"}
        if place:
            environment.update(LD_PRELOAD=str(BUILD / "fail_nth.so"), FAULT_COUNTS=str(self.counters(place)))
            if self.scenario.late:
                environment["FAULT_LATE"] = "1"
        return environment

    def execute(self, place, more=(), counted=False):
        return subprocess.run([PROGRAM, *map(str, self.scenario.arguments), *more], cwd=place, input=self.scenario.stdin,
                              capture_output=True, env=self.environment(place if counted else None), timeout=100)

    def result(self, done, files):
        """What must be the same in every run that succeeds."""
        volatile, progress = self.scenario.volatile, self.scenario.progress
        errors = [line for line in done.stderr.splitlines() if not re.match(progress.encode(), line)]
        contents = {name: stable(name, data, volatile) for name, data in files.items()}
        return stable("", done.stdout, volatile), sorted(errors), contents

    def complaints(self, chosen):
        """What is wrong about the runs in which those calls fail: one line each."""
        by_mode = [[point for point in chosen if point[0] == mode] for mode in MODES]  # for a server that goes on itself
        parts = by_mode if self.scenario.walk else [chosen[i::WORKERS] for i in range(WORKERS)]
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            return [line for lines in pool.map(self.complaints_of_one, filter(None, parts)) for line in lines]

    def complaints_of_one(self, chosen):
        walk = self.scenario.walk and chosen[0][0].startswith("alloc")  # what is written before the fork is not the child's
        server, found = Server(self, walk), []
        for mode, n in chosen:
            complaint = self.complaint(server, mode, n)
            if complaint:
                print(complaint, flush=True)
                found.append(complaint)
            if server.process.poll() is not None:
                server = Server(self, walk)
        server.close()
        return found

    def complaint(self, server, mode, n):
        place = self.prepared()
        kind = mode.rstrip("+")
        try:
            done, files = server.run(place, kind, n, mode != kind), files_of(place)
            found = self.judge(kind, done, files)
            if not found and done.returncode != 0 and not self.scenario.walk and (EVERY or n % 5 == 0):
                found = self.judge_next(server, place, files)
        except subprocess.TimeoutExpired:
            server.process.wait()
            return f"{mode} {n}: still running after 100 s"
        shutil.rmtree(place.parent)
        return found and f"{mode} {n}: {found}"

    def judge(self, kind, done, files):
        output, errors, wanted = self.result(*self.expected)
        if done.returncode == 0:
            return "" if self.result(done, files) == (output, errors, wanted) else f"another result: {done.stderr[-300:]} {sorted(files)}"
        if done.returncode not in (1, 2):
            return f"ended with {done.returncode}: {done.stderr[-300:]}"
        lines = [line for line in self.result(done, {})[1] if line not in errors]
        reasons = f"{REASONS[kind]}|{self.scenario.silent}" if kind == "alloc" else REASONS[kind]
        if len(lines) != 1 or not lines[0].startswith(b"faithful: ") or not re.search(reasons.encode(), lines[0]):
            return f"said {lines}"
        for name, data in files.items():
            whole = data == self.scenario.former.get(name) or stable(name, data, self.scenario.volatile) == wanted.get(name)
            kept = re.fullmatch(self.scenario.kept, name) and (not name.endswith(".jsonl") or data.endswith(b"\n") or not data)
            if not whole and not kept:
                return f"left {name} with {len(data)} bytes"
        missing = self.scenario.former.keys() - files.keys()
        return f"removed {missing}" if missing else ""

    def judge_next(self, server, place, files):
        """The same command once more, undisturbed: it gives what it always gives."""
        left = any(name.endswith(".checkpoint") for name in files)
        done = self.execute(place, self.scenario.resume) if left else server.run(place, "none", 1, False)
        if done.returncode != 0:
            return f"the next run failed: {done.stderr[-300:]}"
        results = [{name: data for name, data in self.result(*how)[2].items() if name != "log.jsonl"}  # it has the epochs of both
                   for how in [(done, files_of(place)), self.expected]]
        same = results[0] == results[1]
        return "" if same else "the next run gives another result"


def spread(count, most):
    """At most so many of 1 .. count, evenly, with both ends."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({1 + round(i * (count - 1) / max(1, most - 1)) for i in range(most)})


def points(counts, most):
    """The faults to try: (mode, n)."""
    totals = {mode: counts[mode.rstrip("+")] for mode in MODES}
    if EVERY:
        return [(mode, n) for mode in MODES for n in range(1, totals[mode] + 1)][PART - 1::PARTS]
    chosen = {mode: spread(totals[mode], most // 20) for mode in MODES if "alloc" not in mode}
    left = most - sum(map(len, chosen.values()))
    chosen["alloc+"] = spread(totals["alloc+"], left // 3)
    chosen["alloc"] = spread(totals["alloc"], left - len(chosen["alloc+"]))
    return [(mode, n) for mode, numbers in chosen.items() for n in numbers]


SERIES = """@problemName tiny
@timeStamps false
@univariate false
@dimensions 2
@equalLength true
@seriesLength 3
@classLabel true good bad
@data
""" + "".join(f"{i},2,3.5:4,{i},6:{'bad' if i % 3 == 0 else 'good'}\n" for i in range(12))


@pytest.fixture(scope="module")
def folder():
    with quick_folder() as path:
        write_tiny(path / "tiny.csv", 200)
        done = run("train", "tiny.csv", "--label", "broken", *TINY, "--epochs", "1", "-o", "model.safetensors", cwd=path)
        assert done.returncode == 0, done.stderr
        if not built_without_hdf5():
            (path / "tiny.ts").write_text(SERIES)
            done = run("data", "convert", "tiny.ts", "tiny.h5", cwd=path)
            assert done.returncode == 0, done.stderr
        yield path


def scenarios_of(verb, folder):
    table, labelled = folder / "tiny.csv", ["--label", "broken"]
    if verb == "start":
        return [Scenario(["--version"], late=False, walk=True)]
    if verb == "train":
        return [Scenario(["train", table, *labelled, *TINY, "--epochs", "2", "--checkpoint-every", "0", "--threads", "2",
                          "--log", "log.jsonl", "-o", "m.safetensors"],
                         former={"m.safetensors": b"former"}, kept=r"m\.safetensors\.checkpoint|log\.jsonl", resume=["--resume"],
                         volatile=r"^(time: |resumed at step).*\n|,?\"(seconds|windows_per_second)\":[^,}]*")]
    if verb == "predict":
        model = ["predict", folder / "model.safetensors"]
        return [Scenario([*model, table, *labelled, "-o", "scores.csv"], former={"scores.csv": b"former"}),
                Scenario([*model, "-"], stdin=b"\n".join(table.read_bytes().splitlines()[:40]) + b"\n")]
    if verb == "convert":
        convert = [Scenario(["data", "convert", table, "out.npz", *labelled], former={"out.npz": b"former"}),
                   Scenario(["data", "convert", table, "out.csv.gz", *labelled])]
        if not built_without_hdf5():
            convert += [Scenario(["data", "convert", folder / "tiny.ts", "out.h5"], former={"out.h5": b"former"}),
                        Scenario(["data", "convert", folder / "tiny.h5", "out.csv"], former={"out.csv": b"former"},
                                 silent="expected an HDF5 file, found a damaged one, or another format")]
        return convert
    return [Scenario(["compare", table, *labelled, *TINY, "--epochs", "1", "--seeds", "1", "--encodings", "sinusoidal", "--rates", "0.01",
                      "--gap-seeds", "0", "--no-minirocket", "--threads", "2", "-o", "out"],
                     former={"out/report.html": b"former"}, kept=r"out/runs\.jsonl", progress=r"tiny ?.*\d+/\d+: |tiny.*reused")]


@pytest.mark.parametrize("verb", ["start", "train", "predict", "convert", "compare"])
def test_any_call_may_fail(folder, verb):
    scenarios = scenarios_of(verb, folder)
    complaints, tried = [], collections.Counter()
    for scenario in scenarios:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            faults = Faults(scenario, place)
            chosen = points(faults.counts, 0 if EVERY else int(WANTED) // len(scenarios))
            tried.update(mode for mode, _ in chosen)
            complaints += [f"{' '.join(map(str, scenario.arguments[:3]))}: {line}" for line in faults.complaints(chosen)]
    print(f"\ncount: {sum(tried.values())} faults in {verb} ({', '.join(f'{n} {mode}' for mode, n in tried.items())})")
    assert not complaints, f"{len(complaints)} of {sum(tried.values())}:\n" + "\n".join(complaints[:40])
