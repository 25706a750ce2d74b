#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh install BUILD WORK          installs BUILD into WORK/first, then moves it to WORK/moved
# run.sh WAY SOURCE WORK CXX         builds the consumer project that way, runs its programs
# WAY: find_package, pkg_config, add_subdirectory, fetch_content.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
way=$1

if [ "$way" = install ]; then
    rm -rf "$3"
    cmake --install "$2" --prefix "$3/first" >/dev/null
    mv "$3/first" "$3/moved"
    if grep -rlI --include='*.cmake' --include='*.pc' -e "$3" -e "$2" "$3/moved"; then
        echo "the files above hold a path of the machine that built them" >&2
        exit 1
    fi
    exit 0
fi

source=$2 work=$3 cxx=$4
build=$work/$way
rm -rf "$build"
mkdir -p "$build"

# Where there is neither a driver nor a compiler, the program has what the build compiled for processors.
run_everywhere() {
    "$1"
    FERRY_BACKEND=host FERRY_HOST_COMPILER=/nowhere "$1"
}

if [ "$way" = pkg_config ]; then
    pc=$(find "$work/moved" -name ferry.pc)
    libraries=$(dirname "$(dirname "$pc")")
    "$work/moved/bin/ferry-embed" "$here/consumer/scale.cl" --folder "$build" --variable scale_cl --symbol scale \
        --backend host --host-level base
    sources=("$here/consumer/main.cpp" "$build/scale.cl.cpp" "$build/scale.cl.base.cpp")
    export PKG_CONFIG_PATH=${pc%/*}
    read -ra flags <<<"$(pkg-config --cflags --libs ferry)"
    "$cxx" -std=c++20 -w "-I$build" "${sources[@]}" -o "$build/uses_ferry" "${flags[@]}"
    LD_LIBRARY_PATH=$libraries run_everywhere "$build/uses_ferry"
    read -ra flags <<<"$(pkg-config --cflags ferry)"
    "$cxx" -std=c++20 -w "-I$build" "${flags[@]}" "${sources[@]}" -o "$build/uses_ferry_static" \
        "$libraries/libferry.a" -pthread -ldl
    run_everywhere "$build/uses_ferry_static"
    exit 0
fi

options=("-DCMAKE_CXX_COMPILER=$cxx" "-DFERRY_WAY=$way" "-DFERRY_SOURCE=$source")
if [ "$way" = find_package ]; then
    options+=("-DCMAKE_PREFIX_PATH=$work/moved")
elif command -v ccache >/dev/null; then
    options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
cmake -G Ninja -S "$here/consumer" -B "$build" "${options[@]}" >"$build/configure.log" || {
    cat "$build/configure.log"
    exit 1
}
cmake --build "$build" | tail -n 3
run_everywhere "$build/uses_ferry"
run_everywhere "$build/uses_ferry_static"
