#!/usr/bin/env bash
# How soon she is heard after the last word, at the loudspeaker of a sound server without hardware. Takes a quarter of an hour.
# What is given is passed on: `make bench-latency ARGS="--only commands --limit 10"`.
set -euo pipefail
"$(dirname "$0")/setup.sh" test
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

build build --bin joi --bin joi-model --bin joi-bench
"$joi" models fetch
exec "$CARGO_TARGET_DIR/release/joi-bench" latency "$@"
