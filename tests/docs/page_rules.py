# SPDX-License-Identifier: Apache-2.0
"""The rules for pages of the documentation, used by check_docs.py. Each function yields a sentence for each fault."""
import re

MOST_IN_A_LINE = 100  # for code and for the output of programs
FILE_NAME = re.compile(r"`?[\w./-]+\.(hpp|h|cpp|cl|cu|md|py|cmake|txt|svg|json)`?|\d\d_\w+")
CODE = re.compile(r"^[ ]*```.*?^[ ]*```[ ]*$", re.S | re.M)


def excerpts(top):
    """Checks that the code of the tutorial's pages is in the programs, line by line, ignoring indentation."""
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


# A programmer of any of the five interfaces searches for these. Each page has Ferry's call or an alternative.
FEATURES = {
    "waiting for a device": r"device\.finish\(\)", "free memory": r"device\.memory\(\)", "properties": r"device\.info\(\)",
    "attributes of a kernel": r"kernel\.info\(\)", "elapsed time": r"elapsed\(", "managed memory": r"MemoryKind::shared|`shared`",
    "constants": "constant", "shuffles": "shuffle|sub-groups", "votes": "[Bb]allot|votes",
    "a barrier of all groups": "barrier of all|grid.sync|team_barrier", "occupancy": "[Oo]ccupancy", "images": "texture|images|RandomAccess",
    "launches from a kernel": "dynamic parallelism|device-side enqueue|from a kernel|tasks", "graphs": "Recording", "printf": "printf",
    "assert": "assert|abort", "float atomics": "ferry_atomic_add_float", "double atomics": "a-double-atomic", "half": "fp16",
    "bfloat16": "bfloat16", "matrix units": "tensor|matri", "templates": "`-D`", "profilers": "FERRY_TRACE", "ranges": "`ferry::Range",
    "libraries": "BLAS|Blas|oneMKL|Kokkos Kernels", "peer access": "another device|between devices|of two devices",
    "structs with pointers": "struct", "priorities": "[Pp]riorit|weights", "other processes": "IPC|Ipc|another process|remote|sharing with",
    "communication": "NCCL|RCCL|oneCCL|MPI", "launch bounds": "reqd_work_group_size", "clocks": "clock"}


def coming_from(top):
    for path in sorted((top / "docs/coming-from").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for feature, words in FEATURES.items():
            if not re.search(words, text):
                yield f"{path.relative_to(top)} has no answer for {feature}"
        for number, line in enumerate(text.split("\n"), 1):
            if re.search(r"\| *not available[^:|]*\|", line) and "](" not in line:
                yield f"{path.relative_to(top)}:{number} says \"not available\" without an alternative"


def pages(top):
    """The hand-written pages of the site, with their text."""
    for path in sorted([*top.glob("*.md"), *(top / "docs").rglob("*.md"), *(top / "samples").rglob("*.md")]):
        if path.name != "CHANGELOG.md":
            yield path, path.relative_to(top), path.read_text(encoding="utf-8")


def code_lines(text):
    """(number, line) of all blocks of code and output: fenced ones, and indented ones."""
    inside = False
    before = ""
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"\s*```", line):
            inside = not inside
        elif inside or line.startswith("    ") and (not before.strip() or before.startswith("    ")):
            yield number, line
        before = line


def long_code(top):
    for _, name, text in pages(top):
        for number, line in code_lines(text):
            if len(line) > MOST_IN_A_LINE:
                yield f"{name}:{number} has {len(line)} characters of code, and the limit is {MOST_IN_A_LINE}"


def link_titles(top):
    """Checks that each link has a title that is not the name of a file."""
    changes = top / "CHANGELOG.md"
    for _, name, text in [*pages(top), (changes, changes.name, changes.read_text(encoding="utf-8"))]:
        for bang, title in re.findall(r"(!?)\[([^\]]*)\]\(", CODE.sub("", text)):
            if not bang and FILE_NAME.fullmatch(title):
                yield f"{name}: the link \"{title}\" is the name of a file; give it a title"


def first_sentences(top):
    for _, name, text in pages(top):
        body = re.sub(r"<!--.*?-->", "", text, flags=re.S).split("\n# ", 1)[-1]
        first = body.partition("\n")[2].strip().split("\n\n")[0]
        if not re.match(r"[\w`*\[]", first) or not re.search(r"[.:]\W*(\s|$)", first):
            yield f"{name} begins with \"{first[:40]}\", and not with a sentence"


def cookbook(top):
    """Checks that the page of each sample shows its output or a picture."""
    for path in sorted((top / "samples").glob("[0-9][0-9]_*/README.md")):
        shown = path.read_text(encoding="utf-8").partition("## What it prints")[2]
        if "```\n" not in shown and "![" not in shown:
            yield f"{path.relative_to(top)} shows neither output nor a picture"


def faults(top):
    for rule in (excerpts, coming_from, long_code, link_titles, first_sentences, cookbook):
        yield from rule(top)
