#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lays out the documentation for mkdocs: site.py TOP FOLDER. docs/build calls it.

The documents are written to be read in the repository, so their links lead to files of it. Here each document, each
sample and each public header gets a page, every other file that a page links to gets one that shows it, and the
links lead to those pages. FOLDER gets mkdocs.yml and content/, and replaces an older one.
"""
import os
import pathlib
import re
import shutil
import sys

import api_reference
import c_reference
import narrow
import reference_index

LINK = re.compile(r"(!?\[[^\]]*\])\(([^)#\s]+)?(#[^)\s]*)?\)")
LANGUAGES = {".h": "c", ".hpp": "cpp", ".cpp": "cpp", ".def": "cpp", ".cl": "c", ".cu": "cuda", ".py": "python", ".sh": "bash",
             ".cmake": "cmake", ".txt": "text", ".md": "text", ".yml": "yaml"}
FIXED = {"README.md": "index.md", "docs/README.md": "index.md", "samples/README.md": "cookbook/index.md", "samples": "cookbook/index.md",
         "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "api/ferry": "reference/index.md",
         "backends/host/README.md": "backends/host-inside.md"}

MOST_IN_A_CELL = 200  # as in tests/docs/check_docs.py
SIDE = re.compile(r"<!-- side by side -->\n(.*?)<!-- end -->", re.S)


class Site:
    def __init__(self, top, folder):
        self.top, self.content = top, folder / "content"
        self.to_show = []  # files that a page links to and that are no documents
        self.declared = set()  # names in the API reference
        self.bad = []

    def place(self, path):
        """The page of a file or folder of the repository; null for one that is copied as it is."""
        name = path.relative_to(self.top).as_posix()
        if name in FIXED:
            return FIXED[name]
        if found := re.fullmatch(r"samples/(\d\d_\w+)(?:/README\.md)?", name):
            return f"cookbook/{found.group(1)}.md"
        if found := re.fullmatch(r"api/ferry/(.*)\.hpp", name):
            return f"reference/{found.group(1)}.md"
        if found := re.fullmatch(r"api/ferry/(c/\w+)\.h", name):
            return f"reference/{found.group(1)}.md"
        if name.startswith("docs/") and name.endswith(".md"):
            return name.removeprefix("docs/")
        if name.startswith("docs/images/"):
            return name.removeprefix("docs/")
        page = f"source/{name}" + ("/index.md" if path.is_dir() else ".md")
        if path not in self.to_show:
            self.to_show.append(path)
        return page

    def relink(self, text, origin, page):
        """`text` of the file `origin` with links that lead from `page` to other pages."""
        def link(found):
            label, target, anchor = found.group(1), found.group(2), found.group(3) or ""
            if target is None or "://" in target or target.startswith("mailto:"):
                return found.group(0)
            path = (origin.parent / target).resolve()
            if not path.exists() or not path.is_relative_to(self.top):
                self.bad.append(f"{origin.relative_to(self.top)}: the link to {target} leads nowhere")
                return found.group(0)
            return f"{label}({os.path.relpath(self.place(path), pathlib.PurePosixPath(page).parent)}{anchor})"
        return outside_of_code(text, lambda part: LINK.sub(link, part))

    def write(self, page, text):
        path = self.content / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def document(self, origin, more=""):
        page = self.place(origin)
        text, sides = SIDE.subn(columns, origin.read_text(encoding="utf-8"))
        text = re.sub(r"[ ]*<!--.*?-->\n?", "", text, flags=re.S)
        front = "---\nhide: [toc]\n---\n" if sides else ""  # columns need the room
        self.write(page, front + self.relink(spaced(text), origin, page) + more)

    def sample(self, folder):
        """What its README says, and its code: main.cpp and the kernels first."""
        files = [f for f in folder.iterdir() if f.suffix in LANGUAGES and f.name not in ("README.md", "CMakeLists.txt")]
        files.sort(key=lambda f: (f.name != "main.cpp", f.suffix not in (".cl", ".cu"), f.name))
        parts = ["\n## The code\n"]
        for file in files:
            parts.append(f"### {file.name}\n\n{shown(file)}")
        self.document(folder / "README.md", "\n".join(parts))

    def reference(self):
        groups = [f"## {purpose}\n\n" + self.entries(entries, ".hpp", api_reference.page) for purpose, entries in reference_index.CPP]
        in_c = self.entries([(f"c/{name}", *rest) for name, *rest in reference_index.C], ".h", c_reference.page)
        listed = set(re.findall(r"#include <(ferry/\w+\.hpp)>", (self.top / "api/ferry/ferry.hpp").read_text(encoding="utf-8")))
        there = {h.relative_to(self.top / "api").as_posix() for h in (self.top / "api/ferry").glob("*.hpp")}
        internal = {"ferry/ferry.hpp", "ferry/export.hpp"}
        for name in sorted(there - listed - internal):
            self.bad.append(f"ferry.hpp does not include {name}")
        for function in (self.top / "tests/c/symbols.txt").read_text(encoding="utf-8").split("\n"):
            if function.startswith("ferry_") and function not in self.declared:
                self.bad.append(f"the reference of the C interface lacks {function}")
        self.other_headers()
        self.write("reference/index.md", "# API reference\n\nThis page lists the public headers by purpose. The pages are made from the "
                   "headers: their declarations, and the prose above them. `#include <ferry/ferry.hpp>` includes all but those of other "
                   "libraries. Every call also takes the caller's line as a last, defaulted argument, which is left out here.\n\n" +
                   "\n".join(groups) + "\n## From C\n\n`#include <ferry/ferry.h>` includes all of these; [C, Python](../c.md) has the "
                   "conventions.\n\n" + in_c)

    def entries(self, entries, suffix, make):
        """Writes a page for each header; gives the table of them."""
        rows = []
        for name, title, sentence in entries:
            header = self.top / "api/ferry" / (name + suffix)
            text, entities = make(f"ferry/{name}{suffix}", header.read_text(encoding="utf-8"), title, sentence)
            if not entities:
                self.bad.append(f"the reference finds nothing that ferry/{name}{suffix} declares")
            if any(len(line) > narrow.WIDTH for code in re.findall(r"^```.*?^```$", text, re.S | re.M) for line in code.split("\n")):
                self.bad.append(f"the page of ferry/{name}{suffix} has a line of code with more than {narrow.WIDTH} characters")
            self.write(self.place(header), text)
            self.declared.update(entities)
            cells = (title, sentence, some_of(list(dict.fromkeys(entities))))
            if longest := [cell for cell in cells if len(cell) > MOST_IN_A_CELL]:
                self.bad.append(f"the index of the reference has a cell of {len(longest[0])} characters for ferry/{name}{suffix}, "
                                f"and the limit is {MOST_IN_A_CELL}")
            rows.append(f"| [{title}]({name}.md) | {sentence} | {cells[2]} |\n")
        return '<div class="index" markdown="1">\n\n| entry | purpose | declares |\n|---|---|---|\n' + "".join(rows) + "\n</div>\n"

    def other_headers(self):
        """Headers that the index leaves out are shown as they are, because pages link to them."""
        groups = [entry[0] for _, entries in reference_index.CPP for entry in entries]
        for header in sorted((self.top / "api/ferry").rglob("*.hpp")):
            name = header.relative_to(self.top / "api/ferry").as_posix().removesuffix(".hpp")
            if name in groups:
                continue
            if name not in reference_index.WITHOUT_ENTRY:
                self.bad.append(f"docs/tools/reference_index.py has no entry for ferry/{name}.hpp")
            self.write(self.place(header), f"# {name}.hpp\n\nThis header is a part of others.\n\n{shown(header)}")
        for header in sorted((self.top / "api/ferry/c").glob("*.h")):
            if header.stem not in [entry[0] for entry in reference_index.C]:
                self.bad.append(f"docs/tools/reference_index.py has no entry for ferry/c/{header.name}")

    def show_sources(self):
        for path in self.to_show:
            page = self.place(path)
            name = path.relative_to(self.top).as_posix()
            if path.is_dir():
                files = sorted(f.relative_to(path).as_posix() for f in path.rglob("*") if f.is_file() and "__pycache__" not in f.parts)
                self.write(page, f"# {name}/\n\nThis folder of the sources has these files:\n\n" + "\n".join(f"- `{f}`" for f in files) + "\n")
            else:
                self.write(page, f"# {name}\n\nThis is a file of the sources.\n\n{shown(path)}")

    def build(self):
        for document in sorted((self.top / "docs").rglob("*.md")):
            if document != self.top / "docs/README.md":
                self.document(document)
        for name in FIXED:
            if name.endswith(".md") and name != "docs/README.md":
                self.document(self.top / name)
        for folder in sorted((self.top / "samples").glob("[0-9][0-9]_*")):
            self.sample(folder)
        self.reference()
        self.show_sources()
        for path in ("images", "assets"):
            if (self.top / "docs" / path).is_dir():
                shutil.copytree(self.top / "docs" / path, self.content / path)
        (self.content.parent / "mkdocs.yml").write_text(self.navigation(), encoding="utf-8")

    def navigation(self):
        """docs/mkdocs.yml with a line for each sample, each header, and each document that it does not name."""
        text = (self.top / "docs/mkdocs.yml").read_text(encoding="utf-8")
        samples = sorted(p.name for p in (self.content / "cookbook").glob("[0-9]*.md"))
        documents = sorted(p.relative_to(self.top / "docs").as_posix() for p in (self.top / "docs").rglob("*.md"))
        others = [d for d in documents if d != "README.md" and not re.search(rf"[ ]{re.escape(d)}$", text, re.M)]
        lines = {"samples": [f"cookbook/{name}" for name in samples], "others": others, "reference": []}
        in_c = ("From C", [(f"c/{name}", title, "") for name, title, _ in reference_index.C])
        for purpose, entries in [*reference_index.CPP, in_c]:
            lines["reference"].append(f'"{purpose}":')
            lines["reference"] += [f'    - "{title}": reference/{name}.md' for name, title, _ in entries]
        return re.sub(r"^( *)# (samples|others|reference):.*$", lambda m: "\n".join(
            m.group(1) + (line if line.startswith(" ") else f"- {line}") for line in lines[m.group(2)]), text, flags=re.M)


def some_of(names):
    """The first names, as code, and the number of the others."""
    for count in range(len(names), 0, -1):
        cell = ", ".join(f"`{name}`" for name in names[:count]) + (f" and {len(names) - count} more" if count < len(names) else "")
        if len(cell) <= MOST_IN_A_CELL:
            return cell
    return f"{len(names)} names"


def columns(found):
    """What stands between the marks, each part of it from a line in bold on, as columns."""
    parts = re.split(r"^(?=\*\*\w+\*\*$)", found.group(1), flags=re.M)
    inside = "".join(f'<div markdown="1">\n\n{part.strip()}\n\n</div>\n' for part in parts if part.strip())
    return f'<div class="side" markdown="1">\n{inside}</div>\n'


def shown(path):
    text = path.read_text(encoding="utf-8").rstrip("\n")
    return f"`````{LANGUAGES.get(path.suffix, 'text')}\n{text}\n`````\n"


def outside_of_code(text, change):
    parts = re.split(r"(^[ ]*```.*?^[ ]*```[ ]*$)", text, flags=re.S | re.M)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


def spaced(text):
    """Blank lines where mkdocs' Markdown needs them and the one of most viewers does not; `\\|` in code within tables."""
    out, inside, before = [], False, ""
    for line in text.split("\n"):
        fence = re.match(r"\s*```", line)
        if not inside and before.strip():
            listed, was_listed = (re.match(r"\s*([-*]|\d+\.) ", each) for each in (line, before))
            table, was_table = (each.startswith("|") for each in (line, before))
            goes_on = before.startswith("  ")
            if listed and not was_listed and not goes_on or table and not was_table or fence or before.startswith("#"):
                out.append("")
        if fence:
            inside = not inside
        elif not inside and line.startswith("|"):
            line = re.sub(r"`[^`]*`", lambda code: code.group().replace("\\|", "|"), line)
        out.append(line)
        before = "" if fence else line
    return "\n".join(out)


def main():
    top, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    site = Site(top, folder)
    site.build()
    for problem in site.bad:
        print(problem, file=sys.stderr)
    return 1 if site.bad else 0


if __name__ == "__main__":
    sys.exit(main())
