# SPDX-License-Identifier: Apache-2.0
"""Makes a page of Markdown out of a header of the C interface: its declarations, and the prose that stands above them.

The headers in api/ferry/c are written in paragraphs: `///` lines and below them what they are about, `//` lines that are
about all that follows, and between two blank lines one thing.
"""
import re

from api_reference import fence, paragraphs

NAMES = (r"FERRY_API [^;(]*?\b(ferry_\w+)\(", r"^typedef (?:struct|union) (ferry_\w+) \{", r"static inline \w+ (ferry_\w+)\(",
         r"^typedef [^;{]*\(\*(ferry_\w+)\)", r"^typedef [^;{]* (ferry_\w+);", r"^#define (\w+)")


def named(text):
    """What the text declares, in order."""
    return [name for _, name in sorted((found.start(), found.group(1))
                                       for pattern in NAMES for found in re.finditer(pattern, text, re.M))]


def without_bodies(text):
    """Inline functions without what is in them."""
    return re.sub(r"^(static inline [^{;]*?)\s*\{\n.*?^\}", r"\1;", text, flags=re.S | re.M)


def parts(text):
    """(prose, code) of each paragraph; code is empty for prose about all that follows."""
    text = re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", text, flags=re.S | re.M)
    text = re.sub(r"^(// SPDX.*|#pragma once|#include .*)\n", "", text, flags=re.M)
    for part in re.split(r"\n{2,}", without_bodies(text).strip("\n")):
        lines = part.split("\n")
        mark = next((m for m in ("///", "//") if lines[0].startswith(m + " ")), None)
        prose = []
        while mark and lines and lines[0].startswith(mark):
            prose.append(re.sub(rf"^{mark} ?", "", lines.pop(0)))
        if part.strip():
            yield prose, "\n".join(lines)


def page(header, text, title, sentence):
    """The page of the header `header` ("ferry/c/queue.h"), and the names that it documents."""
    names = []
    body = [f"# {title}\n\n{sentence}\n", f"```c\n#include <{header}>\n```\n"]
    for prose, code in parts(text):
        here = named(code)
        if here:
            titles = [name for name in here if not re.search(rf"typedef int32_t {name};", code)] or here
            body.append(f"## {', '.join(f'`{name}`' for name in titles)}\n")
            names += here
        body.append(paragraphs(prose) + "\n")
        if code.strip():
            code = re.sub(r"^FERRY_API ([^;]*;)", lambda found: found.group(1).replace("\n" + " " * 10, "\n"), code, flags=re.M)
            body.append(fence(code.split("\n")).replace("```cpp", "```c"))
    return "\n".join(body), names
