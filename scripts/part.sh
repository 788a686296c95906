#!/usr/bin/env bash
# Runs a part of `make test-all`, unless it has passed on this commit before:
#
#   scripts/part.sh NAME COMMAND [ARGUMENT...]
#   scripts/part.sh report [NAME...]             says which parts have passed, and in what time
#
# What has passed is noted in bin/parts. A tree with changes that are not committed has no
# commit, and runs everything.
set -euo pipefail

cd "$(dirname "$0")/.."
part=${1:?part.sh: which part?}
shift

commit=
if [ -z "$(git status --porcelain 2>/dev/null)" ]; then
  commit=$(git rev-parse --short=12 HEAD 2>/dev/null) || true
fi
passed() { echo "bin/parts/$commit-$1"; }

if [ "$part" = report ]; then
  for part in "$@"; do
    [ -z "$commit" ] || [ ! -s "$(passed "$part")" ] || echo "test-$part: $(<"$(passed "$part")")"
  done
  echo "test-all: every part has passed"
  exit
fi

if [ -n "$commit" ] && [ -s "$(passed "$part")" ]; then
  echo "test-$part: $(<"$(passed "$part")"), before"
  exit
fi
start=$SECONDS
"$@"
result="passed in $((SECONDS - start)) s"
echo "test-$part: $result"
if [ -n "$commit" ]; then
  mkdir -p bin/parts
  echo "$result" >"$(passed "$part")"
fi
