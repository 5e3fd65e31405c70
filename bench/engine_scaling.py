#!/usr/bin/env python3
"""Time and memory of a training step as the sequence grows: d = 64, batch 1, one thread.

    engine_scaling.py --engine build/release/bin/engine_step --figure scaling.svg [--positions S]... [--json FILE]

The whole series takes a minute on a quiet core.

Prints a table and draws both against S on logarithmic axes (gnuplot). Memory is the arenas': what a step needs besides
weights. It must grow in proportion to S: the last line says by what power it does, from the third length on.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys

LENGTHS = [100, 300, 1000, 3000, 10000, 17984]


def measure(engine, positions):
    """(milliseconds, MiB) of one step."""
    command = [engine, "--width", "64", "--threads", "1", "--batch", "1", "--rounds", "1", "--positions", str(positions)]
    line = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()[-1]
    numbers = re.findall(r"[\d.]+", line.split(maxsplit=1)[1])
    return float(numbers[0]), float(numbers[-1])


def draw(rows, figure):
    data = "\n".join(f"{s} {ms} {mib}" for s, ms, mib in rows)
    script = f"""set terminal svg size 720,440 font "sans,13" background rgb "white"
set output "{figure}"
set logscale xy
set xlabel "positions S"
set key top left
set grid
$rows << END
{data}
END
plot $rows using 1:2 with linespoints pointtype 7 title "milliseconds per step", \\
     $rows using 1:3 with linespoints pointtype 5 title "memory, MiB"
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--figure")
    parser.add_argument("--positions", action="append", type=int)
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = []
    print(f"{'S':>8}{'ms':>12}{'MiB':>10}")
    for positions in options.positions or LENGTHS:
        rows.append((positions, *measure(options.engine, positions)))
        print(f"{rows[-1][0]:>8}{rows[-1][1]:>12.1f}{rows[-1][2]:>10.1f}", flush=True)
    if options.figure:
        draw(rows, options.figure)
    if options.json:
        entries = [{"name": f"engine_scaling_s{s}", "value": mib, "unit": "MiB", "peer": "", "ratio": None} for s, _, mib in rows]
        pathlib.Path(options.json).write_text(json.dumps(entries, indent=2) + "\n")
    if len(rows) >= 4:
        first, last = rows[2], rows[-1]
        power = math.log(last[2] / first[2]) / math.log(last[0] / first[0])
        print(f"memory grows as S^{power:.2f}")
        return 0 if power < 1.1 else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
