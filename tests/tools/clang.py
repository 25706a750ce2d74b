#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that clang++ accepts the tests and the samples without a warning. It uses the compile commands of another
compiler's build. It generates no code, which would take most of the time of a second build.

    tests/tools/clang.py BUILD-FOLDER [FILE...]
"""
import concurrent.futures
import os
import sys

import tidy


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    known = tidy.commands(os.path.abspath(sys.argv[1]))
    folders = tuple(os.path.join(tidy.TOP, folder) + os.sep for folder in ("tests", "samples"))
    ours = [os.path.abspath(file) for file in sys.argv[2:]] or sorted(f for f in known if f.startswith(folders))
    if not ours:
        sys.exit("clang.py: no tests and samples are built in " + sys.argv[1])
    missing = [file for file in ours if file not in known]
    if missing:
        sys.exit("clang.py: not built in " + sys.argv[1] + ": " + ", ".join(missing))
    compilers = {file: tidy.tool("clang" if file.endswith(".c") else "clang++") for file in ours}

    def look(file):
        directory, options = known[file]
        return tidy.run([compilers[file], "-fsyntax-only", "-Werror", *options, *tidy.EXTRA, file], directory)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for code, text in pool.map(look, ours):
            failed += code != 0
            if text:
                print(text)
    print(f"{len(ours)} files: " + ("clean" if failed == 0 else f"{failed} are not clean"))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
