#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that no formatter does: the licence line, files that are too long, marks of unfinished work.
set -euo pipefail
export LC_ALL=C # grep is many times faster
cd "$(dirname "$0")/../.."
bad=0
complain() {
    echo "$*"
    bad=1
}

mapfile -t files < <(find api src backends tests samples cmake docs .ci CMakeLists.txt -type f \
    \( -name '*.[ch]pp' -o -name '*.c' -o -name '*.h' -o -name '*.cl' -o -name '*.cu' -o -name '*.hip' -o -name '*.def' \
    -o -name '*.inc' -o -name '*.cmake' -o -name '*.sh' -o -name '*.py' -o -name CMakeLists.txt -o -name run -o -name build \) | sort)
for file in "${files[@]}"; do
    [ -s "$file" ] || complain "$file: it is empty"
done
complaints=$(awk '
    function finish() {
        if (name != "" && !licensed) print name ": the first line names no licence"
        if (lines > 600) print name ": over 600 lines"
    }
    FNR == 1 { finish(); name = FILENAME; licensed = 0 }
    FNR <= 2 && /SPDX-License-Identifier: Apache-2.0/ { licensed = 1 }
    { lines = FNR }
    END { finish() }' "${files[@]}")
[ -z "$complaints" ] || complain "$complaints"

# A source that is in no list is not built, and its tests do not run.
lists() {
    local folder=$1
    cat "$folder"/*/CMakeLists.txt 2>/dev/null
    while [ "$folder" != . ]; do
        [ ! -f "$folder/CMakeLists.txt" ] || cat "$folder/CMakeLists.txt"
        folder=$(dirname "$folder")
    done
}
for folder in $(find src backends tests samples \( -name '*.cpp' -o -name '*.c' \) -printf '%h\n' | sort -u); do
    listed=$(lists "$folder")
    for file in "$folder"/*.cpp "$folder"/*.c; do
        [ -e "$file" ] || continue
        [[ $listed == *"${file##*/}"* ]] || complain "$file: no CMakeLists.txt names it"
    done
done

# The decimal point of printf() and strtod() depends on the program's locale; src/base/decimal.hpp has replacements.
# The tool (src/cli, src/plot) sets the C locale for its thread.
mapfile -t library < <(find src backends \( -path src/cli -o -path src/plot -o -path src/embed \) -prune -o -name '*.[ch]pp' -print)
if grep -nE '%[-+ #0-9.*]*l?[aefgAEFG]([^[:alnum:]_]|$)|\b(strto[df]|strtold|stod|stof|atof|setprecision)\b' "${library[@]}" |
    grep -vE '^src/base/decimal.hpp|// .*%'; then
    complain "the lines above print or read numbers in the program's locale; use src/base/decimal.hpp"
fi

unfinished='TO''DO|FIX''ME|XX''X'
if grep -nE "\b($unfinished)\b" "${files[@]}"; then
    complain "the lines above mark unfinished work"
fi
if grep -nE '[[:blank:]]+$' "${files[@]}"; then
    complain "the lines above end in blanks"
fi
echo "${#files[@]} files"
exit "$bad"
