#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the documents with the code: check_docs.py TOP, or check_docs.py --extract README.md OUT.cpp OUT.cl

It checks that:
- docs/environment.md has exactly the environment variables that the library reads,
- docs/errors.md has every kind of error,
- every message of docs/troubleshooting.md is in the sources,
- every link between files of the repository has a target,
- the files named in docs/architecture.md and CONTRIBUTING.md exist,
- no cell of a table has more than 200 characters,
- the README has at most 70 lines.
"""
import pathlib
import re
import sys

import page_rules

MOST_IN_A_CELL = 200
MOST_IN_README = 70


def extract(readme, program, kernels):
    text = pathlib.Path(readme).read_text(encoding="utf-8")
    for language, mark, output in (("cpp", "int main(", program), ("c", "kernel void", kernels)):
        found = [block for block in re.findall(rf"```{language}\n(.*?)```", text, re.S) if mark in block]
        if len(found) != 1:
            sys.exit(f"{readme} has {len(found)} blocks of {language} with {mark}, not one")
        pathlib.Path(output).write_text(found[0], encoding="utf-8")


def sources(top):
    for folder in ("api", "src", "backends"):
        for path in (top / folder).rglob("*"):
            if path.suffix in (".hpp", ".cpp", ".def") and path.name != "unknown_variables.cpp":
                yield path.read_text(encoding="utf-8")


def check_variables(top):
    read = set()
    for text in sources(top):
        read |= set(re.findall(r'"(FERRY_(?!TEST_)[A-Z_]*[A-Z])"', text))  # FERRY_TEST_*: for tests only
    documented = set(re.findall(r"^## `(FERRY_[A-Z_]+)`", (top / "docs/environment.md").read_text(encoding="utf-8"), re.M))
    for name in sorted(read - documented):
        yield f"docs/environment.md has no section for {name}, which the library reads"
    for name in sorted(documented - read):
        yield f"docs/environment.md describes {name}, which the library does not read"
    known = (top / "src/base/unknown_variables.cpp").read_text(encoding="utf-8")
    known = set(re.findall(r'"(FERRY_[A-Z_]*[A-Z])"', known[known.index("read_by_ferry"):known.index("others")]))
    if known != documented:
        yield f"src/base/unknown_variables.cpp and docs/environment.md differ in {sorted(known ^ documented)}"


def check_codes(top):
    header = (top / "api/ferry/error.hpp").read_text(encoding="utf-8")
    codes = re.findall(r"^\s+(\w+),\s*///<", re.search(r"enum class Code.*?\{(.*?)\};", header, re.S).group(1), re.M)
    documented = re.findall(r"^### (\w+)$", (top / "docs/errors.md").read_text(encoding="utf-8"), re.M)
    if codes != documented:
        yield f"docs/errors.md has {documented}, api/ferry/error.hpp has {codes}"


def check_messages(top):
    """For each heading of the third level, the longest part between two "..." must be in a source."""
    joined = [re.sub(r'"\s*(?://[^\n]*\n\s*)?"', "", text).replace('\\"', '"') for text in sources(top)]
    page = (top / "docs/troubleshooting.md").read_text(encoding="utf-8")
    for heading in re.findall(r"^### (.*)$", page, re.M):
        part = max(heading.split("..."), key=len).strip(" :;'\"(),")
        if not any(part in text for text in joined):
            yield f"docs/troubleshooting.md explains \"{heading}\", and no source has \"{part}\""


def documents(top):
    files = set(top.glob("*.md"))
    for folder in ("docs", "samples", "backends", "tests"):
        files |= set((top / folder).rglob("*.md"))
    return sorted(files)


def check_size(top):
    """The displayed length counts: a link counts with its label."""
    for path in documents(top):
        text = re.sub(r"^```.*?^```", lambda code: "\n" * code.group().count("\n"), path.read_text(encoding="utf-8"), flags=re.S | re.M)
        for number, line in enumerate(text.split("\n"), 1):
            if line.lstrip().startswith("|"):
                shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line)
                longest = max(len(cell.strip()) for cell in re.split(r"(?<!\\)\|", shown))
                if longest > MOST_IN_A_CELL:
                    yield f"{path.relative_to(top)}:{number} has a cell of {longest} characters, and the limit is {MOST_IN_A_CELL}"
    lines = len((top / "README.md").read_text(encoding="utf-8").splitlines())
    if lines > MOST_IN_README:
        yield f"README.md has {lines} lines, and the limit is {MOST_IN_README}: it fits on one screen"


def check_paths(top):
    """Checks that the files named in docs/architecture.md and CONTRIBUTING.md exist."""
    for name in ("docs/architecture.md", "CONTRIBUTING.md"):
        text = re.sub(r"^```.*?^```", "", (top / name).read_text(encoding="utf-8"), flags=re.S | re.M)
        for path in re.findall(r"`((?:api|src|backends|tests|samples|docs|cmake)/[^`\s*<]*)`", text):
            if not (top / path).exists():
                yield f"{name} names {path}, which does not exist"


def check_links(top):
    for path in documents(top):
        text = re.sub(r"```.*?```|<!--.*?-->|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.S)
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
            if "://" not in target and not target.startswith("mailto:") and not (path.parent / target).exists():
                yield f"{path.relative_to(top)}: the link to {target} leads nowhere"


def main():
    if sys.argv[1] == "--extract":
        extract(*sys.argv[2:])
        return 0
    top = pathlib.Path(sys.argv[1])
    problems = [*check_variables(top), *check_codes(top), *check_messages(top), *check_links(top), *check_paths(top), *check_size(top),
                *page_rules.faults(top)]
    print("\n".join(problems) or "The documents agree with the code.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
