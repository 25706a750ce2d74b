#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what a program printed as a picture of a terminal: samples/run | terminal_svg.py 'samples/run' > OUT.svg

The text is the program's own; only the path of this checkout is left out of it.
"""
import html
import pathlib
import re
import sys

WIDTH, HEIGHT, MARGIN, BAR = 7.83, 18, 14, 30  # of a character at 13 px, of a line, around the text, above it
BLANKS = "\u00a0\u00a0"  # browsers join several blanks to one
COLOURS = [(re.compile(r"\bPASS\b"), "#7ee787"), (re.compile(r"\bFAIL\b"), "#ff7b72"), (re.compile(r"^sample .*|^\$ .*"), "#79c0ff")]


def coloured(line):
    spans = sorted((m.start(), m.end(), colour) for pattern, colour in COLOURS for m in pattern.finditer(line))
    out, at = "", 0
    for start, end, colour in spans:
        if start >= at:
            out += html.escape(line[at:start]) + f'<tspan fill="{colour}">{html.escape(line[start:end])}</tspan>'
            at = end
    return out + html.escape(line[at:])


def main():
    top = str(pathlib.Path(__file__).resolve().parents[2]) + "/"
    lines = [f"$ {sys.argv[1]}", *sys.stdin.read().rstrip("\n").replace(top, "").split("\n")]
    width = round(max(map(len, lines)) * WIDTH + 2 * MARGIN)
    height = len(lines) * HEIGHT + BAR + MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">')
    print("<!-- SPDX-License-Identifier: Apache-2.0 -->")
    print(f"<title>{html.escape(lines[0])}</title>")
    print(f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>')
    for i, colour in enumerate(("#ff5f56", "#ffbd2e", "#27c93f")):
        print(f'<circle cx="{MARGIN + 6 + 18 * i}" cy="{BAR / 2 + 2}" r="5" fill="{colour}"/>')
    print('<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13" fill="#c9d1d9">')
    for i, line in enumerate(lines):
        print(f'<text x="{MARGIN}" y="{BAR + (i + 0.8) * HEIGHT:g}">{coloured(line).replace("  ", BLANKS)}</text>')
    print("</g>\n</svg>")


if __name__ == "__main__":
    main()
