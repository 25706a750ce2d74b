# SPDX-License-Identifier: Apache-2.0
# Sourced by samples/run and tests/run: installs missing requirements. If everything is present, it does not use the
# network. With FERRY_NO_INSTALL=1 (--no-install) it only reports missing requirements.

# shellcheck shell=bash disable=SC2034
ferry_intel_version=2026.2.0
ferry_docs_version=mkdocs-material==9.8.1

ferry_say() { printf '%s: %s\n' "$(basename "$(dirname "$0")")/$(basename "$0")" "$*" >&2; }

# The packages among "$@" that are not installed. "a|b" is satisfied by either; the first one is installed if both are
# missing.
ferry_missing_packages() {
    local entry alternative found
    for entry in "$@"; do
        found=
        for alternative in ${entry//|/ }; do
            if dpkg-query -W -f '${db:Status-Status}\n' "$alternative" 2>/dev/null | grep -qx installed; then
                found=1
                break
            fi
        done
        [ -n "$found" ] || printf '%s\n' "${entry%%|*}"
    done
}

ferry_install_packages() {
    if ! command -v dpkg-query >/dev/null; then
        ferry_say "this machine is not Debian or Ubuntu; the packages it would need there are: $*"
        return 0
    fi
    local missing command
    missing=$(ferry_missing_packages "$@" | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    # shellcheck disable=SC2086
    set -- $missing
    command="apt-get install --yes --no-install-recommends $*"
    if [ -n "${FERRY_NO_INSTALL:-}" ]; then
        ferry_say "not installed, as asked: $*"
        return 0
    fi
    ferry_say "installing $*"
    if [ "$(id -u)" = 0 ]; then
        ferry_apt "$@"
    elif command -v sudo >/dev/null; then
        ferry_apt "$@"
    else
        ferry_say "packages are missing and neither root nor sudo is at hand. Run as root: apt-get update && $command"
        exit 1
    fi
}

ferry_apt() {
    local as_root=() log
    log=$(mktemp --tmpdir ferry-apt.XXXXXX.log)
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    ferry_quietly "$log" "${as_root[@]}" apt-get update -qq
    ferry_quietly "$log" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends -qq -o Dpkg::Use-Pty=0 "$@"
    rm -f "$log"
}

# ferry_quietly LOG COMMAND...: writes the output of the command to the log, and shows the log if the command fails.
ferry_quietly() {
    local log=$1 status=0
    shift
    "$@" >"$log" 2>&1 </dev/null || status=$?
    [ "$status" = 0 ] || cat "$log" >&2
    return "$status"
}

# ferry_build LOG COMMAND...: runs a build with ninja and shows its progress on standard error. On a terminal it is
# one line that changes, otherwise a line every ferry_progress_seconds. The output of the build goes to the log, which
# is shown if the build fails. The caller must have set pipefail.
ferry_progress_seconds=15
ferry_build() {
    local log=$1 status=0
    shift
    NINJA_STATUS='[%f/%t] ' "$@" 2>&1 </dev/null | tee "$log" | ferry_progress || status=$?
    [ "$status" = 0 ] || cat "$log" >&2
    return "$status"
}

# Reads the output of ninja and writes the progress. The first steps of a build in batches are the longest. The time
# left therefore follows from the steps after the first quarter, and is shown from a third of the steps on.
ferry_progress() {
    local line='' part done=0 total=0 started=$SECONDS said=-1 terminal='' ended='' since=-1 since_done=0
    [ ! -t 2 ] || terminal=1
    while [ -z "$ended" ]; do
        part=
        if IFS= read -r -t 1 part; then
            line+=$part
            if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
                [ "${BASH_REMATCH[1]}" -gt "$done" ] || since=-1 # ninja has made its own file, and begins again
                done=${BASH_REMATCH[1]}
                total=${BASH_REMATCH[2]}
                if [ "$since" -lt 0 ] && [ "$((done * 4))" -ge "$total" ]; then
                    since=$SECONDS
                    since_done=$done
                fi
            fi
            line=
        elif [ $? -gt 128 ]; then # a second without a whole line
            line+=$part
        else
            ended=1
        fi
        if [ -n "$terminal" ]; then
            printf '\r\033[K%s' "$(ferry_progress_text)" >&2
        elif [ "$total" -gt 0 ] && { [ "$said" -lt 0 ] || [ $((SECONDS - said)) -ge "$ferry_progress_seconds" ]; }; then
            printf '%s\n' "$(ferry_progress_text)" >&2
            said=$SECONDS
        fi
    done
    [ -z "$terminal" ] || printf '\r\033[K' >&2
}

# Part of ferry_progress; it uses its variables.
ferry_progress_text() {
    local elapsed=$((SECONDS - started)) left=
    if [ "$total" = 0 ]; then # ninja counts after the first finished step
        printf 'Building: the first step, %s' "$(ferry_duration "$elapsed")"
        return
    fi
    if [ "$since" -ge 0 ] && [ "$((done * 3))" -ge "$total" ] && [ "$done" -gt "$since_done" ]; then
        left=", about $(ferry_duration $(((SECONDS - since) * (total - done) / (done - since_done)))) left"
    fi
    printf 'Building: %d of %d steps done in %s%s' "$done" "$total" "$(ferry_duration "$elapsed")" "$left"
}

ferry_duration() { printf '%d:%02d min' $(($1 / 60)) $(($1 % 60)); }

# True if a registered OpenCL driver offers a device by default. Mesa's drivers do not.
ferry_has_opencl() {
    [ -z "${OCL_ICD_FILENAMES:-}" ] || return 0
    local vendors=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors} file
    [ -d "$vendors" ] || { [ -e "$vendors" ] && return 0; }
    for file in "$vendors"/*.icd; do
        case $(basename "$file") in
            mesa.icd | rusticl.icd | '*.icd') ;;
            *) return 0 ;;
        esac
    done
    return 1
}

ferry_has_opencl_loader() {
    { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep -q 'libOpenCL\.so\.1'
}

# Intel's OpenCL CPU runtime from PyPI, into the folder $1: 273 MB to download, 402 MB on disk.
ferry_install_intel() {
    local folder=$1 work
    [ "$(uname -m)" = x86_64 ] || return 0
    if [ "$(cat "$folder/version" 2>/dev/null)" = "$ferry_intel_version" ]; then
        return 0
    fi
    if [ -n "${FERRY_NO_INSTALL:-}" ]; then
        ferry_say "not installed, as asked: Intel's OpenCL CPU runtime in $folder"
        return 0
    fi
    ferry_say "downloading Intel's OpenCL CPU runtime $ferry_intel_version into $folder"
    work=$(mktemp -d)
    rm -rf "$folder"
    mkdir -p "$folder/lib" "$folder/icd"
    python3 -m pip download --quiet --no-cache-dir --no-deps --dest "$work" \
        "intel-opencl-rt==$ferry_intel_version" "intel-cmplr-lib-rt==$ferry_intel_version" tbb==2023.2.0
    unzip -qjo "$work"/intel_opencl_rt-*.whl '*/libintelocl.so' '*/libcommon_clang.so.2*' '*/cl.cfg' '*.rtl' \
        '*/cllibrary*.o' '*/libocl_svml_*.so' -d "$folder/lib"
    # These four are not declared as dependencies, but without them the platform silently disappears.
    unzip -qjo "$work"/intel_cmplr_lib_rt-*.whl '*/libimf.so' '*/libsvml.so' '*/libirng.so' '*/libintlc.so.5' \
        -d "$folder/lib"
    unzip -qjo "$work"/tbb-*.whl '*/libtbb.so.12' -d "$folder/lib"
    rm -rf "$work"
    # Its own search path has empty elements, which mean the current directory.
    # shellcheck disable=SC2016
    patchelf --set-rpath '$ORIGIN' "$folder/lib/libintelocl.so"
    printf '%s\n' "$folder/lib/libintelocl.so" >"$folder/icd/intel.icd"
    printf '%s\n' "$ferry_intel_version" >"$folder/version"
}

# Installs the tools for the documentation from PyPI into the folder $1: a virtual environment of 60 MB.
ferry_install_docs() {
    local folder=$1
    if [ "$(cat "$folder/version" 2>/dev/null)" = "$ferry_docs_version" ] && "$folder/bin/python" -c '' 2>/dev/null; then
        return 0
    fi
    if [ -n "${FERRY_NO_INSTALL:-}" ]; then
        ferry_say "not installed, as asked: mkdocs in $folder"
        return 0
    fi
    ferry_say "installing $ferry_docs_version into $folder"
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$ferry_docs_version"
    printf '%s\n' "$ferry_docs_version" >"$folder/version"
}

# Packages of another release of Debian, unpacked into the folder $1 and not installed: ferry_unpack_debian FOLDER SUITE
# PACKAGE... They need programs that use the folder's own C library.
ferry_unpack_debian() {
    local folder=$1 suite=$2 work file
    shift 2
    [ "$(uname -m)" = x86_64 ] && command -v apt-get >/dev/null || return 0
    if [ "$(cat "$folder/version" 2>/dev/null)" = "$suite $*" ]; then
        return 0
    fi
    if [ -n "${FERRY_NO_INSTALL:-}" ]; then
        ferry_say "not installed, as asked: packages of Debian $suite in $folder"
        return 0
    fi
    ferry_say "unpacking packages of Debian $suite into $folder"
    work=$(mktemp -d)
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/packages"
    printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian %s main\n' "$suite" \
        >"$work/sources.list"
    local apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=- -o APT::Sandbox::User=root
        -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache")
    ferry_quietly "$work/log" "${apt[@]}" update
    (cd "$work/packages" && ferry_quietly "$work/log" "${apt[@]}" download "$@")
    rm -rf "$folder"
    mkdir -p "$folder"
    for file in "$work"/packages/*.deb; do
        dpkg -x "$file" "$folder"
    done
    rm -rf "$work" "$folder"/usr/share "$folder"/usr/lib/x86_64-linux-gnu/gconv
    printf '%s\n' "$suite $*" >"$folder/version"
}

# A folder of unpacked packages, for machines that have no package registry.
ferry_use_sysroot() {
    [ -d "$1/.sysroot/usr" ] || return 0
    export CMAKE_PREFIX_PATH="$1/.sysroot/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
    export CPLUS_INCLUDE_PATH="$1/.sysroot/usr/include${CPLUS_INCLUDE_PATH:+:$CPLUS_INCLUDE_PATH}"
    local folder
    folder=$1/.sysroot/usr/lib/$(uname -m)-linux-gnu
    export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

# Selects a compiler that is new enough, because the default c++ may be older than another installed one.
ferry_use_compiler() {
    [ -z "${CXX:-}" ] || return 0
    local candidate major
    for candidate in g++ g++-14 g++-13 g++-12; do
        major=$("$candidate" -dumpversion 2>/dev/null) || continue
        if [ "${major%%.*}" -ge 12 ]; then
            export CXX=$candidate
            return 0
        fi
    done
    for candidate in clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14; do
        major=$("$candidate" -dumpversion 2>/dev/null) || continue
        if [ "${major%%.*}" -ge 14 ]; then
            export CXX=$candidate
            return 0
        fi
    done
    ferry_say "no C++20 compiler: g++ 12 or clang++ 14 or later is needed"
    return 1
}

ferry_build_packages=('g++|g++-12|g++-13|clang' cmake ninja-build opencl-headers libxxhash-dev
    libcli11-dev nlohmann-json3-dev)
ferry_sample_packages=(libfmt-dev libpng-dev libjpeg-dev)
# Libraries that work together with Ferry. If one is missing, its sample and its tests are left out.
ferry_meeting_packages=(libclblast-dev libvkfft-dev libtrilinos-kokkos-dev libopenmpi-dev openmpi-bin)
# For the preset aarch64; .ci/run fails without them.
ferry_arm64_packages=(g++-aarch64-linux-gnu qemu-user)
ferry_test_packages=(ccache doctest-dev ocl-icd-libopencl1 pocl-opencl-icd mesa-opencl-icd
    libvulkan1 libvulkan-dev mesa-vulkan-drivers vulkan-validationlayers
    libamdhip64-5 libamdhip64-dev libamd-comgr2 libhiprtc-builtins5 libhsakmt-dev libhsa-runtime-dev llvm lld clang clang-format-14 'clang-tidy|clang-tidy-14' codespell spirv-tools pkg-config patchelf unzip python3
    python3-pip python3-venv dpkg-dev file git valgrind)
# AMD's HIP 5.7 with ROCr 6.1, below which the emulated GPU runs a second time.
ferry_hip57_packages=(libamdhip64-5 libhiprtc-builtins5 libhsa-runtime64-1 libhsakmt-dev libamd-comgr2 libllvm17t64 libc6
    libstdc++6 libgcc-s1 libdrm-amdgpu1 libdrm2 libelf1t64 libnuma1 libzstd1 zlib1g libxml2 libicu76 liblzma5 libedit2
    libtinfo6 libffi8 libbsd0 libmd0 libz3-4)
# The compiler of HIP 6.4, of a release that changes. For a test that is long.
ferry_hiprtc64_packages=(libhiprtc6 libhiprtc-builtins6 libamd-comgr3 libllvm21 libc6 libstdc++6 libgcc-s1 libnuma1 libzstd1
    zlib1g libxml2-16 liblzma5 libedit2 libtinfo6 libffi8 libbsd0 libmd0 libz3-4 libamdhip64-6 libhsa-runtime64-1
    libdrm-amdgpu1 libdrm2 libelf1t64)
