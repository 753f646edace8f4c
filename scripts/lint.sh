#!/usr/bin/env bash
# Formatting, compiler and documentation warnings, dependencies, shell scripts: any of them fails.
#   lint.sh code   formatting and warnings alone, as continuous integration does
set -euo pipefail
if [ "${1:-}" = code ]; then only=code; else only=; fi
"$(dirname "$0")/setup.sh" "${only:-lint}"
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
# With the settings of the tests, so that native libraries are built once for both.
build clippy "${checks[@]}" --all-targets -- -D warnings
# Heads of files name private items, for whoever reads the sources.
RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" build doc "${checks[@]}" --no-deps
[ -z "$only" ] || exit 0
# Nothing but what every machine needs.
build check --no-default-features
check_dependencies
shellcheck -x scripts/*.sh .ci/run
shellcheck debian/preinst debian/postinst debian/prerm debian/postrm
