#!/usr/bin/env bash
# Fails when a generated file differs from what `make generate` writes. It compares
# the files before and after, so it also works in a tree with uncommitted changes.
#
# Where nothing differs, the files keep the time of their last change: go's test cache
# knows the files that a test opens by it. A tree in which everything was current is
# noted in bin/generated, and not generated again until a file changes.
set -euo pipefail

cd "$(dirname "$0")/.."

generated() {
  {
    find ent views static/bundles -type f
    find . -maxdepth 1 -name .env.example
    find docs -maxdepth 1 -name config.md
  } | LC_ALL=C sort
}
hashes() { generated | xargs sha256sum; }

tree() {
  {
    go env GOVERSION
    git ls-files -z --cached --others --exclude-standard | LC_ALL=C sort -zu | xargs -0 sha256sum 2>/dev/null || true
  } | sha256sum
}

if git rev-parse --git-dir >/dev/null 2>&1 && [ -s bin/generated ] && [ "$(tree)" = "$(<bin/generated)" ]; then
  exit
fi

kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
generated | tar --format=posix -cf "$kept/before.tar" -T -
before=$(hashes)
make --no-print-directory generate
after=$(hashes)

if [ "$before" != "$after" ]; then
  echo "Generated files were out of date. Run make generate and commit these files:" >&2
  # Lines on only one side belong to a file that changed, appeared or vanished.
  LC_ALL=C comm -3 <(LC_ALL=C sort <<<"$before") <(LC_ALL=C sort <<<"$after") | awk '{ print "  " $2 }' | sort -u >&2
  exit 1
fi
tar -xpf "$kept/before.tar"
mkdir -p bin
tree >bin/generated
