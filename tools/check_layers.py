#!/usr/bin/env python3
"""Holds the code to the rooms of cmake/rooms.cmake: python3 tools/check_layers.py ROOT

A room includes only itself, base, and the rooms its line names. A header that is not named *_internal.h includes the
standard library and our own headers, nothing else: a user of libfaithful needs none of our -dev packages. The program
and faithful/faithful.h include no *_internal.h.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
STANDARD = re.compile(r'^[a-z_0-9]+$')  # <vector>, <cstddef>; third-party headers have a dot or a slash


def read_rooms(root):
    """{room: {rooms it may include}}"""
    rooms = {}
    for line in (root / "cmake/rooms.cmake").read_text().splitlines():
        match = re.match(r"faithful_room\((\S+?)(?:\s+USES\s+(.*?))?(?:\s+LINKS\s+.*)?\)\s*$", line)
        if match:
            rooms[match[1]] = {match[1], "base", *(match[2] or "").split()}
    return rooms


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1], match[2]


def complaints(root):
    rooms = read_rooms(root)
    if "base" not in rooms:
        yield "cmake/rooms.cmake: expected faithful_room(base ...), found none"
    for folder in sorted(path.name for path in (root / "faithful").iterdir() if path.is_dir()):
        if folder not in rooms:
            yield f"faithful/{folder}: expected a line faithful_room({folder} ...) in cmake/rooms.cmake, found none"
    for path in sorted([*root.glob("faithful/**/*.h"), *root.glob("faithful/**/*.cpp"), *root.glob("app/**/*.h"), *root.glob("app/**/*.cpp")]):
        place = path.relative_to(root)
        room = place.parts[1] if place.parts[0] == "faithful" and len(place.parts) > 2 else None
        is_public_header = room and path.suffix == ".h" and not path.stem.endswith("_internal")
        for number, quote, name in includes(path):
            target = re.match(r"faithful/([^/]+)/", name)
            if room and target and target[1] not in rooms.get(room, ()):
                allowed = ", ".join(sorted(rooms.get(room, ())))
                yield f"{place}:{number}: expected an include of {allowed}, found {name}"
            if room and name.startswith("app/"):
                yield f"{place}:{number}: expected no include of the program, found {name}"
            if is_public_header and quote == "<" and not STANDARD.match(name):
                yield f"{place}:{number}: expected only standard headers in a public header, found <{name}>"
            if not room and name.endswith("_internal.h"):
                yield f"{place}:{number}: expected no internal header, found {name}"


def main():
    found = list(complaints(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "layers hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
