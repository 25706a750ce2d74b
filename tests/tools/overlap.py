#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how much of one folder's code is also in another folder: the share of its tokens that are in a run of RUN
tokens that the other folder also has. Comments do not count. cu, cuda and hip in any case count as one word, so a
copy with changed names is still a copy.

    tests/tools/overlap.py LIMIT-PERCENT FOLDER FOLDER     fails if either share is over the limit
"""
import os
import re
import sys

RUN = 15
TOKEN = re.compile(r'''//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\w+|[^\w\s]''', re.S)
VENDOR = re.compile(r"cuda|CUDA|Cuda|hip|HIP|Hip|^cu(?=[A-Z_])|^CU(?=_)")


def tokens(folder):
    """For each file separately, so that no run continues from one file to the next."""
    result = []
    for top, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith((".cpp", ".hpp", ".def", ".inc")):
                with open(os.path.join(top, name), encoding="utf-8") as file:
                    words = TOKEN.findall(file.read())
                result.append([VENDOR.sub("gpu", word).lower() for word in words
                               if not word.startswith(("//", "/*"))])
    return result


def share(files, others):
    theirs = {tuple(words[i:i + RUN]) for words in others for i in range(len(words) - RUN + 1)}
    total = shared = 0
    for words in files:
        inside = [False] * len(words)
        for i in range(len(words) - RUN + 1):
            if tuple(words[i:i + RUN]) in theirs:
                inside[i:i + RUN] = [True] * RUN
        total += len(words)
        shared += sum(inside)
    if total == 0:
        sys.exit("overlap.py: a folder without code: " + " ".join(sys.argv[2:]))
    return 100 * shared / total, total


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    limit, first, second = float(sys.argv[1]), sys.argv[2], sys.argv[3]
    code = {folder: tokens(folder) for folder in (first, second)}
    worst = 0.0
    for folder, other in ((first, second), (second, first)):
        part, total = share(code[folder], code[other])
        worst = max(worst, part)
        print(f"{part:.1f} % of the {total} tokens of {folder} are in {other} as well")
    if worst > limit:
        sys.exit(f"overlap.py: more than the {limit:g} % that may be: what they share belongs into a folder of its own")


if __name__ == "__main__":
    main()
