#!/usr/bin/env bash
# Runs a command beside a throw-away PostgreSQL cluster, which it stops and
# deletes afterward, even if the command fails:
#
#   scripts/with-postgres.sh go test ./store
#
# The command finds a superuser's URL in PARLEY_TEST_POSTGRES. The cluster
# listens only on a Unix socket in its slot (scripts/slot.sh), so that any number can
# run side by side.
#
# PARLEY_PG_DURABLE=1 makes commits durable, for meaningful measurements. Without it
# nothing is synced to disk, and the cluster and the command's TMPDIR are in memory if
# there is room: tests create and delete hundreds of databases, and on a disk that takes
# longer than what they do with them.
#
# PARLEY_PG_BIN=DIR takes the server in another folder, for another version.
#
# With PARLEY_SERVICES=DIR the cluster is durable, keeps its data in DIR, listens
# on port 5433 of loopback too, and has a database and a role parley, whose URL
# is in PARLEY_SERVICES_DATABASE; see scripts/services.sh.
set -euo pipefail

if [ $# -eq 0 ]; then
  echo "usage: scripts/with-postgres.sh COMMAND [ARGUMENT...]" >&2
  exit 2
fi

# The newest server under /usr/lib/postgresql comes first: PATH may have a
# wrapper that expects clusters elsewhere.
postgres_bin() {
  local newest
  [ -z "${PARLEY_PG_BIN:-}" ] || { echo "$PARLEY_PG_BIN"; return; }
  newest=$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1) || true
  [ -n "$newest" ] || newest=$(command -v initdb) || return 1
  dirname "$newest"
}

if ! bin=$(postgres_bin); then
  echo "with-postgres: this machine has no PostgreSQL server. Run scripts/setup.sh." >&2
  exit 1
fi

# initdb and postgres refuse to run as root.
as_postgres=()
if [ "$(id -u)" -eq 0 ]; then
  if ! id -u postgres >/dev/null 2>&1; then
    echo "with-postgres: running as root requires the user 'postgres' for the server. Run scripts/setup.sh." >&2
    exit 1
  fi
  as_postgres=(setpriv --reuid=postgres --regid=postgres --clear-groups --)
fi

# shellcheck source=scripts/slot.sh
. "$(dirname "$0")/slot.sh"

keep=${PARLEY_SERVICES:-}
take_slot
dir=$slot/postgres
mkdir "$dir"
data=$dir/data
port=5432
server=
if [ -n "$keep" ]; then
  mkdir -p "$keep/postgres"
  data=$(cd "$keep/postgres" && pwd)/data
  port=5433
fi

# shellcheck disable=SC2317 # called by beside.sh
stop() {
  if [ -n "$server" ]; then
    # Data that is kept needs a clean shutdown; data that is deleted does not.
    if [ -n "$keep" ]; then
      kill -INT "$server" 2>/dev/null || true
    else
      kill -QUIT "$server" 2>/dev/null || true
    fi
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$dir"
  free_slot
}

# A deadlock's statements stand in the server's log alone.
# shellcheck disable=SC2317 # called by beside.sh
explain() {
  grep -A 12 'deadlock detected' "$dir/log" >&2 || true
}

# shellcheck source=scripts/beside.sh
. "$(dirname "$0")/beside.sh"

failed() {
  echo "with-postgres: the server did not start. It said:" >&2
  cat "$dir/log" >&2
  exit 1
}

settings() {
  if [ -n "$keep" ]; then
    echo "listen_addresses = '127.0.0.1'"
    echo "port = $port"
  else
    echo "listen_addresses = ''"
  fi
  echo "max_connections = 300"
  if [ "${PARLEY_PG_DURABLE:-}" = 1 ] || [ -n "$keep" ]; then
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
  [ -z "$keep" ] || chown postgres: "${data%/*}"
fi
in_dir() {
  cd "$dir" && exec "${as_postgres[@]}" "$@"
}

if [ ! -s "$data/PG_VERSION" ]; then
  sync=()
  [ -n "$keep" ] || sync=(--no-sync)
  (in_dir "$bin/initdb" --pgdata="$data" --username=postgres --auth-local=trust --auth-host=scram-sha-256 \
    --encoding=UTF8 --locale=C.UTF-8 "${sync[@]}") >"$dir/log" 2>&1 || failed
  settings >>"$data/postgresql.conf"
fi

(in_dir "$bin/postgres" -D "$data" -k "$dir") </dev/null >>"$dir/log" 2>&1 &
server=$!
until "$bin/pg_isready" --quiet --host="$dir" --port="$port"; do
  kill -0 "$server" 2>/dev/null || failed
  sleep 0.05
done

export PARLEY_TEST_POSTGRES="postgres://postgres@/postgres?host=$dir&port=$port"

# As in production, the role owns its database and is not a superuser.
if [ -n "$keep" ]; then
  password_file=${data%/*}/password
  if [ ! -s "$password_file" ]; then
    password=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
    "$bin/psql" --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --host="$dir" --port="$port" --username=postgres <<SQL
CREATE ROLE parley LOGIN NOSUPERUSER PASSWORD '$password';
CREATE DATABASE parley OWNER parley;
SQL
    (umask 077 && echo "$password" >"$password_file")
  fi
  # The roles as which Parley works, also in a cluster from before there were any.
  "$bin/psql" --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --host="$dir" --port="$port" --username=postgres <<'SQL'
SELECT format('CREATE ROLE %I NOLOGIN NOINHERIT', r) FROM unnest(ARRAY['parley_workspace', 'parley_workspaces', 'parley_system']) r
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r) \gexec
GRANT parley_workspace, parley_workspaces, parley_system TO parley;
SQL
  password=$(<"$password_file")
  export PARLEY_SERVICES_DATABASE="postgres://parley:$password@127.0.0.1:$port/parley?sslmode=disable"
fi

# Go's linker keeps its large files on the disk.
if [ "${PARLEY_PG_DURABLE:-}" != 1 ] && [ -z "$keep" ]; then
  mkdir -p "$slot/tmp"
  export GOTMPDIR="${GOTMPDIR:-${TMPDIR:-/tmp}}" TMPDIR="$slot/tmp"
fi

beside "$@"
