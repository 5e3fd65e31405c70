"""The program where the system gives less than usual: threads, memory, files that change."""

import resource

from program import run


def address_space(bytes_):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))


def sanitized():
    """A sanitizer maps terabytes: it cannot run in bounded address space."""
    return run("--version", preexec_fn=address_space(400_000 << 10)).returncode != 0


def test_fewer_threads_than_asked_for():
    arguments = ("analyze", "dft", "--length", 40, "--dim", 64, "--json")
    expected = run(*arguments, "--threads", 1)
    for threads in (64, 1000):
        bound = None if sanitized() else address_space(400_000 << 10)
        done = run(*arguments, "--threads", threads, preexec_fn=bound)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == expected.stdout
