#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each folder of src/ and backends/ includes only folders below it, and that src/ includes no backend.

usage: layers.py ROOT TABLE

TABLE has one line for each layer, lowest first: the names of its folders. Folders of one line do not include each
other. A line `FILE -> FILE: reason` allows one include, and a line `FOLDER -> FOLDER: reason` those of a folder. The
script lists each include that points up or sideways, each folder that is in no line, and each unneeded exception."""
import os
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)
SEARCHED = ("src/", "backends/", "api/", "")


def read_table(path):
    rank, exceptions = {}, {}
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines()):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if "->" in line:
            arrow, _, reason = line.partition(": ")
            if not reason:
                sys.exit(f"{path}:{number + 1}: an exception needs a reason after ': '.")
            exceptions[tuple(part.strip() for part in arrow.split("->"))] = reason
            continue
        for folder in line.split():
            if folder in rank:
                sys.exit(f"{path}:{number + 1}: {folder} stands in two lines.")
            rank[folder] = number
    return rank, exceptions


def sources(root):
    for top in ("api", "src", "backends"):
        for path in sorted(pathlib.Path(root, top).rglob("*")):
            if path.suffix in (".hpp", ".cpp", ".h", ".c", ".inc", ".def"):
                yield path.relative_to(root).as_posix()


def folder_of(name, rank):
    parts = name.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        if "/".join(parts[:length]) in rank:
            return "/".join(parts[:length])
    return "/".join(parts[:2])


def main():
    root, (rank, exceptions) = sys.argv[1], read_table(sys.argv[2])
    files = list(sources(root))
    known, faults, used = set(files), [], set()
    for name in files:
        own = folder_of(name, rank)
        if own not in rank:
            faults.append(f"{name}: its folder {own} stands in no line of {sys.argv[2]}.")
            continue
        for included in INCLUDE.findall(pathlib.Path(root, name).read_text(errors="replace")):
            near = os.path.normpath(os.path.join(os.path.dirname(name), included))
            target = next((t for t in [near, *(top + included for top in SEARCHED)] if t in known), None)
            if target is None:
                continue
            other = folder_of(target, rank)
            inverted = own.startswith("src/") and other.startswith("backends")
            if other == own or other not in rank or (rank[other] < rank[own] and not inverted):
                continue
            arrow = next((arrow for arrow in ((name, target), (own, other)) if arrow in exceptions), None)
            if arrow and not inverted:
                used.add(arrow)
                continue
            faults.append(f"{name} includes {target}, but " +
                          ("src/ reaches backends only through src/hal." if inverted else
                           f"{own} is not above {other}."))
    for arrow in sorted(set(exceptions) - used):
        faults.append(f"{' -> '.join(arrow)}: this exception is not needed.")
    print("\n".join(faults) if faults else f"{len(files)} files include only lower layers.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
