#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kernel compiler at its limits. Run as limits_test.py FERRY [--table].

Each run may use at least ten times the processor time and memory that the largest need of any text was when measured, so a
slow machine passes, and a hang or fast growth fails. --table prints the needs."""
import os
import resource
import subprocess
import sys
import tempfile
import unittest

from limit_texts import TEXTS

FERRY = ""
SECONDS = 60
BYTES = 6 << 30
MiB = 1 << 20
# The host's compiler ends at once: only the C++ for it is made.
TARGETS = {"check": ["--target=check"], "spirv": ["--target=spirv"], "vulkan": ["--target=vulkan"],
           "host": ["--backend=host"]}


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def run(folder, text, target):
    """The status, the output, the seconds of processor time and the MiB of a run."""
    file = os.path.join(folder, "text.cl")
    with open(file, "w", encoding="utf-8") as out:
        out.write(text)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_")}
    environment.update(FERRY_CACHE_LIMIT="0", FERRY_HOST_COMPILER=os.path.join(folder, "compiler"))
    with open(os.path.join(folder, "output"), "w+b") as output, \
            subprocess.Popen([FERRY, "compile", file, "--emit", os.path.join(folder, "emitted"), *TARGETS[target]],  # pylint: disable=subprocess-popen-preexec-fn
                             env=environment, stdout=output, stderr=output, preexec_fn=limit) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read().decode(errors="replace")
    return process.returncode, said, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 // MiB


class Limits(unittest.TestCase):
    def test_time_and_memory_are_bounded(self):
        for name, make, sizes, message in TEXTS:
            for size in sizes:
                text = make(size)
                for target in TARGETS:
                    with self.subTest(text=name, size=size, target=target):
                        status, said, *_ = run(self.folder.name, text, target)
                        self.assertIn(status, (0, 1, 2), said[-2000:])
                        if size == sizes[-1] and message:
                            self.assertIn(message, said)
                            self.assertNotEqual(status, 0)
                        elif target == "check":
                            self.assertEqual(status, 0, said[-2000:])

    def test_limits_of_vulkan_are_stated(self):
        texts = {name: make for name, make, *_ in TEXTS}
        for name, size, message in (
                ("structs of structs", 20, "has 1048576 parts, which have no form in Vulkan's SPIR-V; the limit is 4096"),
                ("calls with pointers", 60, "repeat more than 4000000 words of Vulkan's SPIR-V, which is the limit"),
                ("pointers to constants", 257, "may refer to 257 variables has no form in Vulkan's SPIR-V; the limit is 256"),
                ("chain of calls", 1000, "more than 128 deep")):
            with self.subTest(text=name):
                status, said, *_ = run(self.folder.name, texts[name](size), "vulkan")
                self.assertEqual(status, 2, said[-2000:])
                self.assertIn(message, said)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        compiler = os.path.join(self.folder.name, "compiler")
        with open(compiler, "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\nexit 1\n")
        os.chmod(compiler, 0o700)

    def tearDown(self):
        self.folder.cleanup()


def table():
    test = Limits()
    test.setUp()
    print("| text | size | bytes | " + " | ".join(TARGETS) + " |\n|---|---|---|" + "---|" * len(TARGETS))
    for name, make, sizes, _ in TEXTS:
        for size in sizes:
            text = make(size)
            cells = []
            for target in TARGETS:
                status, _, seconds, mebibytes = run(test.folder.name, text, target)
                cells.append(f"{seconds:.2f} s, {mebibytes} MiB" + ("" if status >= 0 else f", signal {-status}"))
            print(f"| {name} | {size} | {len(text)} | " + " | ".join(cells) + " |", flush=True)
    test.tearDown()


if __name__ == "__main__":
    FERRY = sys.argv.pop(1)
    if sys.argv[1:] == ["--table"]:
        table()
    else:
        unittest.main()
