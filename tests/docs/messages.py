#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Provokes the messages of docs/troubleshooting.md: messages.py PROGRAM TOP --evil LIBRARY --cuda LIBRARY --hidden LIBRARY

PROGRAM is ferry_messages. Each heading of the third level is a message, with `...` for variable parts. Here each has a
case of PROGRAM and an environment in which the library reports it, or the place of the test that provokes it. The
libraries are two of tests/doubles, and hidden_library.cpp.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HOST, STRICT = {"FERRY_BACKEND": "host"}, {"FERRY_BACKEND": "host", "FERRY_HOST_MODE": "strict"}
OPENCL = {"FERRY_BACKEND": "opencl"}
NOWHERE = {"FERRY_BACKEND": "cuda", "FERRY_CUDA_LIBRARY": "/nowhere/libcuda.so.1"}
# The beginning of a heading, the case, the environment.
CASES = [
    ("No device is available", "device", NOWHERE),
    ("No library was found", "reasons", {"FERRY_BACKEND": "cuda", "FERRY_TEST_HIDDEN": "libcuda"}),
    ("The library that ... names does not open", "reasons", NOWHERE),
    ("The library ... is not used", "reasons", {"FERRY_BACKEND": "cuda", "FERRY_DOUBLE_EVIL": "cuInit:crash"}),
    ("... names the OpenCL driver", "reasons", {**OPENCL, "OCL_ICD_VENDORS": "FOLDER"}),
    ("FERRY_BACKEND is", "device", {"FERRY_BACKEND": "cdua"}),
    ('FERRY_DEVICE is "...", and no', "device", {**HOST, "FERRY_DEVICE": "Voodoo"}),
    ('FERRY_DEVICE is "...", which', "device", {"FERRY_BACKEND": "opencl,host", "FERRY_DEVICE": "NAME"}),
    ("Settings::... is", "configure late", OPENCL),
    ("... was listed before fork()", "fork", OPENCL),
    ("The program '...' ... did not build", "build", HOST),
    ("The program has no kernel", "no kernel", HOST),
    ("No variant of the program fits", "no variant", HOST),
    ("NVRTC was not found", "build", {"FERRY_BACKEND": "cuda", "FERRY_CUDA_LIBRARY": "CUDA", "FERRY_TEST_HIDDEN": "libnvrtc"}),
    ("none of c++, g++ and clang++", "build", {**HOST, "PATH": "/nowhere"}),
    ("the function '...' calls itself", "recursion", HOST),
    ("Kernel '...' takes", "too few arguments", HOST),
    ("Argument ... '...' of kernel '...': expected", "wrong argument", HOST),
    ("Argument ... of kernel '...': the buffer is on", "other device", {"FERRY_BACKEND": "opencl,host"}),
    ("Kernel '...' cannot be launched with ...: the grid", "half a grid", HOST),
    ("Kernel '...' cannot be launched with ...: a group", "large group", HOST),
    ("Kernel '...' cannot be launched with ...: every", "no items", HOST),
    ("Kernel '...' would need", "local memory", HOST),
    ("The launch of kernel", "launch failed", HOST),
    ("A buffer of ... is larger", "large buffer", STRICT),
    ("A buffer of ... in ... memory does not fit", "full", STRICT),
    ("A copy has a source", "sizes", HOST),
    ("A command cannot", "mapped", HOST),
    ("The range of", "range", HOST),
    ("... was moved from", "moved", HOST),
    ("The host cannot reach", "span", OPENCL),
    ("A race", "race", {**HOST, "FERRY_CHECK": "races"}),
    ("The shared memory", "unguarded", {**OPENCL, "FERRY_CHECK": "races"}),
    ("Byte ... of device buffer", "no barrier", STRICT),
]
# Messages that a compiler prints.
ELSEWHERE = [
    ("a kernel argument is", "tests/compile/CMakeLists.txt", "a kernel argument is a Buffer, a View"),
    ("a pointer does not say", "tests/compile/CMakeLists.txt", "copy a std::span.pointer, count"),
    ("the elements of a Buffer", "tests/compile/CMakeLists.txt", "the elements of a Buffer or a View are on the device"),
]


def run(program, case, environment):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_") or k in ("FERRY_CACHE_DIR", "FERRY_TOOL")}
    done = subprocess.run([program, case], env={**kept, **environment}, capture_output=True, text=True, timeout=200, check=False)
    return done.stdout + done.stderr


def provoke(program, case, environment, options):
    environment = dict(environment)
    if "FERRY_DOUBLE_EVIL" in environment:
        environment["FERRY_CUDA_LIBRARY"] = options.evil
    if environment.get("FERRY_CUDA_LIBRARY") == "CUDA":
        environment["FERRY_CUDA_LIBRARY"] = options.cuda
    if "FERRY_TEST_HIDDEN" in environment:
        environment["LD_PRELOAD"] = options.hidden
    if environment.get("FERRY_DEVICE") == "NAME":
        environment["FERRY_DEVICE"] = run(program, "name", HOST).strip()
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "gone.icd").write_text("/nowhere/libgone.so\n", encoding="utf-8")
        return run(program, case, {k: folder if v == "FOLDER" else v for k, v in environment.items()})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("top", type=pathlib.Path)
    for library in ("--evil", "--cuda", "--hidden"):
        parser.add_argument(library, required=True)
    options = parser.parse_args()
    bad = []
    headings = re.findall(r"^### (.*)$", (options.top / "docs/troubleshooting.md").read_text(encoding="utf-8"), re.M)
    for heading in headings:
        found = [case for case in CASES if heading.startswith(case[0])]
        elsewhere = [each for each in ELSEWHERE if heading.startswith(each[0])]
        if len(found) + len(elsewhere) != 1:
            bad.append(f'"{heading}" has {len(found) + len(elsewhere)} cases in messages.py, not one')
        elif elsewhere:
            if elsewhere[0][2] not in (options.top / elsewhere[0][1]).read_text(encoding="utf-8"):
                bad.append(f'"{heading}": {elsewhere[0][1]} has no test of it')
        else:
            message = provoke(options.program, *found[0][1:], options)
            pattern = ".*?".join(re.escape(part.strip()) for part in heading.split("..."))
            if not re.search(pattern, message, re.S):
                bad.append(f'"{heading}" is not what the library says in the case "{found[0][1]}":\n{message}')
    if len(headings) < 30:
        bad.append(f"docs/troubleshooting.md has {len(headings)} messages, and 30 were promised")
    print("\n".join(bad) or f"{len(headings)} messages are what the library says.")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
