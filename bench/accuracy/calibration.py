"""How far probabilities can be trusted, before and after their temperature: see tools/calibration.

Each third of a training part is held out once (of LSST one third); only the files SET_TRAIN.ts are read. The series of
the thirds are pooled, so that the floor of the expected calibration error is low. A temperature divides logits, so what
came before it is p^temperature, divided by the sum. Finished runs are lines of docs/accuracy/calibration.jsonl; a call
goes on with those that are missing.
"""
import math
import pathlib
import shutil
import statistics
import tempfile
import textwrap

import marked
import measured
import methods
import runs
import trainer
import ts_files

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "docs" / "accuracy" / "calibration.jsonl"
PEER = "MultiRocket-Hydra"
METHODS = ["kernels", PEER, "Transformer", "best"]  # cheap ones first
THIRDS, DIVISION = 3, 1
BINS = 15
WITHIN = 0.03  # the target: an ECE so far above its floor, at most
SHORT = {"ArticularyWordRecognition": "AWR", "UWaveGestureLibrary": "UWave", "JapaneseVowels": "JapVowels",
         "BasicMotions": "BasMotions"}


def planned(names, sets):
    """(method, set, third) in the order of the runs: `best`, which takes longest, last."""
    every = [(method, name, third) for third in range(THIRDS) for name in sets for method in names
             if name != "LSST" or third == 0]
    return sorted(every, key=lambda run: (run[0] == "best", run[1] == "LSST"))


def untempered(row, temperature):
    """The probabilities before the temperature."""
    powers = [max(p, 1e-45) ** temperature for p in row]
    return [power / sum(powers) for power in powers]


def series_scores(classes, rows, truth):
    """[confidence, 1 if right, log loss] of each series."""
    found = []
    for row, label in zip(rows, truth, strict=True):
        most = max(range(len(row)), key=row.__getitem__)
        found.append([round(row[most], 5), int(classes[most] == label),
                      round(-math.log(max(row[classes.index(label)], 1e-7)), 4)])
    return found


def temperature_of(record):
    """What divided the logits of a model, by its file."""
    if "ensemble" in record:
        return record["ensemble"]["temperature"]
    return record["kernels"]["temperature"] if "kernels" in record else record["record"].get("temperature", 1.0)


def ours(program, method, data, name, seed, scratch):
    """(classes, rows after, rows before, true classes, temperature, measures) of our program."""
    code, log, measures, record = trainer.train(program, data, [*methods.OURS[method], "--no-baselines"], seed,
                                                methods.THREADS, scratch / "out")
    if code != 0:
        raise SystemExit(f"{method} on {name}: exit code {code}\n{log[-2000:]}")
    test = data / f"{name}_TEST.ts"
    predicted = [of_class for of_class, _ in
                 trainer.predictions(program, scratch / "out" / "model.safetensors", test)]
    classes, temperature = list(predicted[0]), temperature_of(record)
    rows = [list(row.values()) for row in predicted]
    return (classes, rows, [untempered(row, temperature) for row in rows], trainer.labels_of(test), temperature,
            measures)


def run(program, method, name, third):
    """One training on two thirds: the line to keep."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="calibration-", dir=ROOT / "build"))
    seed = third + 1
    try:
        data, _ = ts_files.write_fold(scratch, name, DIVISION, third, THIRDS)
        if method in methods.OURS:
            classes, after, before, truth, temperature, measures = ours(program, method, data, name, seed, scratch)
        else:
            if name in methods.EQUAL_LENGTH:
                ts_files.write_fold(scratch, name, DIVISION, third, THIRDS, file=methods.EQUAL_LENGTH[name])
            result, measures, truth = runs.peer_result(method, data, name, seed, scratch)
            classes, after, before = result["classes"], result["probabilities"], result["untempered"]
            temperature = result["temperature"]
    finally:
        shutil.rmtree(scratch)
    line = {"method": method, "set": name, "third": third, "temperature": round(temperature, 5),
            "before": series_scores(classes, before, truth), "after": series_scores(classes, after, truth),
            "cpu_seconds": measures["cpu_seconds"], "when": measures["when"]}
    return {**line, "commit": trainer.commit_of(program)} if method in methods.OURS else line


def mean_deviation(probabilities):
    """E |X - E X| of the number X of events that happen with these probabilities, independently."""
    of_count = [1.0]
    for p in probabilities:
        of_count = [a * (1 - p) + b * p for a, b in zip([*of_count, 0.0], [0.0, *of_count])]
    expected = sum(probabilities)
    return sum(q * abs(count - expected) for count, q in enumerate(of_count))


def calibration_error(series):
    """(ECE, its floor) of [confidence, right, loss]: bins of equal width, closed above (docs/metrics.md)."""
    bins = {}
    for confidence, right, _ in series:
        bins.setdefault(max(math.ceil(confidence * BINS) - 1, 0), []).append((confidence, right))
    error = sum(abs(sum(c for c, _ in members) - sum(r for _, r in members)) for members in bins.values())
    floor = sum(mean_deviation([c for c, _ in members]) for members in bins.values())
    return error / len(series), floor / len(series)


def summary(lines):
    """{log loss, ECE, floor} before and after, and accuracy, of the pooled series of some thirds."""
    found = {"thirds": len(lines)}
    for when in ("before", "after"):
        series = [one for line in lines for one in line[when]]
        error, floor = calibration_error(series)
        found[when] = {"loss": statistics.fmean(one[2] for one in series), "ece": error, "floor": floor}
    return found


def load(lines):
    """{(method, set): summary}. Of ours the newest commit of each run; sets with all their thirds, or marked."""
    latest = {(line["method"], line["set"], line["third"]): line for line in lines}
    grouped = {}
    for (method, name, _), line in sorted(latest.items()):
        grouped.setdefault((method, name), []).append(line)
    return {key: summary(of_set) for key, of_set in grouped.items()}


def number(x):
    return f"{x:.3f}".replace("0.", ".", 1) if x < 1 else f"{x:.2f}"


def table(found):
    """Two tables: log loss, and ECE with its floor; before -> after the temperature."""
    sets = [name for name in ts_files.SETS if any(key[1] == name for key in found)]
    order = [method for method in ("Transformer", "kernels", "best", PEER) if any(key[0] == method for key in found)]

    def rows(text):
        lines = ["| method | " + " | ".join(SHORT.get(name, name) for name in sets) + " |",
                 "|---|" + "---|" * len(sets)]
        for method in order:
            cells = []
            for name in sets:
                one = found.get((method, name))
                few = one and one["thirds"] < (1 if name == "LSST" else THIRDS)
                cells.append("" if not one else text(one) + (f" ({one['thirds']} of 3)" if few else ""))
            lines.append(f"| {method} | " + " | ".join(cells) + " |")
        return "\n".join(lines)

    losses = rows(lambda one: f"{number(one['before']['loss'])} → {number(one['after']['loss'])}")
    errors = rows(lambda one: f"{number(one['before']['ece'])} → {number(one['after']['ece'])} "
                              f"({number(one['after']['floor'])})")
    return ("Log loss, before → after the temperature:\n\n" + losses +
            "\n\nECE, before → after the temperature, and in parentheses its floor after it:\n\n" + errors)


def verdicts(found):
    """A line for each of our methods: on which sets it meets the targets."""
    lines = []
    for method in ("Transformer", "kernels", "best"):
        sets = [name for name in ts_files.SETS if (method, name) in found]
        if not sets:
            continue
        far = [SHORT.get(name, name) for name in sets
               if found[method, name]["after"]["ece"] > found[method, name]["after"]["floor"] + WITHIN]
        both = [name for name in sets if found.get((PEER, name), {}).get("thirds") == found[method, name]["thirds"]]
        above = [SHORT.get(name, name) for name in both
                 if found[method, name]["after"]["loss"] >= found[PEER, name]["after"]["loss"]]
        lines.append(textwrap.fill(
            f"- **{method}**: ECE within {WITHIN} of its floor on {len(sets) - len(far)} of {len(sets)} sets"
            f"{' (not: ' + ', '.join(far) + ')' if far else ''}; log loss below {PEER}'s on "
            f"{len(both) - len(above)} of {len(both)}{' (not: ' + ', '.join(above) + ')' if above else ''}.",
            118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))
    return "\n".join(lines)


def together(lines):
    """What the Transformer gains in log loss where kernels have an equal share: its mean and standard error by set."""
    latest = {(line["method"], line["set"], line["third"]): line["after"] for line in lines}
    gains = []
    for name in ts_files.SETS:
        found = []
        for third in range(THIRDS):
            pair = [latest.get((method, name, third), []) for method in ("Transformer", "kernels")]
            found += [one[2] + math.log((math.exp(-one[2]) + math.exp(-other[2])) / 2) for one, other in zip(*pair)]
        if len(found) > 1:
            error = statistics.stdev(found) / math.sqrt(len(found))
            gains.append(f"{statistics.fmean(found):+.3f} ± {error:.3f} ({SHORT.get(name, name)})")
    return textwrap.fill(f"- The log loss of the Transformer minus that of its mean with **kernels**, in equal shares: "
                         f"{', '.join(gains)}.", 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def text(file=FILE):
    lines = measured.read_jsonl(file)
    if not lines:
        return "Not yet measured: `tools/calibration`."
    commits = sorted({line["commit"] for line in lines if "commit" in line})
    dates = sorted(line["when"] for line in lines)
    found = load(lines)
    when = dates[0][:10] if dates[0][:10] == dates[-1][:10] else f"{dates[0][:10]} to {dates[-1][:10]}"
    return (f"Runs of {when}; ours of the commits "
            f"{', '.join(f'`{commit}`' for commit in commits)}.\n\n{table(found)}\n\n{verdicts(found)}\n"
            f"{together(lines)}")


def main():
    options = trainer.arguments_of_tool(
        __doc__, ROOT, FILE.name, ("--methods", {"default": ",".join(METHODS), "help": "such as kernels,best [all]"}),
        ("--sets", {"default": ",".join(ts_files.SETS), "help": "such as Libras,NATOPS [all]"}))
    if not options.table:
        runs.make_venv()
        (ROOT / "build").mkdir(exist_ok=True)
        commit = trainer.commit_of(options.program)
        finished = {(line["method"], line["set"], line["third"]) for line in measured.read_jsonl(options.output)
                    if line.get("commit", commit) == commit}
        for method, name, third in planned(options.methods.split(","), options.sets.split(",")):
            if (method, name, third) in finished:
                continue
            line = run(options.program, method, name, third)
            measured.add_jsonl(options.output, line)
            one = summary([line])
            print(f"{method}, {name}, third {third + 1}: log loss {one['before']['loss']:.3f} -> "
                  f"{one['after']['loss']:.3f}, ECE {one['before']['ece']:.3f} -> {one['after']['ece']:.3f} (floor "
                  f"{one['after']['floor']:.3f}), {line['cpu_seconds']:.0f} s of processor time", flush=True)
    if options.output == FILE:
        marked.replace(ROOT / "docs" / "accuracy.md", {"calibration": text()})
    print(text(options.output))
