#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the examples of docs/errors.md with the library's messages.

error_examples.py PROGRAM ERRORS_MD [--double LIBRARY] [--update]

Runs PROGRAM (ferry_error_examples) once for each kind of error. Without --update, the messages in ERRORS_MD must be
the same, except for numbers and for text of a vendor's compiler or loader. With --update, the new messages replace them.
Some kinds need a device that fails on demand. They run on the stand-in HIP library given with --double, and are left out
without it.
"""
import argparse
import os
import re
import subprocess
import sys
import textwrap

HOST = {"FERRY_BACKEND": "host"}
ENVIRONMENTS = {
    "invalid_argument": HOST,
    "out_of_range": HOST,
    "invalid_state": HOST,
    "out_of_memory": HOST,
    "unavailable": {"FERRY_BACKEND": "cuda", "FERRY_CUDA_LIBRARY": "/nowhere/libcuda.so.1"},
    "unsupported": HOST,
    "not_found": HOST,
    "build_failed": {"FERRY_BACKEND": "opencl"},
    "command_failed": HOST,
    "device_lost": {"FERRY_BACKEND": "hip", "FERRY_DOUBLE_FAIL": "kernel:saxpy:719"},
    "internal": {"FERRY_BACKEND": "hip", "FERRY_DOUBLE_FAIL": "hipMemsetD32Async:999@3"},
}


def message_of(program, code, double):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_")}
    environment.update(ENVIRONMENTS[code])
    if environment["FERRY_BACKEND"] == "hip":
        if not double:
            return None
        environment.update(FERRY_HIP_LIBRARY=double, FERRY_HIPRTC_LIBRARY=double)
    result = subprocess.run([program, code], env=environment, capture_output=True, text=True, timeout=600, check=False)
    if result.returncode != 0:
        sys.exit(f"{code}: status {result.returncode}\n{result.stdout}{result.stderr}")
    text = re.sub(r"/\S*/(tests/docs/)", r"\1", result.stdout.rstrip("\n"))
    return re.sub(r"/\S*/(tempfile)", r"/tmp/\1", text)


def shown(message):
    """The message in lines of at most 100 columns, where its words permit that."""
    return "\n".join(textwrap.fill(line, 100, subsequent_indent=re.match(" *", line)[0], break_long_words=False,
                                   break_on_hyphens=False) for line in message.split("\n"))


def comparable(code, text):
    if code == "unavailable":
        text = text.split("\n")[0]
    text = " ".join(text.split())
    text = re.sub(r"(\w+:\d+) \((?:[^()]|\([^()]*\))*\)", r"\1", text)
    if code == "build_failed":
        text = text.split(": ")[0]
    text = re.sub(r"/\S*/", "/", text)
    return re.sub(r"\d+(\.\d+)?", "0", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("document")
    parser.add_argument("--double")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    with open(options.document, encoding="utf-8") as file:
        document = file.read()
    bad = 0
    for code in ENVIRONMENTS:
        message = message_of(options.program, code, options.double)
        if message is None:
            print(f"{code}: left out, no stand-in library was given")
            continue
        block = re.compile(rf"(### {code}\n.*?```\n)(.*?)(\n```)", re.S)
        found = block.search(document)
        if not found:
            sys.exit(f"{options.document} has no example of {code}")
        if options.update:
            document = document[:found.start(2)] + shown(message) + document[found.end(2):]
        elif comparable(code, found.group(2)) != comparable(code, message):
            print(f"{code}: the document has\n{found.group(2)}\nand the library says\n{message}\n")
            bad += 1
    if options.update:
        with open(options.document, "w", encoding="utf-8") as file:
            file.write(document)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
