#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over the sources of the library, the tool and the samples, on all processors.

    tests/tools/tidy.py BUILD-FOLDER            all sources
    tests/tools/tidy.py BUILD-FOLDER FILE...    these, each separately

clang-tidy spends nearly all of its time on the headers that every source includes. So the sources of a folder are
checked as one, which takes an eighth of the time. Sources that do not compile together (two of them have helpers of
the same name) are checked separately. misc-unused-using-decls works only on separately checked files.
"""
import concurrent.futures
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OURS = ("src", "backends")
FOLDERS = (*OURS, "samples")  # only samples with libraries that this machine has
# The build may use g++, which knows warnings that clang does not know.
EXTRA = ["-Wno-unknown-warning-option"]


def reads_library(compiler):
    """Whether it accepts this machine's C++ library. clang 14 and 16 reject g++ 13's <chrono>."""
    probe = subprocess.run([compiler, "-std=c++20", "-x", "c++", "-fsyntax-only", "-"], input="#include <chrono>\n",
                           capture_output=True, text=True, check=False)
    return probe.returncode == 0


@functools.lru_cache
def version():
    """The end of the tools' names. Version 14 is what .clang-tidy is written for."""
    for end in ("-14", "", "-18", "-17", "-19", "-15"):
        compiler = shutil.which("clang++" + end)
        if compiler and shutil.which("clang-tidy" + end) and reads_library(compiler):
            return end
    sys.exit("tidy.py: there is no clang++ with its clang-tidy that takes this machine's C++ library")


def tool(name):
    return shutil.which(name + version())


def commands(build):
    """Maps each source file to its options in the build, without the compiler, the input and the output."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    result = {}
    for entry in entries:
        source = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        words = shlex.split(entry["command"])
        start = next(i for i, word in enumerate(words) if word.startswith("-"))
        options, skip = [], False
        for word, following in zip(words[start:], [*words[start + 1:], ""]):
            # A precompiled header works only with its own compiler.
            precompiled = word == "-include" and os.path.basename(following) == "cmake_pch.hxx"
            if skip or precompiled or word in ("-c", "-o", "-Winvalid-pch"):
                skip = not skip and (precompiled or word == "-o")
                continue
            if os.path.normpath(os.path.join(entry["directory"], word)) != source:
                options.append(word)
        for one in batch(source):
            result[one] = (entry["directory"], tuple(options))
    return result


def batch(source):
    """The files of a batch (FERRY_BATCH_BUILD), or the file itself."""
    if not re.search(r"/Unity/unity_\d+_cxx\.cxx$", source):
        return [source]
    with open(source, encoding="utf-8") as file:
        return re.findall(r'^#include "(.*)"$', file.read(), re.M)


def run(words, directory):
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True, check=False)
    lines = [line for line in (done.stdout + done.stderr).splitlines()
             if not re.match(r"^\d+ warnings? (generated|and)|^Suppressed|^Use -header-filter", line)]
    return done.returncode, "\n".join(lines)


def tidy(file, directory, options, more=()):
    return run([tool("clang-tidy"), "--quiet", "--config-file=" + os.path.join(TOP, ".clang-tidy"), *more, file, "--",
                *options, *EXTRA], directory)


def together(name, files, directory, options):
    """Checks `files` as one. Returns the result, and the files that do not compile together with the rest."""
    alone = set()
    while True:
        rest = [file for file in files if file not in alone]
        with open(name, "w", encoding="utf-8") as unity:
            unity.writelines(f'#include "{file}"\n' for file in rest)
        compiler = [tool("clang++"), "-fsyntax-only", "-ferror-limit=0", "-w", *options, *EXTRA, name]
        code, text = run(compiler, directory)
        if code == 0:
            break
        guilty = set(re.findall(r"^([^:\n]+):\d+:\d+: (?:fatal )?error:", text, re.M)) & set(rest)
        if not guilty:
            return (1, text), set(files)
        alone |= guilty
    headers = r"--header-filter=/(api|src|backends|samples)/.*\.[hc]pp$"
    # A helper of one file may have the name of a local variable in another. The build itself warns about shadowing.
    return tidy(name, directory, (*options, "-Wno-shadow"), (headers, "--checks=-bugprone-suspicious-include")), alone


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    known = commands(build)
    named = [os.path.abspath(file) for file in sys.argv[2:]]
    ours = named or sorted(file for file in known
                           if file.startswith(tuple(os.path.join(TOP, folder) + os.sep for folder in FOLDERS)))
    there = [] if named else [os.path.join(folder, name) for top in OURS for folder, _, names in
                              os.walk(os.path.join(TOP, top)) for name in names if name.endswith(".cpp")]
    missing = [file for file in [*ours, *there] if file not in known]
    if missing or not ours:
        sys.exit("tidy.py: not built in " + build + ": " + (", ".join(missing) or "anything of " + ", ".join(FOLDERS)))

    groups = {}
    for file in ours:
        key = (os.path.dirname(file), *known[file]) if not named else file
        groups.setdefault(key, []).append(file)
    work = os.path.join(build, "tidy")
    os.makedirs(work, exist_ok=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        singles = [files[0] for files in groups.values() if len(files) == 1]
        unities = []
        for number, files in enumerate(files for files in groups.values() if len(files) > 1):
            unities.append(pool.submit(together, os.path.join(work, f"{number}.cpp"), files, *known[files[0]]))
        results = [pool.submit(tidy, file, *known[file]) for file in singles]
        for unity in unities:
            result, alone = unity.result()
            failed += result[0] != 0
            if result[1]:
                print(result[1])
            singles += alone
            results += [pool.submit(tidy, file, *known[file]) for file in sorted(alone)]
        for single in results:
            code, text = single.result()
            failed += code != 0
            if text:
                print(text)
    print(f"{len(ours)} files, {len(singles)} of them alone, {len(unities)} groups: "
          + ("clean" if failed == 0 else "not clean"))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
