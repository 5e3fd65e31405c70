"""Gathers the third-party sources of a source distribution into third_party/: headers and licences of the installed Debian packages, and
the source of zlib, which apt fetches and checks. The repository stays free of them."""
import contextlib
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "third_party"
INCLUDE = pathlib.Path("/usr/include")
HEADERS = {"libeigen3-dev": "eigen3/Eigen", "libfmt-dev": "fmt", "libhwy-dev": "hwy", "libkissfft-dev": "kissfft", "nlohmann-json3-dev": "nlohmann"}
NOTICES = [*HEADERS, "zlib1g-dev", "gcc-12-base"]  # the last: of libstdc++, which is linked in


class Missing(Exception):
    """One line that says what to do."""


def run(*command, **options):
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode != 0:
        raise Missing(f"{command[0]} failed: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
    return done.stdout


def apt_sources():
    """`deb-src` lines for the archives that this system takes Debian's packages from."""
    form = "deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)"
    lines = set(run("apt-get", "indextargets", "--format", form, "Created-By: Packages", "Origin: Debian").splitlines())
    if not lines:
        raise Missing("apt has no lists of Debian's packages: sudo apt-get update")
    return "".join(line + "\n" for line in sorted(lines))


def zlib_archive(folder):
    """The source of the installed zlib, as apt gives it: an archive in this folder."""
    version = run("dpkg-query", "-W", "-f", "${source:Version}", "zlib1g-dev")
    (folder / "lists" / "partial").mkdir(parents=True)
    (folder / "sources.list").write_text(apt_sources())
    options = ["-q", "-o", f"Dir::State::Lists={folder}/lists", "-o", f"Dir::Etc::SourceList={folder}/sources.list",
               "-o", "Dir::Etc::SourceParts=/dev/null", "-o", f"Dir::Cache={folder}/cache", "-o", "APT::Sandbox::User="]
    run("apt-get", *options, "update")
    run("apt-get", *options, "--download-only", "source", f"zlib={version}", cwd=folder)
    return next(folder.glob("zlib_*.orig.tar.*"))


def add_zlib(to):
    """The .c and .h files, without its tests and examples. The archive is kept in build/."""
    kept = ROOT / "build" / "third-party"
    archive = next(kept.glob("zlib_*.orig.tar.*"), None) if kept.is_dir() else None
    if archive is None:
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as name:
            archive = pathlib.Path(shutil.copy(zlib_archive(pathlib.Path(name)), kept))
    to.mkdir()
    with tarfile.open(archive) as files:
        for member in files:
            path = pathlib.PurePath(member.name)
            if member.isfile() and len(path.parts) == 2 and path.suffix in (".c", ".h"):
                (to / path.name).write_bytes(files.extractfile(member).read())
    if not (to / "inflate.c").exists():
        raise Missing(f"{archive.name} has no inflate.c")


def gather():
    missing = [package for package, path in HEADERS.items() if not (INCLUDE / path).is_dir()]
    if missing:
        raise Missing(f"a source distribution carries headers of packages that are missing: sudo apt-get install {' '.join(missing)}")
    (FOLDER / "licenses").mkdir(parents=True)
    for path in HEADERS.values():
        shutil.copytree(INCLUDE / path, FOLDER / "include" / pathlib.PurePath(path).name)
    for package in NOTICES:
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", FOLDER / "licenses" / f"{package}.txt")
    add_zlib(FOLDER / "zlib")


@contextlib.contextmanager
def gathered():
    """third_party/ is there meanwhile. A source distribution has it already."""
    if FOLDER.exists():
        yield
        return
    try:
        gather()
        yield
    except Missing as error:
        raise SystemExit(f"faithful: {error}") from None
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
