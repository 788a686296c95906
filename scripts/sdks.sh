#!/usr/bin/env bash
# The libraries of others that the tests talk with Parley through, such as OpenAI's for
# Python and JavaScript:
#
#   scripts/sdks.sh install    installs them if necessary
#   scripts/sdks.sh path       says where they are
#
# Their versions are locked in tools/sdks. They are kept outside this tree, in the folder
# parley of $PARLEY_CACHE, of $CI_CACHE_DIR, or else of the user's cache, by the contents
# of the locks: node_modules has those for Node, and bin/python knows those for Python.
set -euo pipefail

locks=$(cd "$(dirname "$0")/../tools/sdks" && pwd)
cache=${PARLEY_CACHE:-${CI_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}}}/parley
sdks=$cache/sdks-$(cat "$locks/package-lock.json" "$locks/requirements.txt" | cksum | cut -d ' ' -f 1)

need() {
  echo "sdks: $1" >&2
  exit 1
}

check_tools() {
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    need "the tests need Node.js 20 or later with npm. Install them (in Debian: apt-get install nodejs npm), then try again."
  fi
  node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' ||
    need "the tests need Node.js 20 or later, and this is $(node --version). Install a later one, then try again."
  command -v python3 >/dev/null ||
    need "the tests need Python 3.10 or later. Install it (in Debian: apt-get install python3 python3-venv), then try again."
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    need "the tests need Python 3.10 or later, and this is $(python3 --version). Install a later one, then try again."
  python3 -c 'import venv, ensurepip' 2>/dev/null ||
    need "Python cannot make environments here. Install its package for that (in Debian: apt-get install python3-venv), then try again."
}

install_node() {
  cp "$locks/package.json" "$locks/package-lock.json" "$1"
  (cd "$1" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error) >"$1/npm.log" 2>&1 || {
    cat "$1/npm.log" >&2
    need "npm could not install the libraries. The tests need its registry once."
  }
}

install_python() {
  python3 -m venv "$1" &&
    "$1/bin/python" -m pip install --disable-pip-version-check --require-hashes --only-binary :all: -q -r "$locks/requirements.txt" >"$1/pip.log" 2>&1 || {
    cat "$1/pip.log" >&2
    need "pip could not install the libraries. The tests need PyPI once."
  }
}

install_sdks() {
  check_tools # also where they are installed: what runs them may have gone
  [ ! -e "$sdks/complete" ] || return 0
  echo "sdks: installing the libraries of tools/sdks, once"
  # In its place from the start, as an environment of Python has its path in it. Two that
  # install at once wait for each other.
  mkdir -p "$sdks"
  exec 9>"$sdks.lock"
  flock 9
  [ ! -e "$sdks/complete" ] || return 0
  install_node "$sdks" &
  local node=$! status=0
  install_python "$sdks" || status=$?
  wait "$node" || status=$?
  [ "$status" -eq 0 ] || exit "$status"
  touch "$sdks/complete"
}

case "${1:-}" in
install) install_sdks ;;
path)
  check_tools
  [ -e "$sdks/complete" ] || need "the libraries of tools/sdks are not installed. Run scripts/setup.sh."
  echo "$sdks"
  ;;
*)
  echo "usage: scripts/sdks.sh install | path" >&2
  exit 2
  ;;
esac
