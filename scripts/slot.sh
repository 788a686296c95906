# shellcheck shell=bash
# Scripts that start throw-away servers source this file. `take_slot` gives the run a
# numbered slot, which nobody else on this machine has: its folder is in $slot and
# empty, and the ports from $slot_port on are meant for its servers. Whoever takes a
# slot next gets the lowest free number. So a run that follows another one finds
# everything at the same paths, and go's test cache, which remembers the environment
# and the paths that a test reads, can tell that nothing has changed.
#
# A script that runs within another one shares its slot, which PARLEY_TEST_SLOT names.
# The script that took the slot deletes its folder with `free_slot`. The command also gets
# PARLEY_TEST_INPUTS, which scripts/test-inputs.sh describes.
#
# The folder is in memory, in /dev/shm, if 3 GiB are free there and PARLEY_PG_DURABLE is
# not 1; otherwise in /tmp. It is never in $TMPDIR: the path of a Unix socket has room
# for about 100 bytes.

slot=
slot_port=
slot_secrets=
slot_taken=

slots_below() {
  if [ "${PARLEY_PG_DURABLE:-}" != 1 ] && [ -w /dev/shm ] &&
    [ "$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)" -ge $((3 * 1024 * 1024)) ] 2>/dev/null; then
    echo /dev/shm
  else
    echo /tmp
  fi
}

# What a slot keeps between runs: its lock, and the key of its Weaviate server.
slots_kept() {
  echo "${PARLEY_CACHE:-${CI_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}}}/parley/slots"
}

take_slot() {
  local kept number
  kept=$(slots_kept)
  if [ -n "${PARLEY_TEST_SLOT:-}" ]; then
    slot=$PARLEY_TEST_SLOT number=${PARLEY_TEST_SLOT##*-}
  else
    mkdir -p "$kept"
    for number in $(seq 0 63); do
      # The servers and the command inherit the lock: a slot is free once all have ended.
      exec 8>"$kept/$number.lock"
      ! flock -n 8 || break
      exec 8>&-
    done
    if ! { : >&8; } 2>/dev/null; then
      echo "slot: all 64 slots for test servers are taken. Look for processes that hold $kept/*.lock." >&2
      exit 1
    fi
    slot=$(slots_below)/parley-$(id -u)-$number
    rm -rf "$slot"
    mkdir -m 711 "$slot"
    slot_taken=1
    export PARLEY_TEST_SLOT=$slot
  fi
  if [ -z "${PARLEY_TEST_INPUTS:-}" ]; then
    PARLEY_TEST_INPUTS=$("$(dirname "${BASH_SOURCE[0]}")/test-inputs.sh")
    export PARLEY_TEST_INPUTS
  fi
  slot_secrets=$kept/$number
  slot_port=$((14000 + 12 * number))
  (umask 077 && mkdir -p "$slot_secrets")
}

# shellcheck disable=SC2317 # called by the scripts' stop
free_slot() {
  [ -z "$slot_taken" ] || rm -rf "$slot"
}
