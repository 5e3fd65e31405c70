"""The program where the system gives less than usual: threads, memory, files that change."""

import resource
import zipfile

import pytest

from program import bounded, rejected, run

HINT = "(if you trust it, lift the limits: --no-limits, or FAITHFUL_NO_LIMITS=1)"


def address_space(bytes_):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))


def sanitized():
    """A sanitizer maps terabytes: it cannot run in bounded address space."""
    return run("--version", preexec_fn=address_space(400_000 << 10)).returncode != 0


@pytest.mark.unsanitized("AddressSanitizer maps terabytes")
def test_fewer_threads_than_asked_for():
    arguments = ("analyze", "dft", "--length", 40, "--dim", 64, "--json")
    expected = run(*arguments, "--threads", 1)
    for threads in (64, 1000):
        bound = None if sanitized() else address_space(400_000 << 10)
        done = run(*arguments, "--threads", threads, preexec_fn=bound)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == expected.stdout


def test_a_limit_of_the_size_of_files(tmp_path):
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    done = run("encode", "dft", "--length", 40, "--dim", 64, "-o", "e.npy", cwd=tmp_path, preexec_fn=limit)
    assert done.returncode == 1 and done.stderr.startswith("faithful: e.npy: "), done
    assert done.stderr.count("\n") == 1 and list(tmp_path.iterdir()) == []


@pytest.mark.unsanitized("AddressSanitizer maps terabytes")
def test_an_archive_that_inflates_to_gigabytes(tmp_path):
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (100000000, 4), }"
    header += b" " * (117 - len(header)) + b"\n"
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        with archive.open("values.npy", "w", force_zip64=True) as entry:
            entry.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
            for _ in range(100):
                entry.write(bytes(16_000_000))
    assert (tmp_path / "x.npz").stat().st_size < 2_000_000
    arguments = ("data", "info", "x.npz", "--values", "values", "--axes", "tc")
    assert rejected(*arguments, cwd=tmp_path) == f"x.npz: expected at most 268435456 bytes inflated, found more {HINT}"
    lifted = run(*arguments, "--no-limits", cwd=tmp_path, preexec_fn=None if sanitized() else address_space(1 << 30))
    assert "at most" not in lifted.stderr and lifted.returncode == 1  # it is tried, and memory ends


def test_devices_have_no_end():
    assert rejected("data", "info", "/dev/zero", "--format", "csv") == f"/dev/zero: expected a file or a pipe, found a device {HINT}"


@pytest.mark.parametrize("text, message", [
    ("[" + "a." * 50_000 + "b]\n", "x.toml:1: expected the name of a section or key: at most 200 bytes, 4 parts, found 100001 bytes"),
    ("[list]\n" + "a." * 50_000 + " = 1\n", "x.toml:2: expected the name of a section or key: at most 200 bytes, 4 parts, found 100001 bytes"),
    ("[" + "a." * 50 + "b]\n", "x.toml:1: expected the name of a section or key: at most 200 bytes, 4 parts, found 51 parts"),
    ("# " + "a." * 600_000 + "\n", "x.toml: expected a TOML file of at most 1048576 bytes, found more"),
], ids=["section", "key", "parts", "file"])
def test_a_config_that_takes_all_memory(tmp_path, text, message):
    (tmp_path / "x.toml").write_text(text)
    assert bounded("list", "--config", "x.toml", cwd=tmp_path) == f"{message} {HINT}"


def test_a_config_without_an_end(tmp_path):
    assert bounded("list", "--config", "/dev/zero", cwd=tmp_path) == \
        f"/dev/zero: expected a TOML file of at most 1048576 bytes, found more {HINT}"
    (tmp_path / "x.toml").write_bytes(b"[list]\njson = true\n\0\n")
    assert rejected("list", "--config", "x.toml", cwd=tmp_path) == "x.toml: expected a TOML file, found bytes that are no text"


def test_a_period_that_takes_all_memory(tmp_path):
    arguments = ("analyze", "dft", "--length", 8, "--dim", 8, "--period")
    assert bounded(*arguments, 99_999_999, cwd=tmp_path) == f"--period: expected at most 16777216, found 99999999 {HINT}"
    assert run(*arguments, 1000).returncode == 0
