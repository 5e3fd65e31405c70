#!/usr/bin/env python3
"""Coverage and size of prediction sets over random divisions of the TRAIN part of UEA sets.

    bench/conformal.py --program build/release/bin/faithful --data $FAITHFUL_DATA/UEA [--sets A,B] [--divisions 100]
                       [--coverage 0.9] [--output runs.json] [--figure coverage.svg] [--finished runs.json]

Each division draws two thirds of the series of TRAIN at random (again, where a class has none of them), trains `--model
kernels` on them, and predicts sets for the other third with `predict --coverage`. TEST is not read. Prints two tables.
The first is of the program's sets: mean coverage, set size, and how many divisions have a coverage within the 95 %
interval that exact conformal sets would have, and below it. The second compares LAC, APS and RAPS: half of the predicted
series, drawn at random, give scores, and the others are covered.
"""
import argparse
import csv
import io
import json
import math
import pathlib
import random
import subprocess
import tempfile

import numpy as np
import scipy.stats


def read_cases(path):
    """The lines before the cases, and the cases."""
    lines = path.read_text().splitlines(keepends=True)
    start = next(i for i, line in enumerate(lines) if line.strip().lower() == "@data") + 1
    return lines[:start], [line.rstrip("\n") + "\n" for line in lines[start:] if line.strip()]


def class_of(case):
    return case.strip().rsplit(":", 1)[1]


def names_in(text):
    """Of a cell `a|b`, where \\ stands before | and \\ of a name."""
    names, escaped = [""], False
    for letter in text:
        if escaped or letter not in "\\|":
            names[-1] += letter
            escaped = False
        elif letter == "\\":
            escaped = True
        else:
            names.append("")
    return names if text else []


def divide(program, name, head, cases, number, coverage):
    """One division: (labels, probabilities, whether each set has the label, sizes, number of scores)."""
    order = list(range(len(cases)))
    trained = 2 * len(order) // 3
    draw = random.Random(number)
    all_classes = {class_of(one) for one in cases}
    while True:
        draw.shuffle(order)
        if {class_of(cases[i]) for i in order[:trained]} == all_classes:
            break
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / name).mkdir()
        for part, chosen in (("TRAIN", order[:trained]), ("TEST", order[trained:])):
            (folder / name / f"{name}_{part}.ts").write_text("".join(head + [cases[i] for i in chosen]))
        model = folder / "model.safetensors"
        subprocess.run([program, "train", folder / name, "--split", "given", "--model", "kernels", "--no-baselines",
                        "--seed", str(number), "-o", model], check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run([program, "predict", model, folder / name, "--part", "test", "--coverage", str(coverage)],
                              check=True, stdout=subprocess.PIPE, text=True)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    labels = [class_of(cases[i]) for i in order[trained:]]
    names = [key[2:-1] for key in rows[0] if key.startswith("p(")]
    sets = [names_in(row["set"]) for row in rows]
    return {"labels": [names.index(label) for label in labels],
            "probabilities": [[float(row[f"p({one})"]) for one in names] for row in rows],
            "covered": [label in one for label, one in zip(labels, sets)], "sizes": [len(one) for one in sets],
            "scores": trained}


def interval(scores, samples, coverage, level=0.95):
    """Of the number of covered samples, where the limit is a rank of exchangeable scores: beta-binomial."""
    rank = math.ceil((scores + 1) * coverage - 1e-9)
    return scipy.stats.betabinom(samples, rank, scores + 1 - rank).ppf([(1 - level) / 2, (1 + level) / 2])


def nonconformity(p, method, penalty=0.05, free=2):
    """[n, K] of each class. APS: the probability of all classes down to it; RAPS: more for each beyond `free`."""
    if method == "LAC":
        return 1 - p
    order = np.argsort(-p, axis=1, kind="stable")
    sums = np.cumsum(np.take_along_axis(p, order, axis=1), axis=1)
    if method == "RAPS":
        sums = sums + penalty * np.maximum(0, np.arange(1, p.shape[1] + 1) - free)
    out = np.empty_like(sums)
    np.put_along_axis(out, order, sums, axis=1)
    return out


def compare_methods(divisions, coverage):
    """method -> (coverage, size) over all divisions."""
    found = {}
    for method in ("LAC", "APS", "RAPS"):
        covered, sizes = [], []
        for number, one in enumerate(divisions):
            p, y = np.array(one["probabilities"]), np.array(one["labels"])
            order = np.random.default_rng(number).permutation(len(y))
            known, new = order[:len(y) // 2], order[len(y) // 2:]
            scores = nonconformity(p, method)
            rank = math.ceil((len(known) + 1) * coverage - 1e-9)
            if rank > len(known):
                continue
            limit = np.sort(scores[known, y[known]])[rank - 1]
            sets = scores[new] <= limit + 1e-12
            sets[np.arange(len(new)), p[new].argmax(axis=1)] = True  # never empty
            covered.append(sets[np.arange(len(new)), y[new]].mean())
            sizes.append(sets.sum(axis=1).mean())
        found[method] = (np.mean(covered), np.mean(sizes)) if covered else (math.nan, math.nan)
    return found


def draw(results, coverage, figure):
    """The coverage of each division as a dot, their mean as a cross, and the interval of exact sets as a box."""
    plots, data = [], ""
    for number, (name, divisions) in enumerate(results.items()):
        count = len(divisions[0]["labels"])
        low, high = interval(divisions[0]["scores"], count, coverage) / count
        shares = [np.mean(one["covered"]) for one in divisions]
        spread = random.Random(1)
        dots = "".join(f"{number + spread.uniform(-0.25, 0.25):.3f} {share}\n" for share in shares)
        data += (f"$box{number} << EOD\n{number} {coverage} {number - 0.35} {number + 0.35} {low} {high}\nEOD\n"
                 f"$dots{number} << EOD\n{dots}EOD\n$mean{number} << EOD\n{number} {np.mean(shares)}\nEOD\n")
        plots += [f"$box{number} with boxxyerror fs solid 0.25 noborder lc rgb '#e69f00' notitle",
                  f"$dots{number} with points pt 7 ps 0.5 lc rgb '#0072b2' notitle",
                  f"$mean{number} with points pt 2 ps 1.5 lw 2 lc rgb '#8b0000' notitle"]
    ticks = ", ".join(f"'{name}' {number}" for number, name in enumerate(results))
    script = f"""set terminal svg size 860,420 font "sans,13" background rgb "white"
set output "{figure}"
{data}set xrange [-0.6:{len(results) - 0.4}]
set yrange [0.7:1.01]
set xtics ({ticks}) scale 0
set ylabel "share of the sets that have the true class"
set grid ytics
plot {', '.join(plots[0::3])}, {coverage} with lines dt 2 lc rgb 'black' notitle, {', '.join(plots[1::3] + plots[2::3])}
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def report(results, coverage):
    print(f"sets of coverage {coverage}, {len(next(iter(results.values())))} divisions")
    print("set                        trained  new  classes  accuracy  coverage  size  within 95 %  below")
    for name, divisions in results.items():
        scores, count = divisions[0]["scores"], len(divisions[0]["labels"])
        low, high = interval(scores, count, coverage)
        hits = [sum(one["covered"]) for one in divisions]
        right = np.mean([np.mean(np.argmax(one["probabilities"], axis=1) == one["labels"]) for one in divisions])
        print(f"{name:<26} {scores:>7}  {count:>3}  {len(divisions[0]['probabilities'][0]):>7}  {right:>8.3f}  "
              f"{sum(hits) / count / len(hits):>8.3f}  {np.mean([np.mean(one['sizes']) for one in divisions]):>4.2f}  "
              f"{sum(low <= hit <= high for hit in hits):>11}  {sum(hit < low for hit in hits):>5}")
    print("\ncoverage and size by method, half of the new series give the scores")
    print("set                        LAC          APS          RAPS")
    for name, divisions in results.items():
        found = compare_methods(divisions, coverage)
        print(f"{name:<26} " + "  ".join(f"{cover:.3f} {size:5.2f}" for cover, size in found.values()))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--program", default="build/release/bin/faithful")
    arguments.add_argument("--data", type=pathlib.Path)
    arguments.add_argument("--sets", default="NATOPS,UWaveGestureLibrary,Libras,Handwriting")
    arguments.add_argument("--divisions", type=int, default=100)
    arguments.add_argument("--coverage", type=float, default=0.9)
    arguments.add_argument("--output", type=pathlib.Path, help="keep what was predicted")
    arguments.add_argument("--finished", type=pathlib.Path, help="report what --output kept")
    arguments.add_argument("--figure")
    said = arguments.parse_args()
    if said.finished:
        results = json.loads(said.finished.read_text())
    else:
        results = {}
        for name in said.sets.split(","):
            head, cases = read_cases(said.data / name / f"{name}_TRAIN.ts")
            results[name] = [divide(said.program, name, head, cases, number, said.coverage)
                             for number in range(said.divisions)]
            if said.output:
                said.output.write_text(json.dumps(results))
    report(results, said.coverage)
    if said.figure:
        draw(results, said.coverage, said.figure)


if __name__ == "__main__":
    main()
