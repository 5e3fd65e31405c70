#!/usr/bin/env python3
"""A training step on 1 and 2 ranks beside 1 and 2 threads, and PyTorch's DistributedDataParallel, in one run.

    ranks_peers.py [--build build/release] [--python PYTHON_WITH_TORCH] [--rounds 3] [--seconds 1.0] [--json FILE]

All set-ups take turns, round by round, so that they see the same machine. Prints tables in Markdown: medians of the rounds, and
ratios that were taken within each round. With the defaults it takes less than five minutes on an idle machine.
"""
import argparse
import collections
import datetime
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_btl_base_warn_component_unused": "0",
               "OMP_NUM_THREADS": "1", "TMPDIR": "/tmp"}
STARTERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"], "mpich": ["mpirun.mpich"]}


def ours(build, case, ranks, threads, seconds, mpi=None, how="chain"):
    words = [build / "bin/ranks_step", case, threads, seconds, *([how] if how == "gather" else [])]
    start = [*STARTERS[mpi], "-n", ranks] if mpi else []
    plugin = {"FAITHFUL_MPI": str(build / f"lib/faithful/libfaithful_{mpi}.so")} if mpi else {}
    done = subprocess.run([str(word) for word in (*start, *words)], env={**ENVIRONMENT, **plugin}, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measured_link(build):
    plugin = {"FAITHFUL_MPI": str(build / "lib/faithful/libfaithful_openmpi.so")}
    done = subprocess.run([*STARTERS["openmpi"], "-n", "2", str(build / "bin/ranks_step"), "link"], env={**ENVIRONMENT, **plugin},
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def torch(python, width, ranks, threads, seconds):
    words = [python, HERE / "ddp_worker.py", width, threads, seconds]
    environment = {**ENVIRONMENT, "OMP_NUM_THREADS": str(threads)}
    with tempfile.TemporaryDirectory() as folder:
        more = [[rank, f"{folder}/meet"] for rank in range(ranks)] if ranks > 1 else [[]]
        running = [subprocess.Popen([str(word) for word in (*words, *each)], env=environment, stdout=subprocess.PIPE, text=True) for each in more]
        outputs = [process.communicate()[0] for process in running]
    if any(process.returncode for process in running):
        sys.exit("ddp_worker.py failed")
    return json.loads(outputs[0].splitlines()[-1])


def setups(options, case):
    """{name: how to measure it}"""
    build, seconds = options.build, options.seconds
    found = {"1 thread": lambda: ours(build, case, 1, 1, seconds), "2 threads": lambda: ours(build, case, 1, 2, seconds)}
    for mpi in STARTERS:
        if shutil.which(STARTERS[mpi][0]) and (build / f"lib/faithful/libfaithful_{mpi}.so").exists():
            found[f"2 ranks, {mpi}"] = lambda mpi=mpi: ours(build, case, 2, 1, seconds, mpi)
            if mpi == "openmpi":
                found["2 ranks, gathered"] = lambda mpi=mpi: ours(build, case, 2, 1, seconds, mpi, "gather")
    if options.python and case != "dfstrans":
        found["torch, 1 thread"] = lambda: torch(options.python, case, 1, 1, seconds)
        found["torch, 2 threads"] = lambda: torch(options.python, case, 1, 2, seconds)
        found["torch DDP, 2 ranks"] = lambda: torch(options.python, case, 2, 1, seconds)
    return found


def median(rows, name, field="ms"):
    return statistics.median(row[name][field] for row in rows)


def ratio(rows, name, to):
    if any(name not in row or to not in row for row in rows):
        return ""
    return f"{statistics.median(row[name]['ms'] / row[to]['ms'] for row in rows):.3f}"


def print_tables(rounds, options):
    names = list(dict.fromkeys(name for rows in rounds.values() for name in rows[0]))
    print("| milliseconds of a step | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for case, rows in rounds.items():
        print(f"| {case_name(case)} | " + " | ".join(f"{median(rows, name):.2f}" if name in rows[0] else "" for name in names) + " |")
    pairs = [("2 ranks, openmpi", "2 threads"), ("2 ranks, mpich", "2 threads"), ("2 ranks, gathered", "2 ranks, openmpi"), ("2 threads", "1 thread"),
             ("torch DDP, 2 ranks", "torch, 2 threads"), ("torch DDP, 2 ranks", "2 ranks, openmpi")]
    print("\n| ratio of times | " + " | ".join(f"{a} / {b}" for a, b in pairs) + " | waits for others, openmpi | MB of gradients |")
    print("|---" * (len(pairs) + 3) + "|")
    for case, rows in rounds.items():
        first = rows[0].get("2 ranks, openmpi")
        share = "" if first is None else f"{100 * statistics.median(r['2 ranks, openmpi']['wait_ms'] / r['2 ranks, openmpi']['ms'] for r in rows):.1f} %"
        print(f"| {case_name(case)} | " + " | ".join(ratio(rows, *pair) for pair in pairs) + f" | {share} | {rows[0]['1 thread']['bytes'] / 1e6:.2f} |")


def print_model(rounds, link, options):
    """The time of a step on many ranks with the same work each, from a chain whose links take what was measured here."""
    hop, add = 1e3 * link["bucket"], 1e3 * link["add"]
    print(f"\nOne message from rank to rank on this host: {1e6 * link['small']:.0f} µs for 1 KB, {1e3 * hop:.0f} µs for a bucket of 256 KB; "
          f"adding a bucket: {1e3 * add:.0f} µs.")
    # A network: latency of a small message, gigabytes per second.
    networks = {"this host": hop + add, "10 µs, 3 GB/s": 0.010 + 0.262144 / 3 + add, "50 µs, 0.125 GB/s": 0.050 + 0.262144 / 0.125 + add}
    print("\n| step of the model of cost, ms (share of communication) | one rank | " +
          " | ".join(f"{ranks} ranks, {name}" for name in networks for ranks in (8, 64, 512)) + " |")
    print("|---" * (2 + 3 * len(networks)) + "|")
    for case, rows in rounds.items():
        work, buckets = median(rows, "1 thread") / 2, -(-rows[0]["1 thread"]["bytes"] // 262144)
        cells = []
        for hop_ms in networks.values():
            for ranks in (8, 64, 512):
                chain = (2 * (ranks - 1) + buckets - 1) * hop_ms
                cells.append(f"{work + chain:.1f} ({100 * chain / (work + chain):.0f} %)")
        print(f"| {case_name(case)} | {work:.1f} | " + " | ".join(cells) + " |")


def case_name(case):
    return "DFStrans" if case == "dfstrans" else f"d = {case}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build/release")
    parser.add_argument("--python", help="one with PyTorch; without it no peer")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--cases", nargs="*", default=["64", "128", "256", "dfstrans"])
    parser.add_argument("--json")
    options = parser.parse_args()
    rounds = collections.defaultdict(list)
    for _ in range(options.rounds):
        for case in options.cases:
            rounds[case].append({name: measure() for name, measure in setups(options, case).items()})
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rounds, indent=1))
    model = next((line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown processor")
    print(f"{datetime.date.today()}, {model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; medians of {options.rounds} rounds "
          f"of {options.seconds:g} s\n")
    print_tables(rounds, options)
    if shutil.which(STARTERS["openmpi"][0]) and (options.build / "lib/faithful/libfaithful_openmpi.so").exists():
        print_model(rounds, measured_link(options.build), options)


main()
