#!/usr/bin/env bash
# Installs the client of the TypeScript SDK for MCP, as its lock file has it, and prints the
# folder of its modules. What was installed is kept outside the tree.
set -euo pipefail

if ! command -v npm >/dev/null; then
  echo "mcp-client: Node.js and npm are missing. Install them (in Debian: nodejs npm), then try again." >&2
  exit 1
fi

of="$(cd "$(dirname "$0")/../tools/sdks/mcp" && pwd)"
hash="$(cat "$of/package.json" "$of/package-lock.json" | sha256sum | cut -c1-16)"
kept="${PARLEY_CACHE:-${CI_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}}}/parley/mcp-client-$hash"
if [ ! -d "$kept" ]; then
  mkdir -p "$(dirname "$kept")"
  made="$(mktemp -d "$kept.XXXXXX")"
  trap 'rm -rf "$made"' EXIT
  cp "$of/package.json" "$of/package-lock.json" "$made/"
  npm ci --prefix "$made" --ignore-scripts --no-audit --no-fund --silent >&2
  mv -T "$made" "$kept" 2>/dev/null || [ -d "$kept" ] # another was first
fi
echo "$kept/node_modules"
