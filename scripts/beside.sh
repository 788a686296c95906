# shellcheck shell=bash
# Scripts that run a command beside servers of their own source this file. Before that
# they define `stop`, which ends and deletes the servers: it is called in the end,
# whatever happens, and, where the servers can tell why a command failed, `explain`.
# `beside COMMAND [ARGUMENT...]` runs the command and exits with its status.

child=

# Everything in the background gets its own process group. So a signal for the script
# does not reach the servers, and the script can pass it on to the command and
# everything that the command started.
set -m

# shellcheck disable=SC2317 # called by the traps
ended() {
  trap - EXIT
  trap '' INT TERM HUP
  stop
}

# shellcheck disable=SC2317 # called by the traps
interrupted() {
  if [ -n "$child" ]; then
    kill "-$1" -- "-$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  fi
  exit "$2"
}

trap ended EXIT
trap 'interrupted INT 130' INT
trap 'interrupted TERM 143' TERM
trap 'interrupted HUP 129' HUP

beside() {
  local status=0
  "$@" <&0 &
  child=$!
  wait "$child" || status=$?
  if [ "$status" -ne 0 ] && declare -F explain >/dev/null; then explain; fi
  exit "$status"
}
