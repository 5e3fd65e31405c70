#!/usr/bin/env python3
"""Checks how the library names settings in its messages: python3 tools/check_fields.py ROOT

The library names a setting by its field, `{.field = "dim"}` or `field_text("dim")`, and each surface spells it in its
own words. Every name must be a member of an option struct (a struct named *Options, *Config or *Scheme) or the name in
a table of settings, `{"dim", "N", ..`. No text under faithful/ names a command-line flag.
"""
import pathlib
import re
import sys

NAMED = re.compile(r'(?:\.field = |field_text\()"([^"]*)"')
FLAG = re.compile(r'"[^"]*--[a-z]')
STRUCT = re.compile(r"^struct (?:FAITHFUL_API )?\w*(?:Options|Config|Scheme)\b[^;{]*\{(.*?)^\};", re.M | re.S)
MEMBER = re.compile(r"^  [\w:<>, *]+[ >](\w+)(?: = .*|\{.*)?;", re.M)
SETTING = re.compile(r'\{\s*"([a-z_]+)",\s*"[A-Z]')  # name, then how its value is shown


def sources(root, *kinds):
    return sorted(path for kind in kinds for path in root.glob(f"faithful/**/*{kind}"))


def known_fields(root):
    known = {"preset", "scale_as", "encodings", "no_limits", "coverage"}  # what is set by a call, not by a member
    for path in sources(root, ".h"):
        for struct in STRUCT.finditer(path.read_text()):
            known.update(MEMBER.findall(struct[1]))
    for path in sources(root, ".h", ".cpp"):  # an option of several encodings stands in a header
        known.update(SETTING.findall(path.read_text()))
    return known


def complaints(root):
    known = known_fields(root)
    if "missing" not in known:
        yield "faithful/data/read.h: expected the field missing of ReadOptions, found none"
    for path in sources(root, ".h", ".cpp"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            place = f"{path.relative_to(root)}:{number}"
            for name in NAMED.findall(line):
                if name not in known:
                    yield f"{place}: expected a field of an option struct, found {name!r}"
            if FLAG.search(line):
                yield f"{place}: expected no command-line flag in the library, found {line.strip()}"


def main():
    found = list(complaints(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "fields hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
