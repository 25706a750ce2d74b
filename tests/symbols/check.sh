#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check.sh exports LIBRARY    the shared library exports only ferry:: without internal namespaces, and the C interface
# check.sh archive LIBRARY    the same for the strong symbols of the static library (templates are weak)
# check.sh program PROGRAM    the same for the symbols that a program with the static library exports
# check.sh variants FOLDER    the kernels' objects in the folder, for different processors, share no code by name
# check.sh needed FILE...     no file needs a vendor's library
set -euo pipefail
what=$1
shift

ours='^((typeinfo|typeinfo name|vtable|VTT|guard variable) for |(non-)?virtual thunk to |TLS (init|wrapper) function for )?ferry::'
inside='ferry::(c|cuda|hip|driver|opencl|host|backend|cache)::'
# Symbols of the C++ runtime, if the compiler links it into programs (-static-libstdc++).
runtime='^((typeinfo|typeinfo name|vtable|VTT|guard variable|construction vtable|transaction clone) for |(non-)?virtual thunk to |TLS (init|wrapper) function for )*([a-z ]+ )?(std::|__gnu_cxx::|__cxxabiv1::|abi::|__cxa_|__gxx_|_Unwind_|_txnal_|__dynamic_cast|__gcclibcxx_|__once_proxy|operator (new|delete)|__(de)?register_frame)'
# Symbols of the start-up files of any C program.
program='^(main|data_start|__data_start|__bss_start|_edata|_end|_start|_init|_fini|_IO_stdin_used|__dso_handle|__TMC_END__|kernels::.*)$'

# Removes the names of the C interface, which are listed in a file.
cxx_only() {
    grep -vxFf <(grep -v '^#' "$(dirname "$0")/../c/symbols.txt") || true
}

# $1: the names. Fails if there are too few of them, because then the file is wrong, or if $2 is not empty.
judge() {
    local count
    count=$(grep -cE "$ours" <<<"$1" || true)
    if [ "$count" -lt 20 ]; then
        echo "only $count names of ferry:: were found: this looks at the wrong file" >&2
        exit 1
    fi
    if [ -n "$2" ]; then
        printf 'these names should not be there:\n%s\n' "$2" >&2
        exit 1
    fi
    echo "$count names, all of ferry::"
}

case $what in
    exports)
        names=$(nm -D --defined-only -C "$1" | cut -d' ' -f3- | sort -u | cxx_only)
        judge "$names" "$(grep -vE "$ours" <<<"$names" || true; grep -E "$inside" <<<"$names" || true)"
        ;;
    archive)
        names=$(nm -g --defined-only -C "$1" 2>/dev/null | grep -E '^[0-9a-f]{16} [TDBRSGC] ' | cut -d' ' -f3- | sort -u | cxx_only)
        judge "$names" "$(grep -vE "$ours" <<<"$names" || true)"
        ;;
    program)
        # A name with @ is a variable of another library, copied into the program by the linker.
        names=$(nm -D --defined-only -C "$1" | grep -E '^[0-9a-f]{16} [TDBRSGC] [^@]*$' | cut -d' ' -f3- | sort -u | cxx_only)
        strangers=$(grep -vE "$ours" <<<"$names" | grep -vE "$program" || true)
        if ! ldd "$1" | grep -q 'libstdc++'; then
            strangers=$(grep -vE "$runtime" <<<"$strangers" || true)
        fi
        judge "$names" "$strangers"
        ;;
    variants)
        mapfile -t objects < <(find "$1" -regex '.*_kernels/.*[.]\(base\|v[0-9]\)[.]cpp[.]o')
        if [ "${#objects[@]}" -lt 20 ]; then
            echo "only ${#objects[@]} kernels' objects below $1" >&2
            exit 1
        fi
        names=$(nm -g -A --defined-only "${objects[@]}" | grep -v ' ferry_kernels_' || true)
        started=$(objdump -h "${objects[@]}" | grep -E 'file format|[.]init_array' | grep -B1 '[.]init_array' || true)
        if [ -n "$names$started" ]; then
            printf 'these objects should hold their kernels and nothing else:\n%s\n' "$names$started" >&2
            exit 1
        fi
        echo "${#objects[@]} objects, each with its kernels only"
        ;;
    needed)
        for file in "$@"; do
            list=$(ldd "$file")
            grep -q 'libc\.so' <<<"$list" || { echo "ldd shows nothing for $file" >&2; exit 1; }
            if grep -iE 'libcuda|libcudart|libnvrtc|libnvidia|libamdhip|libhiprtc|libhsa|librocm|libOpenCL|libze_' <<<"$list"; then
                echo "$file needs a vendor's library" >&2
                exit 1
            fi
            echo "$(basename "$file") needs no vendor's library"
        done
        ;;
    *)
        echo "check.sh: unknown check $what" >&2
        exit 2
        ;;
esac
