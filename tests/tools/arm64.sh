#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Cross-builds for ARM64 Linux and runs unit tests, host conformance and four samples in qemu-user. Fails if one of them is
# missing. Prints the processor time of both parts.
set -euo pipefail
cd "$(dirname "$0")/../.."
samples=(01_transfer 02_async 04_queues 10_sha256)
exclusions=tests/tools/arm64_exclusions.txt
# The build folder has a new name in each clone, and the compiler's output does not depend on it.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

# User and system seconds of all processes that this script has waited for.
processor_seconds() {
    awk -v ticks="$(getconf CLK_TCK)" '{ printf "%d", ($16 + $17) / ticks }' "/proc/$$/stat"
}

targets=(--target ferry_unit --target ferry_conformance)
for sample in "${samples[@]}"; do targets+=(--target "sample_$sample"); done
tests/run --preset aarch64 --build-only "${targets[@]}"
built=$(processor_seconds)

chosen="^unit[.]|^conformance[.]host[.]|^sample[.]($(IFS='|'; echo "${samples[*]}"))\$"
left_out=$(grep '^^' "$exclusions" | cut -d' ' -f1)
all=$(ctest --preset aarch64 --show-only | sed -n 's/^ *Test *#[0-9]*: //p')
for name in unit. conformance.host. "${samples[@]/#/sample.}"; do
    grep -q "^$name" <<<"$all" || { echo "No ARM64 test begins with $name" >&2; exit 1; }
done
for name in $left_out; do
    grep -qE "$name" <<<"$all" || { echo "$exclusions names a test that is not there: $name" >&2; exit 1; }
done
tests/run --preset aarch64 --test-only -R "$chosen" -E "$(paste -sd '|' <<<"$left_out")" --no-tests=error
echo "ARM64: $built s of processor time to build, $(($(processor_seconds) - built)) s to test"
