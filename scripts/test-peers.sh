#!/usr/bin/env bash
# Runs joi against servers of tools that others wrote, clients that others wrote against joi, and both sides against the
# official conformance suite. All of them are installed once, below the cache. Needs Node 18 or newer with npm, and Python
# 3.10 or newer.
set -euo pipefail

# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

# shellcheck source=scripts/tool-peers.sh
. scripts/tool-peers.sh
[ -n "${JOI_BINARY:-}" ] || build build --bin joi
joi=${JOI_BINARY:-$joi}
client=${CONFORMANCE_CLIENT:-$CARGO_TARGET_DIR/release/examples/conformance}
[ -n "${CONFORMANCE_CLIENT:-}" ] || cargo build --locked --release -p joi-mcp --example conformance

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/notes"
echo "buy milk" >"$work/notes/list.txt"
touch "$work/config.toml"
export JOI_CONFIG=$work/config.toml JOI_DATA=$work/data JOI_RUNTIME=$work/run

# Calls a tool; its result must hold a text.
expect() {
  local text=$1 result
  shift
  result=$("$joi" mcp call "$@" 2>&1) || true
  [[ $result == *"$text"* ]] || fail "joi mcp call $*: \"$text\" is missing in: $result"
}

"$joi" mcp add everything --allow '*' -- "$bin/mcp-server-everything"
"$joi" mcp add memory --env "MEMORY_FILE_PATH=$work/memory.jsonl" -- "$bin/mcp-server-memory"
"$joi" mcp add files --deny 'write_*' -- "$bin/mcp-server-filesystem" "$work/notes"
"$joi" mcp add time -- "$peers/python/bin/mcp-server-time" --local-timezone Europe/Berlin
"$joi" mcp add fetch -- "$peers/python/bin/mcp-server-fetch"
expect "hello" everything echo message=hello
expect "12" everything get-sum a=5 b=7
expect "[image]" everything get-tiny-image
expect "operation completed" everything trigger-long-running-operation duration=2 steps=2
! "$joi" mcp call everything get-env 2>&1 | grep -q JOI_DATA || fail "the environment was passed on"
expect "Rome" memory create_entities '{"entities":[{"name":"Rome","entityType":"city","observations":["warm"]}]}'
expect "warm" memory search_nodes query=Rome
expect "buy milk" files read_text_file "path=$work/notes/list.txt"
expect "outside allowed directories" files read_text_file path=/etc/passwd
expect "denied" files write_file "path=$work/notes/new.txt" content=x
[ ! -e "$work/notes/new.txt" ] || fail "a denied tool was called"
expect "Europe/Rome" time get_current_time timezone=Europe/Rome
expect "not called" time get_current_time
expect "not a public address" fetch fetch url=http://127.0.0.1:9/
"$joi" mcp test >"$work/tested"
! pgrep -f "$peers/(node_modules|python)" >/dev/null || fail "a server was left behind"
say "five servers of others answer"

for revision in 2025-11-25 2026-07-28; do
  for scenario in initialize tools_call elicitation-sep1034-client-defaults sse-retry request-metadata \
    sep-2322-client-request-state http-standard-headers http-custom-headers http-invalid-tool-headers \
    json-schema-ref-no-deref json-schema-2020-12-preservation; do
    # A scenario is left out where the revision does not have it.
    [[ " $("$modules/$node/bin/node" "$modules/@modelcontextprotocol/conformance/dist/index.js" list --client |
      grep -- "- $scenario ") " == *"$revision"* ]] || continue
    "$modules/$node/bin/node" "$modules/@modelcontextprotocol/conformance/dist/index.js" client \
      --command "$client" --scenario "$scenario" --spec-version "$revision" -o "$work/conformance" \
      >"$work/log" 2>&1 || {
      cat "$work/log" >&2
      fail "conformance: $scenario of $revision failed"
    }
    say "conformance: $scenario of $revision passed"
  done
done

# Joi as a server: it runs without sound, so that a text to be said waits.
umask 077
echo "peers-$$-$RANDOM" >"$work/token"
port=$((20000 + RANDOM % 20000))
cat >"$work/config.toml" <<END
[audio]
host = "alsa"
input = ["no such microphone"]
output = ["no such speaker"]
[hear.stt]
model = "tiny.en"
[mcp.serve]
listen = "127.0.0.1:$port"
token_file = "$work/token"
END
rm -f "$work/mcp.json"
export JOI_MODELS=$models
"$joi" run >"$work/run.log" 2>&1 &
running=$!
trap 'kill "$running" "${relay:-$running}" 2>/dev/null; rm -rf "$work"' EXIT
for ((tries = 0; ; tries++)); do
  "$joi" mcp serve --list >/dev/null 2>&1 && break
  [ "$tries" -lt 300 ] || fail "joi does not run: $(tail -n 5 "$work/run.log")"
  sleep 0.2
done
peer_tests=$PWD/tests/peers
"$peers/python/bin/python" "$peer_tests/mcp_client.py" "$joi"
say "the client for Python drives joi, in both eras"
(cd "$peers" && "$modules/$node/bin/node" "$peer_tests/mcp_client.mjs" "$joi")
say "the client for Node drives joi"

# The suite brings no token. What needs tools, resources and prompts of the suite's own is not run: joi has its own tools.
python3 "$peer_tests/with_token.py" $((port + 1)) "$port" "$work/token" &
relay=$!
for revision in 2025-11-25 2026-07-28; do
  for scenario in server-initialize server-stateless ping tools-list dns-rebinding-protection caching \
    http-header-validation; do
    [[ " $("$modules/$node/bin/node" "$modules/@modelcontextprotocol/conformance/dist/index.js" list --server |
      grep -- "- $scenario ") " == *"$revision"* ]] || continue
    "$modules/$node/bin/node" "$modules/@modelcontextprotocol/conformance/dist/index.js" server \
      --url "http://127.0.0.1:$((port + 1))/mcp" --scenario "$scenario" --spec-version "$revision" \
      --expected-failures "$peer_tests/mcp-expected.yml" -o "$work/conformance" >"$work/log" 2>&1 || {
      cat "$work/log" >&2
      fail "conformance of the server: $scenario of $revision failed"
    }
    say "conformance of the server: $scenario of $revision passed"
  done
done
