#!/usr/bin/env python3
"""The engine beside oneDNN's sgemm, PyTorch and ONNX Runtime, in turns, so that all see the same machine.

    engine_peers.py --engine build/release/bin/engine_serve [--predictor build/release/bin/bench_predict_serve]
                    [--only predict] [--python PYTHON]... [--width D]... [--rounds R]

Each PYTHON that can import torch is a peer in training (eager, and torch.compile where it works); each with onnxruntime in inference.
PyTorch runs in its best set-up: number of threads, OPENBLAS_NUM_THREADS (for Debian's, whose products are OpenBLAS's) and
OMP_WAIT_POLICY are tried for each width, and the best is measured. A round asks every one in turn for a fraction of a
second of work while the others sleep. Milliseconds are medians of the rounds. A ratio or share is that of one round; shown are
the lower quartile, which is held against the bar (three rounds of four were better), and the median. The model is that of tests/engine/reference_model.h, S = 100, 38
channels, batch 32 in training, float32, the same weights for all. "predict" is the program's Predictor on a model file of the same size with the DFT
encoding (bench/predict_case.h): scaling, model and probabilities, against the peers' model alone.

Tables go to stderr, figures as lines of JSON to stdout (bench/figure.h).
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

WORKERS = pathlib.Path(__file__).with_name("engine_workers.py")
SHARE_BAR = {64: 0.58, 128: 0.70, 256: 0.70}
OLD_BAR = {64: 3.5, 128: 2.6, 256: 1.6}   # against PyTorch 1.13
NEW_BAR = {64: 2.0, 128: 1.6, 256: 1.2}   # against PyTorch 2
INFER_BAR = {64: 2.0, 128: 1.6, 256: 1.4}
THREADS_BAR = 1.85


def note(text=""):
    print(text, file=sys.stderr, flush=True)


def quartile(values):
    return sorted(values)[len(values) // 4]


class Worker:
    """A process that answers a line with a line; None where it has died."""

    def __init__(self, command, **settings):
        self.settings = ", ".join(f"{k}={v}" for k, v in settings.items())
        environment = {k: v for k, v in os.environ.items()
                       if k not in ("OMP_WAIT_POLICY", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env={**environment, **settings})
        line = self.process.stdout.readline()
        self.name = json.loads(line)["name"] if line else None

    def ask(self, request):
        try:
            self.process.stdin.write(request + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def time(self, request):
        answer = self.ask(request)
        return answer["ms"] if answer else None

    def close(self):
        self.process.kill()
        self.process.wait()


def figure(name, value, unit, peer=None, ratio=None):
    print(json.dumps({"name": name, "value": float(f"{value:.4g}"), "unit": unit, "peer": peer,
                      "ratio": ratio and float(f"{ratio:.4g}")}), flush=True)


def row(case, ours, ratios, bar, peer, theirs=None):
    """One line of the table and one figure; ours and theirs are milliseconds, a number per round."""
    ratio, ms = quartile(ratios), statistics.median(ours)
    mark = "" if bar is None else ("  " if ratio >= bar else " <") + f" {bar:.2f}"
    their_ms = "" if theirs is None else f"{statistics.median(theirs):.2f}"
    note(f"{case:<28}{ms:>9.2f}{their_ms:>10}{ratio:>8.2f}{statistics.median(ratios):>8.2f}{mark:>8}  {peer}")
    figure(case, ms, "ms", peer.split(" (")[0], ratio)


def start_torch(python, folder, script=WORKERS):
    """Workers of one Python in every set-up worth a try."""
    cores = str(os.cpu_count())
    found = []
    for kind in ("torch", "compiled"):
        for wait in ({}, {"OMP_WAIT_POLICY": "PASSIVE"}):
            for blas in ("1", cores):
                worker = Worker([python, script, kind, folder], OPENBLAS_NUM_THREADS=blas, **wait)
                if not worker.name:
                    break
                found.append(worker)
                if not worker.name.startswith("PyTorch 1."):  # later ones bring their own products
                    break
            if kind == "compiled" or not found:
                break
    return found


def best_setups(workers, case, batch):
    """{name: (milliseconds of a call, description)} of the best set-up of each peer."""
    best = {}
    for worker in workers:
        for threads in sorted({1, os.cpu_count()}):
            request = f"train {case} {threads} {batch}"
            time = worker.time(request)
            if time is not None and time < best.get(worker.name, (float("inf"),))[0]:
                best[worker.name] = (time, worker, request, f"{threads} threads, {worker.settings}")
    return best


def train(engine, workers, width, rounds):
    for name in compare_training(engine, engine, workers, width, 32, rounds, f"train d={width}",
                                 SHARE_BAR.get(width), OLD_BAR.get(width), NEW_BAR.get(width)):
        note(f"{name}: gave up at d={width}")


def compare_training(engine, ours, workers, case, batch, rounds, name, share_bar, old_bar, new_bar):
    """Rows of one case; `ours` is the worker that is measured, `engine` measures sgemm beside it. Returns the peers that gave up."""
    cores = os.cpu_count()
    peers = best_setups(workers, case, batch)
    times = {peer: [] for peer in [1, cores, *peers]}
    sgemm, sgemm_all, flops = [], [], None
    for _ in range(rounds):
        sgemm.append(engine.ask("sgemm 1")["gflops"])
        for threads in sorted({1, cores}):
            answer = ours.ask(f"train {case} {threads} {batch}")
            times[threads].append(answer["ms"])
            flops = answer["flops"]
        sgemm_all.append(engine.ask(f"sgemm {cores}")["gflops"])
        for peer, (_, worker, request, _) in peers.items():
            times[peer].append(worker.time(request))
    for threads in sorted({1, cores}):
        if sgemm[0] is not None:
            row(f"{name}, {threads} threads", times[threads],
                [flops / t / 1e6 / g / threads for t, g in zip(times[threads], sgemm)],
                share_bar if threads == 2 else None,
                f"sgemm (oneDNN, {statistics.median(sgemm):.1f} GFLOP/s a core)")
    if cores > 1:
        ceiling = "" if sgemm[0] is None else f" (sgemm's own: {statistics.median(a / b for a, b in zip(sgemm_all, sgemm)):.2f})"
        row(f"{name}, {cores} threads", times[cores], [one / two for one, two in zip(times[1], times[cores])],
            THREADS_BAR, f"ours on 1 thread{ceiling}", times[1])
    for peer, (_, _, _, setup) in peers.items():
        row(f"{name}, {cores} threads", times[cores], [t / m for t, m in zip(times[peer], times[cores])],
            old_bar if peer.startswith("PyTorch 1.") else new_bar, f"{peer} ({setup})", times[peer])
    return {w.name for w in workers} - peers.keys()


def infer(engine, name, ours, workers, width, rounds):
    """`ours`: the worker that is measured; `engine` measures sgemm beside it."""
    for batch in (1, 32):
        request = f"infer {width} 1 {batch}"
        mine, sgemm, theirs, flops = [], [], {w: [] for w in workers}, None
        for _ in range(rounds):
            sgemm.append(engine.ask("sgemm 1")["gflops"])
            answer = ours.ask(request)
            mine.append(answer["ms"])
            flops = answer["flops"]
            for worker in workers:
                theirs[worker].append(worker.time(request))
        case = f"{name} d={width} b={batch}, 1 thread"
        if sgemm[0] is not None:
            row(case, mine, [flops / t / 1e6 / g for t, g in zip(mine, sgemm)], None, "sgemm")
        for worker, times in theirs.items():
            if None in times:
                note(f"{worker.name}: gave up at d={width}, batch {batch}")
                continue
            bar = INFER_BAR.get(width) if worker.name.startswith("ONNX") else None
            row(case, mine, [t / m for t, m in zip(times, mine)], bar, f"{worker.name} (1 thread)", times)


def ceiling(engine, rounds):
    """The rate of multiply-adds in registers, alone and on all cores at once, and sgemm's part of it."""
    for threads in sorted({1, os.cpu_count()}):
        peaks = [engine.ask(f"peak {threads}")["gflops"] for _ in range(rounds)]
        sgemm = [engine.ask(f"sgemm {threads}")["gflops"] for _ in range(rounds)]
        note(f"{threads} threads: multiply-adds in registers {statistics.median(peaks):.1f} GFLOP/s, "
             f"sgemm {statistics.median(sgemm) if sgemm[0] else float('nan'):.1f}")
        figure(f"multiply-adds in registers, {threads} threads", statistics.median(peaks), "GFLOP/s")


def show_profile(engine, requests):
    """`requests`: {column: request}."""
    note("\nshare of a training step on one thread, %: forward + backward")
    profiles = [{name: (f, b) for name, f, b in engine.ask(request)["operators"]} for request in requests.values()]
    note(f"{'operator':<28}" + "".join(f"{column:>16}" for column in requests))
    for name in dict.fromkeys(name for p in profiles for name in p):
        shares = [p.get(name, (0, 0)) for p in profiles]
        note(f"{name:<28}" + "".join(f"{f:>8.1f} +{b:>5.1f} " for f, b in shares))


def write_weights(engine, folder, cases):
    for case in cases:
        answer = engine.ask(f"weights {case} {folder}/{case}.bin")
        pathlib.Path(folder, f"{case}.json").write_text(json.dumps(answer))


def start_runtimes(pythons, folder, widths):
    found = []
    for python in pythons:
        command = [python, WORKERS, "export", folder, *map(str, widths)]
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            found.append(Worker([python, WORKERS, "onnxruntime", folder]))
    return [worker for worker in found if worker.name]


def measure_engine(engine, options):
    with tempfile.TemporaryDirectory() as folder:
        write_weights(engine, folder, options.width)
        workers = [w for python in options.python for w in start_torch(python, folder)]
        for width in options.width:
            train(engine, workers, width, options.rounds)
        for worker in workers:
            worker.close()
        runtimes = start_runtimes(options.python, folder, options.width)
        for width in options.width:
            infer(engine, "infer", engine, runtimes, width, options.rounds)
        for worker in runtimes:
            worker.close()
    show_profile(engine, {f"d={width}": f"profile {width}" for width in options.width})


def measure_predictor(engine, options):
    predictor = Worker([options.predictor])
    with tempfile.TemporaryDirectory() as folder:
        write_weights(predictor, folder, options.width)
        workers = start_runtimes(options.python, folder, options.width)
        for python in options.python:
            workers += [Worker([python, WORKERS, kind, folder], OPENBLAS_NUM_THREADS="1") for kind in ("torch", "compiled")]
        workers = [worker for worker in workers if worker.name]
        for width in options.width:
            infer(engine, "predict", predictor, workers, width, options.rounds)
        for worker in workers:
            worker.close()
    predictor.close()


def measure(options):
    engine = Worker([options.engine], OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    note(f"{engine.name}; {os.cpu_count()} cores, {options.rounds} rounds; ms are medians; '<': the lower quartile is below its bar")
    note(f"{'case':<28}{'ours ms':>9}{'theirs ms':>10}{'ratio':>8}{'median':>8}{'bar':>8}  peer")
    ceiling(engine, 3)
    if options.only != "predict":
        measure_engine(engine, options)
    if options.predictor:
        measure_predictor(engine, options)
    engine.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--predictor")
    parser.add_argument("--only", choices=["predict"])
    parser.add_argument("--python", action="append")
    parser.add_argument("--width", action="append", type=int)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    options.python = options.python or [sys.executable]
    options.width = options.width or [64, 128, 256]
    measure(options)


if __name__ == "__main__":
    main()
