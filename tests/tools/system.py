#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that only src/system, and for the samples samples/common/system.cpp, includes headers of the operating system,
and that only src/system/pause.* sleeps and yields.

usage: system.py ROOT LIST

LIST has the other files that still include such headers, one a line: `FILE: reason`. The script reports each other file
and each line that is no longer needed."""
import pathlib
import re
import sys

INCLUDE = re.compile(r"^\s*#\s*include\s+<([^>]+)>", re.M)
HEADERS = re.compile(r"^(sys|linux|asm|arpa|netinet|net)/|^(dirent|dlfcn|elf|fcntl|grp|link|poll|pthread|pwd|sched|signal|"
                     r"spawn|syslog|termios|ucontext|unistd|utime|windows)\.h$")
SEAMS = ("src/system/", "samples/common/system.cpp")
PAUSE = re.compile(r"\b(sleep_for|sleep_until|this_thread::yield|nanosleep|usleep|__builtin_ia32_pause|_mm_pause)\b")


def read_list(path):
    reasons = {}
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines()):
        if not line or line.startswith("#"):
            continue
        name, _, reason = line.partition(": ")
        if not reason:
            sys.exit(f"{path}:{number + 1}: a file needs a reason after ': '.")
        reasons[name] = reason
    return reasons


def main():
    root, reasons = pathlib.Path(sys.argv[1]), read_list(sys.argv[2])
    faults, users = [], set()
    for top in ("api", "src", "backends", "samples"):
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".hpp", ".cpp", ".h", ".c") or name.startswith(SEAMS):
                continue
            text = path.read_text(errors="replace")
            if top in ("src", "backends") and (pause := PAUSE.search(text)):
                faults.append(f"{name} calls {pause[0]}; use src/system/pause.hpp.")
            found = [h for h in INCLUDE.findall(text) if HEADERS.match(h)]
            if found:
                users.add(name)
                if name not in reasons:
                    faults.append(f"{name} includes <{found[0]}>; only {SEAMS[0]} may include it.")
    for name in sorted(set(reasons) - users):
        faults.append(f"{name}: this line of {sys.argv[2]} is not needed.")
    print("\n".join(faults) if faults else f"{len(users)} files besides {SEAMS[0]} include headers of the operating system.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
