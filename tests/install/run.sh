#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh install BUILD WORK          installs BUILD into WORK/first, then moves it to WORK/moved
# run.sh WAY SOURCE WORK CXX [BUILD] builds the consumer project that way, runs its programs
# WAY: find_package, vcpkg, conan, pkg_config, add_subdirectory, fetch_content. With BUILD the last two copy objects of
# this build of Ferry, if they are compiled by the same commands. Without it they compile the library again.
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

# Without a driver and a compiler, the program uses the code that the build compiled for processors.
run_everywhere() {
    "$1"
    FERRY_BACKEND=host FERRY_HOST_COMPILER=/nowhere "$1"
}

if [ "$way" = pkg_config ]; then
    pc=$(find "$work/moved" -name ferry.pc)
    libraries=$(dirname "$(dirname "$pc")")
    sources=("$here/consumer/main.cpp")
    for kernels in scale 2d; do
        "$work/moved/bin/ferry-embed" "$here/consumer/$kernels.cl" --folder "$build" --symbol "of_$kernels" \
            --variable "$(sed 's/^[0-9]/_&/' <<<"${kernels}_cl")" --backend host --host-level base
        sources+=("$build/$kernels.cl.cpp" "$build/$kernels.cl.base.cpp")
    done
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

# The layout of vcpkg in its one prefix: CMake's files in share/NAME, one folder nearer to the prefix, and programs in
# tools/NAME. vcpkg's own helper changes the files in this way. Its toolchain file sets the prefix.
vcpkg_layout() {
    local prefix=$1 file
    mkdir -p "$prefix/share" "$prefix/tools"
    cp -r "$work/moved/include" "$prefix"
    cp -r "$work/moved/lib" "$prefix"
    cp -r "$work/moved/bin" "$prefix/tools/ferry"
    mv "$prefix/lib/cmake/ferry" "$prefix/share/ferry"
    rmdir "$prefix/lib/cmake"
    file=$prefix/share/ferry/ferryTargets.cmake
    grep -q '^get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)$' "$file"
    sed -i '0,/^get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)$/{//d}' "$file"
    sed -i 's|{CMAKE_CURRENT_LIST_DIR}/../../../|{CMAKE_CURRENT_LIST_DIR}/../../|' "$prefix/share/ferry/ferryConfig.cmake"
    sed -i 's|{_IMPORT_PREFIX}/bin/|{_IMPORT_PREFIX}/tools/ferry/|' "$prefix"/share/ferry/ferryTargets-*.cmake
}

# The layout of Conan: the package in a separate folder, named by a toolchain file that Conan generates.
conan_layout() {
    mkdir -p "$1/package"
    cp -r "$work/moved" "$1/package/p"
    printf '%s\n' 'set(CMAKE_FIND_PACKAGE_PREFER_CONFIG ON)' "list(PREPEND CMAKE_PREFIX_PATH \"$1/package/p\")" \
        >"$1/conan_toolchain.cmake"
}

options=("-DCMAKE_CXX_COMPILER=$cxx" "-DFERRY_WAY=$way" "-DFERRY_SOURCE=$source")
if [ "$way" = find_package ]; then
    options+=("-DCMAKE_PREFIX_PATH=$work/moved")
elif [ "$way" = vcpkg ]; then
    prefix=$build/installed/x64-linux
    vcpkg_layout "$prefix"
    options+=("-DCMAKE_PREFIX_PATH=$prefix" -DFERRY_WAY=find_package)
elif [ "$way" = conan ]; then
    conan_layout "$build"
    options+=("-DCMAKE_TOOLCHAIN_FILE=$build/conan_toolchain.cmake" -DFERRY_WAY=find_package)
elif [ -n "${5:-}" ]; then
    batches=$(sed -n 's/^FERRY_BATCH_BUILD:BOOL=//p' "$5/CMakeCache.txt")
    options+=("-DCMAKE_CXX_COMPILER_LAUNCHER=$here/reuse.py;$5;$build/ferry" "-DFERRY_BATCH_BUILD=${batches:-OFF}")
fi
cmake -G Ninja -S "$here/consumer" -B "$build" "${options[@]}" >"$build/configure.log" || {
    cat "$build/configure.log"
    exit 1
}
cmake --build "$build" | tail -n 3
run_everywhere "$build/uses_ferry"
run_everywhere "$build/uses_ferry_static"
