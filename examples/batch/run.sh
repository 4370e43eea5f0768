#!/usr/bin/env bash
# Sums the parts of a data set in jobs of their own, as a batch scheduler would, merges the sums and fits.
# A job that was killed is found by its missing file and run again: `sqfa stats` writes files whole or not at all.
#
#   examples/batch/run.sh PARTS SUMS MODEL [LABEL]
#
# PARTS   folder with one csv file a job
# SUMS    folder for their sums
# MODEL   the model file to write
# LABEL   the label column, "label" unless given
set -euo pipefail
parts=$1 sums=$2 model=$3 label=${4:-label}
sqfa=${SQFA_COMMAND:-sqfa}
mkdir -p "$sums"

job() { # the body of one job of the array
    local part=$1 out
    out=$sums/$(basename "$part" .csv).stats
    [ -e "$out" ] || "$sqfa" stats "$part" --label "$label" --out "$out" >/dev/null
}

for part in "$parts"/*.csv; do
    job "$part" || echo "the job of $part failed: run this again" >&2
done

# Files in the order of their names, so that every merge gives the same bits.
for part in "$parts"/*.csv; do
    [ -e "$sums/$(basename "$part" .csv).stats" ] || { echo "not all jobs are done" >&2; exit 1; }
done
"$sqfa" stats merge "$sums"/*.stats --out "$sums.stats" >/dev/null
"$sqfa" fit "$sums.stats" --filters 2 --out "$model" >/dev/null
