#!/usr/bin/env bash
# Measures what becomes of wishes in words that no pattern serves: for joi's own tools, for the tools of the five reference
# servers, and for the same among a hundred tools. The arguments go to joi-bench.
set -euo pipefail

# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"
# shellcheck source=scripts/tool-peers.sh
. scripts/tool-peers.sh

build build --bin joi --bin joi-model --bin joi-bench
"$joi" models fetch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/notes/photos"
echo "buy milk" >"$work/notes/list.txt"
echo "paint the shed" >"$work/notes/plan.md"
printf '[audio]\nhost = "alsa"\n' >"$work/config.toml"
export JOI_CONFIG=$work/config.toml JOI_DATA=$work/data JOI_RUNTIME=$work/run JOI_MODELS=$models
measure=${CARGO_TARGET_DIR}/release/joi-bench
"$measure" wishes "$@"
"$joi" mcp add everything --allow '*' -- "$bin/mcp-server-everything"
"$joi" mcp add memory --allow '*' --env "MEMORY_FILE_PATH=$work/memory.jsonl" -- "$bin/mcp-server-memory"
"$joi" mcp add files --allow '*' -- "$bin/mcp-server-filesystem" "$work/notes"
"$joi" mcp add time --allow '*' -- "$peers/python/bin/mcp-server-time" --local-timezone Europe/Berlin
"$joi" mcp add fetch --allow '*' -- "$peers/python/bin/mcp-server-fetch"
"$measure" wishes --servers "$@"
"$measure" wishes --servers --registered 100 "$@"
