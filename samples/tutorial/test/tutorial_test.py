#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a step of the tutorial: tutorial_test.py [--ferry FERRY] [--devices ID,ID] PROGRAM

The program compares its result with the processor's. This test compares its pictures with its own Game of Life: the
start and the last generation, for odd and tiny fields with a random start. With --ferry the step is traced, and
`ferry trace` and timeline_svg.py read the trace.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs"
TIMELINE, IMAGES = DOCS / "tools/timeline_svg.py", DOCS / "images"
PIXELS = 7
options = argparse.Namespace()


def run(*arguments, **environment):
    return subprocess.run([options.program, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300,
                          env={**os.environ, **environment})


def complaints(done):
    """The program's stderr, without the counts that the compiler of PoCL 5 prints in addition to its log."""
    return re.sub(r"(?m)^\d+ warnings? generated\.\n", "", done.stderr)


def step():
    return pathlib.Path(options.program).name.split("_")[1]


def living(picture):
    """The living cells of a picture, as (x, y)."""
    path = xml.etree.ElementTree.parse(picture).getroot().find("{http://www.w3.org/2000/svg}path").get("d")
    cells = set()
    for left, top, length in re.findall(r"M(\d+) (\d+)h(\d+)", path):
        x, y = int(left) // PIXELS, int(top) // PIXELS
        cells |= {(x + i, y) for i in range(int(length) // PIXELS)}
    return cells


def next_generation(cells, width, height):
    neighbours = collections.Counter()
    for x, y in cells:
        for dx, dy in ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)):
            neighbours[(x + dx) % width, (y + dy) % height] += 1
    return {cell for cell, count in neighbours.items() if count == 3 or count == 2 and cell in cells}


def with_glider(cells, width, height):
    """The same as add_glider() of step 5."""
    corner = {(x, y) for y in range(min(3, height)) for x in range(min(3, width))}
    return (cells - corner) | ({(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)} & corner)


class Step(unittest.TestCase):
    def field(self, size, generations, seed):
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "life.svg"
            done = run("--size", f"{size[0]}x{size[1]}", "--generations", generations, "--seed", seed, "--picture", picture)
            self.assertEqual((done.returncode, complaints(done)), (0, ""), done.stdout)
            return living(picture), done.stdout

    def test_last_generation_is_that_of_another_implementation(self):
        sizes = [(101, 67), (1, 1), (1, 7), (5, 2), (random.randrange(33, 150, 2), random.randrange(3, 90, 2))]
        for size in sizes:
            generations, seed = random.randrange(1, 40), random.randrange(100000)
            with self.subTest(size=size, generations=generations, seed=seed):
                expected, _ = self.field(size, 0, seed)
                for i in range(generations):
                    if "share" in options.program and i == generations // 2:
                        expected = with_glider(expected, *size)
                    expected = next_generation(expected, *size)
                found, output = self.field(size, generations, seed)
                self.assertEqual(found, expected)
                self.assertIn("us for each", output)

    def test_seeds_give_different_fields(self):
        self.assertNotEqual(self.field((31, 31), 0, 1)[0], self.field((31, 31), 0, 2)[0])

    def test_picture_of_the_page_is_what_the_program_draws(self):
        number = step()
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "life.svg"
            self.assertEqual(run("--seed", 1, "--picture", picture).returncode, 0)
            page = IMAGES / f"tutorial-{number}.svg"
            self.assertEqual(page.read_text(encoding="utf-8"), picture.read_text(encoding="utf-8"))

    def test_wrong_options_are_named(self):
        for arguments in (("--size", "0x5"), ("--size", "5"), ("--generations", "few"), ("--seed",), ("--colour", "red")):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("options: --size", done.stderr)

    def test_parts_are_on_the_devices_named(self):
        _, output = self.field((101, 67), 20, 1)
        self.assertEqual(re.findall(r"rows \d+ to \d+: (\S+)", output), options.devices.split(","))

    def test_trace_has_both_ranges_and_every_command(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = str(pathlib.Path(folder) / "life.json")
            self.assertEqual(run("--generations", 9, FERRY_TRACE=trace).returncode, 0)
            text = subprocess.run([options.ferry, "trace", trace], capture_output=True, text=True, check=True).stdout
            for words in (r"^  life +18 ", r"^  count +18 ", r"^  one by one +1 ", r"^  at the end +1 "):
                self.assertRegex(text, re.compile(words, re.M))
            everything = self.timeline(trace)
            self.assertEqual(len([each for each in everything.iter() if each.get("class") == "kernel"]), 2 * 9 * 2)
            # either way: one copy up and the totals set to 0; then 9 totals and the field down, or all totals and the
            # field
            self.assertEqual(len([each for each in everything.iter() if each.get("class") == "command"]), 2 + 9 + 1 + 2 + 1 + 1)
            ranges = self.timeline("--range", "one by one", "--range", "at the end", trace)
            words = {each.text for each in ranges.iter() if each.tag.endswith("}text")}
            self.assertLessEqual({"one by one", "at the end"}, words)

    def timeline(self, *arguments):
        done = subprocess.run([sys.executable, TIMELINE, *arguments], capture_output=True, text=True, check=True)
        return xml.etree.ElementTree.fromstring(done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ferry", default="")
    parser.add_argument("--devices", default="")
    parser.add_argument("program")
    parser.parse_args(namespace=options)
    # otherwise it is a timeline
    own_picture = step() in ("1", "2", "5") or step() == "7" and os.environ["FERRY_BACKEND"] == "host"
    for name, wanted in (("test_picture_of_the_page_is_what_the_program_draws", own_picture),
                         ("test_parts_are_on_the_devices_named", options.devices),
                         ("test_trace_has_both_ranges_and_every_command", options.ferry)):
        if not wanted:  # a test of other steps
            delattr(Step, name)
    unittest.main(argv=sys.argv[:1])
