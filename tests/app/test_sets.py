"""predict --coverage: sets of classes for whole series, as a user calls it."""
import json
import math
import random

import pytest
from program import rejected, run
from test_predict import parsed

WAVES = ("waves.csv", "--series", "name", "--label", "kind", "--label-of", "series")


def waves(count, seed, noise=3, length=24):
    """Series of four kinds that are hard to tell apart; one name has the signs that sets use."""
    draw, lines = random.Random(seed), ["name,x,kind"]
    for i in range(count):
        kind = ["a|b", "c\\d", "e,f", "=g"][i % 4]
        lines += [f"s{i},{math.sin((i % 4 + 1) * 0.25 * t + draw.random() * 0.01) + noise * draw.gauss(0, 1):.5f},\"{kind}\""
                  for t in range(length)]
    return "\n".join(lines) + "\n"


def names_in(text):
    names, escaped = [""], False
    for letter in text:
        if escaped or letter not in "\\|":
            names[-1] += letter
            escaped = False
        elif letter == "\\":
            escaped = True
        else:
            names.append("")
    return names if text else []


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    (folder / "waves.csv").write_text(waves(120, 1))
    (folder / "new.csv").write_text(waves(60, 2))
    done = run("train", *WAVES, "--model", "kernels", "--no-baselines", "-o", "w.safetensors", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def sets_of(folder, *arguments, **options):
    done = run("predict", "w.safetensors", *arguments, cwd=folder, **options)
    assert done.returncode == 0, done.stderr
    return parsed(done.stdout), done.stderr


def test_sets_follow_the_held_out_scores(folder):
    about = json.loads(run("show", "w.safetensors", "--json", cwd=folder).stdout)
    kept = about["conformal"]
    assert kept["method"] == "LAC" and kept["count"] == len(kept["scores"]) and kept["scores"] == sorted(kept["scores"])
    held_out = about["record"]["held_out"]
    assert held_out["windows"] == kept["count"] and held_out["ece"] >= 0
    assert f"LAC, from {kept['count']} held-out series" in run("show", "w.safetensors", cwd=folder).stdout
    sizes = []
    for coverage in (0.5, 0.8, 0.95):
        found, note = sets_of(folder, "new.csv", "--coverage", coverage)
        assert note == ""
        limit = kept["scores"][math.ceil((kept["count"] + 1) * coverage - 1e-9) - 1]
        for row in found:
            shares = {name[2:-1]: float(value) for name, value in row.items() if name.startswith("p(")}
            order = sorted(shares, key=shares.get, reverse=True)
            wanted = [name for k, name in enumerate(order) if k == 0 or 1 - shares[name] <= limit]
            assert names_in(row["set"].removeprefix("'")) == wanted, row
        assert list(found[0])[-4:] == ["class", "set", "status", "reason"]
        sizes.append(sum(len(names_in(row["set"])) for row in found))
    assert sizes[0] < sizes[1] < sizes[2]


def test_coverage_is_about_what_was_asked_for(folder):
    found, _ = sets_of(folder, "new.csv", "--coverage", 0.9)
    truth = {f"s{i}": ["a|b", "c\\d", "e,f", "=g"][i % 4] for i in range(60)}
    covered = sum(truth[row["series"]] in names_in(row["set"].removeprefix("'")) for row in found)
    assert 44 <= covered < 60  # beta-binomial of 84 scores: 43 or fewer in 1 of 600 cases


def test_without_a_coverage_nothing_changes(folder):
    found, _ = sets_of(folder, "new.csv")
    assert "set" not in found[0]
    run("predict", "w.safetensors", "new.csv", "--coverage", 0.9, "-o", "sets.csv", cwd=folder)
    with_sets = parsed((folder / "sets.csv").read_text())
    assert [{key: value for key, value in row.items() if key != "set"} for row in with_sets] == found


def test_a_coverage_beyond_the_scores_gives_all_classes(folder):
    found, note = sets_of(folder, "new.csv", "--coverage", 0.999)
    assert note.count("\n") == 1 and "every set has all classes: " in note and "promise a coverage of at most 0.95" in note
    assert {len(names_in(row["set"].removeprefix("'"))) for row in found} == {4}


def test_a_stream_has_sets(folder):
    rows = [line.split(",")[1] for line in (folder / "new.csv").read_text().splitlines()[1:25]]
    batch, _ = sets_of(folder, "new.csv", "--coverage", 0.9)
    found, note = sets_of(folder, "-", "--coverage", 0.9, stdin="x\n" + "\n".join(rows) + "\n")
    assert "windows of a stream overlap" in note
    assert len(found) == 1 and found[0]["set"] == batch[0]["set"] and found[0]["p(e,f)"] == batch[0]["p(e,f)"]


def test_invalid_predictions_have_no_set(folder):
    (folder / "huge.csv").write_text("name,x\n" + "h,3.4e38\nh,-3.4e38\n" * 12)
    done = run("predict", "w.safetensors", "huge.csv", "--coverage", 0.9, "--on-error", "skip", cwd=folder)
    (row,) = parsed(done.stdout)
    assert row["class"] == "invalid" and row["set"] == ""
    bad = "x\n" + "1\n" * 3 + "word\n" + "1\n" * 24
    done = run("predict", "w.safetensors", "-", "--coverage", 0.9, "--on-error", "skip", cwd=folder, stdin=bad)
    rows = parsed(done.stdout)
    assert rows[0]["class"] == "invalid" and rows[0]["set"] == "" and rows[-1]["set"] != ""


def test_models_that_have_no_sets(folder):
    (folder / "line.csv").write_text("x,broken\n" + "\n".join(f"{math.sin(t * (0.3 + 0.3 * (t % 90 > 70)))},{int(t % 90 > 70)}"
                                                            for t in range(900)) + "\n")
    run("train", "line.csv", "--label", "broken", "--model", "kernels", "--window", 16, "--stride", 8, "--no-baselines", "-o",
        "line.safetensors", cwd=folder)
    assert rejected("predict", "line.safetensors", "line.csv", "--coverage", 0.9, cwd=folder) == (
        "--coverage: expected a model of whole series, found one of windows (windows of a timeline overlap, so no coverage "
        "can be promised for them)")
    about = json.loads(run("show", "line.safetensors", "--json", cwd=folder).stdout)
    assert "conformal" not in about and about["record"]["held_out"]["windows"] > 10
    for wrong in ("0", "1", "2", "x"):
        assert "--coverage" in rejected("predict", "w.safetensors", "new.csv", "--coverage", wrong, cwd=folder)
