#!/usr/bin/env bash
# Fails when a generated file is not what `make generate` writes. It compares
# the files before with those after, so that it works in a tree with changes
# that are not committed yet.
set -euo pipefail

cd "$(dirname "$0")/.."

hashes() {
  {
    find ent views -type f
    find . -maxdepth 1 -name .env.example
    find docs -maxdepth 1 -name config.md
  } | LC_ALL=C sort | xargs sha256sum
}

before=$(hashes)
make --no-print-directory generate
after=$(hashes)

if [ "$before" != "$after" ]; then
  echo "Generated files were out of date. Run make generate and commit what it writes to:" >&2
  # Lines of only one side, so of a file that changed, appeared or vanished.
  LC_ALL=C comm -3 <(LC_ALL=C sort <<<"$before") <(LC_ALL=C sort <<<"$after") | awk '{ print "  " $2 }' | sort -u >&2
  exit 1
fi
