#!/usr/bin/env bash
# Sets up what is missing, builds, fetches the models that are missing, and starts `joi` with the
# arguments given. The second time this takes seconds.
set -euo pipefail
"$(dirname "$0")/setup.sh"
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

ready
exec "$joi" "$@"
