"""mypy --strict and pyright on the README's lines and the examples. `make test-pip` installs both checkers."""
import ast
import pathlib
import subprocess
import sys

import pytest

import faithful
from faithful import _core

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*.py"))

# Libraries without types of their own.
MYPY = """[mypy]
strict = True
[mypy-sklearn.*,transformers.*,x_transformers.*]
ignore_missing_imports = True
"""
PYRIGHT = """{"typeCheckingMode": "strict", "reportMissingTypeStubs": false, "reportMissingModuleSource": false,
 "reportUnknownMemberType": false, "reportUnknownVariableType": false, "reportUnknownArgumentType": false}"""

TYPED = """
import numpy as np
from numpy.typing import NDArray
import faithful

lift = faithful.data.elevator(20)
X, y = lift.labelled_arrays()
shape: tuple[int, ...] = X.shape
names: NDArray[np.str_] = y
name: faithful.EncodingName = "rope"
table = faithful.encode(name, 10, 8)
model = faithful.TimeSeriesTransformer("dft", class_weight="balanced").fit(X, y, sample_weight=np.ones(20))
best: faithful.EncodingName = faithful.choose(lift, ["dft", "none"]).encoding
"""
WRONG = ['faithful.encode("dtf", 10, 8)', 'faithful.TimeSeriesTransformer("dtf")', 'faithful.fit(lift, "dtf")',
         'faithful.TimeSeriesTransformer(missing="zero")', 'faithful.analyze("dtf", 10, 8)']


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """README's lines, the examples, and lines that use types; configurations of the checkers."""
    folder = tmp_path_factory.mktemp("types")
    (folder / "readme.py").write_text((ROOT / "README.md").read_text().split("```python\n")[1].split("```")[0])
    for example in EXAMPLES:
        (folder / example.name).write_text(example.read_text())
    (folder / "typed.py").write_text(TYPED)
    (folder / "wrong.py").write_text("import faithful\nlift = faithful.data.elevator(20)\n" + "\n".join(WRONG) + "\n")
    (folder / "mypy.ini").write_text(MYPY)
    (folder / "pyrightconfig.json").write_text(PYRIGHT)
    return folder


def mypy(folder, *files):
    pytest.importorskip("mypy")
    return subprocess.run([sys.executable, "-m", "mypy", "--config-file", "mypy.ini", *files], cwd=folder, capture_output=True,
                          text=True)


def pyright(folder, *files):
    """basedpyright is pyright in a package of PyPI that downloads nothing."""
    pytest.importorskip("basedpyright")
    return subprocess.run([sys.executable, "-m", "basedpyright", "--level", "error", "--pythonpath", sys.executable, *files], cwd=folder,
                          capture_output=True, text=True)


def right_files(folder):
    return sorted(path.name for path in folder.glob("*.py") if path.name != "wrong.py")


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_right_lines_pass(checker, folder):
    done = checker(folder, *right_files(folder))
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_wrong_names_are_found(checker, folder):
    done = checker(folder, "wrong.py")
    for line in range(3, 3 + len(WRONG)):
        assert f"wrong.py:{line}:" in done.stdout, done.stdout


def stubs():
    """(function, argument, its annotation) of the stubs."""
    for stub in pathlib.Path(faithful.__file__).parent.glob("*.pyi"):
        for node in ast.walk(ast.parse(stub.read_text())):
            if isinstance(node, ast.FunctionDef):
                for argument in [*node.args.args, *node.args.kwonlyargs]:
                    yield f"{stub.stem}.{node.name}", argument.arg, argument.annotation and ast.unparse(argument.annotation)


@pytest.mark.parametrize("function, settings", [("data.load", _core.read_settings), ("data.split", _core.split_settings),
                                                ("_classifier.__init__", _core.model_settings), ("_classifier.__init__", _core.train_settings)])
def test_choices_are_those_of_the_library(function, settings):
    """A stub cannot ask the library: it lists them."""
    known = {name: annotation for of, name, annotation in stubs() if of == function}
    checked = [one for one in settings() if one["choices"] and "Literal[" in known.get(one["name"], "")]
    assert checked
    for one in checked:
        said = ast.literal_eval(known[one["name"]].split("Literal")[1].split("]")[0] + "]")
        assert sorted(said) == sorted(one["choices"]), one["name"]


def test_names_of_encodings_are_those_of_the_catalog():
    """The stub cannot ask the library: it lists them."""
    stub = (pathlib.Path(faithful.__file__).parent / "_encoding.pyi").read_text()
    said = stub.split("EncodingName: TypeAlias = Literal[")[1].split("]")[0]
    assert [one.strip().strip('"') for one in said.split(",") if one.strip()] == list(faithful.encodings())
    assert list(faithful.EncodingName.__args__) == list(faithful.encodings())
