#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processor time of each test, with the processes that it waits for. The caches of compiled kernels start empty, as in
a fresh clone. Build first. Arguments after the options choose the tests, as for ctest. Default: those of tests/run
    tests/tools/test_costs.py [--build FOLDER] [--parallel N] [--output FILE.json] [--top N] [CTEST-ARGUMENT...]"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time


def chosen_tests(build, selection):
    """The tests in ctest's order, with their properties as a dictionary."""
    command = ["ctest", "--show-only=json-v1", *selection]
    listing = json.loads(subprocess.run(command, cwd=build, check=True, capture_output=True, text=True).stdout)
    return [test | {"properties": {one["name"]: one["value"] for one in test.get("properties", [])}}
            for test in listing["tests"] if "command" in test]


def earlier_tests(tests):
    """For each test, the names of those that must end before it starts."""
    setup = collections.defaultdict(set)
    for test in tests:
        for fixture in test["properties"].get("FIXTURES_SETUP", []):
            setup[fixture].add(test["name"])
    names = {test["name"] for test in tests}
    earlier = {}
    for test in tests:
        needed = set(test["properties"].get("DEPENDS", []))
        for fixture in test["properties"].get("FIXTURES_REQUIRED", []):
            needed |= setup[fixture]
        earlier[test["name"]] = needed & names
    return earlier


def environment_of(test, build, caches):
    """The environment of a test, with the folders of its caches below another folder."""
    environment = dict(os.environ)
    for setting in test["properties"].get("ENVIRONMENT", []):
        name, value = setting.split("=", 1)
        if name.endswith("CACHE_DIR") and value.startswith(f"{build}/"):
            value = f"{caches}/{value[len(str(build)) + 1:]}"
            os.makedirs(value, exist_ok=True)
        environment[name] = value
    return environment


def measure(test, build, caches):
    """Runs one test. Its exit status is reported only, because ctest judges by the output too."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(test["command"], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   cwd=test["properties"].get("WORKING_DIRECTORY", build),
                                   env=environment_of(test, build, caches), start_new_session=True)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return {"name": test["name"], "processor_s": round(usage.ru_utime + usage.ru_stime, 3),
            "wall_s": round(time.monotonic() - started, 3), "status": process.returncode,
            "labels": test["properties"].get("LABELS", [])}


class Runner:
    """Runs tests on several threads, in order of their dependencies and without two that lock one resource."""

    def __init__(self, tests, build, caches):
        self.waiting = list(tests)
        self.earlier = earlier_tests(tests)
        self.build = build
        self.caches = caches
        self.locked = set()
        self.ended = set()
        self.results = []
        self.change = threading.Condition()

    def next_test(self):
        """A test that may start now, its resources locked; None after the last one."""
        with self.change:
            while self.waiting:
                for test in self.waiting:
                    locks = set(test["properties"].get("RESOURCE_LOCK", []))
                    if self.earlier[test["name"]] <= self.ended and not locks & self.locked:
                        self.waiting.remove(test)
                        self.locked |= locks
                        return test
                self.change.wait()
        return None

    def work(self):
        while (test := self.next_test()) is not None:
            result = None
            try:
                result = measure(test, self.build, self.caches)
            finally:
                with self.change:
                    self.locked -= set(test["properties"].get("RESOURCE_LOCK", []))
                    self.ended.add(test["name"])
                    if result is not None:
                        self.results.append(result)
                        print(f"{len(self.results)} {result['processor_s']:.2f} s {result['name']}", file=sys.stderr)
                    self.change.notify_all()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--build", type=pathlib.Path, default=top / "build/ci", help="folder of the build")
    parser.add_argument("--parallel", type=int, default=1, help="tests at a time")
    parser.add_argument("--output", type=pathlib.Path, help="file for the results, as JSON")
    parser.add_argument("--top", type=int, default=25, help="number of tests in the table")
    options, selection = parser.parse_known_args()
    build = options.build.resolve()
    tests = chosen_tests(build, selection or ["-LE", "^(ci|long)$"])
    with tempfile.TemporaryDirectory(prefix="ferry-test-costs-") as caches:
        runner = Runner(tests, build, caches)
        threads = [threading.Thread(target=runner.work) for _ in range(options.parallel)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    results = sorted(runner.results, key=lambda result: -result["processor_s"])
    if options.output:
        options.output.write_text(json.dumps(results, indent=1) + "\n")
    print(f"{sum(result['processor_s'] for result in results):.0f} s of processor time in {len(results)} tests")
    for result in results[:options.top]:
        print(f"{result['processor_s']:9.1f} s  {result['name']}")


if __name__ == "__main__":
    main()
