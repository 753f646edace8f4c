#!/usr/bin/env bash
# Formatting, compiler and documentation warnings, dependencies, shell scripts: any of them fails.
set -euo pipefail
"$(dirname "$0")/setup.sh" lint
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

# The advisories are fetched from GitHub; a network that has only a registry does not reach it.
check_dependencies() {
  local what=(licenses bans sources)
  if cargo deny fetch db 2>/dev/null; then
    what+=(advisories)
  else
    say "the advisory database can't be fetched: licences, duplicates and sources are checked, advisories are not"
  fi
  cargo deny --locked check --hide-inclusion-graph "${what[@]}"
}

cargo fmt --all --check
build clippy --all-targets --all-features -- -D warnings
# Nothing but what every machine needs.
build check --no-default-features
RUSTDOCFLAGS="-D warnings" build doc --no-deps
check_dependencies
shellcheck -x scripts/*.sh .ci/run
shellcheck debian/preinst debian/postinst debian/prerm debian/postrm
