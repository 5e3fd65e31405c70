"""Writes the tables and figures of docs/accuracy.md from docs/accuracy/*.jsonl: see tools/accuracy --page.

The text of the page is written by hand. What stands between `<!-- begin NAME -->` and `<!-- end NAME -->` is replaced.
"""
import importlib.metadata
import pathlib
import statistics
import textwrap

import ablation
import calibration
import dfstrans
import marked
import measured
import methods
import ranks
import timelines
import ts_files
import unseen

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "accuracy"
SHORT = {"ArticularyWordRecognition": "AWR", "UWaveGestureLibrary": "UWave", "JapaneseVowels": "JapVowels",
         "BasicMotions": "BasMotions", "ItalyPowerDemand": "Italy", "PickupGestureWiimoteZ": "Pickup"}
PUBLISHED_SETS = [name for name in ts_files.SETS if name in methods.PUBLISHED["HC2"]]
ALL = [*methods.OURS, *methods.PEERS]


def without_zero(x, digits=3):
    text = f"{x:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def table(header, rows):
    return "\n".join(["| " + " | ".join(header) + " |", "|" + "---|" * len(header),
                      *("| " + " | ".join(row) + " |" for row in rows)])


def wrapped(text):
    return textwrap.fill(text, 118, break_long_words=False, break_on_hyphens=False)


def scorings():
    """[(date, commit)] of scorings.txt."""
    path = RESULTS / "scorings.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.rsplit(" ", 1) for line in lines if line and not line.startswith("#")]


def load():
    """{(method, set): [lines of its seeds]}; of ours those of the scoring that shown_scoring names."""
    found = {}  # {method: {commit: {set: {seed: line}}}}
    for line in measured.read_jsonl(RESULTS / "runs.jsonl"):
        if line["method"] in ALL:
            of_commit = found.setdefault(line["method"], {}).setdefault(line.get("commit"), {})
            of_commit.setdefault(line["set"], {})[line["seed"]] = line
    order = [commit for _, commit in scorings()]
    return {(method, name): [of_seed[seed] for seed in sorted(of_seed)] for method, by_commit in found.items()
            for name, of_seed in by_commit[shown_scoring(by_commit, order)].items()}


def shown_scoring(by_commit, order):
    """The commit with the most runs of a method, the last of those: a scoring under way replaces an earlier one when it
    has as many runs. It does not go by their results."""
    def runs_and_age(commit):
        return sum(map(len, by_commit[commit].values())), order.index(commit) if commit in order else -1
    return max(by_commit, key=runs_and_age)


def mean(lines, key):
    return statistics.fmean(line[key] for line in lines)


def cell(lines, key):
    if not lines:
        return ""
    values = [line[key] for line in lines]
    text = without_zero(statistics.fmean(values))
    if len(values) > 1:
        text += f" ± {without_zero(statistics.stdev(values))}"
    return text if len(values) == len(methods.SEEDS) else f"{text} ({len(values)})"


def mean_over(runs, method, sets, key="accuracy"):
    """The mean over the sets, or none where one is missing."""
    if any((method, name) not in runs for name in sets):
        return None
    return statistics.fmean(mean(runs[method, name], key) for name in sets)


def accuracy_table(runs):
    header = ["method", *(SHORT.get(name, name) for name in ts_files.SETS), "mean of seven"]
    rows = []
    for method in ALL:
        if any((method, name) in runs for name in ts_files.SETS):
            over = mean_over(runs, method, PUBLISHED_SETS)
            rows.append([f"**{method}**" if method in methods.OURS else method,
                         *(cell(runs.get((method, name)), "accuracy") for name in ts_files.SETS),
                         without_zero(over) if over is not None else ""])
    for method, figures in methods.PUBLISHED.items():
        whole = all(name in figures for name in PUBLISHED_SETS)
        rows.append([f"{method}, published",
                     *(without_zero(figures[name]) if name in figures else "–" for name in ts_files.SETS),
                     without_zero(statistics.fmean(figures[name] for name in PUBLISHED_SETS)) if whole else
                     f"{without_zero(statistics.fmean(figures.values()))} (of six)"])
    return table(header, rows)


def unseen_text():
    """The sets of `tools/accuracy --unseen`: of ours the runs of the newest program."""
    lines = measured.read_jsonl(RESULTS / "unseen.jsonl")
    newest = {line["method"]: line.get("commit") for line in lines}
    runs = {}
    for line in lines:
        if line.get("commit") == newest[line["method"]]:
            runs.setdefault((line["method"], line["set"]), {})[line["seed"]] = line
    runs = {key: list(of_seed.values()) for key, of_seed in runs.items()}
    present = [method for method in ALL if any((method, name) in runs for name in unseen.SETS)]
    if not present:
        return "Not yet measured: `tools/accuracy --unseen`."

    def rows(key):
        made = []
        for method in present:
            over = mean_over(runs, method, unseen.SETS, key)
            made.append([f"**{method}**" if method in methods.OURS else method,
                         *(cell(runs.get((method, name)), key) for name in unseen.SETS),
                         without_zero(over) if over is not None else ""])
        return made
    header = ["method", *(SHORT.get(name, name) for name in unseen.SETS), "mean"]
    kinds = [", ".join(sorted({line["saved"] for line in runs.get(("auto", name), [])})) for name in unseen.SETS]
    commits = sorted({commit for method, commit in newest.items() if method in methods.OURS})
    return "\n\n".join([wrapped(f"Ours of the commits {', '.join(f'`{commit}`' for commit in commits)}. Accuracy:"),
                        table(header, [*rows("accuracy"), ["saved by auto", *kinds, ""]]),
                        "Log loss:", table(header, rows("log_loss"))])


def targets_table(runs):
    rows = []
    for name, target in methods.TARGETS.items():
        lines = runs.get(("Transformer", name))
        reached = mean(lines, "accuracy") if lines else None
        rows.append([name, without_zero(target), cell(lines, "accuracy"),
                     "" if reached is None else "reached" if reached >= target - 5e-4 else "missed"])
    return table(["set", "target", "Transformer", ""], rows)


def bars_table(runs):
    """auto and best against the published means, and against MultiRocket-Hydra set by set."""
    rows = []
    for method in ("auto", "best"):
        over = mean_over(runs, method, PUBLISHED_SETS)
        if over is None:
            continue
        for peer, figures in methods.PUBLISHED.items():
            sets = [name for name in PUBLISHED_SETS if name in figures]
            mine, theirs = mean_over(runs, method, sets), statistics.fmean(figures[name] for name in sets)
            rows.append([method, f"mean over {len(sets)} sets above {peer}, published", without_zero(mine),
                         without_zero(theirs), "reached" if mine > theirs else "missed"])
        figures = methods.PUBLISHED["MultiRocket-Hydra"]
        worst = min(PUBLISHED_SETS, key=lambda name: mean(runs[method, name], "accuracy") - figures[name])
        mine = mean(runs[method, worst], "accuracy")
        rows.append([method, f"not more than .03 below MultiRocket-Hydra, published, on any set (least: {worst})",
                     without_zero(mine), without_zero(figures[worst]),
                     "reached" if mine >= figures[worst] - 0.03 else "missed"])
    return table(["method", "bar", "measured", "against", ""], rows) if rows else "Not yet measured."


def saved_text(runs):
    """What the tournament of auto chose on each set."""
    rows = []
    for name in ts_files.SETS:
        kinds = [line["saved"] for line in runs.get(("auto", name), [])]
        if kinds:
            rows.append([name, ", ".join(f"{kind} {kinds.count(kind)}" for kind in sorted(set(kinds)))])
    return table(["set", "what `auto` saved, by number of seeds"], rows) if rows else "Not yet measured."


def log_loss_table(runs):
    rows = []
    for method in ALL:
        if any((method, name) in runs for name in ts_files.SETS):
            over = mean_over(runs, method, ts_files.SETS, "log_loss")
            rows.append([f"**{method}**" if method in methods.OURS else method,
                         *(cell(runs.get((method, name)), "log_loss") for name in ts_files.SETS),
                         without_zero(over) if over is not None else ""])
    return table(["method", *(SHORT.get(name, name) for name in ts_files.SETS), "mean"], rows)


def timing_tables():
    lines = measured.read_jsonl(RESULTS / "timing.jsonl")
    if not lines:
        return "Not yet measured: `tools/accuracy --timing` on an idle machine."
    latest = {(line["method"], line["set"]): line for line in lines}
    present = [method for method in ALL if any((method, name) in latest for name in ts_files.SETS)]

    def rows(text):
        return [[f"**{method}**" if method in methods.OURS else method,
                 *(text(latest[method, name]) if (method, name) in latest else "" for name in ts_files.SETS)]
                for method in present]
    header = ["method", *(SHORT.get(name, name) for name in ts_files.SETS)]
    worst = max(max(line["load"]) for line in latest.values())
    dates = sorted(line["when"] for line in latest.values())
    return "\n\n".join([
        f"Measured {dates[0]} to {dates[-1]} UTC, {methods.THREADS} threads; the largest load average was {worst}.",
        "Seconds of training, and after the slash seconds of processor time:",
        table(header, rows(lambda x: f"{x['phases']['fit']['wall']:.1f} / {x['phases']['fit']['cpu']:.1f}")),
        "Seconds to predict as many series as the training part has:",
        table(header, rows(lambda x: f"{x['phases']['predict']['wall']:.2f}")),
        "Peak memory in MB. In parentheses: what the process had before training (libraries, data, the first fit).",
        table(header, rows(lambda x: str(x["peak_mb"]) + (f" ({x['baseline_mb']})" if "baseline_mb" in x else ""))),
        "Seconds of compilation before the first training (numba, cached on disk after the first process):",
        table(header, [row for row in rows(lambda x: f"{x['phases']['compile']['wall']:.1f}" if "compile" in x["phases"]
                                           else "") if any(row[1:])])])


def ranks_text(runs):
    # fast is kernels wherever both were run: the same method does not compete with itself.
    names = [method for method in ALL if method != "fast" and all((method, name) in runs for name in ts_files.SETS)]
    if len(names) < 3:
        return "Not yet measured: the plot needs three methods with runs on every set."
    scores = [[mean(runs[method, name], "accuracy") for method in names] for name in ts_files.SETS]
    mean_rank, corrected = ranks.mean_ranks(scores), ranks.wilcoxon_holm(scores)
    p = ranks.friedman(scores)
    image = ROOT / "docs" / "img" / "accuracy_ranks.svg"
    ranks.draw(names, [method in methods.OURS for method in names], mean_rank,
               ranks.cliques(mean_rank, corrected),
               f"mean rank of accuracy over {len(scores)} sets (Friedman p = {p:.2g})", image)
    # scipy's exact test, where no difference is 0: all signs equal.
    least = 2 / 2 ** len(scores)
    low = min(corrected.values())
    return "\n\n".join([
        "![mean ranks of the methods](img/accuracy_ranks.svg)",
        wrapped(f"{len(names)} methods, {len(scores)} sets, {len(corrected)} pairs. Friedman: p = {p:.2g}. "
                f"Least p of a pair after Holm: {low:.2g}. With {len(scores)} sets, no pair can have p below "
                f"{least:.4f} before the correction, and the first pair needs {0.05 / len(corrected):.4f}.")])


def multiverse_csv(runs):
    """The format of the archive's results/multiverse/accuracy_mean.csv: a row per set, a column per method."""
    names = [method for method in ALL if any((method, name) in runs for name in ts_files.SETS)]
    columns = [f"Faithful-{method}" if method in methods.OURS else method for method in names]
    lines = [",".join(["Estimators:", *columns])]
    for name in sorted(ts_files.SETS):
        cells = [repr(round(mean(runs[method, name], "accuracy"), 6)) if (method, name) in runs else ""
                 for method in names]
        lines.append(",".join([name, *cells]))
    (RESULTS / "multiverse.csv").write_text("\n".join(lines) + "\n")


def scorings_text(runs):
    logged = scorings()
    if not logged:
        return "None yet."
    def shown(commit):
        return ", ".join(method for method in methods.OURS
                         if any(line.get("commit") == commit for name in ts_files.SETS
                                for line in runs.get((method, name), [])))
    rows = [[str(place), date, f"`{commit}`", shown(commit)] for place, (date, commit) in enumerate(logged, 1)]
    return table(["scoring", "date", "commit", "methods of which this page has its runs"], rows)


def runs_text(runs):
    whole = {method: sum(len(runs.get((method, name), [])) for name in ts_files.SETS) for method in ALL}
    counts = ", ".join(f"{method} {count}" for method, count in whole.items() if count)
    versions = ", ".join(f"{package} {importlib.metadata.version(package)}" for package in
                         ("aeon", "torch", "numba", "scikit-learn", "numpy"))
    return wrapped(f"Peers: {versions}. Runs that are there, of {len(ts_files.SETS) * len(methods.SEEDS)} each: "
                   f"{counts}.")


def ablation_text():
    runs = ablation.load(measured.read_jsonl(RESULTS / "ablation.jsonl"))
    if not runs:
        return "Not yet measured."
    commits = sorted({line["commit"] for line in runs.values()})
    base = next((line["key"] for (row, _, _), line in runs.items() if row == "base"), "")
    return (wrapped(f"{len(runs)} runs, of the commits {', '.join(f'`{commit}`' for commit in commits)}. Base: "
                    f"`{base}`.") + "\n\n" + ablation.table(runs))


def others_text(name, table):
    """The table of runs that another tool has made."""
    latest = {tuple(line.get(key) for key in ("case", "arm", "method", "seed")): line
              for line in measured.read_jsonl(RESULTS / f"{name}.jsonl")}
    lines = list(latest.values())
    if not lines:
        return f"Not yet measured: `tools/{name}`."
    commits = sorted({line["commit"] for line in lines})
    return (wrapped(f"{len(lines)} runs, of the commits {', '.join(f'`{commit}`' for commit in commits)}.") + "\n\n" +
            table(lines))


def main():
    runs = load()
    parts = {"runs": runs_text(runs), "accuracy": accuracy_table(runs), "targets": targets_table(runs),
             "bars": bars_table(runs), "saved": saved_text(runs), "log loss": log_loss_table(runs),
             "ranks": ranks_text(runs), "timing": timing_tables(), "scorings": scorings_text(runs),
             "unseen": unseen_text(), "ablation": ablation_text(), "calibration": calibration.text(),
             "timelines": others_text("timelines", timelines.table),
             "dfstrans": others_text("dfstrans", dfstrans.table)}
    page = ROOT / "docs" / "accuracy.md"
    marked.replace(page, parts)
    multiverse_csv(runs)
    print(f"written: {page.relative_to(ROOT)}, docs/accuracy/multiverse.csv")


if __name__ == "__main__":
    main()
