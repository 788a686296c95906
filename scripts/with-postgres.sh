#!/usr/bin/env bash
# Runs a command beside a throw-away PostgreSQL cluster, which it stops and
# deletes afterwards, whatever happens to the command:
#
#   scripts/with-postgres.sh go test ./store
#
# The command finds a superuser's URL in PARLEY_TEST_POSTGRES. The cluster
# listens on a Unix socket only, in a directory of its own, so that any number
# can run side by side.
#
# PARLEY_PG_DURABLE=1 makes commits durable, for measurements that are to mean
# something. Without it nothing is synced to disk.
set -euo pipefail

if [ $# -eq 0 ]; then
  echo "usage: scripts/with-postgres.sh COMMAND [ARGUMENT...]" >&2
  exit 2
fi

# The newest server under /usr/lib/postgresql comes first: what PATH has may be
# a wrapper with another idea of where a cluster lives.
postgres_bin() {
  local newest
  newest=$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1) || true
  [ -n "$newest" ] || newest=$(command -v initdb) || return 1
  dirname "$newest"
}

if ! bin=$(postgres_bin); then
  echo "with-postgres: there is no PostgreSQL server here. Run scripts/setup.sh." >&2
  exit 1
fi

# initdb and postgres refuse to run as root.
as_postgres=()
if [ "$(id -u)" -eq 0 ]; then
  if ! id -u postgres >/dev/null 2>&1; then
    echo "with-postgres: root needs the user 'postgres' to run the server as. Run scripts/setup.sh." >&2
    exit 1
  fi
  as_postgres=(setpriv --reuid=postgres --regid=postgres --clear-groups --)
fi

# Not $TMPDIR: the path of a Unix socket has room for about 100 bytes.
dir=$(mktemp -d /tmp/parley-postgres.XXXXXX)
server=
child=

# Everything in the background gets a process group of its own. So a signal for
# this script does not hit the server, and one that this script alone receives
# can be passed on to the command and all that it started.
set -m

# shellcheck disable=SC2317 # reached through the traps
stop() {
  trap - EXIT
  trap '' INT TERM HUP
  if [ -n "$server" ]; then
    kill -QUIT "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$dir"
}

# shellcheck disable=SC2317 # reached through the traps
interrupted() {
  if [ -n "$child" ]; then
    kill "-$1" -- "-$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  fi
  exit "$2"
}

trap stop EXIT
trap 'interrupted INT 130' INT
trap 'interrupted TERM 143' TERM
trap 'interrupted HUP 129' HUP

failed() {
  echo "with-postgres: the server did not start. It said:" >&2
  cat "$dir/log" >&2
  exit 1
}

settings() {
  echo "listen_addresses = ''"
  echo "unix_socket_directories = '$dir'"
  echo "max_connections = 300"
  if [ "${PARLEY_PG_DURABLE:-}" = 1 ]; then
    echo "fsync = on"
    echo "synchronous_commit = on"
  else
    echo "fsync = off"
    echo "synchronous_commit = off"
    echo "full_page_writes = off"
  fi
}

if [ "$(id -u)" -eq 0 ]; then
  chown postgres: "$dir"
fi
in_dir() {
  cd "$dir" && exec "${as_postgres[@]}" "$@"
}

(in_dir "$bin/initdb" --pgdata="$dir/data" --username=postgres --auth=trust \
  --encoding=UTF8 --locale=C.UTF-8 --no-sync) >"$dir/log" 2>&1 || failed
settings >>"$dir/data/postgresql.conf"

(in_dir "$bin/postgres" -D "$dir/data") </dev/null >>"$dir/log" 2>&1 &
server=$!
until "$bin/pg_isready" --quiet --host="$dir"; do
  kill -0 "$server" 2>/dev/null || failed
  sleep 0.05
done

export PARLEY_TEST_POSTGRES="postgres://postgres@/postgres?host=$dir"

"$@" <&0 &
child=$!
status=0
wait "$child" || status=$?
exit "$status"
