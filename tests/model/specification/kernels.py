"""docs/model.md, "Kernels". Comparisons decide here, so the products before them are in single precision, in the order of that page."""
import numpy as np

SINGLE = np.float32


def read_kernels(w):
    """Two lists of (row of numbers, channels, biases or weights)."""
    channels, biases, rocket, hydra, used, of_biases = w["kernels.channels"], w["kernels.biases"].astype(SINGLE), [], [], 0, 0
    for row in w["kernels.rocket"]:
        rocket.append((row, channels[used:used + row[6]], biases[of_biases:of_biases + row[7]]))
        used, of_biases = used + row[6], of_biases + row[7]
    for row, weights in zip(w["kernels.hydra"], w["kernels.competing"].astype(SINGLE)):
        hydra.append((row, channels[used:used + row[2]], weights))
        used += row[2]
    return rocket, hydra


def taps(x, differences, channels, dilation):
    """[9, n]: the sum s of the channels, or of their differences, at sample t + (i - 4) dilation; 0 beyond the ends."""
    x = x[1:] - x[:-1] if differences else x
    s = x[:, channels[0]].copy()
    for channel in channels[1:]:
        s = s + x[:, channel]
    filled = np.pad(s, 4 * dilation)
    return np.stack([filled[i * dilation:i * dilation + len(s)] for i in range(9)])


def longest_run(positive):
    """Of each column of [n, biases]."""
    run = longest = np.zeros(positive.shape[1])
    for row in positive:
        run = np.where(row, run + 1, 0)
        longest = np.maximum(longest, run)
    return longest


def rocket_features(x, row, channels, biases):
    a, b, c, dilation, differences, padded, *_ = row
    s = taps(x, differences, channels, dilation)
    n = s.shape[1]
    total = s[0]
    for tap in s[1:]:
        total = total + tap
    z = SINGLE(3) * ((s[a] + s[b]) + s[c]) - total
    cut = 0 if padded or n <= 8 * dilation else 4 * dilation
    above = z[cut:n - cut, None] - biases
    positive = above > 0
    count, samples = positive.sum(0), max(n - 2 * cut, 1)
    found = np.maximum(count, 1)
    place = (positive * np.arange(cut, n - cut)[:, None]).sum(0) / found / max(n, 1)
    four = [count / samples, np.maximum(above, 0).sum(0, dtype=float) / found, np.where(count > 0, place, -1), longest_run(positive) / samples]
    return np.stack(four, -1).reshape(-1)


def hydra_features(x, row, channels, weights, length):
    s = taps(x, row[1], channels, row[0])
    n = s.shape[1]
    products = (weights.astype(float) @ (s - s[4]).astype(float)).T  # [n, 8]
    gained, lost = np.zeros(8), np.zeros(8)
    np.add.at(gained, products.argmax(1), np.maximum(products.max(1), 0))
    np.add.at(lost, products.argmin(1), 1)
    return np.concatenate([gained, lost]) * length / max(n, 1)


def kernel_logits(w, windows):
    rocket, hydra = read_kernels(w)
    shift, factor, bound = w["kernels.shift"], w["kernels.factor"], w.get("kernels.bound", np.inf)
    found = []
    for values, valid in zip(windows.values.astype(SINGLE), windows.valid):
        x = values[:valid.sum()]
        first = np.concatenate([rocket_features(x, *kernel) for kernel in rocket])
        roots = np.sqrt(np.concatenate([hydra_features(x, *group, len(values)) for group in hydra]))
        plain = len(first)
        rest = np.where(roots == 0, 0, (roots - shift[plain:]) * factor[plain:])
        scaled = np.concatenate([(first - shift[:plain]) * factor[:plain], rest])
        found.append(np.clip(scaled, -bound, bound))
    return np.array(found) @ w["kernels.weights"] + w["kernels.offset"]
