# shellcheck shell=bash
# Sourced by joi.sh, and by its test: the better chat model, which is fetched where it is asked for and fits.

better=chat-qwen3-1.7b
# What Linux has left of 4 GB, in MB.
least_memory=3500

# In: what joi is started with; MIND, $models, $joi, say and fail. MEMINFO is for the test.
offer_better() {
  local memory
  memory=$(awk '/^MemTotal:/ { print int($2 / 1000) }' "${MEMINFO:-/proc/meminfo}")
  case ${MIND:-} in
    better)
      # shellcheck disable=SC2154 # models and joi are set by env.sh
      if [ -e "$models/$better" ]; then
        :
      elif [ "$memory" -lt "$least_memory" ]; then
        say "the better mind (Qwen3-1.7B) needs a machine with 4 GB of memory, and this one has $memory MB: the small one answers"
      else
        "$joi" models fetch "$better" || say "she goes on with the model that is there"
      fi
      ;;
    "")
      if [ "${1:-}" = run ] && [ ! -e "$models/$better" ] && [ "$memory" -ge "$least_memory" ]; then
        say "this machine has room for a better mind (Qwen3-1.7B, about 1.1 GB to download): make run MIND=better"
      fi
      ;;
    *) fail "MIND is \"$MIND\"; it can be better" ;;
  esac
}
