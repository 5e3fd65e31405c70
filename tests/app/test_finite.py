"""Every number in every JSON and on every page is finite or absent; intervals hold their value; probabilities are such."""
import html.parser
import json
import math
import re

import pytest
from program import run, write_pump

SMALL = ("--preset", "plain", "--width", 8, "--heads", 2, "--layers", 1, "--window", 16, "--stride", 8, "--epochs", 2)
DATA = ("pump.csv", "--label", "broken")
LARGEST = 1e30  # nothing here measures more
SMALLEST = 1e-300  # denormal numbers stand for a mistake; p-values and scores are 0 before
SHARES = {"precision", "recall", "f1", "accuracy", "auc_pr", "auc_roc", "macro_f1", "weighted_f1", "event_f1", "score", "p",
          "threshold", "share", "all_positive_f1", "level", "prevalence", "smoothed_f1", "holm_p", "flip_p", "ece", "ece_floor",
          "confidence", "right"}
MOST = {"log_loss": 16.2, "brier": 2}  # of a measure that is not a share


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finite")
    write_pump(folder / "pump.csv", 2400)
    lines = (folder / "pump.csv").read_text().splitlines()
    (folder / "normal.csv").write_text("\n".join([lines[0], *(line[:-1] + "0" for line in lines[1:300])]) + "\n")
    constant = [re.sub(r",[^,]*,(\d)$", r",1,\1", line) for line in lines[1:]]
    (folder / "constant.csv").write_text("\n".join([lines[0], *constant]) + "\n")  # a channel that never moves
    for name in ("pump", "constant"):
        done = run("train", f"{name}.csv", "--label", "broken", *SMALL, "-o", f"{name}.safetensors", cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def strict(text):
    """JSON without NaN and Infinity, which Python would read."""
    def refuse(word):
        raise AssertionError(f"found {word}")
    return json.loads(text, parse_constant=refuse)


def check_number(value, place):
    assert math.isfinite(value) and abs(value) < LARGEST, (place, value)
    assert value == 0 or abs(value) > SMALLEST, (place, value)


def check_interval(low, high, value, place):
    if low is None or high is None:
        assert low is None and high is None, place
        return
    assert low <= high, (place, low, high)
    if value is not None:
        assert low - 1e-9 <= value <= high + 1e-9, (place, low, value, high)


def walk(json_value, place=()):
    """Every number of a JSON value, with the keys that lead to it."""
    if isinstance(json_value, dict):
        if "low" in json_value and "high" in json_value:
            check_interval(json_value["low"], json_value["high"], json_value.get("mean", json_value.get("value")), place)
        for key, value in json_value.items():
            yield from walk(value, (*place, key))
    elif isinstance(json_value, list):
        for value in json_value:
            yield from walk(value, place)
    elif isinstance(json_value, (int, float)) and not isinstance(json_value, bool):
        yield place, json_value


def check_json(text):
    said = strict(text)
    count = 0
    for place, value in walk(said):
        count += 1
        check_number(value, place)
        if place and place[-1] in SHARES and "differences" not in place:
            assert 0 <= value <= 1, (place, value)
    assert count > 3
    return said


class Words(html.parser.HTMLParser):
    """The words of a page: the text of its elements, and of its figures."""

    def __init__(self):
        super().__init__()
        self.words, self.hidden = [], False

    def handle_starttag(self, tag, attributes):
        self.hidden = tag in ("style", "script")

    def handle_endtag(self, tag):
        self.hidden = False

    def handle_data(self, text):
        if not self.hidden:
            self.words += text.split()


def check_page(path):
    parser = Words()
    parser.feed(path.read_text())
    assert len(parser.words) > 50
    for word in parser.words:
        bare = word.strip("().,;:[]±+–-")
        assert bare.lower() not in ("nan", "inf", "infinity", "null", "none,", "undefined"), word
        if re.fullmatch(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?", bare):
            check_number(float(bare), word)


def check_pages(folder):
    pages = [*folder.rglob("*.html")]
    assert pages
    for page in pages:
        check_page(page)
    for figure in folder.rglob("*.svg"):  # coordinates, too
        assert not re.search(r"\b(nan|inf)\b", figure.read_text(), re.IGNORECASE), figure
    for table in folder.rglob("*.csv"):
        assert not re.search(r"(^|,)-?(nan|inf)(,|$)", table.read_text(), re.IGNORECASE | re.MULTILINE), table


@pytest.mark.parametrize("data", ["pump", "constant"])
def test_train_and_show(folder, data):
    file = f"{data}-2.safetensors"
    said = check_json(run("train", f"{data}.csv", "--label", "broken", *SMALL, "--json", "-o", file, cwd=folder).stdout)
    assert check_json(run("show", file, "--json", cwd=folder).stdout) == said
    curve = said["threshold"]["curve"]
    check_interval(*curve["smoothed_f1_interval"], curve["smoothed_f1"], "smoothed_f1")


@pytest.mark.parametrize("data", ["pump", "constant", "normal"])
def test_evaluate(folder, data):
    model = "constant" if data == "constant" else "pump"
    for flags in ((), ("--threshold", "1"), ("--threshold", "0")):  # nothing flagged, everything flagged
        out = folder / f"evaluated-{data}-{len(flags)}{flags[-1:]}"
        said = check_json(run("evaluate", f"{model}.safetensors", f"{data}.csv", "--label", "broken", "--resamples", 200,
                              "--json", *flags, "-o", out, cwd=folder).stdout)
        for key, (low, high) in said["intervals"].items():
            check_interval(low, high, said["scores"][key], key)
            assert low is None or (0 <= low and high <= MOST.get(key, 1)), (key, low, high)
        check_pages(out)


def test_diagnose(folder):
    for name in ("pump", "constant"):
        out = folder / f"diagnosed-{name}"
        check_json(run("diagnose", f"{name}.safetensors", f"{name}.csv", "--label", "broken", "--most", 3, "--threshold", "0.2",
                       "--json", "-o", out, cwd=folder).stdout)
        check_pages(out)


@pytest.mark.parametrize("seeds", [1, pytest.param(2, marks=pytest.mark.unsanitized("as one seed, for longer"))])
def test_compare(folder, seeds):
    out = folder / f"compared-{seeds}"
    done = run("compare", *DATA, *SMALL, "--encodings", "sinusoidal,dft", "--seeds", seeds, "--rates", "0.002", "--gap-seeds",
               0, "--json", "-o", out, cwd=folder)
    said = check_json(done.stdout)
    for one in said["comparisons"]:
        for name in ("paired", "corrected"):
            low, high = one[name]["low"], one[name]["high"]
            assert low is None or -1 <= low <= high <= 1, one
    check_pages(out)
    for line in (out / "runs.jsonl").read_text().splitlines():
        for place, value in walk(strict(line)):
            check_number(value, place)
    text = run("compare", "--finished", out, cwd=folder).stdout
    assert not re.search(r"\b(nan|inf)\b", text, re.IGNORECASE), text


def test_analyze_and_data_info(folder):
    check_json(run("analyze", "dft", "--length", 16, "--dim", 16, "--json", "-o", folder / "analyzed", cwd=folder).stdout)
    check_pages(folder / "analyzed")
    check_json(run("analyze", "sinusoidal", "--length", 2, "--dim", 2, "--json", cwd=folder).stdout)
    for name in ("pump", "constant", "normal"):
        check_json(run("data", "info", f"{name}.csv", "--label", "broken", "--json", "-o", folder / f"info-{name}",
                       cwd=folder).stdout)
        check_pages(folder / f"info-{name}")


def test_several_classes_of_whole_series(folder):
    lines = [f"s{i},{(i % 3) * t % 7 + i / 100},k{i % 3}" for i in range(45) for t in range(12)]
    (folder / "waves.csv").write_text("name,x,kind\n" + "\n".join(lines) + "\n")
    waves = ("waves.csv", "--series", "name", "--label", "kind", "--label-of", "series")
    said = check_json(run("train", *waves, "--preset", "plain", "--width", 8, "--heads", 2, "--layers", 1, "--epochs", 2,
                          "--log", "log.jsonl", "--json", "-o", "w.safetensors", cwd=folder).stdout)
    assert "curve" not in said["threshold"]
    for line in (folder / "log.jsonl").read_text().splitlines():
        for place, value in walk(strict(line)):
            check_number(value, place)
    out = folder / "waves-page"
    said = check_json(run("evaluate", "w.safetensors", *waves, "--resamples", 100, "--json", "-o", out, cwd=folder).stdout)
    for key, (low, high) in said["intervals"].items():
        check_interval(low, high, said["scores"][key], key)
    check_pages(out)
