"""How the Python tests call the program: run("encode", "dft", ...) -> exit code, standard output, standard error."""
import os
import pathlib
import subprocess

PROGRAM = os.environ["FAITHFUL"]
SOURCE = pathlib.Path(os.environ["FAITHFUL_SOURCE"])
BUILD = pathlib.Path(os.environ["FAITHFUL_BUILD"])


def run(*arguments, cwd=None, stdin=None, env=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, input=stdin, text=True, capture_output=True,
                          env={**os.environ, **(env or {})}, timeout=120)


def rejected(*arguments, **options):
    """The one line on standard error of a call that must end with exit code 2 and print nothing else."""
    done = run(*arguments, **options)
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.startswith("faithful: ") and done.stderr.count("\n") == 1, done.stderr
    return done.stderr[len("faithful: "):-1]
