#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# facts.sh PROGRAM LOGS [--write]: the benchmarks in docs/clusters/*.csv, as PROGRAM's importers read them from the raw logs
# below LOGS (the folder that has alaska/ and abci-v/). Each CSV file begins with its list of logs. Without --write nothing is
# changed: what differs is told, and the exit status is 1.
set -euo pipefail
export LC_ALL=C
program=$(realpath "$1") logs=$(realpath "$2") write=${3:-}
cd "$(dirname "${BASH_SOURCE[0]}")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_DATA_HOME=$scratch

# read_log FILE: one log, as rows of the columns of the table in `columns`.
read_log() {
    local file=$1 transport format options=()
    case $file in
        *impi*) transport=impi ;;
        *.nccl) transport=nccl ;;
        *) transport=openmpi ;;
    esac
    case $file in
        */imb/*) format=imb ;;
        *.nccl) format=nccl-tests ;;
        *) format=osu ;;
    esac
    # ABCI's job scripts say how many processes there were; Alaska's are not there (alaska-collectives.csv says how 64 was found).
    case $file in *Osu_all*) options=(--processes 64) ;; esac
    rm -f "$scratch/one.db"
    "$program" import $format "$logs/$file" --platform it --transport $transport "${options[@]}" --quiet \
        --db "$scratch/one.db" > "$scratch/said" 2>&1 || { cat "$scratch/said" >&2; exit 1; }
    "$program" data export --db "$scratch/one.db" > "$scratch/one.csv"
    # Averages; of IMB's numbers of processes the most, since the first ones are of one node; of nccl-tests what is out of place.
    awk -F, -v columns="$columns" -v file="$file" -v format=$format '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(columns, want, ","); next }
        $at["platform"] != "it" || $at["quantity"] == "message_rate" { next }
        $at["statistic"] != "mean" || $at["size_bytes"] + 0 < 1 { next }
        format == "nccl-tests" && ($at["variant"] != "" || $at["quantity"] != "operation_time") { next }
        { line[++rows] = $0; p = $at["processes"] + 0; if (p > most) most = p }
        END {
            source = file; sub(/\/job\.out$/, "", source); gsub(/-gcc9|-verbs|4-ucx/, "", source)
            for (r = 1; r <= rows; r++) {
                split(line[r], v, ",")
                if (format == "imb" && v[at["processes"]] < most) continue
                out = ""
                v[at["platform"]] = file ~ /^abci/ ? "abci-v" : file ~ /\/ib-/ ? "alaska-ib" : "alaska-roce"
                v[at["source"]] = source
                for (i = 1; i <= n && want[i] !~ /^platform_/; i++) out = out v[at[want[i]]] ","
                print out (file ~ /^abci/ ? "32,4,2,pooled," : "16,32,1,pooled,")
            }
        }' "$scratch/one.csv"
}

# Titles stand in the first row of a platform.
add_titles() {
    awk -F, 'BEGIN {
            title["abci-v"] = "ABCI compute nodes (V): 4 V100 and two 100 Gb/s NICs each"
            title["alaska-ib"] = "\"Alaska: 16 nodes of 32 cores, one 100 Gb/s InfiniBand NIC each\""
            title["alaska-roce"] = "\"Alaska: 16 nodes of 32 cores, one 25 Gb/s RoCE NIC each\""
        }
        { print $0 title[$1]; title[$1] = "" }'
}

differs=0
for table in alaska-pairs alaska-both-ways alaska-imb alaska-collectives abci-pairs abci-collectives; do
    columns=$(sed -n '/^[^#]/{p;q}' $table.csv)
    grep '^#' $table.csv > "$scratch/$table.csv"
    echo "$columns" >> "$scratch/$table.csv"
    while read -r _ sum file; do
        if [ "$(sha256sum < "$logs/$file" | cut -c1-16)" != "$sum" ]; then
            echo "$file: found another SHA-256, expected the one in $table.csv" >&2
            exit 1
        fi
        read_log "$file"
    done < <(grep '^#   [0-9a-f]' $table.csv) | add_titles >> "$scratch/$table.csv"
    if [ "$write" = --write ]; then
        cp "$scratch/$table.csv" $table.csv
    elif ! cmp -s "$scratch/$table.csv" $table.csv; then
        echo "docs/clusters/$table.csv is not what the logs say:" >&2
        diff $table.csv "$scratch/$table.csv" | head -6 >&2 || true
        differs=1
    fi
done
exit $differs
