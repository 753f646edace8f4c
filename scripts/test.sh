#!/usr/bin/env bash
# Sets up what is missing and runs all tests, with the real models and a real sound server.
set -euo pipefail
"$(dirname "$0")/setup.sh" test
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

ready_for_tests
run_unit_tests "$@"
run_tests --bins --test '*' "$@"
