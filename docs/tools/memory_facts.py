#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what devices say of their memory, and what was measured of it, into docs/backends/facts.md: a table for each device.

    ferry info --json >one.json                             # on each machine, with the FERRY_ settings of choice
    docs/tools/memory_facts.py one.json more.json ...       # or "TITLE=one.json", for what the device's name does not say

Replaces what is between the page's two marks; devices that no file has are gone. --print writes to standard output instead."""
import argparse
import json
import os
import sys
import textwrap

MOST_IN_A_CELL = 200  # as tests/docs/check_docs.py has it
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "backends", "facts.md")
MARKS = ("<!-- devices: begin -->\n", "<!-- devices: end -->\n")
FACTS = ("reach", "coherence", "atomics", "same_address", "migrates", "host_cached", "read_bandwidth", "read_latency", "pointer_alignment",
         "size_granularity", "max_size")


def text(value):
    return {True: "yes", False: "no", None: ""}.get(value, value) if isinstance(value, (bool, type(None))) else str(value)


def rows(kind):
    if not kind["available"]:
        yield f"| {kind['kind']} | none | | | {kind['why_not']} |"
        return
    for i, name in enumerate(FACTS):
        fact = kind[name]
        source = fact["source"] or ""
        if fact["declared"]:
            source += f"; the driver's {fact['declared']} is not so"
        source = source.replace("|", "\\|").replace("<", "&lt;")
        first, *more = textwrap.wrap(source, MOST_IN_A_CELL, break_long_words=False) or [""]
        yield f"| {kind['kind'] if i == 0 else ''} | {name} | {text(fact['value'])} | {fact['confidence']} | {first} |"
        for part in more:
            yield f"| | | | | {part} |"


def table(title, version, device):
    # The processor's is the kernel's version, which says nothing here.
    driver = ", ".join(filter(None, (device["platform"], device["driver_version"] if device["backend"] != "host" else "")))
    yield f"### {title or device['name']}\n\n"
    yield f"`{device['id']}`: {device['name']}; {driver + '; ' if driver else ''}Ferry {version}.\n\n"
    yield "| kind | fact | value | confidence | source |\n|---|---|---|---|---|\n"
    for kind in device["memory_kinds"]:
        for row in rows(kind):
            yield row + "\n"
    yield "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="[TITLE=]FILE")
    parser.add_argument("--print", action="store_true", dest="show")
    arguments = parser.parse_args()
    made = ""
    for named in arguments.files:
        title, _, path = named.rpartition("=")
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        for device in document["devices"]:
            made += "".join(table(title, document["ferry"], device))
    if arguments.show:
        sys.stdout.write(made)
        return
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    before, rest = page.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + MARKS[0] + "\n" + made + MARKS[1] + after)


if __name__ == "__main__":
    main()
