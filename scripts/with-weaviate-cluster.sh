#!/usr/bin/env bash
# Runs a command beside a throw-away Weaviate cluster of three nodes on this machine,
# which it stops and deletes afterward, even if the command fails:
#
#   scripts/with-weaviate-cluster.sh go run ./cmd/parley serve
#
# The command's WEAVIATE_URL, WEAVIATE_GRPC, WEAVIATE_API_KEY and WEAVIATE_REPLICAS
# name the cluster, as Parley wants them, and PARLEY_WEAVIATE_NODES is a folder in
# which nodeN/pid is the process of node N: kill it, then start the node again with
# scripts/weaviate.sh node "$PARLEY_WEAVIATE_NODES" N. Any number can run side by side.
set -euo pipefail

if [ $# -eq 0 ]; then
  echo "usage: scripts/with-weaviate-cluster.sh COMMAND [ARGUMENT...]" >&2
  exit 2
fi

scripts=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d "${TMPDIR:-/tmp}/parley-weaviate.XXXXXX")

# shellcheck disable=SC2317 # called by beside.sh
stop() {
  local node
  for node in 1 2 3; do
    # A node that the command started again has written its own process there.
    [ ! -s "$dir/node$node/pid" ] || kill -KILL "$(<"$dir/node$node/pid")" 2>/dev/null || true
  done
  wait 2>/dev/null || true
  rm -rf "$dir"
}

# shellcheck source=scripts/beside.sh
. "$scripts/beside.sh"

# Prints the port of a node, which has none before it starts.
port() { sed -E 's|.*:([0-9]+)\?.*|\1|' "$dir/node$1/address" 2>/dev/null; }

ready() {
  local port
  port=$(port "$1") && [ -n "$port" ] || return 1
  (exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'GET /v1/.well-known/ready HTTP/1.0\r\n\r\n' >&3 && grep -q '^HTTP/1.[01] 200' <&3) 2>/dev/null
}

for node in 1 2 3; do
  "$scripts/weaviate.sh" node "$dir" "$node" </dev/null >"$dir/log$node" 2>&1 &
done
end=$((SECONDS + 60))
urls='' grpcs=''
for node in 1 2 3; do
  until ready "$node"; do
    if [ "$SECONDS" -gt "$end" ]; then
      echo "with-weaviate-cluster: node $node did not start. It said:" >&2
      tail -n 10 "$dir/log$node" >&2
      exit 1
    fi
    sleep 0.1
  done
  urls+=${urls:+,}http://127.0.0.1:$(port "$node")
  grpcs+=${grpcs:+,}127.0.0.1:$(($(port "$node") + 1))
done

export WEAVIATE_URL=$urls WEAVIATE_GRPC=$grpcs WEAVIATE_REPLICAS=3 PARLEY_WEAVIATE_NODES=$dir
WEAVIATE_API_KEY=$(<"$dir/key")
export WEAVIATE_API_KEY

beside "$@"
