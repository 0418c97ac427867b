#!/bin/bash
# The Promela models: which hold, and which counterexamples spin must find.
set -u
models=$(cd "$(dirname "$0")" && pwd)
. "$models/../jobs.sh"
tasks=()

check() { # expectation (holds, or the error that must be found), model, pan options, -D...
    tasks+=("$2 ${*:4}") expect[${#tasks[@]}]=$1 options[${#tasks[@]}]=$3 flags[${#tasks[@]}]=${PAN_FLAGS--DSAFETY}
}

job() { # one of the tasks
    local i=1 model definitions verdict
    until [ "${tasks[i - 1]}" = "$1" ]; do i=$((i + 1)); done
    read -r model definitions <<< "$1"
    mkdir "$work/$i" && cd "$work/$i" || exit 1
    # shellcheck disable=SC2086 # these are several words
    if ! spin -a $definitions "$models/$model.pml" >spin.log 2>&1 ||
        ! ${CC:-gcc} -O0 -w -DNFAIR=3 ${flags[i]} -o pan pan.c >>spin.log 2>&1; then
        verdict="does not compile"
    else
        # Room for a million states at once: most models have a few thousand, and the others follow chains.
        # shellcheck disable=SC2086
        ./pan -w20 -m200000 ${options[i]} >spin.log 2>&1
        if grep -q 'errors: 0' spin.log && ! grep -q 'max search depth too small' spin.log; then
            verdict=holds
        else
            verdict=$(sed -n 's/^pan:[0-9]*: \(invalid end state\|assertion violated\|acceptance cycle\).*/\1/p' spin.log)
        fi
    fi
    if [ "$verdict" = "${expect[i]}" ]; then
        echo "ok - $1: $verdict"
    else
        echo "not ok - $1: expected \"${expect[i]}\", found \"$verdict\""
        tail -n 15 spin.log
    fi
}

# Theorem 3.1 (no loss, no duplicate) and no deadlock in one queue; FIFO or not.
check holds queue "" -DQ=2 -DSENDERS=2 -DMESSAGES=3
check holds queue "" -DQ=2 -DSENDERS=3 -DMESSAGES=1
check holds queue "" -DFIFO -DQ=2 -DSENDERS=2 -DMESSAGES=3 -DWANT_ORDER
check holds queue "" -DFIFO -DQ=2 -DSENDERS=3 -DMESSAGES=1 -DWANT_ORDER
check "assertion violated" queue "" -DQ=2 -DSENDERS=3 -DMESSAGES=2 -DWANT_ORDER
check holds queue "" -DNO_LOOK -DQ=2 -DSENDERS=2 -DMESSAGES=3
check holds queue "" -DNO_LOOK -DFIFO -DQ=2 -DSENDERS=3 -DMESSAGES=1 -DWANT_ORDER
# The order of block and packet.
check holds bulk_order "" -DQ=2 -DBLOCKS=1 -DSENDERS=2 -DMESSAGES=2
check holds bulk_order "" -DQ=1 -DBLOCKS=2 -DSENDERS=3 -DMESSAGES=1
check "invalid end state" bulk_order "" -DREVERSE -DQ=2 -DBLOCKS=1 -DSENDERS=2 -DMESSAGES=2
# Theorem 3.6.
check holds deadlock "" -DPROCESSES=2 -DREQUESTS=3
check holds deadlock "" -DPROCESSES=3 -DREQUESTS=2
check "invalid end state" deadlock "" -DONE_QUEUE -DPROCESSES=3 -DREQUESTS=3
check "invalid end state" deadlock "" -DDEAF -DPROCESSES=3 -DREQUESTS=3
# The counter of figure 9.3, and what it needs: a second look, an epoch, a second try.
check holds wait_free "" -DPROCESSES=2 -DTIMES=3
check holds wait_free "" -DPROCESSES=3 -DTIMES=1
check "assertion violated" wait_free "" -DONE_LOOK -DPROCESSES=2 -DTIMES=3
check "assertion violated" wait_free "" -DNO_EPOCH -DPROCESSES=2 -DTIMES=3
check "assertion violated" wait_free "" -DONE_TRY -DPROCESSES=2 -DTIMES=2
# Recovery from a death at any step, then that it comes to an end under a fair scheduler.
PAN_FLAGS="-DSAFETY -DNOCLAIM" check holds recovery "" -DMESSAGES=2
PAN_FLAGS="-DSAFETY -DNOCLAIM" check holds recovery "" -DFIFO -DMESSAGES=2
PAN_FLAGS="-DSAFETY -DNOCLAIM" check "invalid end state" recovery "" -DFIFO -DCARELESS -DMESSAGES=2
PAN_FLAGS="-DSAFETY -DNOCLAIM" check holds recovery "" -DTEST_SET -DQ=1 -DMESSAGES=1
PAN_FLAGS="-DSAFETY -DNOCLAIM" check "invalid end state" recovery "" -DTEST_SET -DCARELESS -DMESSAGES=2
if [ -n "${CLUMP_TEST_LONG:-}" ]; then # ten times the states
    PAN_FLAGS="-DSAFETY -DNOCLAIM" check holds recovery "" -DTEST_SET -DMESSAGES=2
fi
PAN_FLAGS="" check holds recovery "-a -f" -DMESSAGES=1
PAN_FLAGS="" check holds recovery "-a -f" -DFIFO -DMESSAGES=1
PAN_FLAGS="" check holds recovery "-a -f" -DTEST_SET -DMESSAGES=1

run_jobs spin "${tasks[@]}"
