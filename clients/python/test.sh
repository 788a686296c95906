#!/usr/bin/env bash
# Checks the types, proves that the client without asyncio is made from the other, builds
# the package, and runs the tests against the server that the environment names.
set -euo pipefail

cd "$(dirname "$0")"
command -v python3 >/dev/null || { echo "Install Python 3.10 or later: the Python client is tested with it." >&2; exit 1; }
if [ ! -e .venv/installed ] || [ requirements-test.txt -nt .venv/installed ]; then
  python3 -m venv --clear .venv
  .venv/bin/pip install --quiet --disable-pip-version-check -r requirements-test.txt hatchling==1.27.0
  touch .venv/installed
fi
cp src/parley_client/_sync.py .venv/sync.before
.venv/bin/python make_sync.py
if ! cmp -s src/parley_client/_sync.py .venv/sync.before; then
  echo "_sync.py was not made from _async.py. It is now: commit it." >&2
  exit 1
fi
.venv/bin/mypy --strict --no-error-summary src
.venv/bin/python -m build --no-isolation --outdir .venv/built >/dev/null
PYTHONPATH=src .venv/bin/pytest
