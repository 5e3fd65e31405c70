#!/usr/bin/env python3
"""Prints the table of docs/benchmarks.md about the cost of each encoding in a training step.

    encoding_table.py PROGRAM FIGURES

PROGRAM is the faithful program, which knows the catalog. FIGURES is build/bench.json of `make bench`, or the output of
bench_encoding_step, with and without --times: a JSON object in each line.
"""
import json
import subprocess
import sys

SIZES = (100, 1000)


def read(path):
    text = open(path).read()
    lines = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
    return {figure["name"]: figure["value"] for figure in lines}


def cell(figures, name):
    return f"{figures[name + '_cost']:.2f} ({figures[name]:.1f} ms)" if name in figures else "–"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    catalog = json.loads(subprocess.run([sys.argv[1], "list", "--json"], check=True, capture_output=True,
                                        text=True).stdout)
    figures = read(sys.argv[2])
    columns = [(f"{', by times' if kind else ''}", kind, steps) for kind in ("", "_times") for steps in SIZES]
    heads = [f"S = {steps:,}{words}" for words, _, steps in columns]
    print("| encoding | enters | " + " | ".join(heads) + " |\n|---|---|" + "---|" * len(columns))
    for entry in catalog:
        if entry["name"] == "none":
            continue
        cells = [cell(figures, f"encoding_step_{entry['name']}{kind}_s{steps}") for _, kind, steps in columns]
        print(f"| {entry['name']} | {entry['enters']} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
