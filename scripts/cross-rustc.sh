#!/bin/sh
# Called by cargo in place of the compiler (RUSTC_WRAPPER), for scripts/cross.sh: no place of this machine
# is written into the program. As flags of cargo these would change the names of its directories.
compiler=$1
shift
exec "$compiler" "$@" \
  --remap-path-prefix="$JOI_REMAP_CRATES=/crates" \
  --remap-path-prefix="$CARGO_TARGET_DIR=/build" \
  --remap-path-prefix="$JOI_REMAP_SOURCES=/joi"
