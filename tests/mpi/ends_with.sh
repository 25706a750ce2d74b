#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ends_with.sh STATUS TEXT COMMAND...: checks that the command prints the text and ends with that status.
wanted=$1
text=$2
shift 2
output=$("$@" 2>&1)
status=$?
printf '%s\n' "$output"
if [ "$status" != "$wanted" ]; then
    echo "the command ended with $status instead of $wanted"
    exit 1
fi
printf '%s\n' "$output" | grep -q "$text" || {
    echo "the command did not print '$text'"
    exit 1
}
