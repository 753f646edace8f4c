#!/usr/bin/env bash
# Asks the embedded model alone the marked everyday questions in English, and writes what it says to tests/data/everyday, where the
# everyday story takes it from. To be run when the model, its options, the questions or their line of character have
# changed, or how joi-model runs a model. Takes some minutes.
set -euo pipefail

# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

ready
build build --bins
mkdir -p tests/data/everyday
# As the story asks, which asks the German ones each time.
"$(dirname "$joi")/joi-bench" everyday --marked --record tests/data/everyday/alone.en.json --set language=en \
  --set llm.backend=local --set llm.local=chat-qwen2.5-coder-0.5b --set llm.temperature=0 --set tools.online=false "$@"
