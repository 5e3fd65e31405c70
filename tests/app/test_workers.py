"""`faithful compare --worker k/n`: processes that share a folder and nothing else. Whatever dies, the table is that of one process."""
import json
import os
import random
import signal
import time

import pytest

from program import rejected, run, stable
from studies import LONG, SHORT, ended, expected, folder, start  # noqa: F401 (two are fixtures)


def work(folder, arguments, worker):
    return start(folder, [*arguments, "--worker", worker] if worker else arguments)


def check(folder, arguments, expected, outputs, killed=False):
    """One of the workers has printed the table, the others one line; runs.jsonl has each run once; nothing else is left."""
    text, runs = expected[tuple(arguments)]
    tables = [output for output in outputs if "the same command without --worker prints the tables" not in output]
    assert tables == [text] or killed and tables == [], outputs  # none: the one that moved the runs was killed
    assert stable("runs.jsonl", (folder / "out/runs.jsonl").read_bytes()) == stable("runs.jsonl", runs)
    assert not (folder / "out/workers").exists(), list((folder / "out/workers").iterdir())
    assert ended(start(folder, arguments)) == text


def results(folder):
    return sorted((folder / "out/workers").glob("*.result")) if (folder / "out/workers").exists() else []


def wait_for(condition, seconds=100):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize("workers", [["1/1"], ["1/2", "2/2"], ["1/3", "2/3", "3/3"], ["1/2", "1/2"], ["4/7"]])
def test_any_workers_give_the_table_of_one_process(folder, expected, workers):
    processes = [work(folder, SHORT, worker) for worker in workers]
    outputs = [ended(process) for process in processes]
    check(folder, SHORT, expected, outputs)
    late = ended(work(folder, SHORT, "2/2"))  # after the end
    assert late.startswith("worker 2/2: all 18 runs are in out/runs.jsonl"), late


@pytest.mark.unsanitized("takes minutes; the moments of the kills are the same without them")
def test_the_others_go_on_where_one_is_killed(folder, expected):
    first, second = work(folder, LONG, "1/3"), work(folder, LONG, "2/3")
    wait_for(lambda: len(results(folder)) >= 2 or first.poll() is not None)
    first.kill()
    first.communicate()
    third = work(folder, LONG, "1/3")
    check(folder, LONG, expected, [ended(second), ended(third)])


@pytest.mark.unsanitized("takes minutes; the moments of the kills are the same without them")
@pytest.mark.parametrize("then", ["1/2", None])
def test_all_killed_and_started_again(folder, expected, then):
    processes = [work(folder, LONG, "1/2"), work(folder, LONG, "2/2")]
    wait_for(lambda: len(results(folder)) >= 3)
    for process in processes:
        process.kill()
        process.communicate()
    finished = [path.read_text() for path in results(folder)]
    shown = run("compare", "--finished", "out", cwd=folder)  # before they are moved
    assert shown.returncode in (0, 2)  # 2: only learning rates were tried yet
    check(folder, LONG, expected, [ended(work(folder, LONG, then))])
    kept = (folder / "out/runs.jsonl").read_text()
    assert all(line in kept for line in finished)  # with their seconds: none of them ran again


@pytest.mark.unsanitized("takes minutes; the moments of the kills are the same without them")
def test_killed_at_random_moments(folder, expected):
    moments, kills = random.Random(1), 0
    while kills < int(os.environ.get("FAITHFUL_WORKER_KILLS", "10")):
        processes = [work(folder, SHORT, worker) for worker in ("1/2", "2/2")]
        time.sleep(moments.uniform(0.05, 0.8))
        for process in moments.sample(processes, 1 + kills % 2):
            process.kill()
            kills += 1
        outputs = [process.communicate(timeout=100) for process in processes]
        for process, (_, errors) in zip(processes, outputs):
            assert process.returncode in (0, -signal.SIGKILL), errors
        if any(process.returncode == 0 for process in processes):
            check(folder, SHORT, expected, [output for process, (output, _) in zip(processes, outputs) if process.returncode == 0], killed=True)
            for path in (folder / "out").iterdir():
                path.unlink()
    check(folder, SHORT, expected, [ended(work(folder, SHORT, "1/1"))])


def test_killed_between_moving_the_runs_and_removing_them(folder, expected):
    ended(work(folder, SHORT, "1/1"))
    line = (folder / "out/runs.jsonl").read_text().splitlines()[-1]
    (folder / "out/workers").mkdir()
    (folder / f"out/workers/{json.loads(line)['key']}.result").write_text(line + "\n")
    kernel = open("/proc/sys/kernel/random/boot_id").read().strip()
    (folder / "out/workers/merge.claim-1").write_text(f"{kernel} worker 1/1, a process that is dead\n")
    check(folder, SHORT, expected, [ended(work(folder, SHORT, "1/1"))])


def test_a_claim_counts_while_it_is_renewed(folder, expected):
    """As of a worker on another machine, where only the time of the claim can be seen."""
    key = next(json.loads(line)["key"] for line in expected[tuple(SHORT)][1].splitlines() if b'"kind":"rate"' in line)
    (folder / "out/workers").mkdir(parents=True)
    claim = folder / "out/workers" / f"{key}.claim-1"
    claim.write_text("other-kernel worker 1/2, process 1 on another machine\n")
    process = work(folder, [*SHORT, "--worker-timeout", "1.5"], "2/2")
    renewed = time.monotonic()
    while time.monotonic() < renewed + 3:
        os.utime(claim)
        time.sleep(0.1)
    assert process.poll() is None  # rates are chosen after all of them were tried
    check(folder, SHORT, expected, [ended(process)])


def test_stopped_workers_leave_their_runs_to_others(folder, expected):
    process = work(folder, LONG, "1/2")
    wait_for(lambda: results(folder))
    process.send_signal(signal.SIGTERM)
    assert "faithful: stopped; finished runs are kept beside out/runs.jsonl: the same command continues\n" in ended(process, 1)
    assert not list((folder / "out/workers").glob("*.claim-*"))
    check(folder, LONG, expected, [ended(work(folder, LONG, "2/2"))])


def test_workers_and_a_process_alone_exclude_each_other(folder):
    for first, second in (("1/2", None), (None, "1/2")):
        process = work(folder, LONG, first)
        wait_for(lambda: (folder / "out/runs.jsonl").exists())
        time.sleep(0.2)
        message = ended(work(folder, LONG, second), 2)
        process.kill()
        process.communicate()
        assert message == ("faithful: out/runs.jsonl: expected a file that no other process writes, found one that is in use "
                           "(wait for its end, or take another)\n")


def test_workers_must_agree_on_the_settings(folder):
    process = work(folder, LONG, "1/2")
    wait_for(lambda: list((folder / "out").glob("workers/*.settings")))
    assert "expected runs of tiny with epochs 2, found epochs 60" in ended(work(folder, SHORT, "2/2"), 2)
    process.kill()
    process.communicate()


@pytest.mark.parametrize("worker", ["3/2", "0/2", "1/0", "x", "2", "1/", "/2", "1/2/3", "-1/2", "1.5/2", " 1/2", "1/99999999999"])
def test_a_bad_worker_is_refused(folder, worker):
    assert rejected(*SHORT, "--worker", worker, cwd=folder) == f'--worker: expected K/N with K from 1 to N, such as 2/8, found "{worker}"'
    assert not (folder / "out").exists()


def test_what_a_worker_needs(folder):
    without = [word for word in SHORT if word not in ("-o", "out")]
    assert rejected(*without, "--worker", "1/2", cwd=folder) == "--worker: expected a folder that all workers see: --output, found none"
    assert "--worker: expected runs to train, without --finished" in rejected("compare", "--finished", "out", "--worker", "1/2", cwd=folder)
    assert "--worker-timeout" in rejected(*SHORT, "--worker", "1/2", "--worker-timeout", "0", cwd=folder)
