# SPDX-License-Identifier: GPL-3.0-or-later
# run --emulate: what it refuses, a small program on an emulated Clump and its NOW, and that nothing remains. How well the model
# predicts is for `make check-clump-programs`.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

refuses 2 'without --emulate' run sample --rate 10
refuses 2 'without --emulate' run sample --virtual e5000-clump --repetitions 2
refuses 2 'emulate: found --virtual beside it' run sample --emulate --virtual e5000-clump
refuses 2 'expected one with --virtual' run sample --virtual e5000-clump --nics 1,2
refuses 2 'expected at most 16 with --emulate' run sample --emulate --nics 17
refuses 2 'expected at most 64: each has a node' run sample --emulate --nodes 9 -P 8
refuses 2 'rate: expected 0.01' run sample --emulate --rate 1 --dilation 1000 --set keys=10 --set samples=8

# As a process without the right to make namespaces, behind a root where user namespaces are not allowed either.
if [ "$(id -u)" = 0 ] && unshare -m true 2> no && command -v setpriv > no; then
    mkdir -p root
    cat > alone.sh << 'END'
mount --rbind / "$2" && exec chroot "$2" setpriv --bounding-set -sys_admin --inh-caps -sys_admin "$1" run sample --emulate --set keys=10 --set samples=8
END
    unshare -m bash alone.sh "$CLUMPMODEL" "$PWD/root" > out 2> err < /dev/null
    status=$? ran='run --emulate without rights'
    check "says in one line which right is missing" eval 'exits 1 && empty out && [ "$(wc -l < err)" = 1 ] && has err "CAP_SYS_ADMIN"'
else
    echo "skip - without the right to make namespaces: needs root"
fi

again && exit 0
links() { ip -o link 2> no | wc -l; }
before=$(links)
small='--set keys=60 --set samples=16 --nodes 2 -P 2 --dilation 50'
# shellcheck disable=SC2086 # words
run -q run sample --emulate $small -N 1,2 -r 1 --format json
if exits 1 && grep -q 'no namespaces\|no mounts\|install \|Specified qdisc' err; then
    echo "skip - programs on emulated Clumps: $(cat err)"
    exit 0
fi
check "runs, and the results are right" exits 0
check "a row for each number of NICs" eval '[ "$(key nics)" = 1 ] && [ "$(key nics 2)" = 2 ]'
check "a slowdown is time over time" near "$(key slowdown)" "$(compute c/n c="$(key clump_s)" n="$(key now_s)")" 1e-9
check "an error is that of the prediction" near "$(key error)" "$(compute p/s-1 p="$(key predicted)" s="$(key slowdown)")" 1e-9
# Half of the pairs of processors are on one node: on the Clump their messages pass no NIC.
check "what stays in a node passes no NIC" [ "$(compute 'c > 0 && c < 0.9 * n' c="$(key bytes)" n="$(key now_bytes)")" = 1 ]
check "the same traffic through one NIC and two" [ "$(compute 'a < 1.2 * b && b < 1.2 * a' a="$(key bytes)" b="$(key bytes 2)")" = 1 ]
check "both NICs carry it" [ "$(compute 'most * t < 0.7 * sum * t' most="$(key busiest_nic 2)" sum="$(compute '2 * m' m="$(key nic_use 2)")" t=1)" = 1 ]
check "parts that are computed from the NOW" [ "$(compute 'u > 0 && u <= 1 && f > 0.5 && f < 0.8' u="$(key utilization)" f="$(key remote_fraction)")" = 1 ]
check "nothing is left behind" [ "$(links)" = "$before" ]

# So slow that it cannot end.
long='--set keys=100000 --set samples=16 --nodes 2 -P 2 --dilation 1000'
workers() { pgrep -f -x "$CLUMPMODEL -q run sample --emulate $long -N 3 -r 1" | wc -l; }
gone() { [ "$(workers)" = 0 ]; }
many() { [ "$(workers)" -ge 9 ]; } # the caller, the keeper, the first, two nodes, four workers
for signal in ${CLUMP_TEST_LONG:+INT} KILL; do
    # shellcheck disable=SC2086 # words
    "$CLUMPMODEL" -q run sample --emulate $long -N 3 -r 1 > out 2> err < /dev/null &
    emulation=$!
    await many
    kill -"$signal" "$emulation"
    { wait "$emulation"; } 2> no
    status=$? ran="run --emulate, then kill -$signal"
    check "nobody remains after kill -$signal" await gone
    check "no link remains" [ "$(links)" = "$before" ]
    [ "$signal" = KILL ] || check "^C says nothing but its status" eval 'exits 130 && empty out && empty err'
done
[ -n "${CLUMP_TEST_LONG:-}" ] || exit 0
# shellcheck disable=SC2086 # words
run -q run sample --emulate $long -N 1 -r 1 --time-limit 2
check "ends when its time is up" eval 'exits 1 && has err "a run may take 2 s"'
