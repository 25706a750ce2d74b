#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a C++ file from the code in a page of the documentation: extract_pages.py TOP PAGE OUT.cpp [LIBRARY]

Each ```cpp block becomes the body of a function that is compiled and run on a device. ```c++ and other languages are
foreign code and are ignored. Code that the reader need not see is in comments of the page:

    <!-- page: code -->       at file scope, once
    <!-- before: code -->     at the beginning of the next block's function
    <!-- after: code -->      at the end of the last block's function; expect() states a condition
    <!-- compile only -->     the next block is compiled but not run
    <!-- kernel: NAME -->     the next ```c block is the text of the constant NAME
    <!-- with: LIBRARY -->    the next block needs it; with a fourth argument LIBRARY, only such blocks are used
"""
import pathlib
import re
import sys

TOKEN = re.compile(r"<!--(.*?)-->|^```(\S*)[ ]*\n(.*?)^```", re.S | re.M)


class Block:
    def __init__(self, line, before, code, runs):
        self.line, self.before, self.code, self.runs, self.after = line, before, code, runs, ""
        self.library = ""


def read(text, page):
    blocks, scope = [], []
    before, runs, kernel, library = "", True, None, ""
    for found in TOKEN.finditer(text):
        comment, language, code = found.groups()
        if comment is not None:
            word, _, rest = comment.strip().partition(":")
            if word == "page":
                scope.append(rest)
            elif word == "before":
                before += rest
            elif word == "after" and blocks:
                blocks[-1].after += rest
            elif word == "compile only":
                runs = False
            elif word == "kernel":
                kernel = rest.strip()
            elif word == "with":
                library = rest.strip()
            elif word not in ("side by side", "end"):
                sys.exit(f"{page}: what is <!-- {word} -->?")
        elif language == "c" and kernel:
            scope.append(f'constexpr const char* {kernel} = R"cl({code})cl";')
            kernel = None
        elif language == "cpp":
            line = text[:found.start(3)].count("\n") + 1
            blocks.append(Block(line, before, code, runs))
            blocks[-1].library = library
            before, runs, library = "", True, ""
    if before or kernel or library or not runs:
        sys.exit(f"{page}: a comment for a block is followed by none")
    return scope, blocks


def main():
    top, page, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    library = sys.argv[4] if len(sys.argv) > 4 else ""
    scope, blocks = read((top / page).read_text(encoding="utf-8"), page)
    blocks = [block for block in blocks if block.library == library]
    if not blocks:
        sys.exit(f"{page} has no code of Ferry's")
    name = re.sub(r"\W", "_", page.removeprefix("docs/").removesuffix(".md"))
    parts = [f'// Made from {page}.\n#include "page.hpp"\n\nnamespace docs_{name} {{\nnamespace {{\n', *scope]
    for number, block in enumerate(blocks, 1):
        parts.append(f"void block_{number}() {{\nDOCS_BLOCK\n{{\n{block.before}\n"
                     f'#line {block.line} "{page}"\n{block.code}\n{block.after}\n}}\n}}')
        parts.append(f'const docs::Registration registration_{number}("{page}", {block.line}, '
                     f'{f"block_{number}" if block.runs else "nullptr"}, block_{number});')
    parts.append("}\n}\n")
    out.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
