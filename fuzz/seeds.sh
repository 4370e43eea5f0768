#!/usr/bin/env bash
# Small real files of every kind as the first inputs of the fuzzers: seeds.sh COMMAND. Does nothing without the command.
set -euo pipefail
cd "$(dirname "$0")"
[ -x "$1" ] || { echo "no $1: the fuzzers begin with nothing"; exit 0; }
command=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for target in npy npz idx csv model mat batches sums parquet records specs; do mkdir -p "corpus/$target"; done
corpus=$(realpath corpus)
cd "$work"
"$command" dataset toy-6d --train 12 --test 6 --out a.npz > /dev/null
printf 'a,b,label\n1,2.5,x\n-3e2,0.1,y\n4,1,x\n0,2,y\n1,1,x\n2,2,y\n' > b.csv
printf 'a;b;label\r\n"1,5";2;é\r\n3;;NA\r\n' > c.csv
"$command" fit a.npz -m 2 --noise 0.1 --n-init 1 --out m.sqfa > /dev/null 2>&1
"$command" transform m.sqfa a.npz --part test --out z.npy > /dev/null 2>&1
"$command" stats b.csv --out s.stats > /dev/null 2>&1
"$command" compare a.npz --methods sqfa,pca --filters 1,2 --seeds 1 --out run > /dev/null 2>&1
cp a.npz "$corpus/npz/seed"
cp b.csv "$corpus/csv/seed-comma"
cp c.csv "$corpus/csv/seed-semicolon"
cp m.sqfa "$corpus/model/seed"
cp z.npy "$corpus/npy/seed"
cp s.stats "$corpus/sums/seed"
for file in a.npz b.csv z.npy; do cp "$file" "$corpus/batches/seed-$file"; done
# The manifest on one line, then the records.
{ tr -d '\n' < run/spec.json; echo; cat run/records.jsonl; } > "$corpus/records/seed"
# Tables of columns, where some Python can write them.
for python in ../.venv/bin/python python3; do
    python=$(cd "$OLDPWD" && command -v "$python") || continue
    [ "${python#/}" != "$python" ] || python=$OLDPWD/$python
    "$python" "$OLDPWD/seed_parquet.py" "$corpus/parquet" && break
done || echo "no pyarrow: the parquet fuzzer begins with nothing"
printf 'methods = ["sqfa", "pca"]\nfilters = [4, 2]\nparts = { folds = 5 }\nnoise = { value = 0.1 }\n' > "$corpus/specs/seed"
