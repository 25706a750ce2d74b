#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Cross-builds for ARM64 Linux and runs unit tests, host conformance and four samples in qemu-user.
set -euo pipefail
cd "$(dirname "$0")/../.."
arm64=(--target ferry_unit --target ferry_conformance --target ferry_heap_test)
arm64_samples='01_transfer|02_async|04_queues|10_sha256'
for sample in ${arm64_samples//|/ }; do arm64+=(--target "sample_$sample"); done
tests/run --preset aarch64 --build-only "${arm64[@]}"
tests/run --preset aarch64 --test-only -R "^unit[.]|^conformance[.]host[.]|^sample[.]($arm64_samples)$" \
    -E "$(grep '^^' tests/tools/arm64_exclusions.txt | cut -d' ' -f1 | paste -sd '|')"
