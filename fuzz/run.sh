#!/usr/bin/env bash
# Fuzzes every reader for some seconds each; installs cargo-fuzz when it is missing.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-60}
command -v cargo-fuzz > /dev/null || cargo install --locked cargo-fuzz
for target in $(cargo fuzz list); do
    # Sanitizers need a nightly compiler; without them the fuzzers still find panics and hangs.
    cargo fuzz run -s none "$target" -- -max_total_time="$seconds" -rss_limit_mb=2048
done
