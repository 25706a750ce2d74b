#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each relaxed atomic access and each fence has the reason why it is right on weakly ordered processors.

usage: memory_order.py ROOT

The reason is a comment in the same statement or on one of the three lines before it. It may also be a comment with the
word "relaxed" at the declaration of the atomic variable: beside it, or above it or its group. A group ends at an empty
line, or with the braces that its first line opens. A comment with the word in the first five lines of a file covers the
file. A comment is a reason if it is about order or threads and has four words of its own: "see above", "relaxed is enough
here" and a name alone argue nothing. The script lists each access without a reason. First, it is tested on small texts."""
import pathlib
import re
import sys

ORDER = r"memory_order_relaxed|memory_order::relaxed|__ATOMIC_RELAXED|\batomic_(?:thread|signal)_fence\s*\("
ALIAS = re.compile(r"(\w+)\s*=\s*(?:std::)?memory_order(?:_|::)relaxed\s*;")
DECLARED = re.compile(r"\batomic(?:_\w+)?\s*<.*>&?\s*(\w+)\s*(?:[;{=(]|$)|\batomic_\w+\s+(\w+)\s*[;{=]")
USED = re.compile(r"(\w+)(?:\[[^\]]*\]|\(\w*\))*\]?\s*(?:\.|->)\s*"
                  r"(?:load|store|exchange|fetch_\w+|compare_exchange_\w+)\s*\(")
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
COMMENT = re.compile(r"//(.*)|/\*(.*?)\*/")
NAME = re.compile(r"\b\w+(?:::\w+)+(?:\(\))?|\b\w+\(\)|\b\w*_\w*\b")
TOPIC = re.compile(r"relaxed|order|mutex|acquire|acquiring|release|releasing|exchange|fence|thread|guess|owner|too old|late\b", re.IGNORECASE)
FILLER = frozenset(
    "a above access also always an and are as atomic because before below but can cheap comment correct enough faster fine "
    "for here in is it load memory more needed of ok okay order ordering reason relaxed right safe same see sufficient "
    "sufficiently suffices store the this to too very".split())
OWN_WORDS = 4
FIRST_LINES = 5
LINES_BEFORE = 3
LONGEST_STATEMENT = 4


def parts(line):
    """The code and the comment of a line."""
    plain = STRING.sub('""', line)
    found = COMMENT.search(plain)
    return COMMENT.sub("", plain).rstrip(), (found.group(1) or found.group(2) or "").strip("/< ") if found else ""


def argues(comment):
    """Whether a comment is a reason and not only a reference, a name or an assertion."""
    words = re.findall(r"[a-z']+", NAME.sub(" ", comment).lower())
    return bool(TOPIC.search(comment)) and sum(word not in FILLER for word in words) >= OWN_WORDS


def whole_comment(lines, number):
    """The comment of a line, with the lines of nothing but comments that continue it before and after."""
    begin, end = number, number + 1
    while begin > 0 and not lines[number][0] and lines[begin - 1][1] and not lines[begin - 1][0]:
        begin -= 1
    while end < len(lines) and lines[end][1] and not lines[end][0]:
        end += 1
    return " ".join(comment for _, comment in lines[begin:end])


def gives_reason(lines, number):
    comment = whole_comment(lines, number) if lines[number][1] else ""
    return "relaxed" in comment.lower() and argues(comment)


def explained(lines):
    """The names of the atomic variables whose declaration has a reason."""
    names, indent, closing, group, block = set(), 0, False, False, False
    for number, (code, comment) in enumerate(lines):
        says = gives_reason(lines, number)
        if not code:
            if comment:
                block = block or says
            elif not closing:
                group = block = False
            continue
        depth = len(code) - len(code.lstrip())
        if closing and depth <= indent and code.lstrip().startswith("}"):
            group = closing = False
        if block:
            group, closing, indent, block = True, code.endswith("{"), depth, False
        if group or says:
            names.update(name for found in DECLARED.finditer(code) for name in found.groups() if name)
    return names


def unexplained(lines, names):
    text = "\n".join(code for code, _ in lines)
    alias = ALIAS.search(text)
    order = re.compile(ORDER + (rf"|[(,]\s*{alias.group(1)}\b" if alias else ""))
    if any(gives_reason(lines, number) for number in range(min(FIRST_LINES, len(lines)))):
        return
    for number, (code, _) in enumerate(lines):
        if not order.search(code) or ALIAS.search(code):
            continue
        begin = end = number
        while begin > 0 and number - begin < LONGEST_STATEMENT and not lines[begin - 1][0].endswith((";", "{", "}", ":")) \
                and lines[begin - 1][0]:
            begin -= 1
        while end + 1 < len(lines) and end - number < LONGEST_STATEMENT and not lines[end][0].endswith((";", "{", "}")):
            end += 1
        used = USED.findall(" ".join(code for code, _ in lines[begin:end + 1]))
        near = range(max(0, begin - LINES_BEFORE), end + 1)
        if not any(lines[i][1] and argues(whole_comment(lines, i)) for i in near) and not (used and all(name in names for name in used)):
            yield number + 1


def check_itself():
    load = "x.load(std::memory_order_relaxed);"
    count = "a count that orders no other data"
    far = "f();\nf();\nf();\nf();\n"
    wrong = {
        load: [1],
        f"// Orders nothing but this count.\n{far}{load}": [6],
        f"{load} // A count of the bytes in use.": [1],
        f"{load} // See above.": [1],
        f"// Relaxed, see above.\n{load}": [2],
        f"{load} // Relaxed is sufficient here.": [1],
        f"{load} // Relaxed, see Uses::Slot and the_last_thread().": [1],
        f"std::atomic<int> x{{0}}; // Relaxed, for the same reason.\n{far}{load}": [6],
        f"std::atomic<int> x{{0}}; // A count.\n{far}{load}": [6],
        f"// Relaxed: {count}.\nstd::atomic<int> y;\n\nstd::atomic<int> x;\n{far}{load}": [9],
        f"// Relaxed: {count}.\nstruct A {{\n    std::atomic<int> y;\n}};\nstd::atomic<int> x;\n{far}{load}": [10],
        f'f("// no reason"); {load}': [1],
        "std::atomic_thread_fence(std::memory_order_acquire);": [1],
        "constexpr auto relaxed = std::memory_order_relaxed;\nx.load(relaxed);": [2],
    }
    right = [
        f"{load} // Relaxed: {count}.", f"// Relaxed: {count}.\nf();\nf();\n{load}", "f(); // memory_order_relaxed",
        f"std::atomic<int> x{{0}}; // Relaxed: {count}.\n{far}{load}",
        f"std::atomic<int> x{{0}}; // Relaxed: {count[:9]}\n                         // {count[10:]}.\n{far}{load}",
        f"// Relaxed: {count}.\nstd::atomic<int> y;\nstd::atomic<int> x;\n\n{far}{load}",
        f"// All are relaxed: {count}.\nclass A {{\n    int f();\n\n    std::array<std::atomic<int>, 3> x;\n}};\n{far}{load}",
        "x.compare_exchange_weak(a, b,\n    std::memory_order_relaxed,\n    std::memory_order_relaxed); // A first guess; the exchange decides.",
        'f("memory_order_relaxed");', "int relaxed = 1;\nf(relaxed);", f"// Relaxed counts order no other data.\n\n{far}{load}",
    ]
    for text, places in [*wrong.items(), *((text, []) for text in right)]:
        lines = ([parts("")] * FIRST_LINES if not text.startswith("// Relaxed counts") else []) + \
            [parts(line) for line in text.splitlines()]
        found = [place - (FIRST_LINES if lines[0] == parts("") else 0) for place in unexplained(lines, explained(lines))]
        assert found == places, (text, found)


def main():
    check_itself()
    root, count = pathlib.Path(sys.argv[1]), 0
    files = {path: [parts(line) for line in path.read_text(encoding="utf-8").splitlines()]
             for top in ("api", "src", "backends") for path in sorted((root / top).rglob("*"))
             if path.suffix in (".hpp", ".cpp", ".h", ".c", ".inc")}
    names, declared = {}, {}
    for path, lines in files.items():
        names.setdefault(path.parent, set()).update(explained(lines))
        declared.setdefault(path.parent, set()).update(
            name for code, _ in lines for found in DECLARED.finditer(code) for name in found.groups() if name)
    everywhere = set().union(*names.values())
    for path, lines in files.items():
        known = names[path.parent] | (everywhere - declared[path.parent])
        for number in unexplained(lines, known):
            print(f"{path.relative_to(root)}:{number}: {lines[number - 1][0].strip()}")
            count += 1
    if count:
        sys.exit(f"{count} relaxed accesses or fences lack the reason why they are right on weakly ordered processors.")


if __name__ == "__main__":
    main()
