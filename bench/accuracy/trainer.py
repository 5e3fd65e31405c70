"""Our program on one set: trains, predicts, and scores what it predicts."""
import argparse
import csv
import json
import math
import os
import pathlib
import subprocess

import measured
import ts_files


def commit_of(program):
    """The commit that the program was built from, by its own word."""
    words = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()
    return words[words.index("commit") + 1]


def train(program, set_folder, arguments, seed, threads, folder):
    """Trains on the training part of the set and scores its test part. Returns (exit code, log, measures, JSON)."""
    folder.mkdir(parents=True, exist_ok=True)
    log, model = folder / "train.log", folder / "model.safetensors"
    command = [str(program), "train", str(set_folder), "--split", "given", *arguments, "--seed", str(seed),
               "--threads", str(threads), "--checkpoint-every", "3600", "-o", str(model)]
    code, measures = measured.run(command, log)
    return code, log.read_text(), measures, shown(program, model) if code == 0 else None


def shown(program, model):
    """What the model file says about itself."""
    command = [program, "show", model, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def kind_of(record):
    return next((kind for kind in ("ensemble", "kernels", "linear") if kind in record), "Transformer")


def predictions(program, model, test_file):
    """What the model predicts for each series of a .ts file, in its order."""
    shown = subprocess.run([program, "predict", model, test_file], check=True, capture_output=True, text=True)
    return read_predictions(shown.stdout)


def read_predictions(text, classes=()):
    """[({class: probability}, predicted class)] of each line of a table of predictions. Of two `classes` the table has
    the score of the second."""
    rows = []
    for row in csv.DictReader(text.splitlines()):
        of_class = {key[2:-1]: float(value) for key, value in row.items() if key.startswith("p(") and key.endswith(")")}
        if not of_class and len(classes) == 2:
            of_class = dict(zip(classes, (1 - float(row["score"]), float(row["score"]))))
        if not of_class:
            raise SystemExit(f"expected columns p(CLASS), or two classes, found {', '.join(row)}")
        rows.append((of_class, row["class"]))
    return rows


def scores(predicted, truth):
    """(right or wrong of each series, mean log loss) of what `predictions` returned."""
    if len(predicted) != len(truth):
        raise SystemExit(f"expected {len(truth)} predictions, found {len(predicted)}")
    right = [int(name == label) for (_, name), label in zip(predicted, truth)]
    loss = [-math.log(max(of_class.get(label, 0.0), 1e-7)) for (of_class, _), label in zip(predicted, truth)]
    return right, sum(loss) / len(loss)


def labels_of(test_file):
    return [ts_files.label_of(line) for line in ts_files.read_lines(test_file)[1]]


def arguments_of_tool(description, root, output, *more):
    """What tools that keep runs in a file take on their command line; `more`: (flag, settings of argparse)."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=default_program(root), help="[build/release/bin/faithful]")
    parser.add_argument("--output", type=pathlib.Path, default=root / "docs" / "accuracy" / output)
    parser.add_argument("--table", action="store_true", help="print the table, train nothing")
    for flag, settings in more:
        parser.add_argument(flag, **settings)
    return parser.parse_args()


def default_program(root):
    return os.environ.get("FAITHFUL", str(root / "build" / "release" / "bin" / "faithful"))
