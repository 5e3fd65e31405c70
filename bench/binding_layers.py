"""nanobind's stable ABI against pybind11, on calls of the kinds that python/bindings has. Needs CPython 3.12 or newer, a compiler, and
`pip install nanobind pybind11 numpy`. Prints the processor seconds of compiling, the size of the module, and of each call the medians of
both in nanoseconds, measured in turns."""
import importlib.util
import pathlib
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import timeit

import nanobind
import numpy as np
import pybind11

SOURCE = pathlib.Path(__file__).with_name("binding_layers.cpp")
ROUNDS = 25


def compile_with(*arguments):
    """Processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    common = ["g++", "-std=c++20", "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", f"-I{sysconfig.get_path('include')}"]
    subprocess.run([*common, *map(str, arguments)], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def build(folder):
    """{name: (seconds of what is compiled once, seconds of the bindings, bytes)}"""
    root = pathlib.Path(nanobind.source_dir()).parent
    own = ["-DFAITHFUL_NANOBIND", "-DPy_LIMITED_API=0x030C0000", f"-I{nanobind.include_dir()}", f"-I{root / 'ext/robin_map/include'}"]
    costs = {}
    for name, arguments, once in (("pybind11", [f"-I{pybind11.get_include()}"], []),
                                  ("nanobind", own, [root / "src/nb_combined.cpp", "-fno-strict-aliasing"])):
        library = folder / f"{name}-once.o"
        first = compile_with(*arguments, "-c", *once, "-o", library) if once else 0.0
        bindings = compile_with(*arguments, "-c", SOURCE, "-o", folder / f"{name}.o")
        module = folder / f"by_{name}.so"
        subprocess.run(["g++", "-shared", "-s", "-o", module, folder / f"{name}.o", *([library] if once else [])], check=True)
        costs[name] = (first, bindings, module.stat().st_size)
    return costs


def load(folder, name):
    spec = importlib.util.spec_from_file_location(f"by_{name}", folder / f"by_{name}.so")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def calls(module):
    rows, said, names, series = np.ones((8, 8)), {"a": 1, "b": 2, "c": 3}, ["one", "two", "three"], module.series("lift")
    assert module.number(1) == 2 and (module.doubled(rows) == 2).all() and module.total(said) == 6
    assert module.described(names)[2] == {"name": "three", "length": 5} and series.name == "lift"
    return {"a number": lambda: module.number(1), "an array of 8 x 8, and a new one": lambda: module.doubled(rows),
            "a dict of 3": lambda: module.total(said), "3 names, and a list of 3 dicts": lambda: module.described(names),
            "a new object": lambda: module.series("lift"), "a text of an object": lambda: series.name}


def main():
    if sys.version_info < (3, 12):
        sys.exit("binding_layers: nanobind's stable ABI needs CPython 3.12 or newer")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for layer, (once, bindings, size) in build(folder).items():
            print(f"{layer}: compiled in {bindings:.1f} s of processor time ({once:.1f} s more once), {size:,} bytes")
        by_pybind11, by_nanobind = (calls(load(folder, layer)) for layer in ("pybind11", "nanobind"))
        for call in by_pybind11:
            taken = {"pybind11": [], "nanobind": []}
            for _ in range(ROUNDS):
                for layer, these in (("pybind11", by_pybind11), ("nanobind", by_nanobind)):
                    taken[layer].append(min(timeit.repeat(these[call], number=2000, repeat=3)) / 2000 * 1e9)
            middle = {layer: statistics.median(values) for layer, values in taken.items()}
            ratio = statistics.median(n / p for n, p in zip(taken["nanobind"], taken["pybind11"]))
            print(f"{call}: pybind11 {middle['pybind11']:.0f} ns, nanobind {middle['nanobind']:.0f} ns, ratio {ratio:.2f}")


main()
