"""What each ingredient of the recipe is worth, by three folds of the training parts: see tools/ablation.

Each row changes one setting of the base. A run trains on two folds of SET_TRAIN.ts and scores the third, three times.
Finished runs are lines of docs/accuracy/ablation.jsonl; a call goes on with those that are missing. Test parts are
never read. --table prints the table of the runs that are there, and trains nothing.
"""
import argparse
import math
import pathlib
import shutil
import tempfile

import measured
import trainer
import ts_files

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The recipe. Every run has these arguments; of an option that is given twice, the last value counts here.
BASE = {"preset": "standard", "encoding": "dft", "scaling": "common", "folds": "0"}
ENCODINGS = [("encoding none", {"encoding": "none"}), ("encoding sinusoidal", {"encoding": "sinusoidal"}),
             ("encoding dft", {"encoding": "dft"}), ("encoding tape", {"encoding": "tape"}),
             ("encoding erpe", {"encoding": "erpe"}), ("encoding rope", {"encoding": "rope"})]
LAYERS = [("layers 0", {"layers": "0"}), ("layers 1", {"layers": "1"}), ("layers 2", {"layers": "2"})]
INGREDIENTS = [
    ("one kernel of 7", {"branches": "1", "filters": "63"}),
    ("no warp", {"warp": "0"}),
    ("no crop", {"crop": "0"}),
    ("no mix", {"mix": "0"}),
    ("no gain", {"gain": "0"}),
    ("no augmentation", {"warp": "0", "crop": "0", "mix": "0", "gain": "0"}),
    ("no smoothing", {"smoothing": "0"}),
    ("no differences", {"differences": "0"}),
    ("no blocks", {"blocks": "0"}),
    ("post-norm", {"block": "post"}),
    ("full resolution", {"average": "1"}),
    ("half the steps", {"steps": "600"}),
    ("double the steps", {"steps": "2400"}),
    ("no dropout", {"dropout": "0"}),
    ("attention pooling", {"pooling": "attention"}),
    ("jitter .1", {"jitter": "0.1"}),
    ("cutout .2", {"cutout": "0.2"}),
]
ROWS = [("base", {}), *ENCODINGS, *LAYERS, *INGREDIENTS]
FOLDS = 3
SEEDS = (1, 2, 3)


def arguments_of(change):
    """The settings of a row as flags, always in the same order: they are the key of a run."""
    flags = []
    for name, value in sorted({**BASE, **change}.items()):
        flags += [f"--{name}", value]
    return flags


# What the base has by itself; a row that says so is the base.
IMPLIED = {"layers": "1"}


def key_of(change):
    return " ".join(arguments_of({name: value for name, value in change.items() if IMPLIED.get(name) != value}))


def planned():
    """(row, change, set, seed) in the order of the runs: encodings and layers first, small sets first, LSST last."""
    early = [("base", {}), *ENCODINGS, *LAYERS]
    # BasicMotions is solved by every row: it says little, and comes late.
    sets = ["Libras", "Handwriting", "JapaneseVowels", "NATOPS", "UWaveGestureLibrary", "ArticularyWordRecognition",
            "BasicMotions"]
    plan = [(*row, name, 1) for name in sets for row in early]
    plan += [(*row, name, 1) for name in sets for row in INGREDIENTS]
    plan += [(*row, name, seed) for seed in SEEDS[1:] for name in sets for row in ROWS]
    plan += [(*row, "LSST", seed) for seed in SEEDS for row in ROWS]
    return plan


def run(binary, change, name, seed, threads):
    """All folds of one run: the line to keep, without its keys; None where the program refuses the settings."""
    right, loss, wall, cpu, peak = {}, 0.0, 0.0, 0.0, 0
    (ROOT / "build").mkdir(exist_ok=True)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="ablation-", dir=ROOT / "build"))
    try:
        for fold in range(FOLDS):
            data, held_out = ts_files.write_fold(scratch, name, seed, fold, FOLDS)
            code, log, measures, _ = trainer.train(
                binary, data, [*arguments_of(change), "--no-baselines"], seed, threads, scratch / "out")
            if code != 0:
                print(f"skipped: {key_of(change)}, {name}: {log.strip().splitlines()[-1]}", flush=True)
                return None
            test_file = data / f"{name}_TEST.ts"
            predicted = trainer.predictions(binary, scratch / "out" / "model.safetensors", test_file)
            marks, mean_loss = trainer.scores(predicted, trainer.labels_of(test_file))
            right.update(zip(held_out, marks))
            loss += mean_loss * len(held_out)
            wall, cpu = wall + measures["wall_seconds"], cpu + measures["cpu_seconds"]
            peak = max(peak, measures["peak_mb"])
    finally:
        shutil.rmtree(scratch)
    marks = "".join(str(right[i]) for i in range(len(right)))
    return {"accuracy": round(marks.count("1") / len(marks), 5), "log_loss": round(loss / len(marks), 5),
            "series": len(marks), "right": f"{int(marks, 2):x}",
            "wall_seconds": round(wall, 1), "cpu_seconds": round(cpu, 1), "peak_mb": peak, "when": measures["when"]}


def marks_of(line):
    return [int(bit) for bit in f"{int(line['right'], 16):0{line['series']}b}"]


def compare(runs, base, change):
    """A row against the base, over the (set, seed) that both have. Seeds of a set are averaged series by series; the
    error is that of the mean over the sets, from the paired differences of the series."""
    sets = []
    for name in ts_files.SETS:
        seeds = [seed for seed in SEEDS if (change, name, seed) in runs and (base, name, seed) in runs]
        if not seeds:
            continue
        pairs = [(runs[change, name, seed], runs[base, name, seed]) for seed in seeds]
        # Folds differ between seeds, but a series is held out once in each.
        of_series = [sum(column) / len(seeds) for column in
                     zip(*[[a - b for a, b in zip(marks_of(row), marks_of(other))] for row, other in pairs])]
        n, mean = len(of_series), sum(of_series) / len(of_series)
        variance = sum((x - mean) ** 2 for x in of_series) / max(n - 1, 1) / n
        loss = sum(row["log_loss"] - other["log_loss"] for row, other in pairs) / len(seeds)
        sets.append((name, len(seeds), mean, variance, loss))
    if not sets:
        return None
    count = len(sets)
    return {"sets": count, "runs": sum(s[1] for s in sets), "difference": sum(s[2] for s in sets) / count,
            "error": math.sqrt(sum(s[3] for s in sets)) / count, "loss": sum(s[4] for s in sets) / count,
            "of_set": {s[0]: s[2] for s in sets}}


def load(lines):
    return {(line["key"], line["set"], line["seed"]): line for line in lines}


def points(x):
    return f"{100 * x:+.1f}"


def table(runs):
    """The table in Markdown: differences of accuracy to the base in points."""
    short = {"ArticularyWordRecognition": "AWR", "UWaveGestureLibrary": "UWave", "JapaneseVowels": "JV"}
    present = [name for name in ts_files.SETS if any(key[1] == name for key in runs)]
    lines = ["| row | accuracy | log loss | runs | " + " | ".join(short.get(name, name) for name in present) + " |",
             "|---|---|---|---|" + "---|" * len(present)]
    base = key_of({})
    for row, change in ROWS:
        if row == "base" or key_of(change) == base:
            continue
        result = compare(runs, base, key_of(change))
        if result:
            cells = [points(result["of_set"][name]) if name in result["of_set"] else "" for name in present]
            lines.append(f"| {row} | {points(result['difference'])} ± {100 * result['error']:.1f} | "
                         f"{result['loss']:+.3f} | {result['runs']} | " + " | ".join(cells) + " |")
    level = []
    for name in present:
        of_set = [runs[base, name, seed]["accuracy"] for seed in SEEDS if (base, name, seed) in runs]
        level.append(f"{sum(of_set) / len(of_set):.3f}" if of_set else "")
    lines.append("| the base itself (accuracy) | | | | " + " | ".join(level) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=trainer.default_program(ROOT), help="[build/release/bin/faithful]")
    parser.add_argument("--threads", type=int, default=1, help="threads of a training [1]")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs" / "accuracy" / "ablation.jsonl")
    parser.add_argument("--watch", type=pathlib.Path, help="write the table into this file after every run")
    parser.add_argument("--table", action="store_true", help="print the table, train nothing")
    options = parser.parse_args()
    runs = load(measured.read_jsonl(options.output))
    if options.table:
        print(table(runs))
        return
    commit, refused = trainer.commit_of(options.program), set()
    for row, change, name, seed in planned():
        key = key_of(change)
        if (key, name, seed) in runs or key in refused:
            continue
        result = run(options.program, change, name, seed, options.threads)
        if result is None:
            refused.add(key)
            continue
        line = {"row": row, "key": key, "set": name, "seed": seed, **result, "commit": commit}
        measured.add_jsonl(options.output, line)
        runs[key, name, seed] = line
        print(f"{row}, {name}, seed {seed}: {result['accuracy']:.3f}, log loss {result['log_loss']:.3f}, "
              f"{result['cpu_seconds']:.0f} s of processor time", flush=True)
        if options.watch:
            options.watch.write_text(table(runs) + "\n")
