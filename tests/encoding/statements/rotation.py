import pathlib

import torch

from . import D64, Statement

# `faithful encode rotation --length 6 --dim 8 --seed 1`: no formula gives it.
TABLE = pathlib.Path(__file__).parents[2] / "model" / "golden" / "rotation_table.csv"


class Encoding(Statement):
    def codes(self, m, t):
        table = torch.tensor([[float(v) for v in line.split(",")] for line in TABLE.read_text().splitlines()], dtype=D64)
        assert torch.allclose(table @ table.T, torch.eye(len(table), dtype=D64), atol=1e-12)
        return table
