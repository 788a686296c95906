#!/usr/bin/env bash
# The Weaviate server that tests and development use:
#
#   scripts/weaviate.sh install                      builds it if necessary
#   scripts/weaviate.sh serve DIR [HTTP [GRPC]]      runs it with its data in DIR
#   scripts/weaviate.sh node DIR NUMBER              runs node 1, 2 or 3 of a cluster,
#                                                    with its data in DIR/nodeNUMBER
#
# It is built from the Go module of the release, outside this tree, and kept in
# the folder parley of $PARLEY_CACHE, of $CI_CACHE_DIR, or else of the user's
# cache. Only the first build takes some minutes.
#
# A server that is restarted on the same DIR keeps its ports and its key. Without
# ports it takes six free ones in a row. They listen on loopback, except gRPC and
# the cluster's data port, for which Weaviate has no setting; both require a secret. DIR/address has the server's address, such as
# http://127.0.0.1:20000?grpc=20001, and DIR/key the API key. The nodes of a cluster
# share DIR/key and DIR/ports, the first of 18 ports in a row, which the node
# that starts first chooses; node N's own address is in
# DIR/nodeN/address, and its process in DIR/nodeN/pid.
set -euo pipefail

# The version in compose.yaml. Never skip a minor version on data that you want to keep.
version=1.35.2

cache=${PARLEY_CACHE:-${CI_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}}}/parley
binary=$cache/weaviate-$version/weaviate-server

install_server() {
  [ -x "$binary" ] && return
  mkdir -p "$cache"
  local building
  building=$(mktemp -d "$cache/building.XXXXXX")
  # shellcheck disable=SC2064 # the name is known now
  trap "rm -rf '$building'" EXIT
  echo "weaviate: building version $version, once, for a few minutes"
  # Outside of this tree, whose Go settings do not apply. It needs no cgo, and so
  # no compiler, which setup.sh may be installing meanwhile.
  (cd "$building" && GOFLAGS='' GOWORK=off CGO_ENABLED=0 GOBIN=$building go install "github.com/weaviate/weaviate/cmd/weaviate-server@v$version") </dev/null
  mkdir -p "${binary%/*}"
  mv "$building/weaviate-server" "$binary"
}

# Ports are taken if anything listens on one of them.
free() {
  local port
  for port in $(seq "$1" $(($1 + $2 - 1))); do
    ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || return 1
  done
}

# A number of ports in a row, below those that the system assigns to clients.
free_ports() {
  local port
  for _ in $(seq 100); do
    port=$((15000 + RANDOM % 2800 * 6))
    if free "$port" "$1"; then
      echo "$port"
      return
    fi
  done
  echo "weaviate: there are no $1 free ports in a row" >&2
  return 1
}

built() {
  [ ! -x "$binary" ] || return 0
  echo "weaviate: the server of version $version is not built. Run scripts/setup.sh." >&2
  exit 1
}

# Makes the API key in a folder, unless it has one.
make_key() {
  [ -s "$1/key" ] || (umask 077 && od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"$1/key")
}

serve() {
  built
  mkdir -p "$1"
  local dir http grpc key
  dir=$(cd "$1" && pwd)
  make_key "$dir"
  key=$(<"$dir/key")
  if [ $# -eq 1 ] && [ -s "$dir/address" ]; then
    http=$(sed -E 's|.*:([0-9]+)\?.*|\1|' "$dir/address")
    grpc=$(sed -E 's|.*=||' "$dir/address")
  else
    http=${2:-$(free_ports 6)}
    grpc=${3:-$((http + 1))}
  fi
  echo "http://127.0.0.1:$http?grpc=$grpc" >"$dir/address"

  run "$dir" node1 "$http" "$grpc" "$key" RAFT_BOOTSTRAP_EXPECT=1
}

# Node N takes six ports from the N-th six of the cluster's on. The three elect
# among themselves who leads changes of the schema; each one finds the others by
# gossip and by their names.
node() {
  built
  mkdir -p "$1/node$2"
  local dir key first http join='' raft='' other gossip
  dir=$(cd "$1" && pwd)
  # Nodes that start at the same time agree on the key and the ports.
  exec 9>"$dir/lock"
  flock 9
  make_key "$dir"
  [ -s "$dir/ports" ] || free_ports 18 >"$dir/ports"
  exec 9>&-
  key=$(<"$dir/key") first=$(<"$dir/ports")
  for other in 1 2 3; do
    raft+=${raft:+,}node$other:$((first + 6 * other - 2))
  done
  # A node that joins must find another one. So the first of an empty cluster joins
  # none, and that is node 1: otherwise three nodes that start together would
  # be three clusters.
  for _ in $(seq 600); do
    for other in 1 2 3; do
      gossip=$((first + 6 * other - 4))
      if [ "$other" != "$2" ] && ! free "$gossip" 1; then
        join=127.0.0.1:$gossip
      fi
    done
    [ -z "$join" ] && [ "$2" != 1 ] || break
    sleep 0.1
  done
  http=$((first + 6 * ($2 - 1)))
  echo "http://127.0.0.1:$http?grpc=$((http + 1))" >"$dir/node$2/address"
  echo $$ >"$dir/node$2/pid"
  # A dead node is noticed within a second or two, and its return at once.
  run "$dir/node$2" "node$2" "$http" $((http + 1)) "$key" RAFT_BOOTSTRAP_EXPECT=3 \
    RAFT_JOIN="$raft" CLUSTER_JOIN="$join" MEMBERLIST_FAST_FAILURE_DETECTION=true
}

# Runs a server in place of this script: run DIR NAME HTTP GRPC KEY VARIABLE=VALUE...
#
# The name of the node is part of the stored data. Without
# USE_INVERTED_SEARCHABLE=false, keyword search misses what was written in the
# last minute and miscounts what was deleted; without ASYNC_INDEXING, vectors
# are lost when the server is killed. The caller's environment does not reach the
# server.
run() {
  local dir=$1 name=$2 http=$3 grpc=$4 key=$5
  shift 5
  cd "$dir"
  exec env -i PATH="$PATH" HOME="$dir" LOG_LEVEL=warning DISABLE_TELEMETRY=true GO_PROFILING_DISABLE=true \
    PERSISTENCE_DATA_PATH="$dir/data" AUTOSCHEMA_ENABLED=false DEFAULT_VECTORIZER_MODULE=none API_BASED_MODULES_DISABLED=true \
    AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=false AUTHENTICATION_APIKEY_ENABLED=true \
    AUTHENTICATION_APIKEY_ALLOWED_KEYS="$key" AUTHENTICATION_APIKEY_USERS=parley \
    CLUSTER_BASIC_AUTH_USERNAME=node CLUSTER_BASIC_AUTH_PASSWORD="$key" \
    CLUSTER_HOSTNAME="$name" CLUSTER_BIND_ADDR=127.0.0.1 CLUSTER_ADVERTISE_ADDR=127.0.0.1 CLUSTER_IN_LOCALHOST=true \
    RAFT_TIMEOUTS_MULTIPLIER=1 \
    USE_INVERTED_SEARCHABLE=false ASYNC_INDEXING=true ASYNC_INDEXING_STALE_TIMEOUT=10ms QUEUE_SCHEDULER_INTERVAL=20ms \
    GRPC_PORT="$grpc" CLUSTER_GOSSIP_BIND_PORT=$((http + 2)) CLUSTER_DATA_BIND_PORT=$((http + 3)) \
    RAFT_PORT=$((http + 4)) RAFT_INTERNAL_RPC_PORT=$((http + 5)) "$@" \
    "$binary" --scheme http --host 127.0.0.1 --port "$http"
}

case "${1:-} $#" in
"install 1") install_server ;;
"serve 2" | "serve 3" | "serve 4") serve "${@:2}" ;;
"node 3") node "$2" "$3" ;;
*)
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0" >&2
  exit 2
  ;;
esac
