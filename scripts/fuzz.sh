#!/usr/bin/env bash
# Feeds every reader of foreign bytes with damaged input, each for MINUTES (1): `make fuzz MINUTES=10`, or all together
# for IN_ALL minutes.
# Stable Rust: these are the property tests of all our crates whose name has "foreign_bytes" in it, with
# all checks (overflow, debug assertions), run again and again with another seed.
#   SEED=N      the seed to begin with (the time in seconds)
#   TARGET=NAME only tests with this in their name
set -euo pipefail
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"
seconds=$((${MINUTES:-1} * 60))
seed=${SEED:-$(date +%s)}
cases=${CASES:-2000}

built=$(run_unit_tests --bin joi-model --no-run --message-format=json)
targets=()
while read -r tests; do
  [ -x "$tests" ] || fail "$tests was not built"
  mapfile -t -O ${#targets[@]} targets < <("$tests" --list | sed -n "s|: test\$| $tests|p" |
    grep -E "foreign_bytes|protocol::tests::no_text_is_lost" | grep -F "${TARGET:-}")
done < <(sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' <<<"$built")
[ ${#targets[@]} != 0 ] || fail "there is no test with \"${TARGET:-foreign_bytes}\" in its name"
[ -z "${IN_ALL:-}" ] || seconds=$((IN_ALL * 60 / ${#targets[@]}))
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for row in "${targets[@]}"; do
  target=${row%% *}
  tests=${row#* }
  end=$((SECONDS + seconds))
  first=$seed
  while [ "$SECONDS" -lt "$end" ]; do
    PROPTEST_CASES=$cases PROPTEST_RNG_SEED=$seed "$tests" -q --exact "$target" >"$log" 2>&1 || {
      cat "$log" >&2
      fail "$target failed with seed $seed; again: SEED=$seed CASES=$cases TARGET=$target make fuzz"
    }
    seed=$((seed + 1))
  done
  say "$target: $((seed - first)) rounds of $cases cases, seeds $first to $((seed - 1))"
done
