#!/usr/bin/env bash
# Runs two clients of openHAB that others wrote against the house to try: python-openhab's own tests, and HABApp with a
# rule that commands a lamp and waits for its state. Both are installed once, below the cache. Needs Python 3.10 or newer.
set -euo pipefail

# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

python=$cache/peers/bin/python
work=$(mktemp -d)
demo=
end() {
  if [ -n "$demo" ]; then
    kill "$demo" 2>/dev/null || true
    wait "$demo" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap end EXIT

command -v python3 >/dev/null || fail "Python is missing; install python3 and python3-venv"
if ! "$python" -c 'import openhab, HABApp, pytest, bs4' 2>/dev/null; then
  say "installing python-openhab and HABApp (a minute, once)"
  python3 -m venv "$cache/peers"
  "$python" -m pip install -q python-openhab==2.20.2 HABApp==25.12.0 beautifulsoup4 pytest
fi
[ -n "${JOI_BINARY:-}" ] || build build --bin joi
joi=${JOI_BINARY:-$joi}

# Starts a house to try with the arguments; its address is in $url.
start() {
  "$joi" home demo --json --port 0 --items tests/data/openhab/peers/items.json "$@" >"$work/demo.log" &
  demo=$!
  until url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$work/demo.log") && [ -n "$url" ]; do
    kill -0 "$demo" 2>/dev/null || fail "the house to try ended"
    sleep 0.1
  done
}
stop() {
  kill "$demo"
  wait "$demo" 2>/dev/null || true
  demo=
}

for version in 5.2.1 4.3.11; do
  say "python-openhab's own tests, as openHAB $version"
  start --version "$version"
  site=$("$python" -c 'import openhab, pathlib; print(pathlib.Path(openhab.__file__).parents[1])')
  rm -rf "$work/tests"
  mkdir "$work/tests"
  cp "$site/tests/test_basic.py" "$site/tests/conftest.py" "$work/tests/"
  sed -i "s#http://localhost:8080/rest#$url/rest#" "$work/tests/conftest.py"
  "$python" -m pytest -q -p no:cacheprovider "$work/tests/test_basic.py"
  stop

  say "HABApp with a rule, as openHAB $version"
  token=oh.peers.secret
  start --version "$version" --token "$token"
  rm -rf "$work/habapp"
  mkdir -p "$work/habapp/rules"
  cp tests/data/openhab/peers/rule.py "$work/habapp/rules/"
  cat >"$work/habapp/config.yml" <<CONFIG
directories: {logging: log, rules: rules, param: '', config: '', lib: ''}
location: {latitude: 0.0, longitude: 0.0, elevation: 0.0}
mqtt: {connection: {host: ''}}
openhab:
  connection: {url: '$url', user: '$token', password: ''}
CONFIG
  timeout 90 "$cache/peers/bin/habapp" -c "$work/habapp" >"$work/habapp.out" 2>&1 || true
  log=$(find "$work/habapp" -name 'HABApp.log' | head -n 1)
  grep -q 'peer: Peer_Lamp is ON' "$work/habapp.out" || {
    tail -n 30 "$work/habapp.out" "$log" >&2
    fail "the rule's command was not confirmed"
  }
  ! grep ' ERROR ' "$log" >&2 || fail "HABApp found faults"
  stop
done
say "python-openhab and HABApp accept the house to try"
