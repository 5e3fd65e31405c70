"""The windows of the probes, as .npz files that `faithful train` reads.

Every window has two channels with one event each, among noise. Samples are embedded one by one, so a model can solve
the task only through its encoding.
"""
import json

import numpy as np

EVENT, NOISE = 3.0, 0.3
GAP_LENGTH = 64  # samples of a window of the gap probe
DISTANCES = (1, 2, 4, 8, 16, 32)  # of its events
MINUTE = 60_000_000_000  # nanoseconds


def gap_windows(count, draw):
    """Which of two events came first? Returns (values [N, 64, 2], labels, distances); 1: A first."""
    values = NOISE * draw.standard_normal((count, GAP_LENGTH, 2))
    labels = np.arange(count) % 2
    distances = np.resize(np.repeat(DISTANCES, 2), count)
    for window, label, distance in zip(values, labels, distances):
        first = draw.integers(GAP_LENGTH - distance)
        window[first, 1 - label] += EVENT
        window[first + distance, label] += EVENT
    return values, labels, distances


def time_windows(count, draw):
    """Are two events more than eight minutes apart? Between them lie 4 to 15 samples in either class, so that counting
    samples does not help: only the times do. Returns (values [N, 40, 2], labels, times [N, 40] in minutes)."""
    values = NOISE * draw.standard_normal((count, 40, 2))
    labels = np.arange(count) % 2
    intervals = draw.uniform(0.2, 1.8, (count, 40))
    for window, label, interval in zip(values, labels, intervals):
        between = draw.integers(5, 17)
        first = draw.integers(40 - between)
        channel = draw.integers(2)
        window[first, channel] += EVENT
        window[first + between, 1 - channel] += EVENT
        gap = draw.uniform(10, 15) if label else draw.uniform(1, 6)
        part = interval[first + 1:first + between + 1]
        part *= gap / part.sum()
    return values, labels, intervals.cumsum(axis=1)


def save(path, classes, parts):
    """Writes one .npz; `parts` is {"train" or "test": (values, labels, times in minutes or None)}."""
    values = np.concatenate([part[0] for part in parts.values()])
    count, samples, channels = values.shape
    names = [{"name": f"{name}_{i}", "part": name} for name, part in parts.items() for i in range(len(part[0]))]
    meta = {"format": "faithful-dataset", "version": 1, "name": path.stem, "channels": ["A", "B"][:channels],
            "classes": classes, "rate": 0, "series": names}
    arrays = {"values": values.reshape(-1, channels).astype(np.float32), "lengths": np.full(count, samples, np.int64),
              "label": np.concatenate([part[1] for part in parts.values()]).astype(np.int32)}
    times = [part[2] for part in parts.values()]
    if times[0] is not None:
        arrays["times"] = np.rint(np.concatenate(times).reshape(-1) * MINUTE).astype(np.int64)
    np.savez(path, **arrays, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8))


def write_gap(folder, seed):
    """Makes gap.npz (2,048 windows to train on, 100 of each distance to test on) and test.npz. Returns (gap.npz,
    test.npz, labels of the test part, its distances)."""
    draw = np.random.default_rng([seed, 1])
    train, test = gap_windows(2048, draw), gap_windows(100 * len(DISTANCES), draw)
    classes = ["B first", "A first"]
    save(folder / "gap.npz", classes, {"train": (*train[:2], None), "test": (*test[:2], None)})
    save(folder / "test.npz", classes, {"test": (*test[:2], None)})
    return folder / "gap.npz", folder / "test.npz", test[1], test[2]


def write_times(folder, seed):
    """The same for the time probe: 2,048 windows and 500. Its windows all have the same key, 0."""
    draw = np.random.default_rng([seed, 2])
    train, test = time_windows(2048, draw), time_windows(500, draw)
    classes = ["near", "far"]
    save(folder / "times.npz", classes, {"train": train, "test": test})
    save(folder / "test.npz", classes, {"test": test})
    return folder / "times.npz", folder / "test.npz", test[1], np.zeros(500, int)
