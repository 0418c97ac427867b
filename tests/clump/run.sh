#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh PATH-TO-CLUMPMODEL [SECONDS]: emulated Clumps against the exact engine, and against what a
# user without root may do. A prediction that misses by 5% fails; so does a machine so busy that its
# NICs were not the bottleneck in more than a third of the cases. 4 minutes at 5 seconds each.
set -u
program=$1 seconds=${2:-5} failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

"$program" calibrate clump --cycles 22 --message 1 --db "$work/a.db" --quiet > "$work/out" 2> "$work/err"
if grep -q 'no network namespaces\|install iproute2\|needs veth and HTB' "$work/err"; then
    echo "emulated Clumps: not run: $(cat "$work/err")"
    exit 0
fi

column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$work/out"; }

against_model() { # LIMIT NAME OPTIONS...: errors of those that were measured undisturbed
    local limit=$1 name=$2
    shift 2
    if ! "$program" calibrate clump --time "$seconds" --db "$work/a.db" --format csv "$@" > "$work/out"; then
        echo "not ok - $name"
        failed=1
        return
    fi
    if paste <(column error) <(column nic_bound) | awk -v limit="$limit" -v name="$name" '
        { n++; e = $1 < 0 ? -$1 : $1; if ($2 != "true" && $2 != "1") next; bound++; sum += e; if (e > worst) worst = e }
        END {
            good = (bound >= n * 2 / 3 && worst <= limit)
            printf("%s - %s: mean error %.1f%%, worst %.1f%%, of %d of %d\n",
                   good ? "ok" : "not ok", name, bound ? 100 * sum / bound : 0, 100 * worst, bound, n)
            exit !good
        }'; then return; fi
    failed=1
}

against_model 0.05 "grid" --grid
against_model 0.05 "tied to NICs, evenly and not" --processors 4,5,8 --nics 2,3 --mapping static --utilization 0.4 --demand both
against_model 0.05 "processors that differ" --mix 0.1,0.2,0.4,0.6 --nics 2
against_model 0.05 "insensitive to the distribution" --processors 4 --nics 1 --utilization 0.3 --communication-times erlang:4 --computation-times hyperexponential:2

# Without fair queues a light processor waits behind long messages: slower than the model says.
"$program" calibrate clump --mix 0.05,0.05,0.05,0.6 --nics 1 --queue fifo --time $((3 * seconds)) --db "$work/a.db" --format csv --quiet > "$work/out"
if paste <(column measured) <(column predicted) | awk 'NR <= 3 { m += $1 - 1; p += $2 - 1 } END { printf "%.1f%% and %.1f%%", 100 * m / 3, 100 * p / 3; exit !(m > 1.5 * p) }' > "$work/both"; then
    echo "ok - one queue: light processors lose more than with fair queues ($(cat "$work/both"))"
else
    echo "not ok - one queue: light processors lose more than with fair queues ($(cat "$work/both"))"
    failed=1
fi

# Root in a user namespace of its own is enough.
if [ "$(id -u)" = 0 ] && command -v setpriv > "$work/no"; then
    cp "$program" "$work/program" && chmod 755 "$work" "$work/program" && mkdir -m 777 "$work/nobody"
    if HOME=$work/nobody setpriv --reuid=65534 --regid=65534 --clear-groups "$work/program" calibrate clump --cycles 22 \
        --db "$work/nobody/a.db" --quiet > "$work/out" 2> "$work/err"; then
        echo "ok - without root, in a user namespace"
    elif grep -q 'no network namespaces' "$work/err"; then
        echo "not run - without root: user namespaces are not allowed here"
    else
        echo "not ok - without root, in a user namespace: $(cat "$work/err")"
        failed=1
    fi
fi
exit $failed
