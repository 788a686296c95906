#!/usr/bin/env bash
# Builds the package, proves that its types are those of the API's description, and runs
# its tests against the server that the environment names.
set -euo pipefail

cd "$(dirname "$0")"
command -v node >/dev/null || { echo "Install Node.js 20 or later: the TypeScript client is tested with it." >&2; exit 1; }
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --no-audit --no-fund --loglevel=error
fi
cp src/schema.d.ts node_modules/.schema.before
npm run -s generate >/dev/null
if ! cmp -s src/schema.d.ts node_modules/.schema.before; then
  echo "src/schema.d.ts was not that of api/openapi.yaml. It is now: commit it." >&2
  exit 1
fi
npm run -s build
mkdir -p node_modules/.packed
npm pack --silent --pack-destination node_modules/.packed >/dev/null
npm test
