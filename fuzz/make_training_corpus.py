"""Writes the first inputs of the targets checkpoint, kernels, operators, readers, runs and stream_lines:
/usr/bin/python3 fuzz/make_training_corpus.py"""

import json
import pathlib
import random
import struct

CORPUS = pathlib.Path(__file__).parent / "corpus"


def write(target, name, content):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


# A checkpoint: the target replaces the digest by one that fits.

FORMS = {"F64": "d", "F32": "f", "I64": "q", "I32": "i"}


def safetensors(arrays, metadata):
    header, data = {"__metadata__": metadata}, b""
    for name, (dtype, shape, values) in sorted(arrays.items(), key=lambda item: (item[1][0][1:] != "64", item[0])):
        packed = struct.pack(f"<{len(values)}{FORMS[dtype]}", *values)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def record(prefix, epochs, windows, best):
    fields = 9
    return {prefix + "history": ("F64", [epochs, fields], [0.5 + e for e in range(epochs * fields)]),
            prefix + "seconds": ("F64", [5], [1, 2, 3, 4, 5]),
            prefix + "best_epoch": ("F64", [], [best]),
            prefix + "scores": ("F32", [epochs if windows else 0, windows], [0.25] * (epochs * windows)),
            prefix + "labels": ("I32", [windows], [w % 2 for w in range(windows)])}


def checkpoint(epochs=1, windows=2, folds=0, best=1, **changes):
    arrays = {"counters": ("I64", [4], [epochs, 2, 5, folds]), "sums": ("F64", [2], [0.5, 2]),
              **{name: ("F32", [3], [1, -2, 0.5]) for name in ("weights", "first_moments", "second_moments")}}
    if best:
        arrays["best_weights"] = ("F32", [3], [4, 5, 6])
    arrays.update(record("now.", epochs, windows, best))
    for fold in range(folds):
        arrays.update(record(f"done.{fold}.", epochs, windows, best))
    arrays.update(changes)
    identity = {"identity.0000 split": "blocked", "identity.0001 train.seed": "1"}
    return safetensors(arrays, {"format": "faithful checkpoint 1", **identity, "digest": ""})


CHECKPOINTS = {
    "begun": checkpoint(epochs=0, windows=0, best=0),
    "validated": checkpoint(),
    "folds": checkpoint(epochs=2, windows=3, folds=2, best=2),
    "fewer_scores": checkpoint(folds=1, **{"done.0.scores": ("F32", [0, 0], [])}),  # was read beyond its end
    "no_history": checkpoint(folds=1, **{"done.0.history": ("F64", [9, 1], [0] * 9)}),
    "best_epoch": checkpoint(**{"now.best_epoch": ("F64", [], [float("nan")])}),
}

# Lines of runs.jsonl.

RUN = {"kind": "run", "data": "made", "split": "blocked", "encoding": "dft", "scale": "unit", "again": False, "seed": 3,
       "rate": 0.001, "weights": 10, "norm_ratio": 0.25, "windows": [100, 20, 25], "leaks": False, "threshold": 0.5,
       "epochs": 2, "validation": 0.5, "scores": {"f1": 0.5, "auc_pr": 0.25}, "shuffled": {"f1": 0.1}, "longer": {},
       "longer_note": "dft repeats", "start": {}, "trained": {"stable_rank": 3.5}, "precision": [1, 0.5, None],
       "losses": [0.7], "validations": [0.5], "others": {}, "key": "k", "settings": "0123456789abcdef", "seconds": 1.5,
       "program": "0.1.0"}
SETTINGS = {"kind": "settings", "settings": "0123456789abcdef", "data": "made", "split": "blocked",
            "fields": {"window": "100", "epochs": "20"}}


def lines(*runs):
    return b"".join(json.dumps(run, separators=(",", ":")).encode() + b"\n" for run in runs)


ARMS = [{**RUN, "encoding": encoding, "seed": seed, "scores": {"f1": 0.5 + seed / 10, "auc_pr": 0.5}}
        for encoding in ("dft", "sinusoidal") for seed in (1, 2)]
RUNS = {
    "one": lines(SETTINGS, RUN),
    "pairs": lines(*ARMS),
    "baselines": lines(*ARMS, {**RUN, "kind": "baselines", "others": {"linear": {"f1": 0.2}, "random": {}}}),
    "gap": lines({**RUN, "kind": "gap", "scores": {"4": 0.5, "8": 0.25}}),
    "classes": lines({**RUN, "scores": {"accuracy": 0.5, "macro_f1": 0.25}}),
    "torn": lines(RUN)[:-20],
    "negative": lines({**RUN, "seed": -1.0}),  # ended the program: no text for the number -1.0
    "old_name": lines({**RUN, "encoding": "haar"}),
    "other": b'{"kind":"settings"}\nnonsense\n',
}

# The first byte: missing values (2 bits), header (2), times (2), decimal comma, a model whose positions are times.

HEADER = b"pressure,flow,temperature\n"
TIMED = b"t,pressure,flow,temperature\n"
STREAMS = {
    "header": b"\x00" + HEADER + b"1,2,3\n4,5,6\n7,8,9\n1,2,3",
    "no_header": b"\x08" + 5 * b"1;2;3\n",
    "missing": b"\x02" + HEADER + b"1,,3\nnan,2,3\r\n1,2,3\n\n7,8,9\n",
    "bad_lines": b"\x00\xef\xbb\xbf" + HEADER + b'1,2\n"1,2,3\n1,x,3\n1,inf,3\n1e20,-1e20,3\n1,2,3\n4,5,6\n7,8,9\n',
    "bad_header": b"\x00a,b\n1,2,3\n",  # was read beyond its end
    "carriage_returns": b"\x00" + HEADER + b"1,2,3\r\r\n\r\r\n1,2,3\r\n",
    "times": b"\xb0" + TIMED + b"2024-01-01,1,2,3\n2024-01-02T03:04:05.5Z,1,2,3\n2023-01-01,1,2,3\n"
             b"2025-01-01,1,2,3\n1e9,0,0,0\n",
    # Were more nanoseconds than int64 holds.
    "centuries": b"\xb0" + TIMED + b"1700-01-01,1,2,3\n1700-01-02,1,2,3\n2261-01-01,1,2,3\n",
    "comma": b"\x40pressure;flow;temperature\n1,5;2;3\n1.5;2;3\n",
    "long": b"\x00" + HEADER + b"7" * 101 + b"\n" + b"8" * 100 + b"\n1,2,3\n",
}

# The first two bytes: the reader, and its options.

NUMBERS = [b"-12.0625", b"3e-05", b"123456789012345678901234567890", b"1.7976931348623157e308", b"4.9e-324",
           b"8388608.5", b"16777217", b"1e22", b"9007199254740993", b"0.1e", b".5", b"-.e1", b"1e400",
           b"12345678.12345678"]


def readers():
    sources = ("csv_dataset", "ts", "arff", "npz_dataset", "npy", "safetensors", "hdf5_replies")
    for code, target in enumerate(sources):
        skipped = 1 if target in ("csv_dataset", "hdf5_replies") else 0  # a byte of options
        for path in sorted((CORPUS / target).iterdir()):
            if path.stat().st_size <= 1200:
                yield f"{target}_{path.name}", bytes([code, 0]) + path.read_bytes()[skipped:]
    for path in sorted((CORPUS / "csv").iterdir()):
        yield f"table_{path.name}", b"\x00\xc3" + path.read_bytes()[1:]
    yield "csv_times", b"\x00\x02t,a\n2024-01-01,1\n2024-01-02,2\n"
    yield "csv_missing", b"\x00\x01a,b\n1,\n,2\n"
    for i, number in enumerate(NUMBERS):
        yield f"number_{i}", b"\x07\x00" + number


def main():
    inputs = {"checkpoint": CHECKPOINTS, "runs": RUNS, "stream_lines": STREAMS, "readers": dict(readers())}
    for target, all_of_it in inputs.items():
        for name, content in all_of_it.items():
            write(target, name, content)
    numbers = random.Random(1)
    for kernel in range(14):
        for length in (3, 40, 400):
            write("kernels", f"{kernel}_{length}", bytes([kernel]) + numbers.randbytes(length))
    for operator in range(5):
        write("operators", f"{operator}", bytes([operator]) + numbers.randbytes(300))


if __name__ == "__main__":
    main()
