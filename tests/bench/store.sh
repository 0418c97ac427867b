#!/bin/bash
# Speed of the store: a million samples imported, and lists while ten million are stored.
# usage: store.sh CLUMPMODEL [MILLIONS]
set -euo pipefail
program=$1 millions=${2:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C TIMEFORMAT=%R

# Seconds that a command takes.
seconds() { { time "$@" > /dev/null 2> err.txt; } 2>&1 || { cat err.txt >&2; exit 1; }; }

median() { sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }

# Two hundred sizes, five thousand repetitions of each; $1 makes the files differ.
generate() {
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        print "size,value,unit,quantity,run"
        for (run = 1; run <= 5000; run++)
            for (size = 8; size <= 1600; size += 8)
                printf "%d,%.4f,us,half_round_trip,%d\n", size, 1 + size / 4096 + rand() / 10, run
    }'
}

for i in 1 2 3; do
    generate "$i" > million.csv
    rm -f million.db
    seconds "$program" import csv million.csv --platform lab --db million.db
done | median > import.txt
# The disk alone: as many bytes written and synchronized.
for i in 1 2 3; do seconds dd if=million.db of=copy.db bs=1M conv=fsync; done | median > disk.txt
printf '%-44s %9s %9s\n' case goal measured
printf '%-44s %9s %7.2f s\n' '1,000,000 samples imported (CSV)' '1.2 s' "$(cat import.txt)"
printf '%-44s %9s %7.2f s\n' '  the same bytes written and synchronized' - "$(cat disk.txt)"
for ((i = 1; i < millions; i++)); do
    generate "$((100 + i))" > million.csv
    "$program" import csv million.csv --platform "lab$i" --db million.db --quiet > /dev/null
done
for kind in platforms sources ''; do
    for i in 1 2 3 4 5; do seconds "$program" data list $kind --db million.db; done | median > list.txt
    printf '%-44s %9s %6.0f ms\n' "data list${kind:+ $kind}, $millions,000,000 samples stored" instant \
        "$(awk '{ print 1000 * $1 }' list.txt)"
done
printf '%-44s %9s %6.0f MB\n' 'size of that database' - "$(stat -c %s million.db | awk '{ print $1 / 1e6 }')"
