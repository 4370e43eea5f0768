#!/usr/bin/env bash
# Compares with the authors' Python package on the same statistics files; run on an otherwise idle machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
data=$1
date=$2
venv=${PEERS_VENV:-.venv-peers}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet -r benchmarks/peers/requirements.txt
fi
cargo build --release -p sqfa-bench -p sqfa-cli
target/release/sqfa-bench statistics --data "$data" --to "$work" > /dev/null
"$venv/bin/python" benchmarks/peers/peer.py "$work" --seeds 5 ${PEER_ARGUMENTS:-}
"$venv/bin/python" benchmarks/peers/agreement.py make "$work"
if [ -x "${VENV:-.venv}/bin/python" ]; then
    "${VENV:-.venv}/bin/python" benchmarks/peers/agreement.py check "$work"
fi
"$venv/bin/pip" install --quiet "maturin>=1.9,<2"
"$venv/bin/maturin" build --quiet --release --interpreter "$venv/bin/python" --out "$work"
"$venv/bin/pip" install --quiet --force-reinstall --no-deps "$work"/sqfa_rs-*.whl
"$venv/bin/python" benchmarks/peers/methods.py "$data" --out "benchmarks/runs/$date-peer-methods.json"
"$venv/bin/python" benchmarks/peers/wda.py "$data" --set svhn --reg 512 --filters 8
target/release/sqfa-bench peers --from "$work" --seeds 5 --out benchmarks/runs --date "$date"
