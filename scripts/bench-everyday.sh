#!/usr/bin/env bash
# Asks all everyday questions (tests/evals/everyday*.toml) through Joi and of the model alone, in every language that has
# some, and fails when a goal is missed. With the embedded model, or as the arguments say, for example
# --set llm.backend=ollama --set llm.model=qwen3:1.7b.
set -euo pipefail

# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

ready
build build --bins
missed=0
for language in en de; do
  say "everyday questions, $language"
  # The same answers every time, and the same without a network.
  "$(dirname "$joi")/joi-bench" everyday --check --set "language=$language" --set llm.backend=local \
    --set llm.temperature=0 --set tools.online=false "$@" || missed=1
done
exit "$missed"
