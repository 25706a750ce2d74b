# SPDX-License-Identifier: Apache-2.0
"""The rules that pages of the documentation follow, for check_docs.py: each function yields a sentence for each fault."""
import re


def excerpts(top):
    """The code of the tutorial's pages is in the programs, line by line; how far it is indented does not count."""
    for page in sorted((top / "docs/tutorial").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for origin, code in re.findall(r"(?:<!-- from: (\S+) -->\n)?```(?:cpp|c)\n(.*?)```", text, re.S):
            wanted = "\n".join(line.strip() for line in code.rstrip("\n").split("\n"))
            if not origin:
                yield f"{page.relative_to(top)}: no comment `from:` says which program has \"{wanted[:50]}...\""
                continue
            lines = "\n".join(line.strip() for line in (top / origin).read_text(encoding="utf-8").split("\n"))
            if wanted not in lines:
                yield f"{page.relative_to(top)}: {origin} does not have \"{wanted[:50]}...\""


def faults(top):
    yield from excerpts(top)
