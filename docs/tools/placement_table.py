#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of what share() chose, in Markdown.

    ferry bench placement --json >one.json
    docs/tools/placement_table.py one.json more.json ...    # or "TITLE=one.json", for what the device's name does not say
"""
import json
import sys


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


def table(title, device):
    intents = list(dict.fromkeys(cell["intent"] for cell in device["cells"]))
    cells = {(cell["bytes"], cell["intent"]): cell for cell in device["cells"]}
    good = sum(cell["good"] for cell in device["cells"])
    lines = [f"## {title or device['name']}" + (", page-locked memory" if device["page_locked"] else ""),
             f"{good} of {len(device['cells'])} are good.", "",
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
        with open(path, encoding="utf-8") as file:
            for device in json.load(file):
                if "error" in device:
                    print(f"{path}: {device['name']}: {device['error']}", file=sys.stderr)
                    return 1
                print(table(title, device) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
