#!/usr/bin/env bash
# Builds the program as users run it, to bin/test/parley, and runs a command:
#
#   scripts/with-program.sh go test ./e2e/api
#
# The command finds the program in PARLEY_TEST_PROGRAM. The file is replaced only when
# its bytes change: go's test cache knows the files that a test opens by their size and
# the time of their last change.
set -euo pipefail

if [ $# -eq 0 ]; then
  echo "usage: scripts/with-program.sh COMMAND [ARGUMENT...]" >&2
  exit 2
fi

root=$(cd "$(dirname "$0")/.." && pwd)
PARLEY_TEST_PROGRAM=$root/bin/test/parley
mkdir -p "$root/bin/test"
built=$(mktemp "$root/bin/test/building.XXXXXX")
trap 'rm -f "$built"' EXIT
(cd "$root" && CGO_ENABLED=0 go build -trimpath -o "$built" ./cmd/parley)
chmod 755 "$built"
cmp -s "$built" "$PARLEY_TEST_PROGRAM" || mv -f "$built" "$PARLEY_TEST_PROGRAM"
rm -f "$built"
trap - EXIT

export PARLEY_TEST_PROGRAM
exec "$@"
