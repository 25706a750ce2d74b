#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the output of the first eight samples and of 12, in addition to their success. Run as output_test.py FOLDER.
FOLDER has the programs. FERRY_BACKEND names two backends, for the sample that uses all devices."""
import collections
import math
import os
import pty
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

FOLDER = ""


def run(name, *arguments, stderr=subprocess.PIPE, backend="host"):
    environment = {**os.environ, "FERRY_BACKEND": backend}
    done = subprocess.run([os.path.join(FOLDER, f"sample_{name}"), *arguments], env=environment, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=stderr, check=False)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or lines[-1] != "PASS":
        raise AssertionError(f"{name}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def png_size(path):
    with open(path, "rb") as file:
        head = file.read(24)
    if not head.startswith(b"\x89PNG\r\n\x1a\n"):
        raise AssertionError(f"{path} is no PNG file")
    return struct.unpack(">II", head[16:])


def drain(terminal):
    """Reads the output to a terminal after its other end was closed."""
    parts = []
    try:
        while part := os.read(terminal, 1 << 16):
            parts.append(part)
    except OSError:  # the end, as Linux says it
        pass
    os.close(terminal)
    return b"".join(parts).decode()


class Output(unittest.TestCase):
    def numbers(self, pattern, text):
        """The groups of the only match, as numbers."""
        found = re.findall(pattern, text, re.M)
        self.assertEqual(len(found), 1, f"{pattern}\n{text}")
        groups = found[0] if isinstance(found[0], tuple) else (found[0],)
        return [float(group) for group in groups]

    def test_transfer(self):
        text = run("01_transfer", "--size", "4K", "--seed", "7")
        up, down = (bytes.fromhex(re.search(rf"^{word} +(.*)$", text, re.M).group(1)) for word in ("up", "down"))
        self.assertEqual(len(up), 16)
        self.assertEqual(down, bytes(byte ^ 0xff for byte in up))
        self.assertGreater(len(set(up)), 8)

    def test_async(self):
        text = run("02_async")
        device, = self.numbers(r"^device alone +([\d.]+) ms$", text)
        processor, = self.numbers(r"^processor alone +([\d.]+) ms$", text)
        both, enqueue = self.numbers(r"^both at once +([\d.]+) ms, of it ([\d.]+) ms to enqueue", text)
        overlap, = self.numbers(r"^overlap +(\d+) % of the shorter one", text)
        self.assertLessEqual(enqueue, both)
        hidden = max(0, device + processor - both)
        shorter = min(device, processor)
        rounded = 0.015 / shorter # rounding of the last digits of the three times
        self.assertAlmostEqual(overlap, min(100, 100 * hidden / shorter), delta=1 + 100 * 2 * rounded)

    def test_events(self):
        text = run("03_events")
        times = re.findall(r"^generation (\d): made in ([\d.]+) ms, digested in ([\d.]+) ms$", text, re.M)
        self.assertEqual([int(generation) for generation, _, _ in times], list(range(1, 9)))
        whole, = self.numbers(r"^from the first to the last: ([\d.]+) ms$", text)
        for _, made, digested in times:
            self.assertLessEqual(float(made) + float(digested), whole + 0.01)

    def test_queues(self):
        text = run("04_queues", "--queues", "3")
        blocks = re.findall(r"^queue (\d) did (\d+) blocks$", text, re.M)
        self.assertEqual([int(queue) for queue, _ in blocks], [0, 1, 2])
        self.assertEqual(sum(int(count) for _, count in blocks), 64)
        started, ended = self.numbers(r"^3 queues started after ([\d.]+) ms, all done after ([\d.]+) ms$", text)
        self.assertLessEqual(started, ended)

    def test_pinned(self):
        with tempfile.TemporaryDirectory() as folder:
            text = run("05_pinned", "--size", "1M", "--output", folder)
            head = re.search(r"^ +GB/s +(.*)$", text, re.M).group(1)
            self.assertEqual(re.split(r"  +", head), ["pageable, up", "pageable, down", "pinned, up", "pinned, down"])
            rows = re.findall(r"^ +(\d+ [KM]iB)((?: +[\d.]+){4})$", text, re.M)
            self.assertEqual([size for size, _ in rows], ["4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"])
            plot = xml.etree.ElementTree.parse(os.path.join(folder, "bandwidth.svg")).getroot()
            lines = plot.findall(".//{http://www.w3.org/2000/svg}polyline")
            self.assertEqual([len(line.get("points").split()) for line in lines], [5] * 4)

    def test_anatomy(self):
        """Each conclusion about the time in the kernel agrees with the marks of the plot, also on a busy machine."""
        with tempfile.TemporaryDirectory() as folder:
            text = run("12_transfer_anatomy", "--size", "1M", "--output", folder)
            root = xml.etree.ElementTree.parse(os.path.join(folder, "anatomy.svg")).getroot()
        svg = "{http://www.w3.org/2000/svg}"
        middle = [(tick.text, float(tick.get("x"))) for tick in root.findall(svg + "text") if tick.get("text-anchor") == "middle"]
        left, right = (dict(middle)[size] for size in ("4 KiB", "1 MiB"))
        decades = [float(tick.get("y")) for tick in root.findall(svg + "text") if re.fullmatch(r"10*|0\.0*1", tick.text)]
        decade = (max(decades) - min(decades)) / (len(decades) - 1)
        marks = collections.defaultdict(list)
        for mark in root.findall(svg + "circle"):
            x, y = (float(mark.get(name)) for name in ("cx", "cy"))
            marks[mark.get("fill")].append(((x - left) / (right - left) * 8 * math.log10(2), -y / decade))
        lines = [line.get("stroke") for line in root.findall(svg + "polyline") if line.get("stroke-dasharray") == "none"]
        said = re.findall(r"^  microseconds in the kernel: (.*)$", text, re.M)
        self.assertEqual(len(said), 4)
        self.assertEqual(len(lines), 4)
        for conclusion, colour in zip(said, lines, strict=True):
            points = marks[colour]
            with self.subTest(conclusion=conclusion, points=points):
                self.assertEqual(conclusion.startswith("none measurable"), not points)
                if not points or "no conclusion" in conclusion:
                    continue
                self.assertGreater(len(points), 1)
                power = statistics.linear_regression(*zip(*points, strict=True)).slope
                least, most = {"does not grow with the size": (-9, 0.15), "grows more slowly than the size": (0.15, 0.6),
                               "grows with the size": (0.6, 9)}[conclusion.split(", ")[1]]
                self.assertGreater(power, least - 0.02)
                self.assertLess(power, most + 0.02)

    def test_devices(self):
        text = run("06_devices", backend=os.environ["FERRY_BACKEND"])
        parts = re.findall(r"^(\w+):\d +([\d.]+) % of the numbers in +([\d.]+) ms", text, re.M)
        self.assertEqual({backend for backend, _, _ in parts}, set(os.environ["FERRY_BACKEND"].split(",")))
        self.assertAlmostEqual(sum(float(part) for _, part, _ in parts), 100, delta=0.1 * len(parts))
        self.numbers(r"^collected on \S+: the longest way to 1 from (\d+) numbers has (\d+) steps", text)

    def test_blur(self):
        ours, theirs = pty.openpty()
        with tempfile.TemporaryDirectory() as folder:
            text = run("07_blur", "--pictures", "3", "--size", "64", "--output", folder, stderr=theirs)
            os.close(theirs)
            shown = drain(ours)
            pictures = sorted(name for name in os.listdir(folder) if name.endswith(".png"))
            self.assertEqual(len(pictures), 6, pictures)
            self.assertEqual({png_size(os.path.join(folder, name)) for name in pictures}, {(64, 49)})
        for state in ("[" + "." * 40 + "] 0/", "[" + "#" * 40 + "] "):
            self.assertIn(state, shown)
        serial, = self.numbers(r"^one after the other +([\d.]+) pictures/s$", text)
        whole, ratio = self.numbers(r"^overlapping +([\d.]+) pictures/s with 2 queues, ([\d.]+) times as many$", text)
        self.assertAlmostEqual(ratio, whole / serial, delta=0.05)

    def test_mandelbrot(self):
        with tempfile.TemporaryDirectory() as folder:
            text = run("08_mandelbrot", "--size", "64", "--output", folder)
            self.assertEqual(png_size(os.path.join(folder, "mandelbrot.png")), (64, 48))
        self.numbers(r"^64 x 48 pixels in ([\d.]+) ms, ([\d.]+) megapixels/s$", text)
        self.assertIn("\n0 pixels differ", text)


if __name__ == "__main__":
    FOLDER = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
