#!/usr/bin/env bash
# Builds the program as users run it and runs a command that finds its path in
# PARLEY_TEST_PROGRAM:
#
#   scripts/with-program.sh go test ./e2e/pages
#
# The file changes only when its bytes do, so that go test can take results from its
# cache. PARLEY_TEST_INPUTS is a hash of what tests execute beside the program.
set -euo pipefail

if [ $# -eq 0 ]; then
  echo "usage: scripts/with-program.sh COMMAND [ARGUMENT...]" >&2
  exit 2
fi

root=$(cd "$(dirname "$0")/.." && pwd)
program=$root/bin/test/parley
new=$program.$$
trap 'rm -f "$new"' EXIT
mkdir -p "$root/bin/test"
(cd "$root" && CGO_ENABLED=0 "${GO:-go}" build -o "$new" ./cmd/parley)
cmp --silent "$new" "$program" || mv "$new" "$program"
rm -f "$new"
trap - EXIT

browser() { chromium --version 2>/dev/null || google-chrome --version 2>/dev/null || true; }
inputs=$(cd "$root" && { find scripts tools clients -type f -not -path '*/node_modules/*' -print0 | sort -z | xargs -0 cksum && browser; } | cksum)

export PARLEY_TEST_PROGRAM=$program PARLEY_TEST_INPUTS=${inputs%% *}
exec "$@"
