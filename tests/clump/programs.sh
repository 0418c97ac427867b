#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# programs.sh PATH-TO-CLUMPMODEL [REPETITIONS [PROCESSORS...]]: the thesis's programs with small inputs on emulated Clumps of two nodes
# with 1, 2 and 4 NICs and on their NOW, and what the model says from the NOW's traffic. Prints every slowdown and the mean error;
# fails if the mean of those that are not doubtful is above 7%, if more than a third are doubtful, or a result is wrong.
# 10 minutes with 4 and 8 processors and 3 repetitions.
set -u
program=$1 repetitions=${2:-3} failed=0
shift "$(($# < 2 ? $# : 2))"
[ $# -gt 0 ] || set -- 4 8
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

columns() { # columns NAME...: of the CSV in out, tab-separated
    awk -F, -v names="$*" 'BEGIN { n = split(names, want, " ") }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { for (k = 1; k <= n; k++) printf "%s%s", $at[want[k]], k < n ? "\t" : "\n" }' "$work/out"
}

echo "program         P   N  slowdown    95%  predicted   error  NICs busy   late  doubt"
for processors; do
    while read -r name sizes; do
        # shellcheck disable=SC2086 # words
        if ! "$program" -q run "$name" --emulate --nodes 2 --processors "$processors" --nics 1,2,4 --repetitions "$repetitions" \
            $sizes --format csv > "$work/out" 2> "$work/err" < /dev/null; then
            if grep -q 'no namespaces\|no mounts\|install ' "$work/err"; then
                echo "programs on emulated Clumps: not run: $(cat "$work/err")"
                exit 0
            fi
            echo "not ok - $name with $processors processors: $(cat "$work/err")"
            failed=1
            continue
        fi
        columns program processors nics slowdown half_width predicted error nic_use late doubt | tee -a "$work/all" |
            awk -F'\t' '{ printf "%-14s %2d  %2d    %6.4f %6.4f     %6.4f %+6.1f%%     %5.1f%% %5.1f%%  %s\n",
                $1, $2, $3, $4, $5, $6, 100 * $7, 100 * $8, 100 * $9, $10 }'
    done << 'END'
sample --set keys=3000 --set samples=480
em3d-naive --set nodes=80 --set steps=5
em3d-good --set nodes=80 --set steps=5
con-comp --set nodes=900
con-comm --set nodes=216
fft --set values=16
END
done
[ -s "$work/all" ] || exit 1
awk -F'\t' -v failed="$failed" '
    { n++; if ($10 != "") { doubtful++; next } e = $7 < 0 ? -$7 : $7; sum += e; count[$2]++; of[$2] += e; if (e > worst) worst = e }
    END {
        bound = n - doubtful
        good = (!failed && bound >= n * 2 / 3 && sum / (bound > 0 ? bound : 1) <= 0.07)
        printf("%s - mean error %.1f%%, worst %.1f%%, of %d of %d", good ? "ok" : "not ok", bound ? 100 * sum / bound : 0,
               100 * worst, bound, n)
        for (p in count) printf("; P = %d: %.1f%%", p, 100 * of[p] / count[p])
        printf("\n")
        exit !good
    }' "$work/all"
