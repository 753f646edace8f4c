#!/usr/bin/env bash
# Sets up what is missing, builds, fetches the models that are missing, and starts `joi` with the
# arguments given. The second time this takes seconds.
#   MIND=better  fetches the better chat model too; where it can't be had, the small one answers
set -euo pipefail
"$(dirname "$0")/setup.sh"
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

better=chat-qwen3-1.7b
# What Linux has left of 4 GB, in MB.
least_memory=3500

offer_better() {
  local memory
  memory=$(awk '/^MemTotal:/ { print int($2 / 1000) }' /proc/meminfo)
  case ${MIND:-} in
    better)
      [ -e "$models/$better" ] || "$joi" models fetch "$better" ||
        say "she goes on with the model that is there"
      ;;
    "")
      [ -e "$models/$better" ] || [ "$memory" -lt "$least_memory" ] ||
        say "this machine has room for a better mind (Qwen3-1.7B, about 1.1 GB to download): make run MIND=better"
      ;;
    *) fail "MIND is \"$MIND\"; it can be better" ;;
  esac
}

ready
offer_better
exec "$joi" "$@"
