#!/usr/bin/env bash
# Runs everything there is to test, one after the other, goes on where something fails, and ends with a table. It takes
# hours, needs root for the packages and Go for Ollama; what can't be run here is told as such and fails.
#   test-all.sh [STEP …]   only these: test deb cross twice ollama openai peers tools soak
#   SOAK="--minutes 10"    what the soak is given; a whole day of sound by itself
set -euo pipefail
cd "$(dirname "$0")/.."

steps=(test deb cross twice ollama openai peers tools soak)
[ $# = 0 ] || steps=("$@")
for step in "${steps[@]}"; do
  case $step in
    test | deb | cross | twice | ollama | openai | peers | tools | soak) ;;
    *)
      echo "joi: \"$step\" is no step of test-all.sh; there are test deb cross twice ollama openai peers tools soak" >&2
      exit 2
      ;;
  esac
done

run() {
  case $1 in
    test) make --no-print-directory test ;;
    # Of these sources, not what an earlier build left.
    deb) make --no-print-directory test-deb ;;
    cross) make --no-print-directory test-cross ;;
    # Two builds, one hash.
    twice) make --no-print-directory test-reproducible ;;
    ollama) make --no-print-directory test-ollama ;;
    openai) make --no-print-directory test-openai ;;
    peers) make --no-print-directory test-home-peers ;;
    tools) make --no-print-directory test-peers ;;
    soak) make --no-print-directory soak ARGS="${SOAK:-}" ;;
  esac
}

table=()
failed=0
for step in "${steps[@]}"; do
  began=$SECONDS
  if run "$step"; then
    told=passed
  else
    told=FAILED
    failed=$((failed + 1))
  fi
  table+=("$(printf '%-8s %s in %d s' "$step" "$told" $((SECONDS - began)))")
done
printf '\n'
printf '%s\n' "${table[@]}"
[ "$failed" = 0 ] || exit 1
