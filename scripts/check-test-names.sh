#!/usr/bin/env bash
# Fails when a test of tools/testnames/before.txt is neither in its package nor, by
# tools/testnames/mapped.txt, in another one.
set -euo pipefail

cd "$(dirname "$0")/.."

now=$(git ls-files '*_test.go' | xargs grep -HoE '^func (Test|Fuzz)[A-Za-z0-9_]*' |
  sed -E 's|/[^/]*:func | |; s|^|parley/|')
awk '
  FILENAME == "-" { now[$1 " " $2] = 1; next }
  FILENAME ~ /mapped/ {
    split($0, sides, " -> ")
    to[sides[1]] = sides[2]
    next
  }
  ($1 " " $2) in now { next }
  {
    name = $1 " " $2
    held = name in to # before the next line, which adds it
    if (to[name] ~ /^gone /) next
    count = split(to[name], targets, ", ")
    for (i = 1; i <= count; i++) if (!(targets[i] in now)) held = 0
    if (!held) { print name " is gone, and nothing says what holds its promise now"; lost = 1 }
  }
  END { exit lost }
' - tools/testnames/mapped.txt tools/testnames/before.txt <<<"$now"
