#!/usr/bin/env python3
"""The engine beside PyTorch and ONNX Runtime, in turns, so that all see the same machine.

    engine_peers.py --engine build/release/bin/engine_step [--python PYTHON]... [--width D]... [--rounds R] [--json FILE]

Each PYTHON that can import torch is a peer in training (eager, and torch.compile where it works), at its best number of
threads; each that can import onnxruntime is one in inference. Default: the python3 that runs this. A round asks every one in turn
for a fraction of a second of work while the others sleep; shown are lower quartiles of the rounds, and the median of the
rounds' ratios. The model is that of tests/engine/reference_model.h, batch 32, S = 100, 38 channels, float32.
"""
import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

POSITIONS, CHANNELS, CLASSES, LAYERS = 100, 38, 2, 2
SECONDS = 0.4  # of work per turn


def heads_of(width):
    return 8 if width > 128 else 4


def timed(step, seconds=SECONDS):
    """Milliseconds per call, over about that many seconds."""
    step()
    count, start = 0, time.perf_counter()
    while True:
        step()
        count += 1
        spent = time.perf_counter() - start
        if spent >= seconds:
            return 1e3 * spent / count


# --- Workers: another process of this script, asked line by line on stdin ---

def torch_model(width):
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.input = torch.nn.Linear(CHANNELS, width)
            self.layers = torch.nn.ModuleList(
                torch.nn.TransformerEncoderLayer(width, heads_of(width), 4 * width, dropout=0.0, activation="gelu",
                                                 batch_first=True) for _ in range(LAYERS))
            self.output = torch.nn.Linear(width, CLASSES)

        def forward(self, x):
            h = self.input(x)
            for layer in self.layers:
                h = layer(h)
            return self.output(h.mean(1))

    torch.manual_seed(1)
    return Model()


def torch_step(width, batch, compiled):
    import torch
    model = torch_model(width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x, labels = torch.randn(batch, POSITIONS, CHANNELS), torch.randint(0, CLASSES, (batch,))
    run = torch.compile(model) if compiled else model

    def step():
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(run(x), labels).backward()
        optimizer.step()

    return step


def work_torch(compiled):
    import torch
    if compiled and not hasattr(torch, "compile"):
        return
    print(json.dumps({"name": f"PyTorch {torch.__version__}" + (" compiled" if compiled else "")}), flush=True)
    steps = {}
    for line in sys.stdin:
        request = json.loads(line)
        torch.set_num_threads(request["threads"])
        key = (request["width"], request["batch"], request["threads"])
        if key not in steps:
            steps[key] = torch_step(request["width"], request["batch"], compiled)
            timed(steps[key], 0.1)
        print(json.dumps({"ms": timed(steps[key])}), flush=True)


def work_export(folder, widths):
    """ONNX files of the model. Training mode keeps PyTorch from its fused inference layers, which ONNX cannot say."""
    import torch
    for width in widths:
        torch.onnx.export(torch_model(width).train(), torch.randn(1, POSITIONS, CHANNELS), f"{folder}/{width}.onnx",
                          training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False, opset_version=17,
                          input_names=["x"], output_names=["y"], dynamic_axes={"x": {0: "b"}, "y": {0: "b"}})


def work_onnxruntime(folder):
    import numpy
    import onnxruntime
    print(json.dumps({"name": f"ONNX Runtime {onnxruntime.__version__}"}), flush=True)
    sessions = {}
    for line in sys.stdin:
        request = json.loads(line)
        key = (request["width"], request["threads"])
        if key not in sessions:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads, options.inter_op_num_threads = request["threads"], 1
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            sessions[key] = onnxruntime.InferenceSession(f"{folder}/{request['width']}.onnx", options,
                                                         providers=["CPUExecutionProvider"])
        x = numpy.random.default_rng(1).standard_normal((request["batch"], POSITIONS, CHANNELS)).astype("float32")
        print(json.dumps({"ms": timed(lambda: sessions[key].run(None, {"x": x}))}), flush=True)


# --- The engine and the peers, as things that can be asked ---

class Worker:
    def __init__(self, python, *arguments):
        environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE", "OPENBLAS_NUM_THREADS": str(os.cpu_count())}
        self.process = subprocess.Popen([python, __file__, "--worker", *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        line = self.process.stdout.readline()
        self.name = json.loads(line)["name"] if line else None

    def ask(self, width, threads, batch):
        """Milliseconds, or None where the worker died (torch.compile without a compiler, say)."""
        try:
            self.process.stdin.write(json.dumps({"width": width, "threads": threads, "batch": batch}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        line = self.process.stdout.readline()
        return json.loads(line)["ms"] if line else None

    def close(self):
        self.process.kill()
        self.process.wait()


def ask_engine(engine, width, threads, batch, infer):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [engine, "--width", str(width), "--threads", str(threads), "--batch", str(batch), "--rounds", "2",
                   "--json", file.name] + (["--infer"] if infer else [])
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return json.load(open(file.name))[0]["value"]


def quartile(values):
    return sorted(values)[len(values) // 4]


def compare(title, rounds, ours, peers, rows, settings):
    """Asks ours() and each peer in turn; peers = {name: call}. Prints one line per peer."""
    mine, theirs = [], {name: [] for name in peers}
    for _ in range(rounds):
        mine.append(ours())
        for name, call in peers.items():
            theirs[name].append(call())
    for name, times in theirs.items():
        if None in times:
            print(f"{title:<34}{name}: gave up")
            continue
        ratio = statistics.median(t / m for t, m in zip(times, mine))
        print(f"{title:<34}{quartile(mine):>10.2f}{quartile(times):>12.2f}{ratio:>9.2f}x  {name}", flush=True)
        rows.append({"name": f"{title} {settings}", "value": quartile(mine), "unit": "ms", "peer": name, "ratio": ratio})


def measure(options):
    rows, cores = [], os.cpu_count()
    print(f"{platform.machine()}, {cores} cores; milliseconds, lower quartile of {options.rounds} rounds")
    print(f"{'case':<34}{'ours':>10}{'theirs':>12}{'ratio':>10}  peer")
    workers = [Worker(python, kind) for python in options.python for kind in ("torch", "compiled")]
    workers = [w for w in workers if w.name]
    for width in options.width:
        peers = {f"{w.name}, {t} threads": (lambda w=w, t=t: w.ask(width, t, 32))
                 for w in workers for t in sorted({1, cores})}
        if peers:
            compare(f"train d={width} b=32, {cores} threads", options.rounds,
                    lambda: ask_engine(options.engine, width, cores, 32, False), peers, rows, "step")
    for worker in workers:
        worker.close()
    with tempfile.TemporaryDirectory() as folder:
        for python in options.python:  # the first that can export
            command = [python, __file__, "--worker", "export", folder, *map(str, options.width)]
            if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                break
        else:
            options.python = []
        workers = [w for w in (Worker(python, "onnxruntime", folder) for python in options.python) if w.name]
        for width in options.width:
            for batch in (1, 32):
                peers = {w.name + ", 1 thread": (lambda w=w: w.ask(width, 1, batch)) for w in workers}
                if peers:
                    compare(f"infer d={width} b={batch}, 1 thread", options.rounds,
                            lambda: ask_engine(options.engine, width, 1, batch, True), peers, rows, "infer")
        for worker in workers:
            worker.close()
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=2) + "\n")


def main():
    if sys.argv[1:2] == ["--worker"]:
        kind, arguments = sys.argv[2], sys.argv[3:]
        if kind in ("torch", "compiled"):
            work_torch(kind == "compiled")
        elif kind == "export":
            work_export(arguments[0], [int(a) for a in arguments[1:]])
        else:
            work_onnxruntime(arguments[0])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--python", action="append")
    parser.add_argument("--width", action="append", type=int)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    options = parser.parse_args()
    options.python = options.python or [sys.executable]
    options.width = options.width or [64, 128, 256]
    measure(options)


if __name__ == "__main__":
    main()
