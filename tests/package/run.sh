#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh make BUILD WORK       makes the Debian packages of BUILD, checks them, and unpacks them into WORK/root
# run.sh use SOURCE WORK CXX   builds programs in C++ and in C with the unpacked files, by CMake and pkg-config
# run.sh chroot SOURCE WORK    installs, uses and removes the packages in a new Debian system
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
way=$1 work=$3
fail() {
    echo "$*" >&2
    exit 1
}

if [ "$way" = use ] && [ ! -d "$work/root" ]; then
    echo "no package was made"
    exit 77
fi

field() { dpkg-deb --field "$@"; }

if [ "$way" = make ]; then
    command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || {
        echo "dpkg-deb and dpkg-shlibdeps are not here"
        exit 77
    }
    rm -rf "$work"
    mkdir -p "$work"
    work=$(cd "$work" && pwd)
    (cd "$2" && cpack -G DEB -B "$work" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip) >"$work/cpack.log" 2>&1 || {
        cat "$work/cpack.log"
        exit 1
    }
    rm -rf "$work/_CPack_Packages"
    runtime=$(echo "$work"/libferry0*.deb) development=$(echo "$work"/libferry-dev_*.deb)
    version=$(field "$runtime" Version)
    name=$(field "$runtime" Package)
    for package in "$work"/*.deb; do
        depends=$(field "$package" Depends)
        echo "$(basename "$package"): $(field "$package" Installed-Size) KiB, depends on $depends"
        if grep -qiE 'cuda|nvidia|amdhip|rocm|hip|opencl|intel|pocl|mesa' <<<"$depends"; then
            fail "$package depends on a vendor"
        fi
        dpkg-deb -x "$package" "$work/root"
        [ -s "$work/root/usr/share/doc/$(field "$package" Package)/copyright" ] || fail "$package has no copyright"
        if [ "$package" != "$runtime" ]; then
            grep -qF "$name (= $version)" <<<"$depends" || fail "$package does not depend on $name (= $version)"
        fi
    done
    grep -q 'libc6' <<<"$(field "$runtime" Depends)" || fail "dpkg-shlibdeps found nothing in $runtime"
    grep -q 'libstdc++6' <<<"$(field "$runtime" Depends)" || fail "dpkg-shlibdeps found nothing in $runtime"
    soname=$(objdump -p "$work"/root/usr/lib/libferry.so | sed -n 's/^ *SONAME *//p')
    [ "lib${name#lib}" = "$name" ] && [ "$soname" = "libferry.so.${name#libferry}" ] || fail "$name holds $soname"
    if dpkg-deb -c "$runtime" | grep -E 'include|\.a$|libferry\.so$'; then
        fail "$runtime has what belongs to $development"
    fi
    if grep -rlI --include='*.cmake' --include='*.pc' -e "$work" -e "$2" "$work/root"; then
        fail "the files above hold a path of the machine that built them"
    fi
    exit 0
fi

source=$2 root=$work/root/usr
if [ "$way" = use ]; then
    cxx=$4
    mkdir -p "$work/build"
    export LD_LIBRARY_PATH=$root/lib
    for consumer in "$source/tests/install/consumer" "$here/consumer"; do
        build=$work/build/$(basename "$(dirname "$consumer")")
        rm -rf "$build"
        cmake -G Ninja -S "$consumer" -B "$build" "-DCMAKE_CXX_COMPILER=$cxx" -DFERRY_WAY=find_package \
            "-DCMAKE_PREFIX_PATH=$root" --no-warn-unused-cli >"$build.log" 2>&1 || {
            cat "$build.log"
            exit 1
        }
        cmake --build "$build" | tail -n 1
        "$build/uses_ferry"
    done
    export PKG_CONFIG_PATH=$root/lib/pkgconfig
    read -ra flags <<<"$(pkg-config --cflags --libs ferry)"
    cc -std=c99 "$here/consumer/main.c" -o "$work/build/uses_pkg_config" "${flags[@]}"
    "$work/build/uses_pkg_config"
    read -ra flags <<<"$(pkg-config --static --libs-only-other --libs-only-l ferry | sed 's/-lferry//')"
    cc -std=c99 "$here/consumer/main.c" -o "$work/build/uses_static" "-I$root/include" "$root/lib/libferry.a" "${flags[@]}"
    LD_LIBRARY_PATH='' "$work/build/uses_static"
    exit 0
fi

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo "a new Debian system needs root and debootstrap"
    exit 77
fi
system=$(mktemp -d /var/tmp/ferry-chroot.XXXXXX)
trap 'umount -q "$system/proc"; rm -rf --one-file-system "$system"' EXIT
. /etc/os-release
debootstrap --variant=minbase --include=ca-certificates "$VERSION_CODENAME" "$system" \
    ${FERRY_TEST_MIRROR:+"$FERRY_TEST_MIRROR"} >"$work/debootstrap.log" 2>&1 || {
    tail -n 20 "$work/debootstrap.log"
    exit 1
}
cp /etc/resolv.conf "$system/etc/" 2>/dev/null || true
mount -t proc proc "$system/proc"
mkdir "$system/ferry"
cp "$work"/*.deb "$here/consumer/main.c" "$system/ferry"
inside() { chroot "$system" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }
inside sh -c 'ls / /usr/lib > /ferry/before; apt-get install --yes --no-install-recommends -qq /ferry/*.deb' >/dev/null
inside ferry list
inside apt-get install --yes --no-install-recommends -qq gcc libc6-dev pkg-config >/dev/null
inside sh -c 'gcc -std=c99 /ferry/main.c -o /ferry/app $(pkg-config --cflags --libs ferry) && /ferry/app'
inside sh -c 'apt-get purge --yes -qq ferry libferry-dev "libferry0*"' >/dev/null
left=$(inside sh -c 'find / -xdev -iname "*ferry*" -not -path "/ferry*" -not -path "/proc/*" -not -path "/var/*"')
[ -z "$left" ] || fail "the packages left behind: $left"
