# SPDX-License-Identifier: Apache-2.0
"""Makes a page of Markdown out of a public header: its declarations, and the prose that stands above them.

Knows the way Ferry's headers are written, and no more of C++ than that: `///` above a declaration, `///<` behind one,
`//` blocks at the top for a header as a whole, nothing of `namespace detail`, of `private:` parts, or of what says that
it is for the library itself.
"""
import re
import textwrap

from narrow import narrow

SCOPE = re.compile(r"^(?:template <.*> )?(?:requires.*? )?(namespace|class|struct|enum class|enum)\b(?! *\()")
NAME = re.compile(r"(?:namespace|class|struct|enum class|enum)\s+(?:FERRY_API\s+)?([\w:]+(?:<[^>]*>)?)?")
UNWANTED = ("using ", "friend class", "static_assert", "class ", "struct ", "explicit operator bool")


class Item:
    def __init__(self, kind, name, text, doc):
        self.kind, self.name, self.doc, self.lines, self.members = kind, name, doc, [text], []


def matching(text, start):
    """The place behind the brace that closes the one at `start`; strings and comments hold no braces that count."""
    depth = 0
    for token in re.finditer(r'"(?:\\.|[^"\\])*"|//[^\n]*|\'[{}]\'|[{}]', text[start:]):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if depth == 0 and token.group() == "}":
            return start + token.end()
    raise ValueError("a brace is not closed")


def declaration(text, start):
    """A declaration up to its `;` or `{`: the text, where that is, and which of the two."""
    depth = 0
    position = start
    while position < len(text):
        char = text[position]
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "{" and depth > 0:
            position = matching(text, position) - 1
        elif char in ";{" and depth == 0:
            return text[start:position], position, char
        elif text.startswith("//", position):
            position = text.index("\n", position)
        position += 1
    return text[start:], len(text), ";"


def one_line(text):
    text = re.sub(r"//[^\n]*", "", text)
    text = " ".join(text.split())
    return text.replace("FERRY_API ", "").replace("inline ", "").replace(" noexcept : ", " noexcept: ")


def without_initialisers(head):
    depth = 0
    for i, char in enumerate(head):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth == 0 and char == ":" and ")" in head[:i] and head[i - 1] != ":" and head[i + 1:i + 2] != ":":
            return head[:i].rstrip()
    return head


def assigns(head):
    """Whether a value follows: a `=` outside of brackets that belongs to no operator."""
    while re.search(r"\([^()]*\)", head):
        head = re.sub(r"\([^()]*\)", "", head)
    return re.search(r"(?<!operator) =(?: |$)", head) is not None


def hide_places(head):
    """The caller's line, which every call takes by itself, is no argument that anybody gives."""
    return re.sub(r",? ?SourceLocation where = SourceLocation::current\(\)", "", head)


def without_template(head):
    if not head.startswith("template <"):
        return head
    depth = 0
    for i, char in enumerate(head):
        depth += {"<": 1, ">": -1}.get(char, 0)
        if char == ">" and depth == 0:
            return re.sub(r"^requires\(.*?\) (?=\w)|^requires [^ ]+(?: && [^ ]+)* (?=\w)", "", head[i + 1:].strip())
    return head


def entity_name(head):
    head = without_template(re.split(r" = ", head)[0] if not re.search(r"operator *=", head) else head)
    found = re.search(r"(operator *(?:[^\w\s(]+|\(\)|\w[\w:<> ]*)|~?\w+) *\((?!\*)", head)
    if found and found.group(1) not in ("requires", "static_assert", "decltype"):
        return found.group(1).strip()
    words = re.findall(r"\w+", head.split("{")[0])
    return words[-1] if words else ""


def trailing(text, position):
    """A `///<` comment behind a declaration, with the lines that go on below it."""
    found = re.match(r"[ \t]*///<\s?(.*)((?:\n[ \t]*///<.*)*)", text[position:])
    if not found:
        return "", position
    more = re.sub(r"\n[ \t]*///<\s?", " ", found.group(2))
    return found.group(1) + more, position + found.end()


class Parser:
    def __init__(self, text):
        self.text = text
        self.prose = []
        self.items = []

    def run(self):
        self.block(0, len(self.text), self.items, top=True, public=True)
        return self

    def block(self, position, end, items, top, public):
        text = self.text
        doc, ours, last = [], False, None
        while position < end:
            rest = text[position:end]
            if found := re.match(r"\s+", rest):
                if "\n\n" in found.group() and not doc:
                    last = None
                position += found.end()
            elif found := re.match(r"///(?!<) ?(.*)\n?", rest):
                if not doc:
                    ours, last = False, None
                doc.append(found.group(1))
                position += found.end()
            elif found := re.match(r"// ?(?!clang-format|NOLINT)(.*)\n?", rest):
                if top and "SPDX" not in found.group(1) and self.before_code(position):
                    self.prose.append(found.group(1))
                position += found.end()
            elif found := re.match(r"#(?:.*\\\n)*.*\n?", rest):
                position += found.end()
            elif found := re.match(r"(public|private|protected):", rest):
                public = found.group(1) == "public"
                position += found.end()
            elif rest[0] in "};":
                position += 1
            else:
                position, item = self.one(position, doc, items, public and not ours, last)
                if doc and re.match(r"For the library itself", doc[0]):
                    ours = True
                last, doc = item, []

    def before_code(self, position):
        after = re.sub(r"(//[^\n]*\n|\s)+", " ", self.text[position:position + 4000], count=1)
        return after.lstrip().startswith(("namespace ferry", "#"))

    def one(self, position, doc, items, wanted, last):
        """One declaration: where it ends, and the item that a declaration without prose below it belongs to."""
        text = self.text
        raw, at, what = declaration(text, position)
        head = without_initialisers(one_line(raw))
        scope = SCOPE.match(head) if what == "{" else None
        wanted = wanted and not (doc and doc[0].startswith("For the library itself"))
        if scope and scope.group(1) == "namespace":
            name = NAME.search(head).group(1) or ""
            close = matching(text, at)
            if "detail" not in name:
                self.block(at + 1, close - 1, items, top=True, public=True)
            return close, None
        if scope:
            close = matching(text, at)
            behind = text.index(";", close) + 1
            head = re.sub(r" : (?:public )?detail::.*", "", head)
            name = NAME.search(without_template(head)).group(1)
            if not wanted or not name or "detail::" in head:
                return behind, None
            item = Item(scope.group(1), name, head, doc)
            body = text[at + 1:close - 1]
            functions = re.search(r"\w\(", re.sub(r"=[^;]*;|<[^;<>]*>|//[^\n]*", "", body))
            if scope.group(1).startswith("enum") or not functions:
                item.lines = [textwrap.dedent(" " * self.indent(position) + text[position:behind]).replace("FERRY_API ", "")]
            else:
                self.block(at + 1, close - 1, item.members, top=False, public=scope.group(1) == "struct")
            items.append(item)
            return behind, None
        end = at + 1
        if what == "{":
            end = matching(text, at)
            if assigns(head):
                end = text.index(";", end) + 1
                head = one_line(text[position:end - 1])
            elif ")" not in head:
                end = text.index(";", end) + 1
        behind, end = trailing(text, end)
        if not wanted or head.startswith(UNWANTED) or "= delete" in head or not doc and "detail::" in head \
                or " -> " in head and not re.search(r"\bauto\b", head):
            return end, last
        line = wrap(hide_places(head) + ";") + (f" // {behind}" if behind else "")
        if doc:
            items.append(Item("member", entity_name(head), line, doc))
            return end, items[-1]
        if last is not None:
            last.lines.append(line)
            return end, last
        named = [item for item in items if item.kind == "member" and item.name == entity_name(head)]
        if named:
            named[-1].lines.append(line)
            return end, named[-1]
        if behind or items is not self.items:
            items.append(Item("plain", entity_name(head), line, []))
        return end, None

    def indent(self, position):
        return position - (self.text.rfind("\n", 0, position) + 1)


def wrap(line):
    return "\n".join(textwrap.wrap(line, 100, subsequent_indent="        ", break_long_words=False, break_on_hyphens=False))


def paragraphs(lines):
    """Prose of a comment as Markdown: what is indented is code, and what looks like a tag is none."""
    out, code = [], []

    def end_code():
        while code and not code[-1].strip():
            code.pop()
        if code:
            kind = "cpp" if code[0].startswith("    ") else "text"
            text = textwrap.dedent("\n".join(code))
            out.extend(["", f"```{kind}", narrow(text) if kind == "cpp" else text, "```", ""])
            code.clear()

    item = False  # of a list, which goes on in indented lines
    for line in lines:
        item = line.startswith("- ") or item and line.startswith("  ")
        if line.startswith("  ") and not item or code and not line.strip():
            code.append(line)
            continue
        end_code()
        parts = re.split(r"(`[^`]*`)", line)
        out.append("".join(p if p.startswith("`") else p.replace("<", "&lt;").replace("*", "\\*") for p in parts))
    end_code()
    return "\n".join(out)


def fence(lines):
    return "```cpp\n" + narrow("\n".join(lines)) + "\n```\n"


def render(item, level):
    out = []
    if item.kind == "plain":
        return fence(item.lines)
    kind = "" if item.kind == "member" else item.kind + " "
    out.append("#" * level + f" {kind}`{item.name}`\n")
    out.append(fence(item.lines))
    out.append(paragraphs(item.doc) + "\n")
    plain = [line for member in item.members if member.kind == "plain" for line in member.lines]
    if plain:
        out.append(fence(plain))
    out.extend(render(member, level + 1) for member in item.members if member.kind != "plain")
    return "\n".join(out)


def page(header, text, title, sentence):
    """The page of the header `header` ("ferry/buffer.hpp"), and the names that it documents."""
    parser = Parser(text).run()
    items = [item for item in parser.items if item.kind != "plain"]
    loose = [line for item in parser.items if item.kind == "plain" for line in item.lines]
    body = [f"# {title}\n\n{sentence}\n", f"```cpp\n#include <{header}>\n```\n", paragraphs(parser.prose) + "\n"]
    body.extend(render(item, 2) for item in items)
    if loose:
        body.append(fence(loose))
    return "\n".join(body), [item.name for item in items]
