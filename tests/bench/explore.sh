#!/bin/bash
# Rows a second of `explore`, and what memory it takes of sweeps of one and ten million, and of as many more as are asked for: a hundred million
# take two minutes of two processors.
# usage: explore.sh CLUMPMODEL [MILLIONS]; or BENCH_MILLIONS=100 make bench
set -euo pipefail
program=$1 millions=${2:-${BENCH_MILLIONS:-10}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scenarios=${CLUMPMODEL_SCENARIOS:-scenarios}
export LC_ALL=C CLUMPMODEL_SCENARIOS=$(realpath "$scenarios") XDG_DATA_HOME=$work
values=125000 kinds=3 # utilizations, and kinds of demand

# sweep NICS THREADS: prints seconds, processor seconds and kilobytes
sweep() {
    python3 - "$program" explore figure-8.2 -s "N=1:$1" -s "U=0:1/$values" --best 4 --threads "$2" --quiet << 'END'
import os, resource, subprocess, sys, time
start = time.monotonic()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%.3f %.3f %d" % (time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss))
END
}

median() { sort -n | awk '{ a[NR] = $0 } END { print a[int((NR + 1) / 2)] }'; }

threads=$(nproc)
printf '%-44s %9s %9s\n' case goal measured
cd "$work"
for t in 1 "$threads"; do
    for i in 1 2 3; do sweep 8 "$t"; done | median > took.txt
    awk -v t="$t" -v rows=$((8 * values * kinds)) '{
        printf "%-44s %9s %7.1f M/s   %.0f ns of a processor each\n", "explore, " t " thread" (t > 1 ? "s" : ""), (t == 2 ? "3 M/s" : "-"),
               rows / $1 / 1e6, 1e9 * $2 / rows }' took.txt
    [ "$threads" -gt 1 ] || break
done

for nics in 3 27 $((millions > 10 ? (millions * 8 + 2) / 3 : 0)); do
    [ "$nics" -gt 0 ] || continue
    sweep "$nics" "$threads" | awk -v rows=$((nics * values * kinds)) '{
        printf "%-44s %9s %7.0f MB    in %.1f s\n", sprintf("explore, memory of %.1f M rows", rows / 1e6), (rows >= 1e8 ? "bounded" : "-"),
               $3 / 1e3, $1 }'
done
