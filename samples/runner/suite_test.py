#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs samples. Its table has the samples that end because of a driver's own fault. Such a sample counts as left out,
by name. If a sample of the table does not end in this way, the test fails, because the row is obsolete.

    suite_test.py FERRY-SAMPLES ARGUMENT...                 the suite
    suite_test.py FERRY-SAMPLES --one NAME COMMAND...       this command, which is the sample NAME
"""
import json
import re
import subprocess
import sys

# Platform, version of the driver, samples, and how they end. docs/backends/opencl.md describes each.
FAULTS = (
    ("rusticl", r"25\.2\.", {"18_fft", "20_heat"}, "fma() of floats ends the process"),
)
SEGMENTATION_FAULT = 11


def output(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout


def fault_of(device, sample):
    for platform, version, samples, what in FAULTS:
        if device["platform"] == platform and re.search(version, device["driver_version"]) and sample in samples:
            return what
    return None


def judge(name, passed, crashed, what):
    """Prints a line. Returns whether the result is right."""
    if what is None:
        print(f"{name}: " + ("PASS" if passed else "FAIL"))
        return passed
    if crashed:
        print(f"{name}: left out, the driver: {what}")
        return True
    print(f"{name}: the driver was to end it ({what}) and did not: take it out of FAULTS")
    return False


def suite(command):
    said = json.loads(output(*command, "--once", "--json")[1])
    devices = {device["id"]: device for device in said["devices"]}
    for device in said["devices"]:
        print(f"Device {device['id']}: {device['name']}, {device['platform']} {device['driver_version']}")
    good = True
    for one in said["results"]:
        crashed = one["reason"].startswith(f"ended by signal {SEGMENTATION_FAULT} ")
        name = f"{one['sample']} on {one['device']}"
        if not judge(name, one["verdict"] == "PASS", crashed, fault_of(devices[one["device"]], one["sample"])):
            print("    " + one["reason"])
            print("\n".join("    " + line for line in one["output"].splitlines()[-12:]))
            good = False
    return good and len(said["results"]) != 0


def single(samples, name, command):
    # the command accepts this too
    device = json.loads(output(samples, "--once", "--json", "01_transfer")[1])["devices"][0]
    code, text = output(*command)
    print(text)
    return judge(name, code == 0, code == -SEGMENTATION_FAULT, fault_of(device, name))


def main():
    samples, *words = sys.argv[1:]
    if words[:1] == ["--one"]:
        sys.exit(not single(samples, words[1], words[2:]))
    sys.exit(not suite([samples, *words]))


if __name__ == "__main__":
    main()
