"""docs/classifier.md, "The model file"; docs/model.md, "What a file holds"."""
import dataclasses
import hashlib
import json
import struct

import numpy as np

DTYPES = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8"}
PLAIN = ("format", "digest")  # keys of the metadata that hold no JSON


@dataclasses.dataclass
class ModelFile:
    texts: dict   # metadata, as it is in the file
    arrays: dict  # by name

    def __getitem__(self, key):
        return json.loads(self.texts[key])

    def of_predictor(self):
        """Its arrays, as float64 where they are floats."""
        names = [name for name in self.arrays if name not in ("scaler.shift", "scaler.factor", "seen")]
        return {name: self.arrays[name].astype(float) if self.arrays[name].dtype == "<f4" else self.arrays[name] for name in names}


def read(path):
    data = path.read_bytes()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    texts = header.pop("__metadata__")
    arrays = {}
    for name, about in header.items():
        begin, end = about["data_offsets"]
        arrays[name] = np.frombuffer(data[8 + size + begin:8 + size + end], DTYPES[about["dtype"]]).reshape(about["shape"])
    found = ModelFile(texts, arrays)
    assert texts["format"] == "faithful classifier, version 1" and texts["digest"] == digest(found)
    return found


def digest(file):
    """SHA-256 of all the rest: every number as 8 bytes, every text and every array's bytes after their length."""
    number = lambda value: struct.pack("<Q", value)
    text = lambda value: number(len(value)) + value
    texts = {key: value for key, value in file.texts.items() if key != "digest"}
    parts = [number(len(texts))]
    for key in sorted(texts):
        parts += [text(key.encode()), text(texts[key].encode())]
    parts.append(number(len(file.arrays)))
    for name in sorted(file.arrays):
        array = file.arrays[name]
        parts += [text(name.encode()), text(name_of(array).encode()), number(array.ndim), *map(number, array.shape), text(array.tobytes())]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def name_of(array):
    return next(name for name, dtype in DTYPES.items() if array.dtype == dtype)


def write(path, file):
    header, data = {"__metadata__": {**file.texts, "digest": digest(file)}}, b""
    for name, array in file.arrays.items():
        header[name] = dict(dtype=name_of(array), shape=array.shape, data_offsets=[len(data), len(data) + array.nbytes])
        data += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
