#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the output of tests/tools/setup.sh during a build and an installation. The build is a few lines of shell."""
import os
import pty
import pathlib
import re
import subprocess
import tempfile
import unittest

SETUP = pathlib.Path(__file__).with_name("setup.sh")
NINJA = r"""fake_ninja() { printf '[1/3] Building a.o\nwarning: of a.o\n[2/3] Building b.o\n[3/3] Linking c\n'; return "$1"; }
"""


def script(text):
    return ["bash", "-c", f"set -euo pipefail\n. '{SETUP}'\nferry_progress_seconds=0\n{NINJA}{text}"]


class Build(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = os.path.join(folder.name, "log")

    def run_script(self, text):
        return subprocess.run(script(text), capture_output=True, text=True, check=False, timeout=600)

    def test_a_file_gets_a_line_for_each_report(self):
        done = self.run_script(f"ferry_build '{self.log}' fake_ninja 0")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stderr.splitlines()
        for step in (1, 2, 3):
            self.assertTrue(any(line.startswith(f"Building: {step} of 3 steps done in ") for line in lines), done.stderr)
        self.assertNotIn("\r", done.stderr)
        self.assertNotIn("warning", done.stderr)
        self.assertIn("warning: of a.o", pathlib.Path(self.log).read_text())

    def test_a_terminal_gets_one_line_that_changes(self):
        ours, theirs = pty.openpty()
        with subprocess.Popen(script(f"ferry_build '{self.log}' fake_ninja 0"), stderr=theirs) as process:
            os.close(theirs)
            shown = b""
            try:
                while part := os.read(ours, 4096):
                    shown += part
            except OSError:  # the end of a terminal on Linux
                pass
            self.assertEqual(process.wait(timeout=600), 0)
        os.close(ours)
        self.assertIn(b"\r\x1b[KBuilding: 3 of 3 steps done", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)
        self.assertNotIn(b"\n", shown)

    def test_a_failed_build_shows_its_log_and_ends_the_script(self):
        done = self.run_script(f"ferry_build '{self.log}' fake_ninja 3; echo reached")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("warning: of a.o", done.stderr)
        self.assertNotIn("reached", done.stdout)

    def test_an_installation_is_silent_unless_it_fails(self):
        noise = "noise() { echo unpacking; echo warning >&2; return \"$1\"; }\n"
        done = self.run_script(noise + f"ferry_quietly '{self.log}' noise 0; echo reached")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "reached\n", ""))
        done = self.run_script(noise + f"ferry_quietly '{self.log}' noise 4; echo reached")
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertIn("unpacking\nwarning\n", done.stderr)

    def test_the_help_of_a_script_needs_no_build(self):
        for name in ("samples/run", "tests/run", "docs/build"):
            path = SETUP.parents[2] / name
            done = subprocess.run([path, "--help"], capture_output=True, text=True, check=False, timeout=600)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"{name} [", done.stdout)
            self.assertNotIn("set -euo", done.stdout)
            if name == "samples/run":
                runner = (path.parent / "runner/main.cpp").read_text(encoding="utf-8")
                for option in re.findall(r'"(--[a-z]+)"', runner):
                    self.assertIn(f"\n  {option} ", done.stdout)

    def progress(self, done, total, since, since_done):
        text = ("unset SECONDS; SECONDS=95\nf() { local started=5 done=$1 total=$2 since=$3 since_done=$4; ferry_progress_text; }\n"
                f"f {done} {total} {since} {since_done}")
        return self.run_script(text).stdout

    def test_the_time_left_follows_from_the_steps_after_the_first_quarter(self):
        self.assertEqual(self.progress(20, 40, 85, 10), "Building: 20 of 40 steps done in 1:30 min, about 0:20 min left")
        self.assertEqual(self.progress(40, 40, 85, 10), "Building: 40 of 40 steps done in 1:30 min, about 0:00 min left")

    def test_no_time_left_before_a_third_of_the_steps(self):
        for done, total, since, since_done in ((1, 40, -1, 0), (10, 40, 95, 10), (13, 40, 85, 10), (20, 40, 95, 20)):
            self.assertEqual(self.progress(done, total, since, since_done), f"Building: {done} of {total} steps done in 1:30 min")

    def test_a_build_after_another_begins_again(self):
        lines = [f"[{i}/2] a" for i in (1, 2)] + [f"[{i}/100] b" for i in range(1, 41)]
        ninja = "".join(f"echo '{line}'; " for line in lines)
        # The clock goes on by a second for each step, because reading a line counts.
        text = ("unset SECONDS; SECONDS=0\nread() { local status=0; builtin read \"$@\" || status=$?; SECONDS=$((SECONDS + 1)); "
                f"return $status; }}\n{{ {ninja}}} | ferry_progress")
        shown = self.run_script(text).stderr.splitlines()
        with_estimate = [line for line in shown if "left" in line and " of 100 " in line]
        self.assertEqual(with_estimate[0].split(" in ")[0], "Building: 34 of 100 steps done")
        self.assertTrue(with_estimate[0].endswith(", about 1:06 min left"), with_estimate)
        self.assertTrue(with_estimate[6].endswith(", about 1:00 min left"), with_estimate)


if __name__ == "__main__":
    unittest.main()
