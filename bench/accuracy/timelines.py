"""What `train` saves by default, beside its parts and the former default, on anomalies: see tools/timelines.

Cases: windows of the labelled timelines of SMD, split in blocks; the same machines as a folder of CSV files, whole
machines held out; simulated lifts with two and with eleven faults, simulated anew for each seed, whole trips held out.
Every training has one thread. Finished runs are lines of docs/accuracy/timelines.jsonl; a call goes on with those that
are missing. --table prints the table of the runs that are there, and trains nothing.
"""
import gzip
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

import measured
import trainer

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS = (1, 2, 3, 4, 5)
METHODS = {"auto": ["--model", "auto"], "linear": ["--model", "linear"], "kernels": ["--model", "kernels"],
           "former default": ["--model", "encoder", "--preset", "small"]}
MEASURES = {"auc_pr": "AUC-PR", "f1": "F1", "event_f1": "event F1"}
# Two-sided 95 % quantiles of Student's t for 1, 2, .. degrees of freedom.
T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


def smd_folder():
    for folder in (os.environ.get("FAITHFUL_DATA"), ROOT.parent / "shared" / "data"):
        if folder and (pathlib.Path(folder) / "SMD").is_dir():
            return pathlib.Path(folder) / "SMD"
    raise SystemExit("expected the folder SMD below FAITHFUL_DATA or ../shared/data, found neither")


def smd_as_runs(target):
    """The labelled half of each machine as a CSV file: a folder of runs, as a user would have it."""
    source = smd_folder()
    target.mkdir(parents=True, exist_ok=True)
    for labels in sorted((source / "test_label").glob("*.txt")):
        files = list((source / "test").glob(f"{labels.stem}.txt*"))
        if not files:
            continue  # labels without telemetry
        text = (gzip.open(files[0], "rt") if files[0].suffix == ".gz" else open(files[0])).read()
        rows = [f"{row},{label}" for row, label in zip(text.split(), labels.read_text().split(), strict=True)]
        header = ",".join([f"c{i + 1}" for i in range(rows[0].count(","))] + ["fault"])
        (target / f"{labels.stem}.csv").write_text("\n".join([header, *rows]) + "\n")
    return target


def lift(program, target, seed, trips, anomalies, arguments=()):
    subprocess.run([program, "data", "elevator", "--trips", str(trips), "--anomalies", str(anomalies), "--samples",
                    "500", *arguments, "--seed", str(seed), "-o", target], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return target


def data_of(case, program, folder, seed):
    """(path of the data, arguments of train) of a case."""
    if case == "SMD, blocks":
        return smd_folder(), ["--part", "test", "--split", "blocked", "--stride", "100"]
    if case == "SMD, folder of runs":
        return smd_as_runs(folder / "runs"), ["--label", "fault", "--split", "series", "--stride", "100"]
    lift_of = ((1200, 10, ["--faults", "rope_slip,phase_resistance"]) if case == "lift, two faults" else (1200, 30))
    return lift(program, folder / "lift.npz", seed, *lift_of), ["--split", "series"]


CASES = ("SMD, blocks", "SMD, folder of runs", "lift, two faults", "lift, eleven faults")


def run_with(program, options, seed, data, arguments, scratch):
    """One training with these options: scores of its test part, what was saved, measures of the process."""
    model = scratch / "model.safetensors"
    command = [str(program), "train", str(data), *arguments, *options, "--seed", str(seed), "--threads", "1",
               "--no-baselines", "--checkpoint-every", "3600", "-o", str(model)]
    code, measures = measured.run(command, scratch / "log")
    if code != 0:
        raise SystemExit(f"{' '.join(command)}\n{(scratch / 'log').read_text()[-2000:]}")
    record = trainer.shown(program, model)
    test = record["record"]["test"]
    scores = {"auc_pr": test["auc_pr"], "f1": test["f1"], "event_f1": test.get("events", {}).get("f1")}
    return {**scores, "windows": test["windows"], "saved": trainer.kind_of(record), **measures,
            "commit": trainer.commit_of(program)}


def run(program, case, method, seed, data, arguments, scratch):
    """One training, and the scores of its test part: the line to keep."""
    return {"case": case, "method": method, "seed": seed,
            **run_with(program, METHODS[method], seed, data, arguments, scratch)}


def interval(differences):
    """Mean and half of the 95 % interval of paired differences, by Student's t."""
    n = len(differences)
    if n < 2:
        return differences[0], math.nan
    return statistics.mean(differences), T95[n - 2] * statistics.stdev(differences) / math.sqrt(n)


def difference_text(differences):
    """Their mean and the half of the interval, which two seeds would make wider than any measure can be."""
    mean, half = interval(differences)
    return f"{mean:+.3f}" + (f" ± {half:.3f}" if len(differences) > 2 else "")


def table(lines):
    """A row for each case and measure: the means, and auto minus the best of the others with its paired interval."""
    found = {(line["case"], line["method"], line["seed"]): line for line in lines}
    rows = ["| case | measure | seeds | " + " | ".join(METHODS) + " | auto minus the best other, 95 % | saved |",
            "|---|---|---|" + "---|" * (len(METHODS) + 2)]
    for case in CASES:
        seeds = [seed for seed in SEEDS if all((case, method, seed) in found for method in METHODS)]
        for measure, title in MEASURES.items():
            values = {method: [found[case, method, seed][measure] for seed in seeds] for method in METHODS}
            if not seeds or None in values["auto"]:
                continue
            best = max((name for name in METHODS if name != "auto"), key=lambda name: statistics.mean(values[name]))
            lead = difference_text([a - b for a, b in zip(values["auto"], values[best])])
            saved = [found[case, "auto", seed]["saved"] for seed in seeds]
            counts = ", ".join(f"{kind} {saved.count(kind)}" for kind in sorted(set(saved)))
            cells = " | ".join(f"{statistics.mean(values[method]):.3f}" for method in METHODS)
            rows.append(f"| {case} | {title} | {len(seeds)} | {cells} | {lead} ({best}) | {counts} |")
    return "\n".join(rows)


def main():
    every = ",".join(str(i + 1) for i in range(len(CASES)))
    options = trainer.arguments_of_tool(__doc__, ROOT, "timelines.jsonl",
                                        ("--cases", {"default": every, "help": "such as 1,3 [all]"}),
                                        ("--methods", {"default": ",".join(METHODS), "help": "such as auto [all]"}))
    lines = measured.read_jsonl(options.output)
    if options.table:
        print(table(lines))
        return
    commit = trainer.commit_of(options.program)
    finished = {(line["case"], line["method"], line["seed"]) for line in lines if line["commit"] == commit}
    for case in [CASES[int(number) - 1] for number in options.cases.split(",")]:
        for seed in SEEDS:
            missing = [method for method in options.methods.split(",") if (case, method, seed) not in finished]
            if not missing:
                continue
            (ROOT / "build").mkdir(exist_ok=True)
            scratch = pathlib.Path(tempfile.mkdtemp(prefix="timelines-", dir=ROOT / "build"))
            try:
                data, arguments = data_of(case, options.program, scratch, seed)
                for method in missing:
                    line = run(options.program, case, method, seed, data, arguments, scratch)
                    measured.add_jsonl(options.output, line)
                    print(f"{case}, {method}, seed {seed}: AUC-PR {line['auc_pr']:.3f}, F1 {line['f1']:.3f}, "
                          f"{line['cpu_seconds']:.0f} s of processor time", flush=True)
            finally:
                shutil.rmtree(scratch)
