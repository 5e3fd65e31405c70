#!/usr/bin/env python3
"""Do the methods of `diagnose` name the sensors that the model's alarm really comes from?

    bench/diagnosis_twins.py [--program build/release/bin/faithful] [--seeds 2,5] [--alarms 30] [--models a,b]
                             [--folder build/twins]

Every trip of a simulated lift has a twin: the same trip without its fault, equal to the bit before it. So the exact
evidence of a sensor is known. It is how far the logit falls when the sensor's readings become those of the twin, and how
far it rises when the twin gets the readings of that sensor alone (the mean of both). A model may see a fault in other
sensors than those that the labels name: a slipping rope jolts the car.

For each seed: a lift with three faults (that of `faithful demo`), the demo's Transformer, `--model kernels` and
`--model linear`. Its surest alarms of the test part are diagnosed. Prints, for each method: hit@1 (the first sensor is
one that the labels name), evidence (exact evidence of the first sensor, over that of the best), and top 3 (the first
sensor is one of the three with the most exact evidence). Then, for each fault: the mean logit of the trips, of their
twins, of the trips with the sensors at fault (by the labels) as in the twin, of the twins with these as in the trip, and
the sensors with the most exact evidence. Files in --folder are used again.
"""
import argparse
import csv
import io
import json
import pathlib
import statistics
import subprocess

import numpy as np

LIFT = ["--trips", "1000", "--test-trips", "400", "--samples", "400", "--channels", "20"]
FAULTS = ["--anomalies", "50", "--test-anomalies", "50", "--faults", "load_cell,rope_slip,phase_resistance"]
NO_FAULTS = ["--anomalies", "0", "--test-anomalies", "0"]


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout


def made(path, *command):
    """Runs the command, which writes the file or folder, unless it is there."""
    if not path.exists():
        run(*command)
    return path


def model_of(program, folder, kind, seed, lift):
    if kind == "Transformer":
        return made(folder / f"demo{seed}", program, "demo", "--seed", seed, "--alarms", 1, "-o",
                    folder / f"demo{seed}") / "model.safetensors"
    path = folder / f"{kind}{seed}.safetensors"
    return made(path, program, "train", lift, "--model", kind, "--split", "given", "--no-baselines", "--seed", seed,
                "-o", path)


def read_lift(path):
    """(values [n, T, C], meta)"""
    with np.load(path) as file:
        meta = json.loads(bytes(file["meta"]))
        return file["values"].reshape(len(file["lengths"]), -1, len(meta["channels"])), meta


def logits_of(program, model, meta, windows, folder):
    """The log-odds of the second class: [n]"""
    path = folder / "windows.npz"
    meta = {**meta, "series": [{"name": str(i)} for i in range(len(windows))]}
    np.savez(path, values=windows.reshape(-1, windows.shape[2]).astype(np.float32),
             lengths=np.full(len(windows), windows.shape[1], np.int64), label=np.full(len(windows), -1, np.int32),
             meta=np.frombuffer(json.dumps(meta).encode(), np.uint8))
    rows = csv.DictReader(io.StringIO(run(program, "predict", model, path)))
    p = np.clip([float(row["score"]) for row in rows], 1e-7, 1 - 1e-7)
    path.unlink()
    return np.log(p / (1 - p))


def exchanged(base, other):
    """[C, T, C]: `base` with one sensor of `other`, for each sensor."""
    windows = np.repeat(base[None], base.shape[1], 0)
    for sensor in range(base.shape[1]):
        windows[sensor, :, sensor] = other[:, sensor]
    return windows


def exact_evidence(window, twin, logits):
    """[C]; logits: of `window`, `twin`, the window with each sensor of the twin, the twin with each of the window."""
    channels = window.shape[1]
    replaced, put_in = logits[2:2 + channels], logits[2 + channels:]
    return ((logits[0] - replaced) + (put_in - logits[1])) / 2


def scores(first, at_fault, evidence):
    """(hit@1, evidence, top 3) of a method that names the sensor `first`."""
    best = max(evidence.max(), 1e-9)
    return (float(first in at_fault), float(max(evidence[first], 0) / best),
            float(first in np.argsort(-evidence, kind="stable")[:3]))


def judge(program, folder, kind, seed, alarms):
    """({method: [(hit@1, evidence, top 3)]}, {fault: [(four logits, exact evidence)]}, channels) over true alarms."""
    lift = made(folder / f"lift{seed}.npz", program, "data", "elevator", *LIFT, *FAULTS, "--seed", seed, "-o",
                folder / f"lift{seed}.npz")
    twins = made(folder / f"twin{seed}.npz", program, "data", "elevator", *LIFT, *NO_FAULTS, "--seed", seed, "-o",
                 folder / f"twin{seed}.npz")
    model = model_of(program, folder, kind, seed, lift)
    report = json.loads(run(program, "diagnose", model, lift, "--part", "test", "--normal", lift, "--most", alarms,
                            "--shown", 0, "--json"))
    values, meta = read_lift(lift)
    twin_values, _ = read_lift(twins)
    names = {series["name"]: i for i, series in enumerate(meta["series"])}
    channels = meta["channels"]
    found, of_fault = {}, {}
    for alarm in report["alarms"]:
        if alarm["truth"] is None or alarm["truth"]["false_alarm"]:
            continue
        number = names[alarm["series"]]
        window, twin = values[number], twin_values[number]
        at_fault = {channels.index(name) for name in alarm["truth"]["sensors"]}
        chosen = [c in at_fault for c in range(len(channels))]
        every = np.concatenate([window[None], twin[None], exchanged(window, twin), exchanged(twin, window),
                                np.where(chosen, twin, window)[None], np.where(chosen, window, twin)[None]])
        logits = logits_of(program, model, meta, every, folder)
        evidence = exact_evidence(window, twin, logits[:-2])
        of_fault.setdefault(alarm["truth"]["kinds"][0], []).append((logits[[0, 1, -2, -1]], evidence))
        named = {"the exact evidence": int(evidence.argmax()),
                 "together": channels.index(alarm["sensors"][0]["sensor"])}
        for name, method in alarm["methods"].items():
            if method["sensors"] is not None:
                named[name] = channels.index(method["sensors"][0]["sensor"])
        for name, first in named.items():
            found.setdefault(name, []).append(scores(first, at_fault, evidence))
        found.setdefault("random", []).append(
            (len(at_fault) / len(channels), float(np.maximum(evidence, 0).mean() / max(evidence.max(), 1e-9)),
             3 / len(channels)))
    return found, of_fault, channels


def fault_rows(of_fault, channels):
    """Rows of the second table."""
    for fault, alarms in sorted(of_fault.items()):
        logits = np.mean([row[0] for row in alarms], 0)
        evidence = np.mean([row[1] for row in alarms], 0)
        first = ", ".join(f"{channels[c]} {evidence[c]:.1f}" for c in np.argsort(-evidence, kind="stable")[:4])
        yield f"{fault} | {len(alarms)} | " + " | ".join(f"{x:.1f}" for x in logits) + f" | {first}"


def main():
    root = pathlib.Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=root / "build" / "release" / "bin" / "faithful")
    parser.add_argument("--folder", type=pathlib.Path, default=root / "build" / "twins")
    parser.add_argument("--seeds", default="2,5")
    parser.add_argument("--alarms", type=int, default=30)
    parser.add_argument("--models", default="Transformer,kernels,linear")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print("| model | method | alarms | hit@1 | evidence | top 3 |\n|---|---|---|---|---|---|", flush=True)
    faults = []
    for kind in options.models.split(","):
        found, of_fault, channels = {}, {}, []
        for seed in options.seeds.split(","):
            methods, of_seed, channels = judge(options.program, options.folder, kind, seed, options.alarms)
            for name, rows in methods.items():
                found.setdefault(name, []).extend(rows)
            for name, rows in of_seed.items():
                of_fault.setdefault(name, []).extend(rows)
        faults += [f"| {kind} | {row} |" for row in fault_rows(of_fault, channels)]
        for name, rows in found.items():
            cells = " | ".join(f"{statistics.fmean(row[i] for row in rows):.2f}" for i in range(3))
            print(f"| {kind} | {name} | {len(rows)} | {cells} |", flush=True)
    print("\n| model | fault | alarms | trip | twin | trip, at fault as in the twin | twin, at fault as in the trip | exact "
          "evidence |\n|---|---|---|---|---|---|---|---|")
    print("\n".join(faults))


if __name__ == "__main__":
    main()
