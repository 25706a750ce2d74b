#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the ABI of the C interface with its lists: abi.py TOP LAYOUT_PROGRAM LIBRARY

The headers, the exports of the library and symbols.txt must have the same functions. The compiler's layout of the structs
must be that of layout.txt, which must have every struct of the headers. First, the checks themselves are tested on wrong
lists.
"""
import pathlib
import re
import subprocess
import sys


def lines(path):
    return [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def compare(what, wanted, where_wanted, found, where_found):
    for name in sorted(set(wanted) - set(found)):
        yield f"{what} {name} is in {where_wanted}, but not in {where_found}"
    for name in sorted(set(found) - set(wanted)):
        yield f"{what} {name} is in {where_found}, but not in {where_wanted}"


def main():
    top, layout_program, library = pathlib.Path(sys.argv[1]), *sys.argv[2:]
    listed = lines(top / "tests/c/symbols.txt")
    headers = "".join(path.read_text(encoding="utf-8") for path in sorted((top / "api/ferry/c").glob("*.h")))
    declared = re.findall(r"^FERRY_API [^;(]*?\b(ferry_\w+)\(", headers, re.M)
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    exported = [name for name in (line.split()[-1].split("@")[0] for line in symbols.splitlines())
                if not name.startswith("_Z")]
    laid_out = subprocess.run([layout_program], check=True, capture_output=True, text=True).stdout.splitlines()
    structs = re.findall(r"^typedef struct (ferry_\w+) \{", headers, re.M)

    problems = [
        *compare("the function", listed, "tests/c/symbols.txt", declared, "the headers"),
        *compare("the symbol", listed, "tests/c/symbols.txt", exported, library),
        *compare("the layout", lines(top / "tests/c/layout.txt"), "tests/c/layout.txt", laid_out, "the compiler's structs"),
        *compare("the struct", structs, "the headers", [l.split()[0] for l in laid_out if "." not in l], "layout.c"),
    ]
    if listed != sorted(listed) or len(listed) < 40:
        problems.append("tests/c/symbols.txt is not in order, or most of it is missing")
    for wrong in (listed[1:], [*listed, "ferry_stray"]):
        if len(list(compare("the symbol", wrong, "a wrong list", exported, library))) != 1:
            problems.append("the check does not see that a list is wrong")
    print("\n".join(problems) or f"{len(listed)} functions, {len(structs)} structs: as written")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
