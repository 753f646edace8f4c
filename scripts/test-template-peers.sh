#!/usr/bin/env bash
# Compares joi-templates with hassil on the test sentences of Home Assistant's intents project, in every language. No
# registry has them: SOURCES names a checkout of github.com/OHF-Voice/intents, or its git directory.
#   test-template-peers.sh [--languages en de …] [--differences]
set -euo pipefail

# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

if [ -z "${SOURCES:-}" ]; then
  say "skipped: the intents project's test sentences (give SOURCES=, a checkout of github.com/OHF-Voice/intents)"
  exit 0
fi
templates=$models/sentence-templates
[ -e "$templates/en.json" ] || fail "no sentence templates in $templates; run joi models fetch sentence-templates"
python=$cache/peers-templates/bin/python
command -v python3 >/dev/null || fail "Python is missing; install python3 and python3-venv"
if ! "$python" -c 'import hassil, yaml, unicode_rbnf' 2>/dev/null; then
  say "installing hassil (once)"
  python3 -m venv "$cache/peers-templates"
  "$python" -m pip install -q hassil==3.13.0 pyyaml
fi
cargo build --locked --release -p joi-templates --example recognise
exec "$python" tests/peers/templates.py "$SOURCES" "$templates" "$CARGO_TARGET_DIR/release/examples/recognise" "$@"
