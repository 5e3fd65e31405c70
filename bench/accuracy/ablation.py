"""What each ingredient of the recipe is worth, by thirds of the training parts: see tools/ablation.

Each row changes one setting of the base. A run trains on two thirds of SET_TRAIN.ts and scores the other third. Seeds
1, 2 and 3 hold out the three thirds of one division, seeds 4 to 6 those of another, and so on: three seeds score each
series once. Finished runs are lines of docs/accuracy/ablation.jsonl; a call goes on with those that are missing. Test
parts are never read. --table prints the table of the runs that are there, and trains nothing.
"""
import concurrent.futures
import math
import pathlib
import shutil
import tempfile
import threading

import measured
import trainer
import ts_files

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The recipe. Runs of another recipe (another number) are not compared with it.
RECIPE = 3
BASE = {"model": "encoder", "preset": "standard", "encoding": "erpe", "scaling": "common", "folds": "0"}
ENCODINGS = [(f"encoding {name}", {"encoding": name})
             for name in ("none", "sinusoidal", "dft", "tape", "rope", "spectral", "tape+erpe")]
LAYERS = [("layers 0", {"layers": "0"}), ("layers 2", {"layers": "2"})]
# By itself the preset norms the two halves of a batch apart, so that two threads can train.
NORMS = [("batch norm over the whole batch", {"shards": "1"})]
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
    ("half the resolution", {"average": "twice"}),
    ("half the steps", {"steps": "half"}),
    ("double the steps", {"steps": "double"}),
    ("weights of classes", {"class-weights": "auto"}),
    ("no dropout", {"dropout": "0"}),
    ("attention pooling", {"pooling": "attention"}),
    ("jitter .1", {"jitter": "0.1"}),
    ("cutout .2", {"cutout": "0.2"}),
]
# Are those that gain nothing by themselves needed together?
WITHOUT_SEVERAL = [
    ("warp alone", {"crop": "0", "mix": "0", "gain": "0"}),
    ("one kernel of 7, no differences", {"branches": "1", "filters": "63", "differences": "0"}),
    ("warp alone, one kernel of 7, no differences",
     {"crop": "0", "mix": "0", "gain": "0", "branches": "1", "filters": "63", "differences": "0"}),
]
ROWS = [("base", {}), *ENCODINGS, *LAYERS, *NORMS, *WITHOUT_SEVERAL, *INGREDIENTS]
THIRDS = 3
SEEDS = (1, 2, 3)
# What the ablation decides has more seeds, except on the set that takes longest.
DECIDED = {"base", *(row for row, _ in ENCODINGS + LAYERS + NORMS + WITHOUT_SEVERAL)}
MORE_SEEDS = (4, 5, 6, 7, 8, 9)
SLOWEST = "LSST"


def key_of(change):
    """The settings of a row as flags, always in the same order."""
    return " ".join(f"--{name} {value}" for name, value in sorted({**BASE, **change}.items()))


def arguments_of(change, windows, length):
    """The flags for a training part of so many windows of that length: half and double the steps, and twice the samples
    in a mean, that the preset takes by itself (`settled` in faithful/train/options.cpp, `settle_average` in
    faithful/model/config.cpp)."""
    steps = min(max(80 * windows // (16 if windows < 1000 else 32), 1200), 6000)
    average = max(1, (length + 50) // 100)
    words = {"half": str(steps // 2), "double": str(2 * steps), "twice": str(2 * average)}
    return [words.get(word, word) for word in key_of(change).split()]


def planned():
    """(row, change, set, seed) in the order of the runs: a seed of all small sets before the next."""
    # Sets on which rows differ come first. Every row solves BasicMotions.
    sets = ["Libras", "Handwriting", "NATOPS", "UWaveGestureLibrary", "JapaneseVowels", "ArticularyWordRecognition",
            "BasicMotions"]
    return ([(*row, name, seed) for seed in SEEDS for name in sets for row in ROWS] +
            [(*row, SLOWEST, seed) for seed in SEEDS for row in ROWS] +
            [(*row, name, seed) for seed in MORE_SEEDS for name in sets for row in ROWS if row[0] in DECIDED])


def mask(places):
    """A set of places as a number in hexadecimal: bit i is place i."""
    return f"{sum(1 << i for i in places):x}"


def places(text):
    number = int(text, 16)
    return [i for i in range(number.bit_length()) if number >> i & 1]


def run(binary, change, name, seed, threads):
    """One training: the line to keep, without its keys; None where the program refuses the settings."""
    (ROOT / "build").mkdir(exist_ok=True)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="ablation-", dir=ROOT / "build"))
    try:
        division, third = divmod(seed - 1, THIRDS)
        data, held_out = ts_files.write_fold(scratch, name, division, third, THIRDS)
        windows = ts_files.read_lines(data / f"{name}_TRAIN.ts")[1]
        length = max(window.split(":")[0].count(",") + 1 for window in windows)
        code, log, measures, _ = trainer.train(
            binary, data, [*arguments_of(change, len(windows), length), "--no-baselines"], seed, threads, scratch / "out")
        if code != 0:
            print(f"skipped: {key_of(change)}, {name}: {log.strip().splitlines()[-1]}", flush=True)
            return None
        test_file = data / f"{name}_TEST.ts"
        predicted = trainer.predictions(binary, scratch / "out" / "model.safetensors", test_file)
        marks, loss = trainer.scores(predicted, trainer.labels_of(test_file))
    finally:
        shutil.rmtree(scratch)
    right = [place for place, mark in zip(held_out, marks) if mark]
    return {"accuracy": round(len(right) / len(held_out), 5), "log_loss": round(loss, 5),
            "held_out": mask(held_out), "right": mask(right), "wall_seconds": measures["wall_seconds"],
            "cpu_seconds": measures["cpu_seconds"], "peak_mb": measures["peak_mb"], "when": measures["when"]}


def marks_of(line):
    """{place of a held-out series: 1 if right, else 0}."""
    right = set(places(line["right"]))
    return {place: int(place in right) for place in places(line["held_out"])}


def compare(runs, row, base="base"):
    """A row against the base, over the (set, seed) that both have. Seeds of a set are averaged series by series; the
    error is that of the mean over the sets, from the paired differences of the series."""
    sets = []
    for name in ts_files.SETS:
        seeds = [seed for seed in (*SEEDS, *MORE_SEEDS) if (row, name, seed) in runs and (base, name, seed) in runs]
        if not seeds:
            continue
        pairs = [(runs[row, name, seed], runs[base, name, seed]) for seed in seeds]
        of_place = {}
        for mine, other in pairs:
            others = marks_of(other)
            for place, mark in marks_of(mine).items():
                of_place.setdefault(place, []).append(mark - others[place])
        of_series = [sum(values) / len(values) for values in of_place.values()]
        n, mean = len(of_series), sum(of_series) / len(of_series)
        variance = sum((x - mean) ** 2 for x in of_series) / max(n - 1, 1) / n
        loss = sum(mine["log_loss"] - other["log_loss"] for mine, other in pairs) / len(seeds)
        sets.append((name, len(seeds), mean, variance, loss))
    if not sets:
        return None
    count = len(sets)
    return {"sets": count, "runs": sum(s[1] for s in sets), "difference": sum(s[2] for s in sets) / count,
            "error": math.sqrt(sum(s[3] for s in sets)) / count, "loss": sum(s[4] for s in sets) / count,
            "of_set": {s[0]: s[2] for s in sets}}


def load(lines):
    """{(row, set, seed): line} of the recipe as it is now. A run belongs to the row with its settings, whatever that row
    was called when it was made: the row `encoding erpe` of one base is the base of another."""
    rows = {key_of(change): row for row, change in ROWS}
    return {(rows[line["key"]], line["set"], line["seed"]): line for line in lines
            if line["recipe"] == RECIPE and line["key"] in rows}


def points(x):
    return f"{100 * x:+.1f}"


def table(runs):
    """The table in Markdown: differences of accuracy to the base in points."""
    short = {"ArticularyWordRecognition": "AWR", "UWaveGestureLibrary": "UWave", "JapaneseVowels": "JV"}
    present = [name for name in ts_files.SETS if any(key[1] == name for key in runs)]
    lines = ["| row | accuracy | log loss | runs | " + " | ".join(short.get(name, name) for name in present) + " |",
             "|---|---|---|---|" + "---|" * len(present)]
    for row in dict.fromkeys(key[0] for key in runs if key[0] != "base"):
        result = compare(runs, row)
        if result:
            cells = [points(result["of_set"][name]) if name in result["of_set"] else "" for name in present]
            lines.append(f"| {row} | {points(result['difference'])} ± {100 * result['error']:.1f} | "
                         f"{result['loss']:+.3f} | {result['runs']} | " + " | ".join(cells) + " |")
    level = []
    for name in present:
        of_set = [line["accuracy"] for (row, of, _), line in runs.items() if (row, of) == ("base", name)]
        level.append(f"{sum(of_set) / len(of_set):.3f}" if of_set else "")
    lines.append("| the base itself (accuracy) | | | | " + " | ".join(level) + " |")
    return "\n".join(lines)


def main():
    options = trainer.arguments_of_tool(
        __doc__, ROOT, "ablation.jsonl",
        ("--workers", {"type": int, "default": 1, "help": "trainings side by side, of one thread each [1]"}))
    runs = load(measured.read_jsonl(options.output))
    if options.table:
        print(table(runs))
        return
    commit, refused = trainer.commit_of(options.program), set()

    def make(row, change, name, seed):
        if row in refused:
            return
        result = run(options.program, change, name, seed, threads=1)
        if result is None:
            refused.add(row)
            return
        line = {"row": row, "key": key_of(change), "recipe": RECIPE, "set": name, "seed": seed, **result,
                "commit": commit}
        with writing:
            measured.add_jsonl(options.output, line)
            runs[row, name, seed] = line
            print(f"{row}, {name}, seed {seed}: {result['accuracy']:.3f}, log loss {result['log_loss']:.3f}, "
                  f"{result['cpu_seconds']:.0f} s of processor time", flush=True)

    writing = threading.Lock()
    missing = [entry for entry in planned() if (entry[0], *entry[2:]) not in runs]
    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        for done in [pool.submit(make, *entry) for entry in missing]:
            done.result()
