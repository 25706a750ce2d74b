#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every plot in docs/images equals the one drawn from docs/data, and that a page shows it:

    check_plots.py ferry_docs_plots DOCS"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile


NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def same(committed, drawn):
    """Coordinates are rounded to 0.1, and the last digit depends on the mathematical library."""
    committed, drawn = (path.read_text(encoding="utf-8") if path.exists() else "" for path in (committed, drawn))
    pairs = zip(NUMBER.findall(committed), NUMBER.findall(drawn), strict=False)
    return NUMBER.sub("", committed) == NUMBER.sub("", drawn) and all(abs(float(a) - float(b)) < 0.15 for a, b in pairs)


def main():
    tool, docs = sys.argv[1], pathlib.Path(sys.argv[2])
    data = sorted((docs / "data").glob("*.json"))
    pages = "\n".join(page.read_text(encoding="utf-8") for page in docs.glob("*.md"))
    command = f"{pathlib.Path(tool).name} docs/images docs/data/*.json"
    problems = []
    named = [plot["file"] for file in data for plot in json.loads(file.read_text(encoding="utf-8"))["plots"]]
    if not named or len(set(named)) != len(named):
        problems.append(f"docs/data describes no plot, or one file twice: {named}")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tool, folder, *data], check=True)
        for name in named:
            if not same(docs / "images" / name, pathlib.Path(folder) / name):
                problems.append(f"docs/images/{name} is not the plot that docs/data describes; draw it again: {command}")
            if f"(images/{name})" not in pages:
                problems.append(f"no page shows docs/images/{name}")
    print("\n".join(problems) or f"{len(named)} plots equal their data.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
