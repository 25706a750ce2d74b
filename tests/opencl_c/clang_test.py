#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the result of `ferry compile --target=check` with that of clang on the texts of wrong.txt and right.txt, and
on damaged copies of them. Exceptions are the lines of wrong.txt that begin with '+'. FERRY_TEST_SEED repeats the damage of
an earlier run, which printed its seed.

usage: clang_test.py FERRY CLANG FOLDER [MUTANTS]"""
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

FERRY, CLANG, FOLDER = sys.argv[1:4]
MUTANTS = int(sys.argv[4]) if len(sys.argv) > 4 else 60
SEED = int(os.environ.get("FERRY_TEST_SEED") or random.SystemRandom().randrange(2**32))
CLANG_OPTIONS = ["-cl-std=CL1.2", "-fsyntax-only", "-w", "-Xclang", "-fdeclare-opencl-builtins", "-Xclang",
                 "-finclude-default-header", "-fno-caret-diagnostics"]
# Rules on which the two differ deliberately. A matching message explains a rejection by the front end only.
STRICTER = re.compile(r"recursion|has no component|cannot be dereferenced|must be a string|is not known, so it could|is refused: |"
                      r"called, but not defined|does not fit into 64 bits|after the member|a vector has 2|"
                      # clang treats a declaration without a type as one of int, as in C89
                      r"no type|expected a declaration|expected a name|"
                      # clang ignores it with a warning
                      r"the pragma 'pack.* is not understood|"
                      # later versions of clang accept one after a label
                      r"a declaration is no statement")


def framed(text):
    text = re.sub(r'\\n(?!")', "\n", text)
    body = re.fullmatch(r"K\{(.*)\}", text, re.S)
    head = "kernel void k(global int* o, global float* f, float4 v, int n, uint u) {"
    return head + body.group(1) + "}" if body else text


def texts():
    for line in pathlib.Path(FOLDER, "wrong.txt").read_text().splitlines():
        if line and not line.startswith("# "):
            exception = line.startswith("+")
            text = line[1 if exception else 0:].rsplit("=>", 1)[0].strip()
            yield line, framed(text).replace("@", "", 1), exception, False
    for line in pathlib.Path(FOLDER, "right.txt").read_text().splitlines():
        if line and not line.startswith("# "):
            yield line, framed(line), True, True


def verdicts(folder, number, text):
    path = os.path.join(folder, f"t{number}.cl")
    pathlib.Path(path).write_text(text + "\n")
    own = subprocess.run([FERRY, "compile", "--target=check", path], capture_output=True, text=True, check=False)
    clang = subprocess.run([CLANG, *CLANG_OPTIONS, path], capture_output=True, text=True, check=False)
    refused = own.returncode == 2 and "error: " in own.stdout
    if own.returncode != 0 and not refused:
        return None, clang.returncode == 0, f"ferry ended with {own.returncode}: {own.stderr}"
    return own.returncode == 0, clang.returncode == 0, own.stdout + clang.stderr


def mutants():
    """Correct texts with one token dropped, doubled or exchanged."""
    choice = random.Random(SEED)
    right = [framed(line) for line in pathlib.Path(FOLDER, "right.txt").read_text().splitlines()
             if line and not line.startswith("# ")]
    for _ in range(MUTANTS):
        tokens = re.findall(r"\w+|\s+|[^\w\s]", choice.choice(right))
        words = [i for i, t in enumerate(tokens) if not t.isspace()]
        at, other = choice.choice(words), choice.choice(words)
        tokens[at] = choice.choice(["", tokens[at] * 2, tokens[other], tokens[at]])
        yield "".join(tokens)


def main():
    failures = []
    print(f"Seed: FERRY_TEST_SEED={SEED}", flush=True)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        all_texts = list(texts())
        jobs = [pool.submit(verdicts, folder, n, t[1]) for n, t in enumerate(all_texts)]
        for (line, _, clang_accepts, own_accepts), job in zip(all_texts, jobs):
            own, clang, said = job.result()
            if own != own_accepts or clang != clang_accepts:
                failures.append(f"{line}\n  ferry accepts: {own}, clang accepts: {clang}\n{said}")
        damaged = list(mutants())
        jobs = [pool.submit(verdicts, folder, f"m{n}", t) for n, t in enumerate(damaged)]
        differ = 0
        for text, job in zip(damaged, jobs):
            own, clang, said = job.result()
            if own is None:
                failures.append(f"{text}\n{said}")
            elif own != clang and not (clang and STRICTER.search(said)):
                differ += 1
                failures.append(f"differs: {text}\n  ferry accepts: {own}, clang accepts: {clang}\n{said}")
    print(f"{len(all_texts)} texts and {len(damaged)} damaged ones, {differ} of them judged in two ways")
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
