#!/usr/bin/env python3
"""Checks an installed library: python3 tools/check_public.py PREFIX

Every function that an installed header declares can be linked: the shared library exports it. No installed header is
internal or needs one that is not installed. Their number stays small.
"""
import pathlib
import re
import subprocess
import sys

MOST_HEADERS = 45
COMMENT = re.compile(r"//[^\n]*")
# A declaration without a body, at namespace or class level: `FAITHFUL_API Json to_json(const Scores& scores);`
FUNCTION = re.compile(r"^ {0,2}(?=\S)(?!return\b|using\b|friend\b|static_assert\b)[\w:<>,&*\s\[\]]*?[\s*&](~?\w+)\(([^;{}]*)\)[\w\s]*;", re.M)


def exported(library):
    """The names of all functions that the library exports, without namespaces and arguments."""
    listed = subprocess.run(["nm", "-DC", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    names = set()
    for line in listed.splitlines():
        symbol = line.split(" ", 2)[2]
        symbol = re.sub(r"\[abi:\w+\]", "", symbol.split("(")[0])
        names.add(symbol.split("::")[-1].split(" ")[-1])
    return names


def declared(header):
    text = COMMENT.sub("", header.read_text())
    for match in FUNCTION.finditer(text):
        words = match[0].split()
        if {"static", "inline", "constexpr", "template", "throw", "explicit"} & set(words[:2]) and "FAITHFUL_API" not in words:
            continue
        yield match[1]


def complaints(prefix):
    include = prefix / "include"
    headers = sorted(include.glob("faithful/**/*.h"))
    if len(headers) > MOST_HEADERS:
        yield f"expected at most {MOST_HEADERS} public headers, found {len(headers)}: see faithful/faithful.h"
    names = exported(prefix / "lib/libfaithful.so")
    for header in headers:
        place = header.relative_to(include)
        if place.stem.endswith("_internal") or place.parts[1] == "engine":
            yield f"{place}: expected no internal header"
        for included in re.findall(r'#include "([^"]+)"', header.read_text()):
            if not (include / included).exists():
                yield f"{place}: includes {included}, which is not installed"
        for name in declared(header):
            if name not in names:
                yield f"{place}: declares {name}, which libfaithful does not export"


def main():
    found = list(complaints(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "public headers: each declared function is exported")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
