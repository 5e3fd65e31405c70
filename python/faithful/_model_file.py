"""What a model file holds: docs/classifier.md, "The model file"."""
from __future__ import annotations

import dataclasses
import json
import os
import struct
import tempfile

import numpy as np

_DTYPES = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8"}


@dataclasses.dataclass(frozen=True)
class ModelFile:
    metadata: dict  # by key; JSON is read
    arrays: dict  # by name


def file_of(core):
    """The file that a compiled model would write. The library checks digest, names and shapes of what it reads and writes."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "model.safetensors")
        core.save(name)
        with open(name, "rb") as file:
            data = file.read()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    texts, arrays = header.pop("__metadata__"), {}
    for name, about in header.items():
        begin, end = (8 + size + place for place in about["data_offsets"])
        arrays[name] = np.frombuffer(data[begin:end], _DTYPES[about["dtype"]]).reshape(about["shape"])
    return ModelFile({key: text if key in ("format", "digest") else json.loads(text) for key, text in texts.items()}, arrays)
