#!/usr/bin/env bash
# Runs a command beside all that the tests need, a throw-away PostgreSQL, a throw-away
# Weaviate and the built program:
#
#   scripts/with-services.sh go test ./...
#
# scripts/with-postgres.sh, scripts/with-weaviate.sh and scripts/with-program.sh describe
# the environment of the command.
set -euo pipefail

if [ $# -eq 0 ]; then
  echo "usage: scripts/with-services.sh COMMAND [ARGUMENT...]" >&2
  exit 2
fi

scripts=$(dirname "$0")
exec "$scripts/with-program.sh" "$scripts/with-postgres.sh" "$scripts/with-weaviate.sh" "$@"
