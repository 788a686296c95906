#!/usr/bin/env bash
# Fails when a generated file differs from what `make generate` writes. It compares
# the files before and after, so it also works in a tree with uncommitted changes.
set -euo pipefail

cd "$(dirname "$0")/.."

hashes() {
  {
    find ent views static/bundles -type f
    find . -maxdepth 1 -name .env.example
    find docs -maxdepth 1 -name config.md
  } | LC_ALL=C sort | xargs sha256sum
}

before=$(hashes)
make --no-print-directory generate
after=$(hashes)

if [ "$before" != "$after" ]; then
  echo "Generated files were out of date. Run make generate and commit these files:" >&2
  # Lines on only one side belong to a file that changed, appeared or vanished.
  LC_ALL=C comm -3 <(LC_ALL=C sort <<<"$before") <(LC_ALL=C sort <<<"$after") | awk '{ print "  " $2 }' | sort -u >&2
  exit 1
fi
