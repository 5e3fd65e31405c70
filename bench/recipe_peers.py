#!/usr/bin/env python3
"""A training step of the default recipe (preset "standard") beside oneDNN's sgemm and PyTorch, in turns, so that all see the same machine.

    recipe_peers.py --engine build/release/bin/engine_serve --recipe build/release/bin/recipe_serve [--python PYTHON]... [--shape CxTxK]...
                    [--rounds R] [--once] [--cpu]

The shapes are those of sets of the UEA archive: channels x samples x classes. Batch 16, float32, dropout and label smoothing on, gradients
clipped, AdamW; the same weights for all. "augmented" also warps, crops, mixes and scales the batch, which the peers do not. The batch norms
of ours have the statistics of two shards of 8 windows, those of PyTorch of all 16. Set-ups, rounds and quartiles are as in engine_peers.py.
--once shows our step and its profile alone; --cpu does that in processor time, for a busy machine.
"""
import argparse
import os
import pathlib
import statistics
import sys
import tempfile

from engine_peers import Worker, compare_training, note, row, show_profile, start_torch, write_weights

SHAPES = {"3x152x26": "Handwriting", "24x51x6": "NATOPS", "3x315x8": "UWave", "9x144x25": "ArticularyWord"}
BATCH, BAR = 16, 2.0
SCRIPT = pathlib.Path(__file__).with_name("recipe_workers.py")


def augmentation(ours, shape, rounds):
    """What it adds to a step."""
    threads = os.cpu_count()
    bare, augmented = [], []
    for _ in range(rounds):
        bare.append(ours.time(f"train {shape} {threads} {BATCH}"))
        augmented.append(ours.time(f"augmented {shape} {threads} {BATCH}"))
    row(f"augmented {shape}, {threads} threads", augmented, [b / a for a, b in zip(augmented, bare)], None, "the step without", bare)


def show_ours(engine, ours, shapes, rounds):
    for shape in shapes:
        sgemm, times = [], {"train": [], "augmented": []}
        for _ in range(rounds):
            sgemm.append(engine.ask("sgemm 1")["gflops"])
            for kind in times:
                answer = ours.ask(f"{kind} {shape} 1 {BATCH}")
                times[kind].append(answer["ms"])
        rate = answer["flops"] / statistics.median(times["train"]) / 1e6
        note(f"{shape:<12}{statistics.median(times['train']):>8.2f} ms, augmented {statistics.median(times['augmented']):.2f} ms, "
             f"{answer['flops'] / 1e6:.0f} MFLOP, {rate:.1f} GFLOP/s (sgemm {statistics.median(sgemm):.1f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--recipe", required=True)
    parser.add_argument("--python", action="append")
    parser.add_argument("--shape", action="append")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--cpu", action="store_true")
    options = parser.parse_args()
    shapes = options.shape or list(SHAPES)
    engine = Worker([options.engine], OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    ours = Worker([options.recipe] + ["--cpu"] * options.cpu)
    note(f"{ours.name}; {os.cpu_count()} cores, {options.rounds} rounds; ms are medians; '<': the lower quartile is below its bar")
    if options.once or options.cpu:
        show_ours(engine, ours, shapes, options.rounds)
    else:
        note(f"{'case':<28}{'ours ms':>9}{'theirs ms':>10}{'ratio':>8}{'median':>8}{'bar':>8}  peer")
        with tempfile.TemporaryDirectory() as folder:
            write_weights(ours, folder, shapes)
            workers = [w for python in options.python or [sys.executable] for w in start_torch(python, folder, SCRIPT)]
            for shape in shapes:
                for peer in compare_training(engine, ours, workers, shape, BATCH, options.rounds, f"recipe {shape}", None, BAR, BAR):
                    note(f"{peer}: gave up at {shape}")
                augmentation(ours, shape, options.rounds)
            for worker in workers:
                worker.close()
    show_profile(ours, {shape: f"profile {shape} {BATCH}" for shape in shapes})
    ours.close()
    engine.close()


if __name__ == "__main__":
    main()
