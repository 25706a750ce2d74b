#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of what share() chose, in Markdown.

    ferry bench placement --json >one.json
    docs/tools/placement_table.py one.json more.json ...    # or "TITLE=one.json", for what the device's name does not say
    docs/tools/placement_table.py one.json+two.json+three.json    # runs of one device: medians of the times, the choice of most
"""
import collections
import json
import statistics
import sys

MOST_REGRET = 0.05
MOST_SECONDS = 2e-6


def size(count):
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= factor:
            return f"{count // factor} {unit}"
    return f"{count} B"


def time(seconds):
    us = seconds * 1e6
    return f"{us:.1f}" if us < 100 else f"{us:.0f}"


def cell_text(cell):
    text = f"{cell['chosen']} {time(cell['seconds'])}"
    if cell["good"]:
        return text
    best, seconds = min(cell["forced_seconds"].items(), key=lambda pair: pair[1])
    return f"**{text}**, {best} {time(seconds)}"


def single(counts):
    return "" if len(counts) == 1 else f"; in single runs {', '.join(map(str, counts))}"


def merged(runs):
    """One cell of several runs."""
    if len(runs) == 1:
        return runs[0]
    forced = {name: statistics.median(run["forced_seconds"][name] for run in runs if name in run["forced_seconds"])
              for name in dict.fromkeys(name for run in runs for name in run["forced_seconds"])}
    chosen = collections.Counter(run["chosen"] for run in runs).most_common(1)[0][0]
    return {**runs[0], "chosen": chosen, "seconds": forced[chosen], "forced_seconds": forced,
            "good": forced[chosen] <= min(forced.values()) * (1 + MOST_REGRET) + MOST_SECONDS}


def merged_devices(runs):
    """The device of several runs, and how many cells were good in each."""
    each = [collections.defaultdict(list) for _ in runs[0]]
    counts = [[] for _ in runs[0]]
    for run in runs:
        for cells, good, device, first in zip(each, counts, run, runs[0], strict=True):
            assert (device["device"], device["page_locked"]) == (first["device"], first["page_locked"])
            for cell in device["cells"]:
                cells[cell["bytes"], cell["intent"]].append(cell)
            good.append(sum(cell["good"] for cell in device["cells"]))
    return [({**device, "cells": [merged(of) for of in cells.values()]}, good)
            for device, cells, good in zip(runs[0], each, counts)]


def table(title, device, counts):
    intents = list(dict.fromkeys(cell["intent"] for cell in device["cells"]))
    cells = {(cell["bytes"], cell["intent"]): cell for cell in device["cells"]}
    good = sum(cell["good"] for cell in device["cells"])
    lines = [f"## {title or device['name']}" + (", page-locked memory" if device["page_locked"] else ""),
             f"{good} of {len(device['cells'])} are good" + single(counts) + ".", "",
             "| bytes | " + " | ".join(intents) + " |", "|---" * (len(intents) + 1) + "|"]
    for count in sorted({count for count, _ in cells}):
        row = [cell_text(cells[count, intent]) if (count, intent) in cells else "" for intent in intents]
        lines.append(f"| {size(count)} | " + " | ".join(row) + " |")
    return "\n".join(lines)


def main(paths):
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    for named in paths:
        title, _, path = named.rpartition("=")
        runs = []
        for one in path.split("+"):
            with open(one, encoding="utf-8") as file:
                runs.append(json.load(file))
            for device in runs[-1]:
                if "error" in device:
                    print(f"{one}: {device['name']}: {device['error']}", file=sys.stderr)
                    return 1
        for device, counts in merged_devices(runs):
            print(table(title, device, counts) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
