#!/usr/bin/env bash
# Installs llama-cpp-python's OpenAI-compatible server once, gives it our embedded chat model, and runs the tests of the
# client and a question through joi against it. Needs Python, a C++ compiler and the fetched chat model; building the
# server takes 5 to 20 minutes.
set -euo pipefail

# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

version=0.3.36
home=$cache/llama-cpp-python/$version
gguf=$models/chat-qwen2.5-coder-0.5b/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf
model=joi-test
work=$(mktemp -d)
children=()

end() {
  for child in "${children[@]}"; do
    kill "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap end EXIT

install_server() {
  command -v python3 >/dev/null || fail "Python is missing; install python3-venv"
  say "building llama-cpp-python $version (once)"
  rm -rf "$home"
  python3 -m venv "$home"
  # Without AMX, as in cmake/joi.cmake.
  CMAKE_ARGS="-DLLAMA_CURL=OFF -DLLAVA_BUILD=OFF -DCMAKE_CXX_FLAGS=-mno-amx-int8" \
    nice "$home/bin/pip" install --quiet "llama-cpp-python[server]==$version"
  touch "$home/complete"
}

# Starts the server with the chat format $1 and sets url. With chatml-function-calling it knows of tools.
serve() {
  local log=$work/$1.log at
  "$home/bin/python" -m llama_cpp.server --model "$gguf" --model_alias "$model" --n_ctx 4096 --chat_format "$1" \
    --host 127.0.0.1 --port 0 >"$log" 2>&1 &
  children+=($!)
  until at=$(grep -om1 'running on http://[0-9.:]*' "$log"); do
    kill -0 "$!" 2>/dev/null || fail "the server ended: $(tail -n 3 "$log")"
    sleep 0.2
  done
  url=${at#running on }
}

[ -f "$gguf" ] || fail "the chat model is missing; run: joi models fetch chat-qwen2.5-coder-0.5b"
[ -f "$home/complete" ] || install_server

serve chatml-function-calling
say "the model client against llama-cpp-python $version"
JOI_TEST_OPENAI_SERVER=$url JOI_TEST_MODEL=$model run_unit_tests -- --test-threads=1 openai::tests::any_server

say "a question through joi"
build build --bin joi
openai=(--set llm.backend=openai --set "llm.url=$url/v1" --set llm.model=auto)
answer=$("$joi" ask "${openai[@]}" "Why is the sky blue?")
say "answered: $answer"
[ -n "$answer" ] || fail "there was no answer"
"$joi" models "${openai[@]}" | grep -F "would answer: $model (openai)"
