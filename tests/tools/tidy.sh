#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs clang-tidy over the library's and the tool's sources, on all cores.
#   tests/tools/tidy.sh BUILD-FOLDER [FILE...]
set -euo pipefail
build=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/../.."
tool=$(command -v clang-tidy-14 || command -v clang-tidy)
if [ $# -eq 0 ]; then
    mapfile -t files < <(find src backends -name '*.cpp' | sort)
    set -- "${files[@]}"
fi
# The build may be g++'s, which knows warnings that clang does not.
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" "$tool" -p "$build" --quiet \
    --extra-arg=-Wno-unknown-warning-option 2> >(grep -v 'warnings generated' >&2)
echo "$# files"
