#!/usr/bin/env bash
# Sets up what is missing and runs all tests, with the real models and a real sound server.
set -euo pipefail
"$(dirname "$0")/setup.sh" test
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

ready_for_tests
# More than three times what they take on two cores.
limited 25 run_unit_tests "$@"
limited 60 run_tests --bins --test '*' "$@"
