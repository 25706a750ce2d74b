#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Looks for words that are often spelled wrongly, with codespell: in everything, or in the files named.
#   tests/tools/spelling.sh [FILE...]
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v codespell >/dev/null || { echo "codespell is needed: apt-get install codespell" >&2; exit 1; }
# Intended words: "to and fro", "statics", and names of functions, devices, files and variables.
words=ans,fro,hsa,kno,nd,renderd,statics,upto
[ $# -gt 0 ] || set -- api backends src tests samples cmake docs .ci ./*.md ./*.txt
codespell --check-hidden --ignore-words-list "$words" "$@"
