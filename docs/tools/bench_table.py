#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of what ferry bench measured, in Markdown.

    ferry bench --json >one.json
    docs/tools/bench_table.py one.json more.json ...
"""
import json
import sys


def size(count):
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= factor and count % factor == 0:
            return f"{count // factor} {unit}"
    return f"{count} B" if count else ""


def time(seconds):
    for unit, factor in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def row(one):
    if one["raw_seconds"] is None:
        beside = "", ""
    else:
        low, high = one["ratio_interval"]
        beside = (f"{time(one['raw_seconds'])}, {100 * one['raw_spread']:.1f} %",
                  f"{one['ratio_to_raw']:.3f} ({low:.3f}..{high:.3f})" + (", varies" if one["varied"] else ""))
    limit = f"{100 * one['limit_seconds'] / one['seconds']:.0f} %" if one.get("limit_seconds") else ""
    return (f"| {one['name']} | {size(one['bytes'])} | {time(one['seconds'])}, {100 * one['spread']:.1f} % | "
            f"{beside[0]} | {beside[1]} | {limit} |")


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            said = json.load(file)
        for device in said["devices"]:
            print(f"## {device['name']}, {device['id']}")
            print("| figure | bytes | Ferry, spread | raw, spread | ratio | of limit |\n|---|---|---|---|---|---|")
            print("\n".join(row(one) for one in said["results"] if one["device"] == device["id"]), end="\n\n")


if __name__ == "__main__":
    main()
