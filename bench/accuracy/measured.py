"""Runs a child process and measures it; reads and adds lines of JSON."""
import datetime
import json
import os
import subprocess
import time


def run(command, log, environment=None):
    """Runs the command with its output in the file `log`. Returns (exit code, {wall_seconds, cpu_seconds, peak_mb,
    load, when}); the load is the average of the last minute, before and after."""
    before = os.getloadavg()[0]
    start = time.monotonic()
    with open(log, "w") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment)
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            os.wait4(child.pid, 0)
            raise
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, {
        "wall_seconds": round(time.monotonic() - start, 2),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "peak_mb": round(usage.ru_maxrss / 1024),
        "load": [round(before, 2), round(os.getloadavg()[0], 2)],
        "when": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M"),
    }


def read_jsonl(path):
    """The lines of a file, none where there is no file. A last line that was cut off by a kill is left out."""
    if not path.exists():
        return []
    lines = []
    for line in path.read_text().splitlines():
        try:
            lines.append(json.loads(line))
        except json.JSONDecodeError:
            print(f"{path}: a line is cut off, and left out", flush=True)
    return lines


def add_jsonl(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    cut_off = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    with open(path, "a") as out:
        out.write(("\n" if cut_off else "") + json.dumps(value) + "\n")
