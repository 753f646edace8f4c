#!/usr/bin/env bash
# Sets up what is missing, builds, fetches the models that are missing, and starts `joi` with the
# arguments given. The second time this takes seconds.
#   MIND=better  fetches the better chat model too where there are 4 GB of memory; else the small one answers
set -euo pipefail
"$(dirname "$0")/setup.sh"
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"
# shellcheck source=scripts/mind.sh
. scripts/mind.sh

ready
offer_better "$@"
exec "$joi" "$@"
