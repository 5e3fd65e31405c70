#!/usr/bin/env python3
"""Runs what the documents show: FAITHFUL=PROGRAM python3 tools/check_documents.py ROOT [--update]

--update writes into the documents what the commands print now (blocks with `...` are left for a person): read the diff.

In README.md, CONTRIBUTING.md, CHANGELOG.md and docs/**/*.md:
- a ```console block is run, line by line: `$ command`, then what it prints, exactly; a line `...` stands for any lines.
  The blocks of one document share a folder, so that a later block finds what an earlier one wrote. `examples` is there.
- a ```cpp block that follows `<!-- examples/NAME.cpp -->` must stand in that example, which is compiled and run as a test.
- a relative link must point to a file of the tree.
- a table has a delimiter row, and as many cells in each row as in its header.
- a line has at most 120 columns. Tables, code blocks and the targets of links do not count.
"""
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^(?:<!-- (?P<source>\S+) -->\n)?```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.M | re.S)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
TARGET = re.compile(r"\]\([^)]*\)|https?://\S+")
DELIMITERS = re.compile(r"\|(?:\s*:?-+:?\s*\|)+\s*")
COLUMNS = 120


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


def run(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    return done.returncode, done.stdout.splitlines()


def check_console(place, line, body, folder, environment):
    for offset, command, expected in commands(body):
        code, actual = run(command, folder, environment)
        if not matches(expected, actual):
            shown = "\n    ".join(actual)
            yield f"{place}:{line + offset}: `{command}` printed otherwise (exit {code}):\n    {shown}"


@contextlib.contextmanager
def work_folder(root):
    """A folder for the commands of one document, with `examples` in it."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "examples").symlink_to(root.resolve() / "examples")
        yield folder


def updated(root, path, environment):
    """The document with the outputs of its console blocks as they are now."""
    with work_folder(root) as folder:
        def renew(block):
            if block["kind"] != "console" or "\n...\n" in block["body"]:
                return block[0]
            lines = []
            for _, command, _ in commands(block["body"]):
                lines += ["$ " + command, *run(command, folder, environment)[1]]
            return block[0].replace(block["body"], "".join(line.rstrip() + "\n" for line in lines))
        return FENCE.sub(renew, path.read_text())


def cells(row):
    return len(re.findall(r"(?<!\\)\|", row.strip())) - 1


def check_table(place, line, rows):
    if len(rows) < 2 or not DELIMITERS.fullmatch(rows[1]):
        yield f"{place}:{line}: expected a table with a row of dashes below its header, found {rows[0]}"
        return
    for offset, row in enumerate(rows):
        if cells(row) != cells(rows[0]) or not row.rstrip().endswith("|"):
            yield f"{place}:{line + offset}: expected {cells(rows[0])} cells, found {cells(row)}: {row}"


def check_layout(place, text):
    """Tables that render, and lines of at most 120 columns."""
    rows, in_code = [], False
    for number, line in enumerate(text.splitlines() + [""], 1):
        if line.startswith("```"):
            in_code = not in_code
        if in_code or line.startswith("    "):
            continue
        if line.startswith("|"):
            rows.append(line)
            continue
        if rows:
            yield from check_table(place, number - len(rows), rows)
            rows = []
        width = len(TARGET.sub("]()", line))
        if width > COLUMNS:
            yield f"{place}:{number}: expected at most {COLUMNS} columns, found {width}"


def check_document(root, path, environment):
    place, text = path.relative_to(root), path.read_text()
    yield from check_layout(place, text)
    with work_folder(root) as folder:
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
    environment = {**os.environ, "FAITHFUL_SOURCE": str(root.resolve()), "PATH": f"{program.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
    found = []
    names = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
    for path in [*(root / name for name in names), *sorted((root / "docs").glob("**/*.md"))]:
        if "--update" in sys.argv:
            path.write_text(updated(root, path, environment))
        found += check_document(root, path, environment)
    print("\n".join(found) or "documents hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
