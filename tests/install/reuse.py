#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reuse.py BUILD FOLDER COMPILER ARGUMENT...: a compiler launcher.

FOLDER is the build folder of Ferry inside another project. BUILD is Ferry's own build folder. If both compile a file with
the same command, the object of BUILD is copied. Otherwise the compiler runs. Levels of optimisation, debug information and
warnings may differ."""
import json
import os
import re
import shlex
import shutil
import sys


def essence(words, folder):
    """The words of a command that decide the meaning of an object, with `folder` replaced."""
    words = iter(words)
    result = []
    for word in words:
        if word in ("-o", "-MF", "-MT"):
            next(words)
        elif not re.match(r"-(O|g|W(?!p,)|MD$)", word):
            result.append(word.replace(folder, "@"))
    return result


def same_text(path, folder, build):
    """Whether a source has the same text in both folders, with the generated files that it includes."""
    other = path.replace(folder, build)
    if path == other:
        return True
    texts = []
    for name, top in ((path, folder), (other, build)):
        with open(name, encoding="utf-8") as file:
            texts.append(file.read().replace(top, "@"))
    return texts[0] == texts[1] and all(
        same_text(folder + name, folder, build) for name in re.findall(r'^#include "@(/[^"]+)"', texts[0], re.M))


def found_object(build, folder, command):
    """The object of BUILD that this command would make again, or None."""
    target = os.path.abspath(command[command.index("-o") + 1])
    if not target.startswith(folder + "/"):
        return None
    candidate = build + target[len(folder):]
    with open(build + "/compile_commands.json", encoding="utf-8") as file:
        for entry in json.load(file):
            known = shlex.split(entry["command"])
            if os.path.join(entry["directory"], known[known.index("-o") + 1]) == candidate:
                same = essence(known, build) == essence(command, folder)
                return candidate if same and same_text(entry["file"].replace(build, folder), folder, build) else None
    return None


def main():
    build, folder, *command = sys.argv[1:]
    try:
        candidate = found_object(build, folder, command)
        if candidate is not None:
            shutil.copyfile(candidate, command[command.index("-o") + 1])
            if "-MF" in command:
                with open(command[command.index("-MF") + 1], "w", encoding="utf-8"):
                    pass
            return
    except (OSError, ValueError) as error:
        print(f"reuse.py: {error}", file=sys.stderr)
    os.execvp(command[0], command)


main()
