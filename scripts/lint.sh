#!/usr/bin/env bash
# Formatting, compiler and documentation warnings, shell scripts: any of them fails.
set -euo pipefail
"$(dirname "$0")/setup.sh" lint
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

cargo fmt --all --check
build clippy --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" build doc --no-deps
shellcheck -x scripts/*.sh .ci/run
