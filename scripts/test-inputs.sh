#!/usr/bin/env bash
# Prints a hash of what tests use and go does not see: the scripts that they run, the
# clients in other languages, the locked versions of tools and libraries, and the
# versions of the browser, the databases and the languages on this machine. Tests that
# use any of it read the hash from the environment (PARLEY_TEST_INPUTS), so that go's
# test cache does not take them for unchanged.
set -euo pipefail

cd "$(dirname "$0")/.."

version() {
  local name
  for name in "$@"; do
    if command -v "$name" >/dev/null; then
      "$name" --version </dev/null 2>/dev/null | head -n 1
      return
    fi
  done
  echo "no $1"
}

postgres=$(compgen -G '/usr/lib/postgresql/*/bin/postgres' | sort -V | tail -n 1) || true

# The files that git does not ignore: tests build some of the others.
files() {
  git ls-files -z --cached --others --exclude-standard -- "$@" 2>/dev/null || find "$@" -type f -print0
}

{
  files scripts clients tools compose.yaml fly.toml Dockerfile | LC_ALL=C sort -zu |
    xargs -0 sha256sum 2>/dev/null || true # a file that was just deleted has no hash
  version "${PARLEY_PG_BIN:+$PARLEY_PG_BIN/postgres}" "${postgres:-postgres}"
  version chromium-headless-shell headless-shell chromium chromium-browser google-chrome google-chrome-stable
  version node
  version python3
  stat -Lc %Y "$(command -v soffice)" 2>/dev/null || echo "no soffice" # its version takes seconds
  uname -srm
} | sha256sum | cut -d ' ' -f 1
