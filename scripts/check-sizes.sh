#!/usr/bin/env bash
# Fails when a file of this tree is larger than 1 MiB, because everyone who clones
# the tree downloads all its versions. It skips files that git ignores.
set -euo pipefail

cd "$(dirname "$0")/.."

# Files that may be larger, each with its reason.
allowed() {
  case "$1" in
    text/encode/bge/weights.gz) return 0 ;; # the model that encodes passages (lab/notebook/0074-sentence-encoder.md)
    text/encode/bge/questions.gz) return 0 ;; # the model that encodes questions (lab/notebook/0075-encoding-by-default.md)
    text/encode/words/table.gz) return 0 ;; # the table of words for search by meaning (docs/adr/0017-word-vectors.md)
  esac
  return 1
}

found=0
while IFS= read -r file; do
  if ! allowed "$file" && ! git check-ignore -q "$file"; then
    echo "$file is larger than 1 MiB. Make it smaller, or add it to scripts/check-sizes.sh with the reason." >&2
    found=1
  fi
done < <(find . -path ./.git -prune -o -path ./data -prune -o -path ./bin -prune -o -type f -size +1048576c -printf '%P\n')
exit "$found"
