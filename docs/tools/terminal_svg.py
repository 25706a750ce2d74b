#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command and draws its output as a picture of a terminal.

    terminal_svg.py OUT.svg COMMAND...               its standard output
    terminal_svg.py --recording OUT.svg COMMAND...   standard output and error, each line with its time; the lines appear
                                                     one after the other, and all of them are there at the end

The text is the program's own; only the path of this checkout is left out of it.
"""
import argparse
import html
import pathlib
import re
import subprocess
import sys
import time

WIDTH, HEIGHT, MARGIN, BAR = 7.83, 18, 14, 30  # of a character at 13 px, of a line, around the text, above it
BLANKS = "\u00a0\u00a0"  # browsers join several blanks to one
COLOURS = [(re.compile(r"\bPASS\b"), "#7ee787"), (re.compile(r"\bFAIL\b"), "#ff7b72"), (re.compile(r"^sample .*|^\$ .*"), "#79c0ff")]
SHOWN = 20  # seconds that a recording plays


def coloured(line):
    spans = sorted((m.start(), m.end(), colour) for pattern, colour in COLOURS for m in pattern.finditer(line))
    out, at = "", 0
    for start, end, colour in spans:
        if start >= at:
            out += html.escape(line[at:start]) + f'<tspan fill="{colour}">{html.escape(line[start:end])}</tspan>'
            at = end
    return out + html.escape(line[at:])


def run(command, errors):
    """The lines that the command prints, each with the seconds since its start. Its status."""
    start = time.monotonic()
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT if errors else None, text=True,
                          errors="replace") as process:
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            lines.append((time.monotonic() - start, line.rstrip("\n")))
    return lines, process.returncode


def picture(lines, timed):
    """SVG of lines with their seconds."""
    total = max(lines[-1][0], 0.001)
    left = 7 if timed else 0  # columns of the times
    width = round((max(len(line) for _, line in lines) + left) * WIDTH + 2 * MARGIN)
    height = len(lines) * HEIGHT + BAR + MARGIN
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
    yield "<!-- SPDX-License-Identifier: Apache-2.0 -->"
    yield f"<title>{html.escape(lines[0][1])}</title>"
    yield f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>'
    for i, colour in enumerate(("#ff5f56", "#ffbd2e", "#27c93f")):
        yield f'<circle cx="{MARGIN + 6 + 18 * i}" cy="{BAR / 2 + 2}" r="5" fill="{colour}"/>'
    yield '<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13" fill="#c9d1d9">'
    for i, (seconds, line) in enumerate(lines):
        y = BAR + (i + 0.8) * HEIGHT
        hidden = seconds / total * SHOWN
        appears = f'<set attributeName="visibility" to="hidden" begin="0s" dur="{hidden:.2f}s"/>' if timed and hidden >= 0.01 else ""
        if timed:
            stamp = f"{int(seconds) // 60}:{int(seconds) % 60:02d}".rjust(left - 2, "\u00a0")
            yield f'<text x="{MARGIN}" y="{y:g}" fill="#6e7681">{stamp}{appears}</text>'
        yield f'<text x="{MARGIN + left * WIDTH:g}" y="{y:g}">{coloured(line).replace("  ", BLANKS)}{appears}</text>'
    yield "</g>\n</svg>"


def main():
    parser = argparse.ArgumentParser(description="Runs a command and draws its output as a picture of a terminal.")
    parser.add_argument("--recording", action="store_true", help="with standard error, and the time of each line")
    parser.add_argument("file", help="the picture")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if not arguments.command:
        parser.error("no command")
    lines, status = run(arguments.command, arguments.recording)
    top = str(pathlib.Path(__file__).resolve().parents[2]) + "/"
    shown = [(0, "$ " + " ".join(arguments.command)), *((seconds, line.replace(top, "")) for seconds, line in lines)]
    pathlib.Path(arguments.file).write_text("\n".join(picture(shown, arguments.recording)) + "\n", encoding="utf-8")
    sys.exit(status)


if __name__ == "__main__":
    main()
