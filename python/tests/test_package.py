"""The package as a whole: what importing costs and brings, what it works without, its stubs, its examples."""
import ast
import importlib
import importlib.util
import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import faithful

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(faithful.__file__).absolute().parent
HERE = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}  # the package under test, from any folder


def python(code, **environment):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**HERE, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_takes_less_than_a_tenth_of_a_second():
    """The best of eight: other work on the machine is no part of it."""
    measure = "import time; t = time.perf_counter(); import faithful; print(time.perf_counter() - t)"
    assert min(float(python(measure)) for _ in range(8)) < 0.1


def test_import_brings_nothing_else():
    heavy = "import sys, faithful; print([m for m in ('numpy', 'sklearn', 'torch', 'matplotlib', 'scipy') if m in sys.modules])"
    assert python(heavy) == "[]\n"
    assert python("import sys, faithful; faithful.encode('dft', 4, 4); print('sklearn' in sys.modules)") == "False\n"
    assert python("import sys, faithful; faithful.data.from_arrays([[[1.0]]], ['a']); print('sklearn' in sys.modules)") == "False\n"


WITHOUT = """
import sys
for name in ("sklearn", "torch", "matplotlib", "pandas", "scipy"):
    sys.modules[name] = None  # importing it fails
import numpy as np, faithful
X = np.random.default_rng(0).normal(size=(30, 10)); y = np.arange(30) % 2
fitted = faithful.TimeSeriesTransformer(epochs=2, preset="plain").fit(X, y)
print(repr(fitted), fitted.score(X, y) >= 0, fitted.set_params(epochs=1).epochs, faithful.analyze("dft", 8, 8).length)
try:
    faithful.TimeSeriesTransformer().predict(X)
except ValueError as problem:
    print(problem)
for call in (lambda: faithful.torch, fitted.to_torch, faithful.analyze("dft", 8, 8).plot):
    try:
        call()
    except ImportError as problem:
        print(problem)
"""


def test_numpy_is_enough():
    assert python(WITHOUT) == (
        "TimeSeriesTransformer(preset='plain', epochs=2) True 1 8\n"
        "This TimeSeriesTransformer instance is not fitted yet. Call 'fit' first\n"
        "faithful.torch needs PyTorch: pip install torch\nfaithful.torch needs PyTorch: pip install torch\n"
        "plot() needs matplotlib: pip install 'faithful-pe[plot]'\n")


def test_unknown_names():
    with pytest.raises(AttributeError, match="no attribute 'encoed'"):
        faithful.encoed
    assert set(dir(faithful)) == set(faithful.__all__)


def stub_names(tree):
    """{name: names of the arguments, or of the members}"""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
        elif isinstance(node, ast.ClassDef):
            found[node.name] = stub_names(node)
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = None
    return found


@pytest.mark.parametrize("stub", sorted(str(p.relative_to(PACKAGE)) for p in PACKAGE.rglob("*.pyi")))
def test_stubs_say_what_there_is(stub):
    name = "faithful." + stub[:-4].replace("/", ".").replace("__init__", "").strip(".")
    if stub in ("aeon.pyi", "sktime.pyi"):
        pytest.importorskip(stub[:-4])
    module = importlib.import_module(name.rstrip("."))
    said = stub_names(ast.parse((PACKAGE / stub).read_text()))
    for public in getattr(module, "__all__", []):
        assert public in said or stub == "__init__.pyi", f"{public} is missing in {stub}"
    for key, members in said.items():
        assert hasattr(module, key), f"{stub} has {key}, which is not there"
        one = getattr(module, key)
        if isinstance(members, list) and inspect.isfunction(one):
            real = inspect.signature(one).parameters
            open_ended = any(p.kind == p.VAR_KEYWORD for p in real.values())
            assert set(real) - {"options"} <= set(members) | {"options"} and (open_ended or set(members) == set(real)), key
        elif isinstance(members, dict):
            for member, arguments in members.items():
                if arguments is not None and module.__name__ != "faithful._core":
                    assert hasattr(one, member), f"{key}.{member}"
    if stub == "_classifier.pyi":
        from faithful import _core
        of_encodings = {one["name"] for one in _core.model_settings() if one["group"] == "Position" and one["applies_to"]}
        told = said["TimeSeriesTransformer"]["__init__"][1:]  # options of encodings may be left out
        real = inspect.signature(module.TimeSeriesTransformer).parameters
        assert told == [name for name in real if name in told or name not in of_encodings]


def test_compiled_module_is_fully_described():
    from faithful import _core
    said = stub_names(ast.parse((PACKAGE / "_core.pyi").read_text()))
    assert {name for name in vars(_core) if not name.startswith("__")} == set(said)


EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.fixture()
def pump_folder(tmp_path):
    """A folder with pump.csv, as the documents make it."""
    with open(tmp_path / "pump.csv", "w") as file:
        subprocess.run(["awk", "-f", ROOT / "examples/pump.awk"], stdout=file, check=True)
    return tmp_path


def skip_without(file, *packages):
    for package in packages:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{file} needs the package {package}")


NEEDS = {"positions_in_hugging_face.py": ["torch", "transformers"], "positions_in_x_transformers.py": ["torch", "x_transformers"],
         "positions_in_torch.py": ["torch"], "encode_and_analyze.py": ["matplotlib"], "classify_elevator.py": ["sklearn"], "docs/python.md": ["torch"]}


@pytest.mark.parametrize("example", [e.name for e in EXAMPLES if "# %%" in e.read_text()])
def test_examples_run(example, pump_folder):
    skip_without(example, *NEEDS.get(example, []))
    done = subprocess.run([sys.executable, str(ROOT / "examples" / example)], cwd=pump_folder, capture_output=True, text=True,
                          env={**HERE, "MPLBACKEND": "Agg"}, timeout=300)
    assert done.returncode == 0, done.stderr


def blocks(document):
    return [piece.split("```")[0] for piece in (ROOT / document).read_text().split("```python\n")[1:]]


@pytest.mark.parametrize("document, count", [("README.md", 1), ("docs/python.md", 10)])
def test_documents(document, count, pump_folder, monkeypatch):
    """The Python of the documents runs as it stands, block after block."""
    skip_without(document, *NEEDS.get(document, []))
    monkeypatch.chdir(pump_folder)
    assert len(blocks(document)) == count
    python("\n".join(blocks(document)))


def test_readme_has_six_lines():
    assert len(blocks("README.md")[0].splitlines()) == 6


def test_the_pump_of_the_documents_is_the_example():
    """About 30 lines from CSV to diagnosis; docs/python.md shows all of them but the first."""
    lines = (ROOT / "examples/pump.py").read_text().splitlines(keepends=True)
    assert len(lines) <= 30 and "".join(lines[1:]) in blocks("docs/python.md")


def test_scores_of_the_readme(pump_folder, monkeypatch):
    """The figures that README.md gives for its example."""
    monkeypatch.chdir(pump_folder)
    code = "\n".join(blocks("README.md")[0].splitlines()[:-2]) + """
found = faithful.evaluate(model, pump, held_out=True)
print(f"{found.scores['f1']:.3f}", *[f"{model.record['baselines'][name]['f1']:.3f}" for name in ("linear", "all positive")])
"""
    assert python(code) == "1.000 1.000 0.265\n"
