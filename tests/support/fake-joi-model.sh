#!/bin/sh
# Stands in for joi-model in tests: the file beside the "model file" holds the commands to run.
set -eu
model=$2
# shellcheck source=/dev/null
. "$model.sh"
