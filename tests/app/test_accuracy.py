"""tools/accuracy and tools/ablation: folds, ranks, the limit of scorings, and what happens to a refused method."""
import importlib.machinery
import importlib.util
import json
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "accuracy"))
import ablation  # noqa: E402
import calibration  # noqa: E402
import dfstrans  # noqa: E402
import marked  # noqa: E402
import measured  # noqa: E402
import methods  # noqa: E402
import page  # noqa: E402
import ranks  # noqa: E402
import runs  # noqa: E402
import timelines  # noqa: E402
import trainer  # noqa: E402
import ts_files  # noqa: E402

HEADER = "@problemName Toy\n@classLabel true a b c\n@data\n"


@pytest.fixture
def tool():
    loader = importlib.machinery.SourceFileLoader("accuracy_tool", str(ROOT / "tools" / "accuracy"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("accuracy_tool", loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A set Toy of 20 series, whose test part must not be read."""
    lines = [f"{i},{i + 1}:{-i},{i}:{'abc'[i % 3]}" for i in range(20)]
    folder = tmp_path / "data" / "UEA" / "Toy"
    folder.mkdir(parents=True)
    (folder / "Toy_TRAIN.ts").write_text(HEADER + "\n".join(lines) + "\n")
    monkeypatch.setenv("FAITHFUL_DATA", str(tmp_path / "data"))
    return lines


def test_folds_hold_out_every_series_once_in_the_shares_of_the_classes(toy, tmp_path):
    seen = []
    for fold in range(3):
        target, held_out = ts_files.write_fold(tmp_path / "out", "Toy", 1, fold)
        train = ts_files.read_lines(target / "Toy_TRAIN.ts")[1]
        test = ts_files.read_lines(target / "Toy_TEST.ts")[1]
        assert test == [toy[i] for i in held_out]
        assert sorted(train + test) == sorted(toy)
        for name in "abc":
            assert sum(ts_files.label_of(line) == name for line in test) in (2, 3)
        seen += held_out
    assert sorted(seen) == list(range(20))
    assert ts_files.fold_numbers(list("aabb"), 2, 1) == ts_files.fold_numbers(list("aabb"), 2, 1)


def test_timing_reads_no_test_part(toy, tmp_path):
    target = runs.timing_folder(tmp_path / "timing", "Toy")
    assert ts_files.read_lines(target / "Toy_TRAIN.ts")[1] == toy
    assert ts_files.read_lines(target / "Toy_TEST.ts")[1][1] == "2,1:1,-1:b"


def test_ranks_by_hand():
    scores = [[.9, .8, .7], [.9, .9, .7], [.5, .6, .7], [.9, .8, .7]]
    assert ranks.mean_ranks(scores).tolist() == pytest.approx([(1 + 1.5 + 3 + 1) / 4, (2 + 1.5 + 2 + 2) / 4, 2.5])


def test_wilcoxon_with_holm_by_hand():
    # Eight sets: the first beats the second on all with different margins, p = 2 / 2^8; the third equals the second.
    scores = [[.5 + .01 * (i + 1), .5, .5] for i in range(8)]
    corrected = ranks.wilcoxon_holm(scores)
    p = 2 / 256
    assert corrected[0, 1] == pytest.approx(3 * p) and corrected[0, 2] == pytest.approx(3 * p)
    assert corrected[1, 2] == 1
    assert ranks.cliques(ranks.mean_ranks(scores), corrected) == [[1, 2]]


def test_scores_are_accuracy_and_log_loss():
    scored = runs.scored(["a", "b"], ["a", "b", "b"], [[.5, .5], [.25, .75], [1, 0]], ["a", "b", "b"])
    assert scored["accuracy"] == 1
    assert scored["log_loss"] == pytest.approx((0.693147 + 0.287682 + 16.118096) / 3, abs=1e-5)
    assert runs.scored(["a", "b"], ["a"], [[.5, .5]], ["b"])["accuracy"] == 0


def test_the_fourth_scoring_is_refused(tool, tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "RESULTS", tmp_path)
    monkeypatch.setattr(tool, "SCORINGS", tmp_path / "scorings.txt")
    for commit in ("aaa", "bbb", "aaa", "ccc", "bbb"):
        tool.allow_scoring(commit)
    logged = (tmp_path / "scorings.txt").read_text().splitlines()
    assert [line.split()[-1] for line in logged[1:]] == ["aaa", "bbb", "ccc"]
    with pytest.raises(SystemExit, match="scored on the test parts 3 times.*at most 3 are allowed"):
        tool.allow_scoring("ddd")
    with pytest.raises(SystemExit, match="built from eee-dirty"):
        tool.allow_scoring("eee-dirty")


def test_a_scoring_is_shown_when_it_has_as_many_runs_as_the_one_before(tmp_path, monkeypatch):
    def shown(*commits):
        lines = [{"method": "kernels", "set": "Libras", "seed": commits[:i].count(commit) + 1, "commit": commit}
                 for i, commit in enumerate(commits)]
        (tmp_path / "runs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return [line["commit"] for line in page.load()["kernels", "Libras"]]
    monkeypatch.setattr(page, "RESULTS", tmp_path)
    (tmp_path / "scorings.txt").write_text("# log\n2026-01-01 00:00 UTC aaa\n2026-01-02 00:00 UTC bbb\n")
    assert shown("bbb", "aaa", "aaa") == ["aaa", "aaa"]
    assert shown("bbb", "bbb", "aaa", "aaa") == ["bbb", "bbb"]


def test_finished_runs_are_skipped_and_refused_methods_said_once(tool, tmp_path, monkeypatch, capsys):
    made = []

    def one(binary, method, folder, name, seed):
        made.append((method, name, seed))
        if method == "best":
            raise runs.Refused("--preset: expected one of x, found \"best\"")
        line = {"method": method, "set": name, "seed": seed, "accuracy": 1.0, "log_loss": 0.0, "load": [0, 0],
                "phases": {"fit": {"wall": 1.0}}}
        return {**line, "commit": "abc"} if method in methods.OURS else line

    monkeypatch.setattr(runs, "one", one)
    monkeypatch.setattr(trainer, "commit_of", lambda binary: "abc")
    plan = [("best", "Libras", 1), ("QUANT", "Libras", 1), ("best", "Libras", 2), ("kernels", "Libras", 1)]
    file = tmp_path / "runs.jsonl"
    tool.make_runs(plan, lambda name, seed: None, file, "faithful")
    assert made == [("best", "Libras", 1), ("QUANT", "Libras", 1), ("kernels", "Libras", 1)]
    assert capsys.readouterr().out.count("skipped: best: --preset") == 1
    with open(file, "a") as out:  # a kill in the middle of a line
        out.write('{"method": "MiniRo')
    made.clear()
    tool.make_runs([*plan[1:2], *plan[3:], ("MiniRocket", "Libras", 1)], lambda name, seed: None, file, "faithful")
    assert made == [("MiniRocket", "Libras", 1)]
    assert [line["method"] for line in measured.read_jsonl(file)] == ["QUANT", "kernels", "MiniRocket"]
    # Another commit of ours is another run; a peer has none.
    monkeypatch.setattr(trainer, "commit_of", lambda binary: "def")
    made.clear()
    tool.make_runs(plan[1:2] + plan[3:], lambda name, seed: None, file, "faithful")
    assert made == [("kernels", "Libras", 1)]


def test_a_transformer_that_auto_saved_is_not_trained_again(tool, tmp_path, monkeypatch):
    made = []

    def one(binary, method, folder, name, seed):
        made.append((method, name))
        return {"method": method, "set": name, "seed": seed, "accuracy": 0.9, "log_loss": 0.2, "load": [0, 0],
                "phases": {"fit": {"wall": 1.0}}, "saved": "kernels" if name == "LSST" else "Transformer", "commit": "abc"}

    monkeypatch.setattr(runs, "one", one)
    monkeypatch.setattr(trainer, "commit_of", lambda binary: "abc")
    plan = methods.plan(["auto", "Transformer"], ["Libras", "LSST"], [1])
    tool.make_runs(plan, lambda name, seed: None, tmp_path / "runs.jsonl", "faithful")
    assert made == [("auto", "Libras"), ("auto", "LSST"), ("Transformer", "LSST")]
    copied = measured.read_jsonl(tmp_path / "runs.jsonl")[1]
    assert (copied["method"], copied["copied_from"], copied["accuracy"]) == ("Transformer", "auto", 0.9)


def test_ablation_compares_series_by_series():
    def line(marks, loss):
        return {"held_out": ablation.mask(range(len(marks))), "log_loss": loss,
                "right": ablation.mask([i for i, mark in enumerate(marks) if mark == "1"]),
                "accuracy": marks.count("1") / len(marks)}

    found = {("base", "Libras", 1): line("0110", 1.0), ("layers 0", "Libras", 1): line("0111", 0.5),
             ("base", "NATOPS", 1): line("11", 1.0), ("layers 0", "NATOPS", 1): line("00", 1.0)}
    result = ablation.compare(found, "layers 0")
    assert result["of_set"] == {"Libras": 0.25, "NATOPS": -1.0}
    assert result["difference"] == -0.375 and result["loss"] == -0.25
    # Libras: differences 0 0 0 1, variance 0.25, of their mean 0.0625; NATOPS: none.
    assert result["error"] == pytest.approx(0.0625 ** 0.5 / 2)
    assert "| layers 0 | -37.5 ± 12.5 | -0.250 | 2 | +25.0 | -100.0 |" in ablation.table(found)


def test_ablation_rows_differ_from_the_base_and_from_each_other():
    keys = [ablation.key_of(change) for _, change in ablation.ROWS]
    assert len(set(keys)) == len(keys)
    assert ablation.arguments_of({"steps": "half"}, 120, 45)[-2:] == ["--steps", "600"]
    assert ablation.arguments_of({"steps": "double"}, 1640, 45)[-2:] == ["--steps", "8200"]
    assert ablation.arguments_of({"average": "twice"}, 120, 315)[:2] == ["--average", "6"]
    assert ablation.arguments_of({}, 120, 45) == ablation.key_of({}).split()


def test_ablation_leaves_runs_of_another_recipe_out():
    line = {"row": "base", "key": ablation.key_of({}), "recipe": ablation.RECIPE, "set": "Libras", "seed": 1}
    assert list(ablation.load([line])) == [("base", "Libras", 1)]
    assert ablation.load([{**line, "recipe": 1}, {**line, "key": "--encoding dft"}]) == {}


def test_timelines_compare_with_the_best_other_method():
    def line(method, seed, value):
        return {"case": "SMD, blocks", "method": method, "seed": seed, "auc_pr": value, "f1": value, "event_f1": None,
                "saved": "kernels"}

    values = {"auto": (.5, .7), "linear": (.4, .4), "kernels": (.5, .6), "former default": (.1, .9)}
    found = [line(method, seed, value) for method, both in values.items() for seed, value in enumerate(both, 1)]
    found.append(line("auto", 3, 1.0))  # a seed that the others lack
    # Kernels have the best mean of the others, .55: differences 0 and .1, deviation .0707, 12.706 * .0707 / sqrt(2).
    assert ("| SMD, blocks | AUC-PR | 2 | 0.600 | 0.400 | 0.550 | 0.500 | +0.050 (kernels) | kernels 2 |"
            in timelines.table(found))
    assert "event F1" not in timelines.table(found)


def test_calibration_error_and_its_floor_by_hand():
    # Confidences .5 and .5 share a bin, one is right: no error. The floor: X is 0, 1, 2 with 1/4, 1/2, 1/4.
    assert calibration.calibration_error([[.5, 1, .1], [.5, 0, .1]]) == pytest.approx((0, .25))
    # .9 and .2 in bins of their own, both wrong: (.9 + .2) / 2; the floor: (2 * .9 * .1 + 2 * .2 * .8) / 2.
    assert calibration.calibration_error([[.9, 0, .1], [.2, 0, .1]]) == pytest.approx((.55, .25))
    assert calibration.calibration_error([[1.0, 1, 0]]) == (0, 0)


def test_what_came_before_the_temperature():
    # Logits 0 and 2 over a temperature of 4 have the odds exp(.5); before it exp(2).
    row = [1 / (1 + 2.718281828 ** .5), 1 - 1 / (1 + 2.718281828 ** .5)]
    assert calibration.untempered(row, 4)[1] == pytest.approx(1 / (1 + 2.718281828 ** -2))
    scored = calibration.series_scores(["a", "b"], [[.25, .75], [.75, .25]], ["b", "b"])
    assert scored == [[.75, 1, .2877], [.75, 0, 1.3863]]


def test_calibration_table_pools_thirds_and_names_what_misses(tmp_path):
    def line(method, third, confidence, loss):
        series = [[confidence, 1, loss]] * 10
        found = {"method": method, "set": "Libras", "third": third, "before": [[.2, 1, 2.0]] * 10, "after": series,
                 "when": "2026-11-18 04:00"}
        return {**found, "commit": "abc"} if method in methods.OURS else found

    file = tmp_path / "calibration.jsonl"
    for third in range(3):
        measured.add_jsonl(file, line("kernels", third, .5, .3))
        measured.add_jsonl(file, line(calibration.PEER, third, .99, .2))
    measured.add_jsonl(file, line("Transformer", 0, .99, .1))
    text = " ".join(calibration.text(file).split())
    assert "| kernels | 2.00 → .300 |" in text and "| Transformer | 2.00 → .100 (1 of 3) |" in text
    assert "**kernels**: ECE within 0.03 of its floor on 0 of 1 sets (not: Libras); log loss below" in text
    assert "on 0 of 1 (not: Libras)." in text
    # The Transformer has one third, its peer three: their log loss is not compared.
    assert "**Transformer**: ECE within 0.03 of its floor on 1 of 1 sets; log loss below MultiRocket-Hydra's on 0 of 0." \
        in text
    assert "commits `abc`" in text
    plan = calibration.planned(["best", "kernels"], ["Libras", "LSST"])
    assert len(plan) == 8 and plan[-1] == ("best", "LSST", 0) and plan[0] == ("kernels", "Libras", 0)


def test_marked_parts_are_replaced_and_missing_ones_named(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- begin x y -->\nold\n<!-- end x y -->\nb\n")
    marked.replace(page, {"x y": "new \\1"})
    assert page.read_text() == "a\n<!-- begin x y -->\n\nnew \\1\n\n<!-- end x y -->\nb\n"
    with pytest.raises(SystemExit, match="begin z"):
        marked.replace(page, {"z": ""})


def test_trainings_of_dfstrans_are_compared_seed_by_seed():
    def line(arm, seed, value, key=None):
        return {"arm": arm, "key": " ".join(dfstrans.ARMS[arm]) if key is None else key, "seed": seed, "f1": value,
                "auc_pr": value / 2, "cpu_seconds": 100}

    lines = [line(dfstrans.TODAY, 1, .5), line(dfstrans.TODAY, 2, .6), line("steps", 1, .6), line("steps", 2, .8),
             line("steps", 3, 1.0), line("steps, smoothing", 1, .9, key="--steps 7")]  # no peer; other options
    found = dfstrans.table(lines)
    assert f"| {dfstrans.TODAY} | 2 | 0.550 |  | 0.275 |  | 100 |" in found
    # Differences .1 and .2: deviation .0707, 12.706 * .0707 / sqrt(2).
    assert "| steps | 2 | 0.700 | +0.150 | 0.350 | +0.075 | 100 |" in found
    assert "smoothing" not in found


def test_machines_of_smd_become_a_folder_of_runs(tmp_path, monkeypatch):
    for part in ("test", "test_label"):
        (tmp_path / "SMD" / part).mkdir(parents=True)
    (tmp_path / "SMD" / "test" / "machine-1.txt").write_text("0.1,0.2\n0.3,0.4\n")
    for name in ("machine-1", "machine-2"):  # the second has no telemetry
        (tmp_path / "SMD" / "test_label" / f"{name}.txt").write_text("0\n1\n")
    monkeypatch.setenv("FAITHFUL_DATA", str(tmp_path))
    folder = timelines.smd_as_runs(tmp_path / "runs")
    assert [path.name for path in folder.iterdir()] == ["machine-1.csv"]
    assert (folder / "machine-1.csv").read_text() == "c1,c2,fault\n0.1,0.2,0\n0.3,0.4,1\n"


def test_an_interval_needs_three_seeds():
    assert timelines.difference_text([0.0, 0.1]) == "+0.050"  # by Student's t it would be ± 0.635
    assert timelines.difference_text([0.0, 0.1, 0.2]) == "+0.100 ± 0.248"


def test_every_kept_run_has_what_the_page_needs():
    for line in measured.read_jsonl(ROOT / "docs" / "accuracy" / "runs.jsonl"):
        assert line["method"] in [*methods.OURS, *methods.PEERS] and line["set"] in ts_files.SETS
        assert 0 <= line["accuracy"] <= 1 and line["log_loss"] >= 0, json.dumps(line)
        assert {"fit", "predict"} <= set(line["phases"]) and line["threads"] in (1, 2) and len(line["load"]) == 2
    for line in measured.read_jsonl(ROOT / "docs" / "accuracy" / "timing.jsonl"):
        assert line["threads"] == 2 and "copied_from" not in line, json.dumps(line)
