#!/usr/bin/env bash
# Installs what the tests need and this machine lacks: a PostgreSQL server,
# Chromium, Prometheus, a C compiler (the race detector needs cgo), Node.js and Python with the
# libraries of tools/sdks (scripts/sdks.sh says where), and a Weaviate server, which
# it builds (scripts/weaviate.sh says where). It asks no questions, and does nothing
# if everything is installed.
set -euo pipefail

if ! command -v go >/dev/null; then
  echo "setup: Go is missing. Install the version that go.mod names, or a later one: https://go.dev/dl/" >&2
  exit 1
fi

has_postgres() {
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null
}

has_browser() {
  local name
  for name in chromium-headless-shell headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" >/dev/null && return
  done
  return 1
}

has_compiler() {
  command -v "${CC:-gcc}" >/dev/null
}

# Its promtool tries the alerts.
has_prometheus() {
  command -v promtool >/dev/null
}

# The clients for TypeScript and Python are tested with both.
has_node() {
  command -v npm >/dev/null && node -e 'process.exit(process.versions.node.split(".")[0] >= 20 ? 0 : 1)' 2>/dev/null
}

has_python() {
  python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null
}

missing=()
has_postgres || missing+=(postgresql)
has_browser || missing+=(chromium-headless-shell)
has_compiler || missing+=(gcc libc6-dev)
has_prometheus || missing+=(prometheus)
has_node || missing+=(nodejs npm)
has_python || missing+=(python3 python3-venv)

as_root=()
if [ ${#missing[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null; then
    echo "setup: the tests need these packages, by their names in Debian: ${missing[*]}" >&2
    echo "setup: this system has no apt-get; install them with its own package manager, then try again." >&2
    exit 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "setup: the tests need these packages: ${missing[*]}" >&2
      echo "setup: this system has no sudo; run this as root: apt-get install ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
    # Where nobody can type a password, sudo must fail rather than wait.
    [ -t 0 ] || as_root=(sudo -n)
  fi
fi

install_packages() {
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "setup: installing ${missing[*]}"
  "${as_root[@]}" apt-get update -q </dev/null || return
  # Not every Debian or Ubuntu has the small Chromium.
  apt-cache show chromium-headless-shell >/dev/null 2>&1 || missing=("${missing[@]/%chromium-headless-shell/chromium}")
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null || return
  # Debian starts it, and the tests want its tools alone.
  case " ${missing[*]} " in
    *" prometheus "*) "${as_root[@]}" systemctl disable --now prometheus >/dev/null 2>&1 || true ;;
  esac
}

# In parallel, because one mostly waits for the network, the other for the processor.
"$(dirname "$0")/weaviate.sh" install &
building=$!
status=0
{ install_packages && "$(dirname "$0")/sdks.sh" install; } || status=$?
wait "$building" || status=$?
exit "$status"
