"""docs/model.md, "Windows"."""
import dataclasses

import numpy as np


@dataclasses.dataclass
class Windows:
    values: np.ndarray  # [B, length, C], scaled; 0 at padding
    valid: np.ndarray   # [B, length]
    times: np.ndarray   # [B, length] in nanoseconds from the first sample; 0 at padding


def begins(file, length, samples):
    """Where windows of a series begin."""
    window = file["window"]
    if window["length"] == 0 or samples < length:
        return [0]
    return range(0, samples - length + 1, window["stride"])


def scaled(file, window):
    """window [T, C] in single precision, by the statistics of all training data, or by its own."""
    shift, factor = (file.arrays[f"scaler.{name}"][0] for name in ("shift", "factor"))
    if file["scaler"].get("scaling") == "window":
        shift = np.nanmean(window, 0, dtype=float)
        own = np.sqrt(np.nanmean((window - shift) ** 2, 0))
        factor = 1 / np.maximum(own, 0.01 / factor)
    return np.nan_to_num((window - shift) * factor, nan=0.0)


def cut(file, length, series, times=None):
    """series: arrays [T, C] of float32; times: arrays [T] of nanoseconds."""
    pieces = [(number, begin) for number, values in enumerate(series) for begin in begins(file, length, len(values))]
    found = Windows(np.zeros((len(pieces), length, series[0].shape[1])), np.zeros((len(pieces), length), bool), np.zeros((len(pieces), length)))
    for row, (number, begin) in enumerate(pieces):
        window = series[number][begin:begin + length]
        found.values[row, :len(window)] = scaled(file, window)
        found.valid[row, :len(window)] = True
        if times is not None:
            own = times[number][begin:begin + length]
            found.times[row, :len(window)] = own - own[0]
    return found
