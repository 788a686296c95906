#!/usr/bin/env bash
# Runs a command beside a throw-away Weaviate server, which it stops and
# deletes afterward, even if the command fails:
#
#   scripts/with-weaviate.sh go test ./index/weaviate
#
# The command finds the server's address in PARLEY_TEST_WEAVIATE, such as
# http://127.0.0.1:20000?grpc=20001, and the API key, without which the server
# answers nothing, in PARLEY_TEST_WEAVIATE_KEY. Any number can run side by side: each
# has a slot (scripts/slot.sh).
#
# With PARLEY_SERVICES=DIR the server keeps its data in DIR and listens on
# ports 8090 and 50051; see scripts/services.sh.
set -euo pipefail

if [ $# -eq 0 ]; then
  echo "usage: scripts/with-weaviate.sh COMMAND [ARGUMENT...]" >&2
  exit 2
fi

scripts=$(cd "$(dirname "$0")" && pwd)
keep=${PARLEY_SERVICES:-}
server=

# shellcheck source=scripts/slot.sh
. "$scripts/slot.sh"

if [ -n "$keep" ]; then
  mkdir -p "$keep/weaviate"
  dir=$(cd "$keep/weaviate" && pwd)
else
  take_slot
  dir=$slot/weaviate
  mkdir "$dir"
fi

# shellcheck disable=SC2317 # called by beside.sh
stop() {
  if [ -n "$server" ]; then
    # Data that is kept needs a clean shutdown; data that is deleted does not.
    if [ -n "$keep" ]; then
      kill -TERM "$server" 2>/dev/null || true
    else
      kill -KILL "$server" 2>/dev/null || true
    fi
    wait "$server" 2>/dev/null || true
  fi
  [ -n "$keep" ] || rm -rf "$dir"
  free_slot
}

# shellcheck source=scripts/beside.sh
. "$scripts/beside.sh"

ready() {
  [ -s "$dir/address" ] || return 1
  local port
  port=$(sed -E 's|.*:([0-9]+)\?.*|\1|' "$dir/address")
  (exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'GET /v1/.well-known/ready HTTP/1.0\r\n\r\n' >&3 && grep -q '^HTTP/1.[01] 200' <&3) 2>/dev/null
}

# Succeeds when the server is ready, and fails if it exits or takes longer than a
# minute.
start() {
  local ports=()
  if [ -n "$keep" ]; then
    ports=(8090 50051)
  else
    # The slot's server has the same key and, if they are free, the same ports each time.
    [ ! -s "$slot_secrets/weaviate-key" ] || (umask 077 && cp "$slot_secrets/weaviate-key" "$dir/key")
    [ "$attempt" -gt 1 ] || ports=("$slot_port" $((slot_port + 1)))
  fi
  "$scripts/weaviate.sh" serve "$dir" "${ports[@]}" </dev/null >"$dir/log" 2>&1 &
  server=$!
  local end=$((SECONDS + 60))
  until ready; do
    if ! kill -0 "$server" 2>/dev/null || [ "$SECONDS" -gt "$end" ]; then
      kill -KILL "$server" 2>/dev/null || true
      wait "$server" 2>/dev/null || true
      server=
      return 1
    fi
    sleep 0.05
  done
}

# Another process may take a port between the check and the start.
for attempt in 1 2 3; do
  start && break
  if [ "$attempt" -eq 3 ] || [ -n "$keep" ] || ! grep -q 'address already in use' "$dir/log"; then
    echo "with-weaviate: the server did not start. It said:" >&2
    tail -n 30 "$dir/log" >&2
    exit 1
  fi
  rm -rf "${dir:?}"/*
done

[ -n "$keep" ] || (umask 077 && cp "$dir/key" "$slot_secrets/weaviate-key")
PARLEY_TEST_WEAVIATE=$(<"$dir/address")
PARLEY_TEST_WEAVIATE_KEY=$(<"$dir/key")
export PARLEY_TEST_WEAVIATE PARLEY_TEST_WEAVIATE_KEY

beside "$@"
