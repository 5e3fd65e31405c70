#!/usr/bin/env python3
"""Runs what the documents show: python3 tools/check_documents.py ROOT   (FAITHFUL = the program, FAITHFUL_BUILD = its build)

In README.md and docs/**/*.md:
- a ```console block is run, line by line: `$ command`, then what it prints, exactly; a line `...` stands for any lines.
  The blocks of one document share a folder, so that a later block finds what an earlier one wrote.
- a ```cpp block that follows `<!-- examples/NAME.cpp -->` must stand in that example, which is compiled and run as a test.
- a relative link must point to a file of the tree.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^(?:<!-- (?P<source>\S+) -->\n)?```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.M | re.S)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


def commands(body):
    """[(line offset, command, expected output)]"""
    found = []
    for offset, line in enumerate(body.splitlines()):
        if line.startswith("$ "):
            found.append([offset, line[2:], []])
        elif found and found[-1][1].endswith("\\"):
            found[-1][1] += "\n" + line
        elif found:
            found[-1][2].append(line)
    return found


def matches(expected, actual):
    """Lines equal, where `...` stands for any number of lines."""
    pattern = "\n".join(r"(?:.*\n)*?.*" if line.strip() == "..." else re.escape(line.rstrip()) for line in expected)
    return re.fullmatch(pattern, "\n".join(line.rstrip() for line in actual)) is not None


def check_console(place, line, body, folder, environment):
    for offset, command, expected in commands(body):
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        actual = done.stdout.splitlines()
        if not matches(expected, actual):
            shown = "\n    ".join(actual)
            yield f"{place}:{line + offset}: `{command}` printed otherwise (exit {done.returncode}):\n    {shown}"


def check_document(root, path, environment):
    place, text = path.relative_to(root), path.read_text()
    with tempfile.TemporaryDirectory() as folder:
        for block in FENCE.finditer(text):
            line = text[:block.start("body")].count("\n") + 1
            if block["kind"] == "console":
                yield from check_console(place, line, block["body"], folder, environment)
            if block["kind"] == "cpp":
                source = root / (block["source"] or "none")
                if not source.is_file() or block["body"].strip() not in source.read_text():
                    yield f"{place}:{line}: expected C++ that stands in the example named above it, found other text"
    for link in LINK.finditer(text):
        if not (path.parent / link[1]).exists():
            yield f"{place}:{text[:link.start()].count(chr(10)) + 1}: expected a link to a file of the tree, found {link[1]}"


def main():
    root = pathlib.Path(sys.argv[1])
    program = pathlib.Path(os.environ["FAITHFUL"])
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
    found = []
    for path in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("**/*.md"))]:
        found += check_document(root, path, environment)
    print("\n".join(found) or "documents hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
