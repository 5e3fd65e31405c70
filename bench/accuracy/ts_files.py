"""The .ts files of the UEA archive as lines, so that folds of a training part are files of the same format."""
import os
import pathlib
import random

# In the order in which runs are made: cheap sets first.
SETS = ["BasicMotions", "Libras", "JapaneseVowels", "NATOPS", "Handwriting", "ArticularyWordRecognition",
        "UWaveGestureLibrary", "LSST"]


def data_folder():
    """The folder of the sets: UEA below FAITHFUL_DATA, or below ../shared/data."""
    root = pathlib.Path(__file__).resolve().parents[2]
    for folder in (os.environ.get("FAITHFUL_DATA"), root.parent / "shared" / "data"):
        if folder and (pathlib.Path(folder) / "UEA").is_dir():
            return pathlib.Path(folder) / "UEA"
    raise SystemExit("expected the folder UEA below FAITHFUL_DATA or ../shared/data, found neither")


def read_lines(path):
    """(lines of the header, lines of the series)."""
    lines = path.read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.strip().lower() == "@data") + 1
    return lines[:first], [line for line in lines[first:] if line.strip()]


def label_of(line):
    return line.rsplit(":", 1)[1].strip()


def class_names(header):
    """The classes in the order of the header."""
    line = next(line for line in header if line.lower().startswith("@classlabel"))
    return line.split()[2:]


def fold_numbers(labels, folds, seed):
    """The fold of each series: each class is dealt out in random order, and the next class goes on where it ended."""
    draw = random.Random(f"folds {seed}")
    numbers, dealt = [0] * len(labels), 0
    for name in sorted(set(labels)):
        members = [i for i, label in enumerate(labels) if label == name]
        draw.shuffle(members)
        for i in members:
            numbers[i] = dealt % folds
            dealt += 1
    return numbers


def backwards(line):
    """The series with its samples in reverse order."""
    *channels, label = line.split(":")
    return ":".join([",".join(reversed(channel.split(","))) for channel in channels] + [label])


def write_fold(folder, name, seed, fold, folds=3, file=None):
    """Makes `folder`/NAME with a training part of all folds but one, and that fold as test part. Only the file
    NAME_TRAIN.ts is read, or FILE_TRAIN.ts. Returns (the folder of the set, the places of the held-out series)."""
    file = file or name
    header, lines = read_lines(data_folder() / name / f"{file}_TRAIN.ts")
    numbers = fold_numbers([label_of(line) for line in lines], folds, seed)
    held_out = [i for i, number in enumerate(numbers) if number == fold]
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    for part, chosen in (("TRAIN", [i for i, number in enumerate(numbers) if number != fold]), ("TEST", held_out)):
        text = "\n".join(header + [lines[i] for i in chosen]) + "\n"
        (target / f"{file}_{part}.ts").write_text(text)
    return target, held_out
