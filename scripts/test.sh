#!/usr/bin/env bash
# Sets up what is missing and runs all tests, with the real models and a real sound server.
set -euo pipefail
"$(dirname "$0")/setup.sh" test
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

# Built as the tests want it from the start: their features differ from those of the program alone.
build test --no-run
"$joi" models fetch
build test "$@"
