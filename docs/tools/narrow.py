# SPDX-License-Identifier: Apache-2.0
"""Wraps the code of the API reference: headers have lines of up to 110 characters, and pages at most 100."""
import re
import textwrap

WIDTH = 100
COMMENT = re.compile(r"(\s*)(///?<?) ?(.*)")
BEHIND = re.compile(r"(.*?\S\s*)(///?<?) (.*)")  # a declaration with a comment behind it


def wrapped(text, indent):
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def comments(lines):
    """Lines that are comments with the same indent and mark. Items of lists and blank lines begin a paragraph."""
    indent, mark, _ = COMMENT.fullmatch(lines[0]).groups()
    paragraphs = []
    for line in lines:
        text = COMMENT.fullmatch(line).group(3)
        if not paragraphs or not text or not paragraphs[-1] or text.startswith(("- ", "    ")):
            paragraphs.append(text)
        else:
            paragraphs[-1] += " " + text.strip()
    for text in paragraphs:
        prefix = f"{indent}{mark} "
        found = wrapped(text, prefix) or [prefix.rstrip()]
        item = "  " if text.startswith("- ") else ""
        if item and len(found) > 1:
            found = textwrap.wrap(text, WIDTH, initial_indent=prefix, subsequent_indent=prefix + item)
        yield from found


def behind(lines):
    """A declaration with a comment behind it that goes on in the next lines."""
    code, mark, text = BEHIND.fullmatch(lines[0]).groups()
    text = " ".join([text, *(COMMENT.fullmatch(line).group(3) for line in lines[1:])])
    if len(code) > WIDTH // 2:
        space = re.match(r"\s*", code).group()
        return [*wrapped(text, f"{space}{mark.rstrip('<')} "), code.rstrip()]
    found = wrapped(text, f"{' ' * len(code)}{mark} ")
    return [code + found[0].lstrip(), *found[1:]]


def declaration(line):
    """A line of code, broken after a comma."""
    indent = re.match(r"\s*", line).group() or " " * 8
    while len(line) > WIDTH and (at := line.rfind(", ", 0, WIDTH)) > len(indent):
        yield line[:at + 1]
        line = indent + line[at + 2:]
    yield line


def narrow(text):
    if all(len(line) <= WIDTH for line in text.split("\n")):
        return text
    lines, out, at = text.split("\n"), [], 0
    while at < len(lines):
        first, end = lines[at], at + 1
        if found := COMMENT.fullmatch(first):
            while end < len(lines) and (next_ := COMMENT.fullmatch(lines[end])) and next_.groups()[:2] == found.groups()[:2]:
                end += 1
            change = comments
        elif BEHIND.fullmatch(first):
            while end < len(lines) and re.match(r"\s*///<", lines[end]):
                end += 1
            change = behind
        else:
            change = lambda block: declaration(block[0])
        block = lines[at:end]
        out += change(block) if any(len(line) > WIDTH for line in block) else block
        at = end
    return "\n".join(out)
