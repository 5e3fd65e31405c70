"""--config: one TOML file for all verbs. Nothing in it is passed over, whichever verb runs."""
import json

import pytest

from program import TINY, rejected, run, write_tiny

WANTED = "expected the options of a verb under [verb], found"


@pytest.fixture
def place(tmp_path):
    (tmp_path / "t.csv").write_text("1,2\n3,4\n")
    return tmp_path


def show(place, text):
    (place / "run.toml").write_bytes(text.encode() if isinstance(text, str) else text)
    return run("show", "t.csv", "--config", "run.toml", cwd=place)


def refused(place, text):
    """What is said about the file, whichever verb runs: that of the section, another one, or none."""
    (place / "run.toml").write_text(text)
    said = {rejected(*verb, "--config", "run.toml", cwd=place) for verb in (["show", "t.csv"], ["list"], ["train", "t.csv", "-o", "m"])}
    assert len(said) == 1, said
    return said.pop()


def test_it_sets_options(place):
    for text in ("[show]\njson = true\n", "\ufeff# all\r\n[show] # this verb\r\n  json=true # yes\r\n", "show.json = true",
                 '["show"]\n"json" = "true"', "[list]\n[show]\njson = 1\n[train]\nepochs = 3\n"):
        assert show(place, text).stdout.startswith("{"), text
    assert not show(place, "[show]\njson = false\n").stdout.startswith("{")
    assert run("--config", "run.toml", "show", "t.csv", cwd=place).returncode == 0


def test_the_command_line_wins_and_presets_come_first(place):
    """A preset sets other options. The order of the file does not matter, nor who says which."""
    write_tiny(place / "tiny.csv", 200)

    def width(text, *more):
        (place / "run.toml").write_text(text)
        done = run("train", "tiny.csv", "--label", "broken", "--config", "run.toml", *TINY[6:], "--epochs", 1, *more, "--json",
                   "-o", "m.safetensors", cwd=place)
        assert done.returncode == 0, done.stderr
        return json.loads(run("show", "m.safetensors", "--json", cwd=place).stdout)["config"]["width"]
    assert width('[train]\nwidth = 12\nheads = 2\npreset = "plain"\n') == 12
    assert width("[train]\nwidth = 12\nheads = 2\n", "--preset", "plain") == 12
    assert width("[train]\nwidth = 12\nheads = 2\npreset = 'plain'\n", "--width", 8) == 8


def test_strings_and_lists(place):
    (place / "odd.csv").write_text("when,a#b,c d,e\n01.02.2024 10:30,1,2,3\n02.02.2024 10:30,4,5,6\n")
    (place / "run.toml").write_text("""[data.convert]
time = "when"
time-format = '%d.%m.%Y %H:%M'
ignore = [ # two columns
  "a#b", 'c d',
]
""")
    done = run("data", "convert", "odd.csv", "out.csv", "--config", "run.toml", cwd=place)
    assert done.returncode == 0, done.stderr
    assert (place / "out.csv").read_text() == "series,time,e\nodd,2024-02-01T10:30:00Z,3\nodd,2024-02-02T10:30:00Z,6\n"
    (place / "run.toml").write_text("[data.convert]\nignore = e,when\n")
    assert run("data", "convert", "odd.csv", "out.csv", "--config", "run.toml", cwd=place).returncode == 0
    assert (place / "out.csv").read_text() == "series,a#b,c d\nodd,1,2\nodd,4,5\n"


def test_names(place):
    assert refused(place, "[show]\njsn = true\n") == f'run.toml:2: {WANTED} the unknown key "show.jsn" (did you mean json?)'
    assert refused(place, "[shwo]\njson = true\n") == f"run.toml:1: {WANTED} the unknown section [shwo] (did you mean show?)"
    assert refused(place, "[data.inf]\n").startswith(f"run.toml:1: {WANTED} the unknown section [data.inf]")
    assert refused(place, "tran.epochs = 1\n") == f"run.toml:1: {WANTED} the unknown section [tran] (did you mean train?)"
    assert refused(place, "json = true\n") == f'run.toml:1: {WANTED} the unknown key "json"'
    assert refused(place, "[predict]\nMODEL = 'm'\n").startswith(f'run.toml:2: {WANTED} the unknown key "predict.MODEL"')


def test_values_of_every_verb(place):
    assert refused(place, "[show]\njson = maybe\n") == 'run.toml:2: --json: expected true or false, found "maybe"'
    assert refused(place, "[train]\nepochs = 'x'\n") == 'run.toml:2: --epochs: expected a whole number from 0 to 1000000000, found "x"'
    assert refused(place, "\n[compare]\nseeds = -3\n") == 'run.toml:3: --seeds: expected a whole number from 1 to 10000, found "-3"'
    assert refused(place, "[train]\nwindow = [1, 2]\n") == "run.toml:2: expected one value of --window, found a list of 2"
    assert refused(place, "[data.info]\ntime-unit = m\n").startswith("run.toml:2: --time-unit: expected one of s, ms, us, ns")


@pytest.mark.parametrize("text, message", [
    ("[show]\njson\n", '2: expected [section] or KEY = VALUE, found "json"'),
    ("garbage line\n", '1: expected [section] or KEY = VALUE, found "garbage line"'),
    ("[show]\njson =\n", "2: expected a value, found the end of the line"),
    ("[train]\nlabel = my label\n", '2: expected the end of the line, found "label" (put text in quotes)'),
    ("[train]\nlabel = 'my' label\n", '2: expected the end of the line, found "label" (put text in quotes)'),
    ('[train]\nlabel = "broken\nepochs = 1\n', '2: expected a string that ends on its line, found "\\"broken"'),
    ("[show\njson = true\n", "1: expected the ] of a section, found the end of the line"),
    ("[[show]]\njson = true\n", '1: expected a section: [verb], found "[[show]]"'),
    ("[train]\nignore = ['a', 'b'\nepochs = 3\n", '3: expected values with commas between them, and a ], found "epochs = 3"'),
    ("[train]\nignore = ['a',\n", "3: expected values with commas between them, and a ], found the end of the line"),
    ("[show]\njson = true\njson = false\n", '3: expected each key once, found "show.json" again'),
    ("[show]\njson = true\n[list]\n[show]\n", "4: expected each section once, found [show] again"),
    ('[train]\nlabel = "\\x"\n', '2: expected one of \\\\ \\" \\t \\n \\r in a string in " ", found "x\\"" (or use \' \')'),
    ("= 1\n", '1: expected [section] or KEY = VALUE, found "= 1"'),
])
def test_what_is_no_toml(place, text, message):
    assert refused(place, text) == f"run.toml:{message}"


def test_files_that_are_none(place):
    assert rejected("list", "--config", "none.toml", cwd=place) == "none.toml: expected a TOML file for --config, found no such file"
    assert rejected("list", "--config", ".", cwd=place) == ".: expected a TOML file for --config, found a folder"
