"""The program as a whole: help, version, usage errors, --config, exit codes, man page, completions."""
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


def test_bad_usage_says_what_to_do():
    assert rejected() == "a verb is missing (faithful --help lists them)"
    assert rejected("shwo").startswith('unknown verb "shwo" (did you mean show?)')
    assert rejected("--versoin") == 'unknown option "--versoin" (did you mean --version?)'
    assert rejected("show", "--jsn", "x") == 'show: unknown option "--jsn" (did you mean --json?)'
    assert rejected("show").startswith("show: FILE is missing (usage: faithful show FILE")
    assert rejected("--generate") == "--generate: expected a value, found none"
    assert rejected("show", "a", "b").startswith('show: one word too many: "b" (usage: faithful show FILE')
    assert rejected("--generate", "pdf") == '--generate: expected one of man, bash, zsh, fish, found "pdf"'


def test_config_sets_options(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("1,2\n3,4\n")
    config = tmp_path / "run.toml"
    config.write_text("[show]\njson = true\n")
    assert run("show", table, "--config", config).stdout.startswith("{")
    assert run("--config", config, "show", table).stdout.startswith("{")
    config.write_text("[show]\njson = false\n")
    assert not run("show", table, "--config", config).stdout.startswith("{")


def test_bad_config_is_rejected(tmp_path):
    config = tmp_path / "run.toml"
    config.write_text("[show]\njsn = true\n")
    assert rejected("show", "x.csv", "--config", config) == (
        f'{config}: expected the options of a verb under [verb], found the unknown key "show.jsn" (did you mean json?)')
    config.write_text("[shwo]\njson = true\n")
    assert "found the unknown section [shwo] (did you mean show?)" in rejected("show", "x.csv", "--config", config)
    config.write_text("json = true\n")
    assert 'unknown key "json"' in rejected("show", "x.csv", "--config", config)
    config.write_text("[show]\njson = maybe\n")
    assert rejected("show", "x.csv", "--config", config) == '--json: expected true or false, found "maybe"'
    missing = tmp_path / "none.toml"
    assert rejected("show", "x.csv", "--config", missing) == f"{missing}: expected a TOML file for --config, found no such file"
    assert rejected("show", "x.csv", "--config", tmp_path) == f"{tmp_path}: expected a TOML file for --config, found a folder"


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
