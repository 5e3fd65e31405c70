"""The peers of the engine, each a process that is asked line by line: PyTorch in training and inference, ONNX Runtime in inference.

    engine_workers.py torch|compiled FOLDER       requests: train or infer WIDTH THREADS BATCH
    engine_workers.py export FOLDER WIDTH...      writes FOLDER/WIDTH_BATCH.onnx
    engine_workers.py onnxruntime FOLDER          requests: infer WIDTH THREADS BATCH

FOLDER/WIDTH.json and .bin hold our weights, an input x and its logits or log-probabilities (engine_serve, bench_predict_serve). Every peer
takes these weights and must give these numbers before it is timed.
"""
import json
import pathlib
import sys
import time

import numpy as np

POSITIONS, CHANNELS, LAYERS = 100, 38, 2
SECONDS = 0.3  # of work per request


def heads_of(width):
    return 8 if width > 128 else 4


def timed(step):
    """Milliseconds per call, over about a turn."""
    step()
    count, start = 0, time.perf_counter()
    while True:
        step()
        count += 1
        spent = time.perf_counter() - start
        if spent >= SECONDS:
            return 1e3 * spent / count


def engine_tensors(folder, case):
    """{name: array} of a width or shape as our worker wrote them; x and logits are among them."""
    numbers = np.fromfile(pathlib.Path(folder) / f"{case}.bin", dtype=np.float32)
    tensors, at = {}, 0
    for name, sizes in json.loads((pathlib.Path(folder) / f"{case}.json").read_text())["tensors"]:
        count = int(np.prod(sizes))
        tensors[name] = numbers[at:at + count].reshape(sizes)
        at += count
    return tensors


def check(name, logits, tensors):
    ours = tensors["logits"]
    error = np.abs((logits - logits.mean(1, keepdims=True)) - (ours - ours.mean(1, keepdims=True))).max()  # up to a constant: logits
    if not error < 1e-4:
        sys.exit(f"{name} gives other logits than the engine: {error:g} apart")


# What PyTorch calls the parts of the engine's reference model and of the program's classifier.
TORCH_NAMES = {"in_proj.": "self_attn.in_proj_", "attention.qkv.": "self_attn.in_proj_", "attention.out.": "self_attn.out_proj.",
               "out_proj.": "self_attn.out_proj.", "feed_forward.first.": "linear1.", "feed_forward.second.": "linear2.",
               "embedding.": "input.", "head.": "output."}


def torch_name(name):
    start = len("layers.0.") if name.startswith("layers.") else 0
    for ours, theirs in TORCH_NAMES.items():
        if name[start:].startswith(ours):
            return name[:start] + theirs + name[start + len(ours):]
    return name


def torch_model(width, tensors):
    import torch
    classes = tensors["logits"].shape[1]

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("position", torch.zeros(POSITIONS, width) if "position" in tensors else None)
            self.input = torch.nn.Linear(CHANNELS, width)
            self.layers = torch.nn.ModuleList(
                torch.nn.TransformerEncoderLayer(width, heads_of(width), 4 * width, dropout=0.0, activation="gelu",
                                                 batch_first=True) for _ in range(LAYERS))
            self.output = torch.nn.Linear(width, classes)

        def forward(self, x):
            h = self.input(x) if self.position is None else self.input(x) + self.position
            for layer in self.layers:
                h = layer(h)
            return self.output(h.mean(1))

    model = Model()
    state = {torch_name(name): torch.from_numpy(value.copy()) for name, value in tensors.items() if name not in ("x", "logits")}
    model.load_state_dict(state)
    with torch.no_grad():
        check(f"PyTorch {torch.__version__}", model(torch.from_numpy(tensors["x"].copy())).numpy(), tensors)
    return model


def torch_step(width, batch, compiled, folder):
    import torch
    model = torch_model(width, engine_tensors(folder, width))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x, labels = torch.randn(batch, POSITIONS, CHANNELS), torch.randint(0, model.output.out_features, (batch,))
    run = torch.compile(model) if compiled else model

    def step():
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(run(x), labels).backward()
        optimizer.step()

    return step


def torch_pass(width, batch, compiled, folder):
    """Inference as a user would have it: eval(), no gradients; PyTorch's fused layer is on where it has one."""
    import torch
    model = torch_model(width, engine_tensors(folder, width)).eval()
    x = torch.randn(batch, POSITIONS, CHANNELS)
    run = torch.compile(model) if compiled else model

    def forward():
        with torch.inference_mode():
            run(x)

    return forward


def requests_of_words():
    for line in sys.stdin:
        yield line.split()


def requests():
    """(kind, width, threads, batch) of each line."""
    for kind, *numbers in requests_of_words():
        yield kind, *map(int, numbers)


def say(**answer):
    print(json.dumps(answer), flush=True)


def work_torch(folder, compiled):
    import torch
    if compiled and not hasattr(torch, "compile"):
        return
    say(name=f"PyTorch {torch.__version__}" + (" compiled" if compiled else ""))
    steps = {}
    for key in requests():
        kind, width, threads, batch = key
        torch.set_num_threads(threads)
        if key not in steps:
            steps[key] = {"train": torch_step, "infer": torch_pass}[kind](width, batch, compiled, folder)
            timed(steps[key])
        say(ms=timed(steps[key]))


def work_export(folder, widths):
    """One file per width and batch, so that nothing about shapes is left to run time."""
    import torch
    torch.backends.mha.set_fastpath_enabled(False)  # ONNX has no word for PyTorch's fused layer
    for width in map(int, widths):
        model = torch_model(width, engine_tensors(folder, width)).eval()
        for batch in (1, 2, 32):
            torch.onnx.export(model, torch.randn(batch, POSITIONS, CHANNELS), f"{folder}/{width}_{batch}.onnx",
                              opset_version=17, input_names=["x"], output_names=["y"], dynamo=False)


def work_onnxruntime(folder):
    import onnxruntime
    say(name=f"ONNX Runtime {onnxruntime.__version__}")

    def open_session(width, threads, batch):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        return onnxruntime.InferenceSession(f"{folder}/{width}_{batch}.onnx", options, providers=["CPUExecutionProvider"])

    sessions = {}
    for _, *key in requests():
        width, threads, batch = key = tuple(key)
        if key not in sessions:
            tensors = engine_tensors(folder, width)
            check("ONNX Runtime", open_session(width, threads, 2).run(None, {"x": tensors["x"]})[0], tensors)
            sessions[key] = open_session(*key)
        x = np.random.default_rng(1).standard_normal((batch, POSITIONS, CHANNELS)).astype("float32")
        say(ms=timed(lambda: sessions[key].run(None, {"x": x})))


if __name__ == "__main__":
    kind, place, *rest = sys.argv[1:]
    if kind in ("torch", "compiled"):
        work_torch(place, kind == "compiled")
    elif kind == "export":
        work_export(place, rest)
    else:
        work_onnxruntime(place)
