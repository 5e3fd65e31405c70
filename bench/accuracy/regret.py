"""Does `faithful choose` choose well? Nested folds of the training parts: see tools/regret.

A third of a training part is held out. `choose` sees the other two thirds, and then every encoding of its list is
trained on them and scored on the held-out third. The regret of a rule is the score of the best encoding less that of
the encoding that the rule takes. Elevator is simulated anew for each seed, its held-out part too. Finished lines are
in docs/accuracy/regret.jsonl; a call goes on with those that are missing. Test parts are never read. --table prints
the table of the lines that are there, and trains nothing.
"""
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import tempfile

import ablation
import measured
import trainer
import ts_files

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFAULT = ablation.BASE["encoding"]
ENCODINGS = ["none", "sinusoidal", "dft", "spectral", "tape", "rope", "erpe"]  # the list of `choose`
LIFT = "Elevator"
SETS = [name for name in ts_files.SETS if name != ablation.SLOWEST] + [LIFT, ablation.SLOWEST]
SEEDS = ablation.SEEDS


def default_of(line):
    """The default encoding when the line was made. Lines that do not say it were made with tape."""
    return line.get("default", "tape")


# {name of a rule: the encoding it takes, of a line}
RULES = {"`choose`": lambda line: line["choice"],
         "best mean of the folds": lambda line: max(line["inner"], key=line["inner"].get),
         "always the default": lambda line: default_of(line),
         "always none": lambda line: "none", "always sinusoidal": lambda line: "sinusoidal",
         "always dft": lambda line: "dft", "always spectral": lambda line: "spectral"}


def choose(program, data, seed, minutes, threads):
    command = [program, "choose", data, "--split", "given", "--scaling", "common", "--minutes", str(minutes), "--seed",
               str(seed), "--threads", str(threads), "--json"]
    shown = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {"choice": shown["encoding"], "inner": {row["encoding"]: round(row["mean"], 5) for row in shown["scores"]},
            "folds": shown["folds"], "steps": shown["steps"], "all_steps": shown["all_steps"], "minutes": minutes}


def outer_scores(program, name, seed, runs, path):
    """{encoding: accuracy on the held-out third}: runs of the ablation, which are made here where they are missing."""
    scores = {}
    for encoding in ENCODINGS:
        row, change = ("base", {}) if encoding == DEFAULT else (f"encoding {encoding}", {"encoding": encoding})
        if (row, name, seed) not in runs:
            line = {"row": row, "key": ablation.key_of(change), "recipe": ablation.RECIPE, "set": name, "seed": seed,
                    **ablation.run(program, change, name, seed, threads=1), "commit": trainer.commit_of(program)}
            measured.add_jsonl(path, line)
            runs[row, name, seed] = line
        scores[encoding] = runs[row, name, seed]["accuracy"]
    return scores


def lift_scores(program, data, seed, folder):
    """{encoding: AUC-PR on the simulated test part}."""
    scores = {}
    for encoding in ENCODINGS:
        code, log, _, record = trainer.train(program, data, [*ablation.key_of({"encoding": encoding}).split(),
                                                             "--no-baselines"], seed, 1, folder / encoding)
        if code != 0:
            raise SystemExit(log)
        scores[encoding] = round(record["record"]["test"]["auc_pr"], 5)
    return scores


def run(program, name, seed, minutes, threads, runs, path):
    (ROOT / "build").mkdir(exist_ok=True)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="regret-", dir=ROOT / "build"))
    try:
        if name == LIFT:
            data = scratch / "lift.npz"
            subprocess.run([program, "data", "elevator", "--trips", "400", "--anomalies", "30", "--test-trips", "600",
                            "--test-anomalies", "50", "--samples", "200", "--seed", str(1000 + seed), "-o", data],
                           check=True, capture_output=True)
            outer = lift_scores(program, data, seed, scratch)
        else:
            data, _ = ts_files.write_fold(scratch, name, *divmod(seed - 1, ablation.THIRDS), ablation.THIRDS)
            outer = outer_scores(program, name, seed, runs, path)
        return {"set": name, "seed": seed, **choose(program, data, seed, minutes, threads), "outer": outer,
                "default": DEFAULT, "commit": trainer.commit_of(program)}
    finally:
        shutil.rmtree(scratch)


def regrets(lines, rule):
    return [max(line["outer"].values()) - line["outer"][rule(line)] for line in lines]


def table(lines):
    """Regrets in points, means over the seeds of a set; the last column over all lines, with its standard error."""
    present = [name for name in SETS if any(line["set"] == name for line in lines)]
    rows = ["| rule | " + " | ".join(present) + " | mean |", "|---|" + "---|" * (len(present) + 1)]
    for title, rule in RULES.items():
        cells = [f"{100 * statistics.mean(regrets([line for line in lines if line['set'] == name], rule)):.1f}"
                 for name in present]
        every = regrets(lines, rule)
        error = statistics.stdev(every) / math.sqrt(len(every)) if len(every) > 1 else math.nan
        rows.append(f"| {title} | " + " | ".join(cells) +
                    f" | {100 * statistics.mean(every):.1f} ± {100 * error:.1f} |")
    kept = sum(line["choice"] == default_of(line) for line in lines)
    shortened = sum(line["steps"] < line["all_steps"] for line in lines)
    return "\n".join(rows) + (f"\n\n{len(lines)} choices of {lines[0]['minutes']} minutes; the default was kept in {kept}; "
                              f"trainings were shortened in {shortened}.")


def main():
    options = trainer.arguments_of_tool(
        __doc__, ROOT, "regret.jsonl",
        ("--minutes", {"type": float, "default": 10, "help": "of each choice [10]"}),
        ("--threads", {"type": int, "default": 2, "help": "of each choice [2]"}))
    lines = measured.read_jsonl(options.output)
    if options.table:
        print(table(lines))
        return
    path = ROOT / "docs" / "accuracy" / "ablation.jsonl"
    runs = ablation.load(measured.read_jsonl(path))
    finished = {(line["set"], line["seed"]) for line in lines}
    for seed in SEEDS:
        for name in SETS:
            if (name, seed) in finished:
                continue
            line = run(options.program, name, seed, options.minutes, options.threads, runs, path)
            measured.add_jsonl(options.output, line)
            print(f"{name}, seed {seed}: {line['choice']}, {line['folds']} folds of {line['steps']} of "
                  f"{line['all_steps']} steps", flush=True)
