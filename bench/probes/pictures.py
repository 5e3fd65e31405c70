"""The figure of the gap probe."""
import statistics

from windows import DISTANCES

# Curves on the left: the question of the page. All encodings are on the right.
CURVES = {"sinusoidal": "#777777", "tape": "#b07d2b", "spectral": "#00539c", "spectral, norm 1": "#6aa5d8",
          "dft": "#b2182b", "dft, norm 1": "#e8998d", "none": "black"}


def draw_gap(path, found):
    """`found`: {row: {distance: shares of all seeds}}, best first."""
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "faithful", "svg.fonttype": "none", "font.family": "DejaVu Sans",
                                "font.size": 8})
    import matplotlib.pyplot as plot
    figure, (left, right) = plot.subplots(1, 2, figsize=(10.5, 0.9 + 0.19 * max(len(found), 20)), layout="constrained",
                                          width_ratios=(1, 1.15))
    draw_curves(left, {row: found[row] for row in CURVES if row in found})
    draw_cells(right, found)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    plot.close(figure)


def draw_curves(axes, found):
    for row, values in found.items():
        means = [statistics.mean(values[str(distance)]) for distance in DISTANCES]
        low, high = ([pick(values[str(distance)]) for distance in DISTANCES] for pick in (min, max))
        axes.plot(DISTANCES, means, marker="o", markersize=3, color=CURVES[row], label=row)
        axes.fill_between(DISTANCES, low, high, color=CURVES[row], alpha=0.12, linewidth=0)
    axes.axhline(0.5, color="#999999", linestyle="--", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_xticks(DISTANCES, [str(distance) for distance in DISTANCES])
    axes.minorticks_off()
    axes.set_ylim(0.4, 1.02)
    axes.set_xlabel("distance of the events [samples]")
    axes.set_ylabel("share of right predictions")
    axes.set_title("mean over the seeds; bands: lowest to highest seed", fontsize=8)
    axes.legend(loc="lower right", fontsize=8)


def draw_cells(axes, found):
    cells = [[statistics.mean(values[str(distance)]) for distance in DISTANCES] for values in found.values()]
    axes.imshow(cells, cmap="Blues", vmin=0.4, vmax=1.15, aspect="auto")
    for y, row in enumerate(cells):
        for x, value in enumerate(row):
            axes.text(x, y, f"{value:.2f}", ha="center", va="center", fontsize=6.5,
                      color="white" if value > 0.85 else "black")
    axes.set_xticks(range(len(DISTANCES)), [str(distance) for distance in DISTANCES])
    axes.set_yticks(range(len(found)), list(found))
    axes.set_xlabel("distance of the events [samples]")
    axes.set_title("all encodings, best mean first", fontsize=8)
