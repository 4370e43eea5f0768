#!/usr/bin/env bash
# Fuzzes every reader for some seconds each: run.sh SECONDS [TARGET …]; installs cargo-fuzz when it is missing.
# Real files seed the search where the command is built (SQFA, or ../target/debug/sqfa). A line of JSON for every target
# goes to FUZZ_LOG where that is set: executions, coverage, and what was found.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-60}
shift || true
command -v cargo-fuzz > /dev/null || cargo install --locked cargo-fuzz
# Sanitizers need a nightly compiler; without them the fuzzers still find panics and hangs.
flags=(-s none)
cargo fuzz build "${flags[@]}"
./seeds.sh "${SQFA:-../target/debug/sqfa}"
failed=0
for target in ${*:-$(cargo fuzz list)}; do
    mkdir -p "corpus/$target"
    log=$(mktemp)
    if ! cargo fuzz run "${flags[@]}" "$target" -- -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 \
        -max_len=65536 -print_final_stats=1 2> "$log"; then
        failed=$((failed + 1))
        tail -30 "$log"
    fi
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    coverage=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$log" | tail -1)
    finds=$(find "artifacts/$target" -type f 2> /dev/null | wc -l)
    line="{\"target\": \"$target\", \"seconds\": $seconds, \"executions\": ${executions:-0}, \"coverage\": ${coverage:-0}, \"finds\": $finds}"
    echo "$line"
    [ -z "${FUZZ_LOG:-}" ] || echo "$line" >> "$FUZZ_LOG"
    rm -f "$log"
done
[ "$failed" = 0 ] || { echo "$failed targets failed: see fuzz/artifacts"; exit 1; }
