#!/usr/bin/env bash
# Builds the real Ollama once, gives it our embedded chat model, and runs the stories of the model
# client against it; then against joi-model. With the argument "bench" it measures instead how soon the first
# token comes from both, what sharing one prompt is worth, and what becomes of everyday questions; with "everyday" only
# the last. Needs Go, a C++ compiler and the fetched chat model.
set -euo pipefail

# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

mode=${1:-test}
version=v0.24.0 # the last that builds with Go and a C++ compiler alone
model='joi-test'
home=$cache/ollama
ollama=$home/$version/ollama
gguf=$models/chat-qwen2.5-coder-0.5b/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf
embed_model='joi-test-vectors'
embed_gguf=$models/embed-all-minilm-l6-v2/all-minilm-l6-v2-q8_0.gguf
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

build_ollama() {
  command -v go >/dev/null || fail "Go is missing; install golang or https://go.dev/dl"
  cargo fetch --locked
  # Go leaves folders named "vendor" out of its archives; these are the headers Ollama lacks then.
  local headers
  headers=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/src" -maxdepth 4 -type d \
    -path '*/llama-cpp-sys-2-*/llama.cpp/vendor' -print -quit)
  [ -n "$headers" ] || fail "the crate llama-cpp-sys-2 is missing; run cargo fetch"
  say "building Ollama $version (3 to 10 minutes, once)"
  # Without AMX, as in cmake/joi.cmake. Built elsewhere and moved, so that a build that was interrupted leaves nothing half done.
  GOBIN=$work CGO_CPPFLAGS="-I$headers" CGO_CFLAGS="-O3 -g0 -march=native -U__AMX_INT8__ -w" \
    CGO_CXXFLAGS="-O3 -g0 -march=native -U__AMX_INT8__ -w" nice go install "github.com/ollama/ollama@$version"
  mkdir -p "$(dirname "$ollama")"
  mv "$work/ollama" "$ollama"
}

# Prints the first match of $2 in the file $1, once it is there; fails when process $3 has ended.
await() {
  local found
  until found=$(grep -om1 "$2" "$1"); do
    kill -0 "$3" 2>/dev/null || fail "the server ended: $(tail -n 3 "$1")"
    sleep 0.2
  done
  echo "$found"
}

# Missed goals are told and end nothing: they are of the model that is measured.
everyday() {
  say "everyday questions"
  "$(dirname "$joi")/joi-bench" everyday --set llm.temperature=0 --set tools.online=false "$@"
}

examine() {
  if [ "$mode" = everyday ]; then
    [[ $2 == unix:* ]] || everyday --set llm.backend=ollama --set "llm.url=$2" --set "llm.model=$3"
    return
  fi
  if [ "$mode" = bench ]; then
    local server=(--set llm.backend=ollama --set "llm.url=$2" --set "llm.model=$3") what
    # Joi starts her own.
    [[ $2 != unix:* ]] || server=(--set llm.backend=local)
    for what in model trunk; do
      say "first token from $1: joi-bench $what"
      "$(dirname "$joi")/joi-bench" "$what" "${server[@]}"
    done
    everyday "${server[@]}"
    [[ $2 != unix:* ]] || return 0
    # Its chat model makes vectors as well, poor ones.
    for what in "$embed_model:latest" "$3"; do
      say "questions by the vectors of $what on $1"
      JOI_TEST_MODEL_SERVER=$2 JOI_TEST_EMBED_MODEL=$what \
        build test --test stories -- --nocapture recall::what_was_told
    done
    return
  fi
  say "the model client against $1"
  JOI_TEST_MODEL_SERVER=$2 JOI_TEST_MODEL=$3 JOI_TEST_EMBED_MODEL=$embed_model:latest \
    run_tests --test stories -- --test-threads=1 model_server:: memory::vectors_of memory::without_a_model
}

[ -f "$gguf" ] || fail "the chat model is missing; run: joi models fetch chat-qwen2.5-coder-0.5b"
[ -f "$embed_gguf" ] || fail "the model for vectors is missing; run: joi models fetch embed-all-minilm-l6-v2"
[ -x "$ollama" ] || build_ollama

export OLLAMA_HOST=127.0.0.1:0 OLLAMA_MODELS=$home/models OLLAMA_NOPRUNE=1
"$ollama" serve >"$work/ollama.log" 2>&1 &
children+=($!)
OLLAMA_HOST=$(await "$work/ollama.log" 'Listening on [0-9.:]*' "$!")
OLLAMA_HOST=${OLLAMA_HOST#Listening on }

# Ollama does not know this model's own template.
cat >"$work/Modelfile" <<MODELFILE
FROM $gguf
PARAMETER stop <|im_end|>
TEMPLATE """{{ if .Tools }}<|im_start|>system
You can call these functions:
{{ range .Tools }}{{ .Function }}
{{ end }}To call one, answer only <tool_call>{"name": NAME, "arguments": ARGUMENTS}</tool_call><|im_end|>
{{ end }}{{ range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}{{ range .ToolCalls }}<tool_call>{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}</tool_call>{{ end }}<|im_end|>
{{ end }}<|im_start|>assistant
"""
MODELFILE
create() {
  "$ollama" create "$1" -f "$2" >"$work/create.log" 2>&1 || fail "$(tail -n 1 "$work/create.log")"
}
create "$model" "$work/Modelfile"
echo "FROM $embed_gguf" >"$work/Vectors"
create "$embed_model" "$work/Vectors"
[ "$mode" = test ] || build build --bins
examine "Ollama $version" "http://$OLLAMA_HOST" "$model:latest"

"$CARGO_TARGET_DIR/release/joi-model" --model "$gguf" --name "$model" \
  --embed-model "$embed_gguf" --embed-name "$embed_model" --socket "$work/model.sock" >"$work/model.log" 2>&1 &
children+=($!)
await "$work/model.log" 'ready unix:.*' "$!" >/dev/null
examine joi-model "unix:$work/model.sock" "$model:latest"
