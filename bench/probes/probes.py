"""Two probes of what an encoding lets a model learn. Samples are embedded one by one, so only the encoding can help.

  gap    Which of two events came first? The share of right answers against their distance.
  times  Are two events more than eight minutes apart? The clock is uneven, so counting samples does not help. Each
         encoding that takes real times runs with `--positions time` and with `--positions index`.

Each run is a training by `faithful train` on windows that are simulated anew for each seed. Finished runs are lines of
docs/results/probes/PROBE.jsonl; a call goes on with those that are missing. --page writes the figure and prints the
table, and trains nothing.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import threading

import measured
import pictures
import timelines
import trainer
import windows

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS = {"gap": range(1, 11), "times": range(1, 4)}
STEPS = {"gap": "600", "times": "1200"}
TUNING_SEEDS = range(101, 104)  # on which the variants of one encoding are compared; they are not reported
MODEL = ["--model", "encoder", "--preset", "plain", "--width", "64", "--layers", "1", "--dropout", "0", "--scaler",
         "none", "--scaling", "common", "--folds", "0", "--learning-rate", "0.001", "--batch", "32", "--no-baselines"]
# As many tries for each: the length scale of spectral, and rho of the two that have it.
RHOS = (10, 100, 1000, 10000, 100000)
TRIES = {"spectral": [("--length-scale", f"{windows.GAP_LENGTH / k:.4g}", f"L = S/{k:g}") for k in (24, 12, 6, 3, 1.5)],
         "sinusoidal": [("--rho", str(rho), f"rho = {rho}") for rho in RHOS],
         "tape": [("--rho", str(rho), f"rho = {rho}") for rho in RHOS]}
# Settings that make another encoding of one of the catalog. (Filtered noise, --spe conv, is missing: a run takes 50
# times as long as one of the others.)
VARIANTS = {"mtan, attention": ["--encoding", "mtan", "--mtan", "attention"],
            "tupe, with t5": ["--encoding", "tupe", "--tupe-relative"],
            "alibi, one-sided": ["--encoding", "alibi", "--alibi-heads", "one-sided"],
            "spectral-learned, frequencies": ["--encoding", "spectral-learned", "--scale", "matched",
                                              "--learned-spectrum", "frequencies"]}


def catalog(program):
    shown = subprocess.run([program, "list", "--json"], check=True, capture_output=True, text=True)
    return json.loads(shown.stdout)


def has(entry, option):
    return option in (parameter["option"] for parameter in entry["parameters"])


def flags_of(entry):
    """Fixed codes get the norm of the original encoding, sqrt(d/2). Learned ones start as they are defined."""
    fixed = has(entry, "--scale") and (not entry["learned"] or entry["name"] == "spectral-learned")
    return ["--encoding", entry["name"], *(["--scale", "matched"] if fixed else [])]


def gap_rows(program):
    """{name of a row: its flags}: every encoding, the two of the question at norm 1 too, and variants."""
    rows = {entry["name"]: flags_of(entry) for entry in catalog(program)}
    at_norm_1 = {f"{name}, norm 1": ["--encoding", name] for name in ("dft", "spectral")}
    return rows | at_norm_1 | VARIANTS


def time_rows(program):
    rows = {}
    for entry in catalog(program):
        if has(entry, "--positions-file"):
            rows[f"{entry['name']}, time"] = [*flags_of(entry), "--positions", "time"]
        if has(entry, "--positions-file") or entry["name"] == "none":
            rows[f"{entry['name']}, index"] = flags_of(entry)
    return rows


def tries_of(program):
    rows = gap_rows(program)
    return {f"{name}, {words}": [*rows[name], flag, value] for name, tries in TRIES.items()
            for flag, value, words in tries}


def mean_right(line):
    return statistics.mean(line["right"].values())


def tuned_rows(runs, tries):
    """Of each encoding with tries, the one with the best mean on the tuning seeds: {row: flags}; nothing where runs are
    missing."""
    chosen = {}
    for name in TRIES:
        rows = [row for row in tries if row.startswith(name + ", ")]
        values = {row: [mean_right(runs[row, seed]) for seed in TUNING_SEEDS if (row, seed) in runs] for row in rows}
        if all(len(found) == len(TUNING_SEEDS) for found in values.values()):
            best = max(rows, key=lambda row: statistics.mean(values[row]))
            chosen[f"{name}, tuned"] = tries[best]
    return chosen


def run(program, probe, flags, seed):
    """One training: the share of right predictions for each key of the test windows (gap: their distance)."""
    (ROOT / "build").mkdir(exist_ok=True)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="probe-", dir=ROOT / "build"))
    try:
        write = windows.write_gap if probe == "gap" else windows.write_times
        data, test, labels, keys = write(scratch, seed)
        code, log, measures, _ = trainer.train(program, data, [*MODEL, "--steps", STEPS[probe], *flags], seed, 1,
                                               scratch / "out")
        if code != 0:
            raise SystemExit(f"{' '.join(flags)}: {log.strip().splitlines()[-1]}")
        shown = subprocess.run([program, "predict", scratch / "out" / "model.safetensors", test], check=True,
                               capture_output=True, text=True).stdout
        names = [["B first", "near"], ["A first", "far"]]
        right = [row["class"] in names[label] for row, label in zip(csv.DictReader(shown.splitlines()), labels,
                                                                    strict=True)]
    finally:
        shutil.rmtree(scratch)
    share = {str(key): round(statistics.mean(r for r, k in zip(right, keys) if k == key), 4) for key in sorted(set(keys))}
    return {"right": share, "cpu_seconds": measures["cpu_seconds"], "when": measures["when"]}


class Probe:
    """The runs of one probe, and those that are missing."""

    def __init__(self, name, program, path):
        self.name, self.program, self.path = name, program, path
        self.runs = {(line["row"], line["seed"]): line for line in measured.read_jsonl(path)}
        self.writing = threading.Lock()

    def make(self, row, flags, seed):
        line = {"row": row, "flags": " ".join(flags), "seed": seed, **run(self.program, self.name, flags, seed),
                "commit": trainer.commit_of(self.program)}
        with self.writing:
            measured.add_jsonl(self.path, line)
            self.runs[row, seed] = line
            print(f"{row}, seed {seed}: {mean_right(line):.3f}, {line['cpu_seconds']:.0f} s", flush=True)

    def make_missing(self, rows, seeds, workers):
        missing = [(row, flags, seed) for seed in seeds for row, flags in rows.items() if (row, seed) not in self.runs]
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for done in [pool.submit(self.make, *entry) for entry in missing]:
                done.result()

    def make_all(self, workers):
        seeds = SEEDS[self.name]
        if self.name == "times":
            return self.make_missing(time_rows(self.program), seeds, workers)
        tries = tries_of(self.program)
        self.make_missing(tries, TUNING_SEEDS, workers)
        self.make_missing(tuned_rows(self.runs, tries) | gap_rows(self.program), seeds, workers)

    def values(self, row):
        """{key: the shares of all seeds that are reported}."""
        found = {}
        for seed in SEEDS[self.name]:
            for key, value in self.runs.get((row, seed), {"right": {}})["right"].items():
                found.setdefault(key, []).append(value)
        return found

    def rows(self):
        """Those with all seeds, best mean first."""
        names = dict.fromkeys(row for row, seed in self.runs if seed in SEEDS[self.name])
        whole = [row for row in names if all((row, seed) in self.runs for seed in SEEDS[self.name])]
        return sorted(whole, key=lambda row: -statistics.mean(sum(self.values(row).values(), [])))


def gap_table(probe):
    """Rows in Markdown: mean shares at each distance."""
    tries = tries_of(probe.program)
    tuned = {row: next(words for words, flags in tries.items() if flags == chosen)
             for row, chosen in tuned_rows(probe.runs, tries).items()}
    lines = ["| encoding | " + " | ".join(str(distance) for distance in windows.DISTANCES) + " |",
             "|---|" + "---|" * len(windows.DISTANCES)]
    for row in probe.rows():
        values = probe.values(row)
        cells = [f"{statistics.mean(values[str(distance)]):.3f}" for distance in windows.DISTANCES]
        name = f"{row} ({tuned[row].split(', ', 1)[1]})" if row in tuned else row
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


# What the page compares, at equal norms.
PAIRS = [("spectral", "dft"), ("dft", "onehot"), ("spectral", "sinusoidal"), ("spectral, tuned", "sinusoidal, tuned")]


def gap_differences(probe):
    """Paired differences of the mean over all distances, with their 95 % intervals over the seeds; then the tries."""
    lines = []
    for a, b in PAIRS:
        pairs = [(probe.runs.get((a, seed)), probe.runs.get((b, seed))) for seed in SEEDS["gap"]]
        if all(x and y for x, y in pairs):
            mean, half = timelines.interval([mean_right(x) - mean_right(y) for x, y in pairs])
            lines.append(f"{a} minus {b}: {mean:+.3f} ({mean - half:+.3f} to {mean + half:+.3f})")
    for row in tries_of(probe.program):
        found = [mean_right(probe.runs[row, seed]) for seed in TUNING_SEEDS if (row, seed) in probe.runs]
        if found:
            lines.append(f"{row}: {statistics.mean(found):.3f} on {len(found)} tuning seeds")
    return "\n".join(lines)


def time_table(probe):
    lines = ["| encoding | `--positions time` | `--positions index` |", "|---|---|---|"]
    found = {row: probe.values(row)["0"] for row in probe.rows()}
    for name in dict.fromkeys(row.rsplit(", ", 1)[0] for row in found):
        cells = [f"{statistics.mean(values):.3f} ({min(values):.3f} to {max(values):.3f})" if values else "–"
                 for values in (found.get(f"{name}, {way}") for way in ("time", "index"))]
        lines.append(f"| {name} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("probe", choices=("gap", "times"))
    parser.add_argument("--program", default=trainer.default_program(ROOT), help="[build/release/bin/faithful]")
    parser.add_argument("--workers", type=int, default=1, help="trainings side by side, of one thread each [1]")
    parser.add_argument("--output", type=pathlib.Path, help="[docs/results/probes/PROBE.jsonl]")
    parser.add_argument("--page", action="store_true", help="write the figure and print the table, train nothing")
    options = parser.parse_args()
    path = options.output or ROOT / "docs" / "results" / "probes" / f"{options.probe}.jsonl"
    probe = Probe(options.probe, options.program, path)
    if not options.page:
        return probe.make_all(options.workers)
    if options.probe == "gap":
        pictures.draw_gap(ROOT / "docs" / "img" / "gap_probe.svg", {row: probe.values(row) for row in probe.rows()})
    print(f"{gap_table(probe)}\n\n{gap_differences(probe)}" if options.probe == "gap" else time_table(probe))
