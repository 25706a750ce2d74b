#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the runner's display with programs that are not samples. Run as runner_test.py RUNNER."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

RUNNER = ""


class Runner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        shutil.copy(RUNNER, self.folder)

    def sample(self, name, text):
        path = os.path.join(self.folder, "sample_" + name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncd '{self.folder}'\n{text}\n")
        os.chmod(path, 0o755)

    def run_runner(self, *arguments, stdout=subprocess.PIPE):
        command = [os.path.join(self.folder, os.path.basename(RUNNER)), "--output", self.folder + "/out", *arguments]
        return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
                              env={**os.environ, "FERRY_BACKEND": "host"})

    def test_a_file_has_the_line_of_a_sample_before_the_next_one_runs(self):
        self.sample("01_first", "echo PASS")
        self.sample("02_second", "grep -q '^01_first .*PASS' table && echo PASS || echo FAIL no line yet")
        path = os.path.join(self.folder, "table")
        with open(path, "w", encoding="utf-8") as file:
            done = self.run_runner(stdout=file)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(done.returncode, 0, file.read() + done.stderr)

    def test_the_second_run_has_a_time_of_its_own(self):
        self.sample("01_counts", "echo run >>runs\necho PASS")
        lines = self.run_runner().stdout.splitlines()
        head = next(i for i, line in enumerate(lines) if line.startswith("sample "))
        self.assertEqual(lines[head + 1].split(), ["first", "again"])
        self.assertRegex(lines[head + 2], r"^01_counts +PASS +[\d.]+ s +[\d.]+ s *$")
        self.assertTrue(any("first run" in line for line in lines[head + 3:]), lines)
        lines = self.run_runner("--once").stdout.splitlines()
        self.assertTrue(any(re.match(r"01_counts +PASS +[\d.]+ s *$", line) for line in lines), lines)
        with open(os.path.join(self.folder, "runs"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 3)
        result, = json.loads(self.run_runner("--json").stdout)["results"]
        self.assertEqual({type(result[name]) for name in ("seconds", "again")}, {float})

    def test_a_second_run_that_fails_is_a_failure(self):
        self.sample("01_worn", "[ -e mark ] && { echo FAIL worn out; exit 1; }\ntouch mark\necho PASS")
        done = self.run_runner()
        self.assertEqual(done.returncode, 1)
        self.assertIn("01_worn on host:0: worn out", done.stdout)

    def test_what_was_not_built_is_named_with_the_package(self):
        self.sample("01_first", "echo PASS")
        with open(os.path.join(self.folder, "ferry-samples.lacks"), "w", encoding="utf-8") as file:
            file.write("20_heat\tnot built\tMPI\tlibopenmpi-dev openmpi-bin\n01_first\tbuilt without X\tX\tlibx-dev\n")
        text = self.run_runner().stdout
        self.assertRegex(text, r"(?m)^20_heat +not built: apt-get install libopenmpi-dev openmpi-bin$")
        self.assertRegex(text, r"(?m)^01_first +built without X: apt-get install libx-dev$")
        done = self.run_runner("heat")
        self.assertEqual(done.returncode, 2)
        self.assertIn("libopenmpi-dev", done.stderr)
        self.assertEqual([lack["sample"] for lack in json.loads(self.run_runner("--json").stdout)["lacks"]],
                         ["01_first", "20_heat"])


if __name__ == "__main__":
    RUNNER = sys.argv.pop()
    unittest.main()
