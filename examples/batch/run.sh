#!/usr/bin/env bash
# Computes the class statistics of each part of a data set in a separate job, merges them and fits a model.
# `sqfa stats` writes a complete file or none. If a job was killed, its file is missing; run the script again to repeat only that job.
#
#   examples/batch/run.sh PARTS SUMS MODEL [LABEL]
#
# PARTS   folder with one csv file per job
# SUMS    folder for the class statistics
# MODEL   model file to write
# LABEL   label column (default: label)
set -euo pipefail
parts=$1 sums=$2 model=$3 label=${4:-label}
sqfa=${SQFA_COMMAND:-sqfa}
mkdir -p "$sums"

job() { # what one job of an array of jobs runs
    local part=$1 out
    out=$sums/$(basename "$part" .csv).stats
    [ -e "$out" ] || "$sqfa" stats "$part" --label "$label" --out "$out" >/dev/null
}

for part in "$parts"/*.csv; do
    job "$part" || echo "the job of $part failed: run this script again" >&2
done

# The order of the files is that of their names, so every merge gives the same bits.
for part in "$parts"/*.csv; do
    [ -e "$sums/$(basename "$part" .csv).stats" ] || { echo "some jobs have not finished: run this script again" >&2; exit 1; }
done
"$sqfa" stats merge "$sums"/*.stats --out "$sums.stats" >/dev/null
"$sqfa" fit "$sums.stats" --filters 2 --out "$model" >/dev/null
