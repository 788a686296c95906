#!/usr/bin/env bash
# Runs PostgreSQL and Weaviate for development until Ctrl-C, on loopback, and
# keeps their data in data/services. Delete that folder to start over.
set -euo pipefail

cd "$(dirname "$0")/.."

if [ "${1:-}" != print ]; then
  PARLEY_SERVICES=$PWD/data/services exec scripts/with-services.sh "$0" print
fi

cat <<END
The services run until Ctrl-C. In another shell, or in .env:

export DATABASE_URL='$PARLEY_SERVICES_DATABASE'
export WEAVIATE_URL='${PARLEY_TEST_WEAVIATE%\?*}'
export WEAVIATE_API_KEY='$PARLEY_TEST_WEAVIATE_KEY'
END

# A sleep in the background lets this shell notice a signal at once.
trap 'exit 0' INT TERM HUP
while true; do
  sleep 3600 &
  wait "$!"
done
