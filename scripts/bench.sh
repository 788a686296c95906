#!/usr/bin/env bash
# Builds the benchmark programs, which are a separate module in bench/, and runs
# them in the top folder of this tree:
#
#   scripts/bench.sh --only=chat --databases=sqlite --quick
set -euo pipefail

cd "$(dirname "$0")/.."
mkdir -p bin
(cd bench && "${GO:-go}" build -o ../bin/bench ./cmd)
exec bin/bench "$@"
