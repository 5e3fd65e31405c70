"""The program as a whole: help, version, usage errors, exit codes, man page, completions."""
import re
import subprocess

import pytest
from program import BUILD, PROGRAM, SOURCE, rejected, run


def verbs():
    text = run("--help").stdout
    return re.findall(r"^  ([a-z]+) ", text[text.index("Verbs:"):text.index("Options:")], re.M)


def test_version_is_the_one_of_cmake():
    version = re.search(r"VERSION (\d+\.\d+\.\d+)", (SOURCE / "CMakeLists.txt").read_text())[1]
    lines = run("--version").stdout.splitlines()
    assert lines[0] == f"faithful {version}"
    assert re.fullmatch(r"commit (unknown|[0-9a-f]{12}(-dirty)?)", lines[1])
    assert re.fullmatch(r"compiler (g|clang)\+\+ \d+\.\d+\.\d+", lines[2])
    assert re.fullmatch(r"instruction set (\w+) \(of .*\b\1\b.*\)", lines[3])


def test_instruction_set_can_be_forced():
    assert "instruction set scalar" in run("--version", env={"FAITHFUL_ISA": "scalar"}).stdout
    assert rejected("--version", env={"FAITHFUL_ISA": "mmx"}).startswith("FAITHFUL_ISA: expected one of ")


@pytest.mark.parametrize("verb", verbs())
def test_every_verb_has_help_with_an_example(verb):
    for arguments in ((verb, "--help"), (verb, "-h"), ("--help", verb)):
        done = run(*arguments)
        assert done.returncode == 0 and done.stderr == ""
        assert f"Usage: faithful {verb}" in done.stdout
    nested = "Verbs:" in done.stdout
    assert nested or f"Examples:\n  faithful {verb}" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 110


def test_long_help_is_grouped_and_shows_the_common_options():
    short, whole = run("train", "--help").stdout, run("train", "--help-all").stdout
    assert run("--help-all", "train").stdout == whole
    headings = re.findall(r"^(\w+):$", whole, re.M)
    assert headings == ["Arguments", "Data", "Windows", "Model", "Position", "Training", "Output", "General", "Examples"]
    assert [h for h in headings if f"\n{h}:\n" in short] == headings
    shown, all_of_them = (re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.M) for text in (short, whole))
    hidden = int(re.search(r"^(\d+) more options: faithful train --help-all$", short, re.M)[1])
    assert hidden == len(all_of_them) - len(shown) > 30 and set(shown) < set(all_of_them)
    assert "--epochs" in shown and "--output" in shown and "--warm-up" not in shown
    assert "more options" not in whole
    assert "--help-all" not in run("show", "--help").stdout  # a short verb shows everything
    assert run("show", "--help-all").stdout == run("show", "--help").stdout


def test_bad_usage_says_what_to_do():
    assert rejected() == "a verb is missing (faithful --help lists the verbs)"
    assert rejected("shwo").startswith('unknown verb "shwo" (did you mean show?)')
    assert rejected("--versoin") == 'unknown option "--versoin" (did you mean --version?)'
    assert rejected("show", "--jsn", "x") == 'show: unknown option "--jsn" (did you mean --json?)'
    assert rejected("show").startswith("show: FILE is missing (usage: faithful show FILE")
    assert rejected("--generate") == "--generate: expected a value, found none"
    assert rejected("show", "a", "b").startswith('show: unexpected argument "b" (usage: faithful show FILE')
    assert rejected("--generate", "pdf") == '--generate: expected one of man, bash, zsh, fish, options, found "pdf"'


def test_files_may_have_the_names_of_verbs(tmp_path):
    for verb in ("train", "data", "info", "list", "show"):
        (tmp_path / verb).mkdir()
        (tmp_path / verb / "1.csv").write_text("a,b\n1,2\n3,4\n")
        done = run("data", "info", verb, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout.startswith(f"{verb} (csv-folder: {verb})"), done.stderr
        assert run("data", "convert", verb, "all.npz", cwd=tmp_path).returncode == 0
    assert rejected("show", "show", "list", cwd=tmp_path).startswith('show: unexpected argument "list"')


def test_output_that_cannot_be_written_fails():
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "faithful: standard output: cannot be written: No space left on device\n"


def test_man_page_and_completions_know_every_verb():
    man = run("--generate", "man").stdout
    assert ".SH NAME\nfaithful \\- " in man and ".SH EXIT STATUS" in man
    for verb in verbs():
        assert f".SS faithful {verb}\n" in man
        for shell in ("bash", "zsh", "fish"):
            assert verb in run("--generate", shell).stdout
    for generated in ("bash", "zsh", "fish"):
        assert "warm-up" in run("--generate", generated).stdout  # not only the common options
    assert "\\-\\-warm\\-up" in man


def test_options_page_is_current():
    assert (SOURCE / "docs" / "options.md").read_text() == run("--generate", "options").stdout


def test_every_option_of_train_is_described_once():
    """In the help, and on the page of options; options that every verb has are not on the page."""
    listed = re.findall(r"^  (?:-\w, |--rate, )?(--[a-z-]+)", run("train", "--help-all").stdout, re.M)
    rows = re.findall(r"^\| `(?:-\w,|--rate,)?(--[a-z-]+)[^`]*` \| .* \| (.+) \|$", run("--generate", "options").stdout, re.M)
    assert len(set(listed)) == len(listed) > 70
    assert [flag for flag, _ in rows] == [flag for flag in listed if flag not in ("--threads", "--config", "--no-limits", "--help", "--help-all")]
    meanings = [meaning for _, meaning in rows]
    assert len(set(meanings)) == len(meanings) and all(len(meaning) > 10 for meaning in meanings)


def test_every_setting_is_named_by_its_flag(tmp_path):
    """A bad value of each option: the message names that flag, and no flag that the verb does not have."""
    help_text = run("train", "--help-all").stdout
    flags = set(re.findall(r"--[a-z-]+", help_text))
    (tmp_path / "x.csv").write_text("a,b\n" + "1,0\n2,1\n" * 400)
    checked = 0
    for flag, value in re.findall(r"^  (?:-\w, |--rate, )?(--[a-z-]+) ([A-Z]\S*)", help_text, re.M):
        said = rejected("train", "x.csv", "--label", "b", "--model", "dfstrans" if flag in ("--stages", "--head-hidden") else "encoder",
                        *([] if flag == "--output" else ["-o", "m.safetensors"]), flag, "nowhere", cwd=tmp_path)
        assert set(re.findall(r"--[a-z-]+", said)) <= flags, said
        named = said.startswith(f"{flag}: expected ")
        checked += named
        assert named or value in ("NAME", "COLUMN", "VALUE", "FILE", "DIR", "AXES", "COL,..."), said
    assert checked > 40


def completed(tmp_path, line):
    """What bash offers at the end of the line."""
    script = tmp_path / "faithful.bash"
    script.write_text(run("--generate", "bash").stdout)
    words = line.split(" ")
    call = f"""source {script}; COMP_WORDS=({' '.join(repr(w) for w in words)}); COMP_CWORD={len(words) - 1}
               _faithful; printf '%s\\n' "${{COMPREPLY[@]}}" """
    return subprocess.run(["bash", "-c", call], cwd=tmp_path, capture_output=True, text=True).stdout.split()


def test_bash_completion_works(tmp_path):
    assert completed(tmp_path, "faithful sh") == ["show"]
    assert "--json" in completed(tmp_path, "faithful show --j")
    assert completed(tmp_path, "faithful --generate z") == ["zsh"]
    (tmp_path / "table.npy").touch()
    assert "table.npy" in completed(tmp_path, "faithful show tab")
