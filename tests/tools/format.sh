#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats the project's C++ files with clang-format 14, or with --check only says which are not.
#   tests/tools/format.sh [--check] [FILE...]
set -euo pipefail
mode=(-i)
if [ "${1:-}" = --check ]; then
    mode=(--dry-run -Werror)
    shift
fi
cd "$(dirname "$0")/../.."
tool=$(command -v clang-format-14 || command -v clang-format)
case $("$tool" --version) in
    *" version 14."*) ;;
    *) echo "clang-format 14 is needed (other versions format otherwise); found: $("$tool" --version)" >&2; exit 1 ;;
esac
if [ $# -eq 0 ]; then
    mapfile -t files < <(find api src backends tests samples -name '*.[ch]pp' -o -name '*.[ch]' | sort)
    set -- "${files[@]}"
fi
"$tool" "${mode[@]}" "$@"
echo "$# files"
