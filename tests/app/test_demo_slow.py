"""What `make demo` promises: F1 of at least 0.9 on trips that the model has not seen, above every baseline."""
import csv
import os
import subprocess

import pytest

from program import PROGRAM


@pytest.mark.unsanitized("trains for minutes")
def test_the_model_is_clearly_right(tmp_path):
    done = subprocess.run([PROGRAM, "demo", "-o", tmp_path / "out"], text=True, capture_output=True, env=os.environ,
                          timeout=3600)
    assert done.returncode == 0, done.stderr
    rows = {row["predictions by"]: float(row["F1"]) for row in csv.DictReader((tmp_path / "out" / "scores.csv").open())}
    model = rows.pop("the model, encoding dft")
    assert model >= 0.9
    rows.pop("the same, encoding none")
    assert model > max(rows.values())
    assert (tmp_path / "out" / "channels-1.svg").stat().st_size > 10_000
