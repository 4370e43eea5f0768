#!/usr/bin/env bash
# Fuzzes every reader for some seconds each: run.sh SECONDS [TARGET …]; installs cargo-fuzz when it is missing.
# Real files seed the search where the command is built (SQFA, or ../target/debug/sqfa). JOBS targets run at a time, one unless told.
# A line of JSON for every target goes to FUZZ_LOG where that is set: executions, edges that were met and that there are, finds.
set -euo pipefail
cd "$(dirname "$0")"
# Sanitizers need a nightly compiler; without them the fuzzers still find panics and hangs.
flags=(-s none)
# Clocks run on while a busy machine does not: only minutes are a hang, and a slow unit is no find.

one() {
    local seconds=$1 target=$2 log status=0
    mkdir -p "corpus/$target"
    log=$(mktemp)
    cargo fuzz run "${flags[@]}" "$target" -- -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=300 \
        -max_len=65536 -print_final_stats=1 2> "$log" || { status=1; tail -30 "$log"; }
    local executions coverage edges finds line
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    coverage=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$log" | tail -1)
    edges=$(sed -n 's/.*Loaded 1 modules *(\([0-9]*\) inline.*/\1/p' "$log" | tail -1)
    finds=$(find "artifacts/$target" -type f ! -name 'slow-unit-*' 2> /dev/null | wc -l)
    line="{\"target\": \"$target\", \"seconds\": $seconds, \"executions\": ${executions:-0}, \"coverage\": ${coverage:-0}, \"edges\": ${edges:-0}, \"finds\": $finds}"
    echo "$line"
    [ -z "${FUZZ_LOG:-}" ] || echo "$line" >> "$FUZZ_LOG"
    rm -f "$log"
    return $status
}

if [ "${1:-}" = --one ]; then
    one "$2" "$3"
    exit
fi
seconds=${1:-60}
shift || true
command -v cargo-fuzz > /dev/null || cargo install --locked cargo-fuzz
cargo fuzz build "${flags[@]}"
./seeds.sh "${SQFA:-../target/debug/sqfa}"
targets=${*:-$(cargo fuzz list)}
# shellcheck disable=SC2086 # one word a target
printf '%s\n' $targets | xargs -P "${JOBS:-1}" -n 1 ./run.sh --one "$seconds" \
    || { echo "some targets failed: see fuzz/artifacts"; exit 1; }
