#!/usr/bin/env python3
"""Processor time and memory of a training step as the sequence grows: d = 64, batch 1, one thread.

    engine_scaling.py --engine build/release/bin/engine_step [--figure scaling.svg] [--positions S]...

The whole series takes a minute on a quiet core. Prints a table to stderr, figures as lines of JSON to stdout (bench/figure.h), and
draws both against S on logarithmic axes (gnuplot). Memory is the peak of the whole process (resident), and of it the
arenas, which hold what a step needs besides weights. Fails where the arenas grow faster than in proportion to S, or the
process goes beyond 2 GiB.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys

LENGTHS = [100, 300, 1000, 3000, 10000, 17984]
MOST_MIB = 2048


def measure(engine, positions):
    """(milliseconds, MiB of the arenas, MiB of the process) of one step."""
    command = [engine, "--width", "64", "--threads", "1", "--batch", "1", "--rounds", "1", "--cpu",
               "--positions", str(positions)]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE) as process:
        line = process.stdout.read().splitlines()[-1]
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"engine_step failed at S = {positions}")
    numbers = re.findall(r"[\d.]+", line.split(maxsplit=1)[1])
    return float(numbers[0]), float(numbers[-1]), usage.ru_maxrss / 1024


def draw(rows, figure):
    data = "\n".join(" ".join(map(str, row)) for row in rows)
    script = f"""set terminal svg size 720,440 font "sans,13" background rgb "white"
set output "{figure}"
set logscale xy
set xrange [80:25000]
set xlabel "positions S"
set format y "10^{{%T}}"
set key top left
set grid
$rows << END
{data}
END
plot $rows using 1:2 with linespoints pointtype 7 title "milliseconds per step", \\
     $rows using 1:4 with linespoints pointtype 5 title "peak memory of the process, MiB", \\
     $rows using 1:3 with linespoints pointtype 9 title "of it the step's own, MiB"
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--figure")
    parser.add_argument("--positions", action="append", type=int)
    options = parser.parse_args()
    rows = []
    print(f"\n{'S':>8}{'ms':>12}{'step MiB':>10}{'all MiB':>10}", file=sys.stderr)
    for positions in options.positions or LENGTHS:
        rows.append((positions, *measure(options.engine, positions)))
        print("{:>8}{:>12.1f}{:>10.1f}{:>10.1f}".format(*rows[-1]), file=sys.stderr, flush=True)
        for value, unit in ((rows[-1][1], "ms"), (rows[-1][3], "MiB")):
            print(json.dumps({"name": f"train step d=64 S={positions}, batch 1, 1 thread", "value": value, "unit": unit,
                              "peer": None, "ratio": None}), flush=True)
    if options.figure:
        draw(rows, options.figure)
    if rows[-1][3] > MOST_MIB:
        sys.exit(f"{rows[-1][3]:.0f} MiB are more than {MOST_MIB}")
    if len(rows) >= 4:
        first, last = rows[2], rows[-1]
        power = math.log(last[2] / first[2]) / math.log(last[0] / first[0])
        print(f"memory grows as S^{power:.2f} from S = {first[0]} on", file=sys.stderr)
        if power >= 1.1:
            sys.exit("memory is not linear in S")


if __name__ == "__main__":
    main()
