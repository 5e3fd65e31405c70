"""PyTorch on the same step as bench/ranks_step.cpp, for bench/ranks_peers.py:

    ddp_worker.py WIDTH THREADS SECONDS              one process
    ddp_worker.py WIDTH THREADS SECONDS RANK FILE    one of two processes of DistributedDataParallel (gloo), which meet in FILE

Prints a line of JSON with the median of the milliseconds of a step.
"""
import json
import sys
import time

import torch

CHANNELS, POSITIONS, BATCH, LAYERS = 38, 100, 32, 2


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.input = torch.nn.Linear(CHANNELS, width)
        self.layers = torch.nn.ModuleList(
            torch.nn.TransformerEncoderLayer(width, 8 if width > 128 else 4, 4 * width, dropout=0.0, activation="gelu", batch_first=True)
            for _ in range(LAYERS))
        self.output = torch.nn.Linear(width, 2)

    def forward(self, x):
        h = self.input(x)
        for layer in self.layers:
            h = layer(h)
        return self.output(h.mean(1))


def main():
    width, threads, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    ranks = 2 if len(sys.argv) > 4 else 1
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model = Model(width)
    if ranks == 2:
        rank = int(sys.argv[4])
        torch.distributed.init_process_group("gloo", init_method=f"file://{sys.argv[5]}", rank=rank, world_size=2)
        model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    x, labels = torch.randn(BATCH // ranks, POSITIONS, CHANNELS), torch.randint(0, 2, (BATCH // ranks,))

    def step():
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(model(x), labels).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    for _ in range(3):
        step()
    times, begin, more = [], time.perf_counter(), torch.ones(1)
    while more.item():
        before = time.perf_counter()
        step()
        times.append(time.perf_counter() - before)
        more[0] = float(time.perf_counter() - begin < seconds)
        if ranks == 2:
            torch.distributed.broadcast(more, 0)
    if ranks == 1 or rank == 0:
        print(json.dumps({"ms": 1e3 * sorted(times)[len(times) // 2], "torch": torch.__version__}), flush=True)
    if ranks == 2:
        torch.distributed.destroy_process_group()


main()
