"""Do the lessons of the recipe (augmentation, smoothed labels, steps, the last weights) help DFStrans, too? See
tools/dfstrans.

A lift with all eleven faults, simulated anew for each seed: trips of 500 samples, half of them anomalous, whole trips
held out. Each arm is `--model dfstrans` with other options of training. Finished runs are lines of
docs/accuracy/dfstrans.jsonl; a call goes on with those that are missing. --table prints the table of the runs that are
there, and trains nothing.
"""
import pathlib
import shutil
import statistics
import tempfile

import measured
import timelines
import trainer

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRIPS, ANOMALIES = 600, 50
TODAY = "today's default"
STEPS = ["--steps", "600", "--select", "last", "--rate", "0.001"]
SMOOTH = ["--smoothing", "0.05"]
# No channels are mixed: faults are disagreements of sensors.
AUGMENT = ["--crop", "0.05", "--gain", "0.05", "--jitter", "0.02"]
ARMS = {TODAY: [], "steps": STEPS, "steps, smoothing": [*STEPS, *SMOOTH],
        "steps, smoothing, augmentation": [*STEPS, *SMOOTH, *AUGMENT]}
MEASURES = {"f1": "F1", "auc_pr": "AUC-PR"}


def run(program, arm, seed, data, scratch):
    """One training, and the scores of its test part: the line to keep."""
    line = timelines.run_with(program, ["--model", "dfstrans", *ARMS[arm]], seed, data, ["--split", "series"],
                              scratch)
    return {"arm": arm, "key": " ".join(ARMS[arm]), "seed": seed, **line}


def load(lines):
    """{(arm, seed): line} of the arms as they are now."""
    return {(line["arm"], line["seed"]): line for line in lines
            if line["arm"] in ARMS and line["key"] == " ".join(ARMS[line["arm"]])}


def table(lines):
    """A row for each arm: means, and the difference to today's default over the seeds that both have."""
    found = load(lines)
    rows = ["| training | seeds | F1 | F1 minus today's, 95 % | AUC-PR | AUC-PR minus today's, 95 % | processor time [s] |",
            "|---|---|---|---|---|---|---|"]
    for arm in ARMS:
        seeds = [seed for seed in timelines.SEEDS if (arm, seed) in found and (TODAY, seed) in found]
        if not seeds:
            continue
        cells = []
        for measure in MEASURES:
            mine = [found[arm, seed][measure] for seed in seeds]
            lead = timelines.difference_text([a - found[TODAY, seed][measure] for a, seed in zip(mine, seeds)])
            cells += [f"{statistics.mean(mine):.3f}", "" if arm == TODAY else lead]
        seconds = statistics.mean(found[arm, seed]["cpu_seconds"] for seed in seeds)
        rows.append(f"| {arm} | {len(seeds)} | " + " | ".join(cells) + f" | {seconds:.0f} |")
    return "\n".join(rows)


def main():
    options = trainer.arguments_of_tool(
        __doc__, ROOT, "dfstrans.jsonl", ("--seeds", {"default": "1,2,3", "help": "such as 1,2 [1,2,3]"}))
    lines = measured.read_jsonl(options.output)
    if options.table:
        print(table(lines))
        return
    finished = load(lines)
    for seed in [int(number) for number in options.seeds.split(",")]:
        missing = [arm for arm in ARMS if (arm, seed) not in finished]
        if not missing:
            continue
        (ROOT / "build").mkdir(exist_ok=True)
        scratch = pathlib.Path(tempfile.mkdtemp(prefix="dfstrans-", dir=ROOT / "build"))
        try:
            data = timelines.lift(options.program, scratch / "lift.npz", seed, TRIPS, ANOMALIES)
            for arm in missing:
                line = run(options.program, arm, seed, data, scratch)
                measured.add_jsonl(options.output, line)
                print(f"{arm}, seed {seed}: F1 {line['f1']:.3f}, AUC-PR {line['auc_pr']:.3f}, "
                      f"{line['cpu_seconds']:.0f} s of processor time", flush=True)
        finally:
            shutil.rmtree(scratch)
