#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a trace of FERRY_TRACE: timeline_svg.py [--range NAME]... [--from MS] [--to MS] TRACE.json > OUT.svg

A row for each queue, a slice for each command. With --range the time of that ferry::Range is drawn, each of several in
a part of its own, all to the same scale. --from and --to count from the start of a part, in milliseconds.
"""
import argparse
import html
import json
import re
import sys

LABEL, WIDTH, ROW, GAP, TOP = 165, 640, 28, 8, 42  # pixels: names of rows, time, a row, between rows, the legend
OTHERS = {"copy": "#e08a1e", "wait for an event": "#c9ced6", "fill": "#5a9e6f"}
KERNELS = ["#3465a4", "#8f5fb3", "#2b9aa0", "#b3445f"]


def read(path):
    """The commands, as (row, begin, end, name, whether it is a kernel), the names of rows, and the ranges by name."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    processes = {e["pid"]: e["args"]["name"].split(" ")[0] for e in events if e["name"] == "process_name"}
    rows, commands, ranges = {}, [], {}
    for event in events:
        key = (event["pid"], event["tid"])
        if event["name"] == "thread_name" and event["args"]["name"].startswith("queue "):
            rows[key] = f"{processes[event['pid']]}, {event['args']['name']}"
        if event["ph"] != "X":
            continue
        begin, end = event["ts"], event["ts"] + event["dur"]
        if event.get("cat") == "command":
            commands.append((key, begin, end, event["name"], "grid" in event["args"]))
        elif event.get("cat") == "range":
            ranges[event["name"]] = (begin, end)
    if not commands:
        sys.exit(f"{path} has no commands")
    return commands, rows, ranges


def colours(commands):
    """The legend: the colour of each name of a command, kernels first."""
    kernels = list(dict.fromkeys(name for _, _, _, name, kernel in commands if kernel))
    others = list(dict.fromkeys(name for _, _, _, name, kernel in commands if not kernel))
    legend = {name: KERNELS[i % len(KERNELS)] for i, name in enumerate(kernels)}
    replays = [name for name in others if name.startswith("replay")]
    legend.update({name: KERNELS[(len(kernels) + i) % len(KERNELS)] for i, name in enumerate(replays)})
    legend.update({name: OTHERS.get(name, "#8a8f98") for name in others if name not in replays})
    return legend


def step(span):
    """A distance of marks, in microseconds, with four to ten of them."""
    size = 1.0
    while span / size > 10:
        size *= 2.5 if str(size).startswith("2") else 2
    return size


def text(x, y, words, anchor="start", size=15, colour="#222"):
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{html.escape(words)}</text>'


def shown_as(name):
    """`replay of <...>/main.cpp:12` by the file alone."""
    return re.sub(r"\S*/", "", name)


class Drawing:
    def __init__(self, commands, rows, span):
        self.commands, self.rows, self.span = commands, rows, span
        self.legend, self.drawn = colours(commands), set()
        self.out, self.y = [], TOP

    def part(self, title, begin, end):
        end = min(end, begin + self.span)
        inside = [c for c in self.commands if c[2] >= begin and c[1] <= end]
        keys = sorted({c[0] for c in inside})
        self.drawn |= {c[3] for c in inside}
        if title:
            self.out.append(text(LABEL, self.y + 12, title, size=16))
            self.y += 20
        top = self.y
        for key in keys:
            self.out.append(text(LABEL - 8, self.y + ROW / 2 + 5, self.rows.get(key, ""), "end"))
            self.out.append(f'<rect x="{LABEL}" y="{self.y}" width="{WIDTH}" height="{ROW}" fill="#f0f2f5"/>')
            for _, first, last, name, kernel in (c for c in inside if c[0] == key):
                left = LABEL + max(0.0, first - begin) / self.span * WIDTH
                right = LABEL + min(self.span, last - begin) / self.span * WIDTH
                kind = "kernel" if kernel else "command"
                self.out.append(f'<rect class="{kind}" x="{left:.2f}" y="{self.y}" width="{max(right - left - 0.3, 0.5):.2f}" '
                                f'height="{ROW}" fill="{self.legend[name]}"/>')
            self.y += ROW + GAP
        self.axis(top)

    def axis(self, top):
        mark = step(self.span)
        for i in range(int(self.span / mark) + 1):
            x = LABEL + i * mark / self.span * WIDTH
            self.out.append(f'<path d="M{x:.1f} {top}V{self.y}" stroke="#999" stroke-width="0.5"/>')
            unit, size = (" ms", 1000) if mark >= 100 else (" us", 1)
            self.out.append(text(x, self.y + 14, f"{i * mark / size:g}{unit}", "middle", 13, "#555"))
        self.y += 34

    def print(self, title):
        head, x = [], 8
        for name, colour in self.legend.items():
            if name not in self.drawn:
                continue
            head.append(f'<rect x="{x}" y="10" width="14" height="14" fill="{colour}"/>')
            head.append(text(x + 20, 22, shown_as(name)))
            x += 44 + 8.8 * len(shown_as(name))
        width, height = LABEL + WIDTH + 30, self.y
        print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">')
        print(f"<!-- SPDX-License-Identifier: Apache-2.0 -->\n<title>{html.escape(title)}</title>")
        print('<rect width="100%" height="100%" fill="#fff"/>\n<g font-family="DejaVu Sans, Helvetica, Arial, sans-serif">')
        print("\n".join(head + self.out) + "\n</g>\n</svg>")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--range", action="append", default=[])
    parser.add_argument("--from", dest="begin", type=float, default=0)
    parser.add_argument("--to", dest="end", type=float)
    parser.add_argument("trace")
    options = parser.parse_args()
    commands, rows, ranges = read(options.trace)
    for name in options.range:
        if name not in ranges:
            sys.exit(f'{options.trace} has no range "{name}"; it has {", ".join(ranges) or "none"}')
    parts = [(name, *ranges[name]) for name in options.range]
    parts = parts or [("", min(c[1] for c in commands), max(c[2] for c in commands))]
    longest = max(end - begin for _, begin, end in parts)
    span = (options.end * 1000 if options.end else longest) - options.begin * 1000
    drawing = Drawing(commands, rows, max(span, 1.0))
    for title, begin, end in parts:
        drawing.part(title, begin + options.begin * 1000, end)
    drawing.print("Commands of each queue over time")


if __name__ == "__main__":
    main()
