"""The table of docs/python.md, cell by cell: what each encoding can do in PyTorch."""
import importlib.util

import pytest

torch = pytest.importorskip("torch")

from torch_cases import NAMES, RECENT
from torch_support import CHECKS, committed

ONNX = all(importlib.util.find_spec(package) for package in ("onnx", "onnxscript", "onnxruntime"))
WHY_NOT = {**({} if RECENT else {
    "float16": f"torch {torch.__version__} multiplies no float16 on a CPU", "compile": f"torch {torch.__version__} cannot compile",
    "export": f"torch {torch.__version__} cannot export"}), **({} if ONNX and RECENT else {
        "ONNX": "needs torch 2, onnx, onnxscript and onnxruntime"})}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("column", [column for column in CHECKS if column not in WHY_NOT])
def test_cell(name, column):
    assert CHECKS[column](name) == committed()[name, column]


if WHY_NOT:
    @pytest.mark.parametrize("column", WHY_NOT)
    def test_column_left_out(column):
        pytest.skip(WHY_NOT[column])


def test_table_has_every_encoding_and_every_check():
    assert list(committed()) == [(name, column) for name in NAMES for column in CHECKS]
