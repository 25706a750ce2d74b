#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the English of comments and documents.

    prose.py                        checks the paths of the table below; exit code 1 if one exceeds its limits
    prose.py --figures PATH...      prints the figures of other paths
    prose.py --sentences PATH...    prints the figures and every counted sentence

Counts the sentences of three kinds, per 100 sentences:

    clause     a clause with what, who, whose, whom or whoever. A noun is usually shorter.
    word       a phrase of the list below. A standard term is clearer.
    length     more than 30 words

Code and tables are left out. A path may always have one sentence of each kind.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMITS = {"clause": 2.0, "word": 0.5, "length": 8.0}

# Each entry is one folder with its subfolders, or one group of files, and must obey the limits. A pattern with "!"
# removes files.
CHECKED = [
    ["README.md", "CONTRIBUTING.md"],
    ["docs/*.md"],
    ["docs/backends"],
    ["docs/coming-from"],
    ["docs/concepts"],
    ["docs/design"],
    ["docs/tutorial"],
    ["api"],
    ["backends"],
    ["samples"],
    ["tests"],
    *[[f"src/{path.name}"] for path in sorted(ROOT.glob("src/*")) if path.is_dir()],
]

CLAUSE = re.compile(r"\b(what|whoever|who|whose|whom)\b(?! is (a|an|the) [a-z]+\?)", re.I)
PHRASE = re.compile(
    r"\b(nobody|somebody|whoever|anew|affair|forgives|stands? (in|behind|beside|before|there)|(is|are) told"
    r"|let(s)? pass|as good without|meets? (in|with)|meetings?|of which|from now on|is none of|has its say"
    r"|lets? go of|gives? up|beside it|the others|is to be|for want of|by itself)\b", re.I)
WORD = re.compile(r"[A-Za-z][\w'-]*")
SUFFIXES = {".hpp", ".h", ".cpp", ".c", ".cl", ".inc", ".def", ".md"}


class Blocks:
    """Text that belongs together, with the number of its first line."""

    def __init__(self):
        self.done = []
        self.lines = []

    def add(self, number, text):
        if not self.lines:
            self.first = number
        self.lines.append(text.strip())

    def end(self):
        if self.lines:
            self.done.append((self.first, " ".join(self.lines)))
        self.lines = []


ITEM = re.compile(r"\s*([-*]|\d+\.)\s+(.*)")


def of_source(text):
    blocks = Blocks()
    for number, line in enumerate(text.split("\n"), 1):
        own = re.match(r"\s*//[/!]*(<?)( ?.*)", line)
        trailing = None if own else re.search(r"[;,{})]\s*///?<?( .*)", line)
        if "SPDX-" in line or "NOLINT" in line or not (own or trailing):
            blocks.end()
        elif trailing:
            blocks.end()
            blocks.add(number, trailing.group(1))
        elif not own.group(2).strip() or (not own.group(1) and own.group(2).startswith("     ")):
            blocks.end()  # An empty line or code.
        else:
            item = ITEM.match(own.group(2))
            if item:
                blocks.end()
            blocks.add(number, item.group(2) if item else own.group(2))
    blocks.end()
    return blocks.done


def of_markdown(text):
    blocks = Blocks()
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        fence = line.lstrip().startswith("```")
        if fence:
            fenced = not fenced
        item = ITEM.match(line)
        if fence or fenced or not line.strip() or (
                not item and re.match(r"\s*(\||#|!\[|<|\t)|    ", line)):
            blocks.end()
        else:
            if item:
                blocks.end()
            blocks.add(number, item.group(2) if item else line)
    blocks.end()
    return blocks.done


def sentences(block):
    block = re.sub(r"`[^`]*`", "CODE", block)
    block = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", block)
    for sentence in re.split(r"(?<=[.!?:])\s+(?=[A-Z`\"(*])", block):
        if len(WORD.findall(sentence)) >= 3:
            yield sentence.strip()


def files(patterns):
    removed = {path for pattern in patterns if pattern.startswith("!") for path in ROOT.glob(pattern[1:])}
    for path in [path for pattern in patterns if not pattern.startswith("!") for path in sorted(ROOT.glob(pattern))]:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in SUFFIXES and file.is_file() and file not in removed:
                yield file


def measure(patterns):
    """Returns the number of sentences, and those of each kind as (place, sentence)."""
    total, found = 0, {kind: [] for kind in LIMITS}
    for file in files(patterns):
        text = file.read_text(errors="replace")
        for line, block in (of_markdown if file.suffix == ".md" else of_source)(text):
            for sentence in sentences(block):
                total += 1
                place = (f"{file.relative_to(ROOT)}:{line}", sentence)
                if CLAUSE.search(sentence):
                    found["clause"].append(place)
                if PHRASE.search(sentence):
                    found["word"].append(place)
                if len(WORD.findall(sentence)) > 30:
                    found["length"].append(place)
    return total, found


def report(patterns, shown):
    """Prints the figures, and the sentences of the kinds in `shown`."""
    total, found = measure(patterns)
    figures = ", ".join(f"{kind} {100 * len(places) / max(total, 1):.1f}" for kind, places in found.items())
    print(f"{' '.join(patterns)}: {total} sentences; per 100: {figures}")
    for kind in shown(total, found):
        for place, sentence in found[kind]:
            print(f"{place}: {kind}: {sentence}")


def exceeded(total, found):
    return [kind for kind, limit in LIMITS.items() if len(found[kind]) > max(1, limit * total / 100)]


def main():
    option, paths = (sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else ("", [])
    if option in ("--figures", "--sentences"):
        for path in paths:
            report([path], lambda total, found: found if option == "--sentences" else [])
        return 0
    if option:
        print(__doc__, file=sys.stderr)
        return 2
    failed = False
    for patterns in CHECKED:
        total, found = measure(patterns)
        if total == 0:
            print(f"{' '.join(patterns)}: no sentences; correct the table in {Path(__file__).name}")
            failed = True
        elif exceeded(total, found):
            report(patterns, exceeded)
            failed = True
    if failed:
        print("Limits per 100 sentences: " + ", ".join(f"{kind} {limit}" for kind, limit in LIMITS.items()))
    return failed


if __name__ == "__main__":
    sys.exit(main())
