#!/usr/bin/env bash
# Runs every fuzz test for a while: scripts/fuzz.sh 10s
set -euo pipefail

cd "$(dirname "$0")/.."
duration=${1:-10s}

found=$(grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed -e 's|^\./||' -e 's|:func |:|') || true
if [ -z "$found" ]; then
  echo "fuzz: there is no fuzz test" >&2
  exit 1
fi

while IFS=: read -r file name; do
  go test "./$(dirname "$file")" -run='^$' -fuzz="^$name\$" -fuzztime="$duration" </dev/null
done <<<"$found"
