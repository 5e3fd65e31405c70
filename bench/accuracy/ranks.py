"""Ranks of methods over data sets, and the critical-difference plot of them.

As is usual in the field: each set ranks the methods by accuracy (ties share their mean rank); a Friedman test asks
whether any differ; each pair has a two-sided Wilcoxon signed-rank test over the sets, corrected by Holm. A bar joins
methods of which no pair differs at 5 %.
"""
import itertools

import numpy
from scipy import stats


def mean_ranks(scores):
    """scores [sets, methods], higher is better: mean rank of each method, 1 the best."""
    return stats.rankdata(-numpy.asarray(scores), axis=1).mean(axis=0)


def friedman(scores):
    """p of the Friedman test; nan where there are fewer than three methods."""
    columns = numpy.asarray(scores).T
    return stats.friedmanchisquare(*columns).pvalue if len(columns) > 2 else float("nan")


def wilcoxon_holm(scores):
    """{(i, j): corrected p} of all pairs of methods."""
    scores = numpy.asarray(scores)
    plain = {}
    for i, j in itertools.combinations(range(scores.shape[1]), 2):
        difference = scores[:, i] - scores[:, j]
        plain[i, j] = 1.0 if not difference.any() else stats.wilcoxon(difference).pvalue
    corrected, largest = {}, 0.0
    for place, (pair, p) in enumerate(sorted(plain.items(), key=lambda item: item[1])):
        largest = max(largest, min(1.0, p * (len(plain) - place)))
        corrected[pair] = largest
    return corrected


def cliques(ranks, corrected, level=0.05):
    """Longest runs of methods, by rank, in which no pair differs: [[method, ...], ...], of two and more."""
    order = [int(i) for i in numpy.argsort(ranks, kind="stable")]
    found = []
    for begin in range(len(order)):
        end = begin + 1
        while end < len(order) and all(corrected[tuple(sorted((order[k], order[end])))] >= level
                                       for k in range(begin, end)):
            end += 1
        if end - begin > 1 and not any(set(order[begin:end]) <= set(group) for group in found):
            found.append(order[begin:end])
    return found


def draw(names, ours, ranks, groups, title, path):
    """The plot: best on the right. Names of ours are dark."""
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "faithful", "svg.fonttype": "none", "font.family": "DejaVu Sans"})
    import matplotlib.pyplot as plot
    count = len(names)
    order = numpy.argsort(ranks, kind="stable")
    low, high = 1, max(2, int(numpy.ceil(max(ranks))))
    rows = (count + 1) // 2
    bars = 0.28 * len(groups)
    height = 1.3 + bars + 0.34 * rows
    figure = plot.figure(figsize=(9.6, height * 0.72))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(-3.9, 13.9)
    axes.set_ylim(-height + 0.6, 0.75)
    axes.axis("off")

    def at(rank):  # 10 units of width, the best rank on the right
        return 10 * (high - rank) / (high - low)

    axes.plot([0, 10], [0, 0], color="black", linewidth=1)
    for tick in range(low, high + 1):
        axes.plot([at(tick)] * 2, [0, 0.1], color="black", linewidth=1)
        axes.text(at(tick), 0.16, str(tick), ha="center", va="bottom", fontsize=9)
    axes.text(5, 0.5, title, ha="center", va="bottom", fontsize=9)
    for place, group in enumerate(groups):
        y = -0.22 - 0.28 * place
        ends = [at(ranks[i]) for i in group]
        axes.plot([min(ends) - 0.08, max(ends) + 0.08], [y, y], color="#666666", linewidth=4, solid_capstyle="round")
    for place, i in enumerate(order):  # the better half is named on the right, the other half on the left
        right = place < count / 2
        row = place if right else count - 1 - place
        y = -0.45 - bars - 0.34 * row
        color = "#00539c" if ours[i] else "#777777"
        x = 10.25 if right else -0.25
        axes.plot([at(ranks[i]), at(ranks[i]), x], [0, y, y], color=color, linewidth=1)
        text = f"{ranks[i]:.2f}  {names[i]}" if right else f"{names[i]}  {ranks[i]:.2f}"
        axes.text(x + (0.08 if right else -0.08), y, text, ha="left" if right else "right", va="center", fontsize=9,
                  color=color, fontweight="bold" if ours[i] else "normal")
    figure.savefig(path, metadata={"Date": None})
    plot.close(figure)
