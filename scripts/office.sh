#!/usr/bin/env bash
# Installs what saves documents for tests of readers (extract/saved): LibreOffice's programs
# for texts, tables and presentations, without a window. It asks no questions, and does
# nothing if they are installed.
set -euo pipefail

complete() {
  local office
  office=$(command -v soffice) || return
  office=$(dirname "$(readlink -f "$office")")
  [ -e "$office/swriter" ] && [ -e "$office/scalc" ] && [ -e "$office/simpress" ] ||
    [ -e "$office/libswlo.so" ] && [ -e "$office/libsclo.so" ] && [ -e "$office/libsdlo.so" ]
}

complete && exit
packages=(libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui)
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  as_root=(sudo)
  [ -t 0 ] || as_root=(sudo -n)
fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
  echo "office: the tests need LibreOffice. Install it (in Debian, as root: apt-get install ${packages[*]}), then try again." >&2
  exit 1
fi
echo "office: installing ${packages[*]}"
"${as_root[@]}" apt-get update -q </dev/null
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}" </dev/null
