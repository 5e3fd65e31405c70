"""How results are shown: tables in notebooks, figures by matplotlib."""
from __future__ import annotations

import html


def html_table(title, head, rows, notes=()):
    """A table of texts, its first column to the left, and notes below it."""
    cell = lambda kind, i, one: f"<{kind} style='text-align:{'right' if i else 'left'}'>{html.escape(one)}</{kind}>"  # noqa: E731
    line = lambda kind, cells: f"<tr>{''.join(cell(kind, i, one) for i, one in enumerate(cells))}</tr>"  # noqa: E731
    body = "".join(line("td", row) for row in rows)
    below = "".join(f"<p>{html.escape(one)}</p>" for one in notes)
    return f"<table><caption>{html.escape(title)}</caption>{line('th', head) if head else ''}{body}</table>{below}"


def figure_of(figure, size):
    """The figure that was given, or a new one. Needs matplotlib (pip install faithful-pe[plot])."""
    if figure is not None:
        return figure
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise ImportError("plot() needs matplotlib: pip install 'faithful-pe[plot]'", name=error.name) from error
    return pyplot.figure(figsize=size, layout="constrained")


def intervals(axes, names, values, lows, highs, title):
    """A point and its interval for each name, from top to bottom."""
    places = range(len(names))
    axes.errorbar(values, places, xerr=[[v - low for v, low in zip(values, lows)], [high - v for v, high in zip(values, highs)]],
                  fmt="o", capsize=3)
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.set_title(title)


def three(value):
    return "–" if value is None else f"{value:.3f}"
