#!/usr/bin/env bash
# A day of sound in minutes, and what is left behind of it: memory, threads, descriptors, turns that nobody asked for.
# What is given is passed on: `make soak ARGS="--minutes 120"`.
set -euo pipefail
"$(dirname "$0")/setup.sh" test
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

build build --bin joi --bin joi-bench
"$joi" models fetch
exec "$CARGO_TARGET_DIR/release/joi-bench" soak "$@"
