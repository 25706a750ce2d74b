#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the Python of docs/c.md on the device named by the environment: page_test.py LIBFERRY docs/c.md"""
import contextlib
import ctypes
import io
import pathlib
import re
import sys

library, page = sys.argv[1:]
blocks = re.findall(r"```python\n(.*?)```", pathlib.Path(page).read_text(encoding="utf-8"), re.S)
if len(blocks) != 1:
    sys.exit(f"{page} has {len(blocks)} blocks of Python, not one")
ctypes.CDLL(library)  # the page uses the library's name, and the loader then finds it as already loaded
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    exec(compile(blocks[0], page, "exec"), {"__name__": "page"})
if printed.getvalue() != "7.0\n":
    sys.exit(f"it printed {printed.getvalue()!r}")
print("the page's Python ran")
