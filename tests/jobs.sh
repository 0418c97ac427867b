# SPDX-License-Identifier: GPL-3.0-or-later
# What the runners of tests share, for bash: jobs beside each other, a line for each as it ends, a sign
# of life when nothing ends, and nothing left running, however the run ends. A runner defines
#
#   job NAME        runs one test; what it prints is kept, and shown if it fails
#
# and calls `run_jobs LABEL NAME...`. A check is a line "ok ..." or "not ok ..." (or as cmocka has it);
# a job that ends with another status than 0 without a failed check counts as one. Lines "skip ..." are
# shown. run_jobs ends with "LABEL: N passed, M failed", and with status 0 if all passed. The folder
# $work is there for as long as the runner is.
heartbeat=15   # seconds until those that still run are named
patience=3600  # seconds until one of them is ended: it hangs
solitude=30    # seconds that a test has the processors to itself: who takes longer does not have them anyway
work=$(mktemp -d) || exit 1
mkfifo "$work/ends" "$work/life" || exit 1
: > "$work/groups"
set -m # every job is a process group
# Threads that wait for each other sleep: spinning takes the processors from the tests beside them.
export OMP_WAIT_POLICY=passive

# Whether any of a process group runs. The dead that nobody has collected yet do not count.
group_runs() {
    kill -0 -- "-$1" 2> /dev/null &&
        cat /proc/[0-9]*/stat 2> /dev/null | awk -v group="$1" \
            '{ sub(/.*\) /, "") } $3 == group && $1 !~ /[ZX]/ { found = 1 } END { exit !found }'
}

# When the runner is no more, even by kill -9, its jobs and its folder go, too: the other end of the
# pipe is open in the runner only.
(
    trap '' INT TERM HUP
    read -r _ < "$work/life"
    while read -r group; do kill -TERM -- "-$group"; done < "$work/groups"
    for _ in 1 2 3 4 5 6 7 8 9 10; do # they may tidy up
        left=
        while read -r group; do group_runs "$group" && left=yes; done < "$work/groups"
        [ -z "$left" ] && break
        sleep 0.2
    done
    while read -r group; do kill -KILL -- "-$group"; done < "$work/groups"
    rm -rf "$work"
) > /dev/null 2>&1 &
guard=$!
exec {life}> "$work/life" {ends}<> "$work/ends"
trap 'exec {life}>&-; wait $guard' EXIT

microseconds() { echo "${EPOCHREALTIME/[.,]/}"; }
tenths() { printf '%d.%d' $(($1 / 1000000)) $(($1 / 100000 % 10)); } # of seconds

# Where several runners work at the same time, alone means beside the jobs of the others, too.
with_turn() { # job NAME
    local turn
    [ -n "${CLUMP_TEST_TURNS:-}" ] || { "$@"; return; }
    exec {turn}<> "$CLUMP_TEST_TURNS"
    if is_alone "$2"; then flock -w $solitude -x "$turn"; else flock -w $solitude -s "$turn"; fi
    "$@" {turn}>&-
}

start_job() { # INDEX
    (
        set +m
        exec {life}>&- < /dev/null > "$work/$1.log" 2>&1
        (exec {ends}>&-; with_turn job "${names[$1]}")
        echo "$1 $?." >&$ends
    ) &
    group[$1]=$! begin[$1]=$(microseconds)
    printf '%s\n' "${group[@]}" > "$work/groups"
}

end_job() { # INDEX STATUS
    local log=$work/$1.log ok bad said
    for _ in $(seq 100); do # its processes end with it
        group_runs "${group[$1]}" || break
        sleep 0.1
    done
    if group_runs "${group[$1]}"; then
        echo "not ok - processes are left running" >> "$log"
        kill -KILL -- "-${group[$1]}" 2> /dev/null
    fi
    wait "${group[$1]}" 2> /dev/null
    unset "group[$1]"
    printf '%s\n' "${group[@]}" > "$work/groups"
    ok=$(grep -c '^ok \|^\[       OK \]' "$log")
    bad=$(grep '^not ok \|^\[  FAILED  \] [^ ]*$' "$log" | sort -u | wc -l)
    if [ "$bad" = 0 ] && [ "$2" != 0 ]; then
        echo "not ok - ended with status $2" >> "$log"
        bad=1
    elif [ $((ok + bad)) = 0 ] && ! grep -q '^skip ' "$log"; then
        echo "not ok - tests nothing" >> "$log"
        bad=1
    fi
    said="$ok passed"
    [ "$bad" = 0 ] || said="$said, $bad FAILED"
    echo "$label: ${names[$1]##*/}: $said, $(tenths $(($(microseconds) - begin[$1]))) s"
    if [ "$bad" = 0 ]; then
        sed -n 's/^skip/    skip/p' "$log"
    else
        grep -v '^ok \|^\[ RUN\|^\[       OK' "$log" | tail -n 200 | sed 's/^/    /'
    fi
    passed=$((passed + ok)) failed=$((failed + bad)) ended=$((ended + 1))
}

# Names those that run; ends those that have run for hours, or whose shell was killed.
look_at_jobs() {
    local i now text=
    now=$(microseconds)
    for i in "${!group[@]}"; do
        text="$text, ${names[$i]##*/} ($(((now - begin[i]) / 1000000)) s)"
        if [ $(((now - begin[i]) / 1000000)) -gt $patience ]; then
            echo "not ok - hangs: ended after $patience s" >> "$work/$i.log"
            kill -KILL -- "-${group[$i]}" 2> /dev/null
        fi
        kill -0 "${group[$i]}" 2> /dev/null || echo "$i 137." >&$ends
    done
    echo "$label: ... still running: ${text#, }"
}

# Those whose processes wait for each other without sleeping: with both processors to themselves they are done in seconds;
# beside others each of their messages waits for the scheduler, and they take the processors for a minute. They come
# first, one after the other.
alone='test_calibration_shm test_calibration_polling test_protocol_flood test_protocol_stress
    test_calibrate_multi test_calibrate_udp test_calibrate'
# Of the others those that take longest, by time or by waiting, start first: none of them is left to the end.
longest='clumpmodel-run.1 test_panda test_programs test_protocol_both test_protocol_kill test_calibration_service
    test_protocol_endpoint test_fit_slowdown test_transient test_validation test_protocol_network test_scenario_memory
    test_data_files test_recording test_data_memory test_scenario_sandbox test_protocol_lci test_calibrate_mpi
    test_mpi_programs test_validate test_explore test_import test_explore_parts test_interrupt test_plot test_help
    test_predict test_inputs test_fit_loggp clumpmodel-calibrate-udp.1 clumpmodel-calibrate.1
    clumpmodel-calibrate-virtual.1 tutorial.md clumpmodel-simulate.1'

is_alone() { # NAME
    case " ${alone//[[:space:]]/ } " in *" ${1##*/} "*) ;; *) return 1 ;; esac
}

in_order() { # NAME...: a line each, the longest first, the others as they are given
    local name long
    for long in $alone $longest; do
        for name in "$@"; do [ "${name##*/}" = "$long" ] && printf '%s\n' "$name"; done
    done
    for name in "$@"; do
        case " ${alone//[[:space:]]/ } ${longest//[[:space:]]/ } " in *" ${name##*/} "*) ;; *) printf '%s\n' "$name" ;; esac
    done
}

run_jobs() { # LABEL NAME...
    local label=$1 next=0 ended=0 most i status line= half= names group=() begin=() crowded=
    shift
    readarray -t names < <(in_order "$@")
    passed=0 failed=0
    most=${CLUMP_TEST_JOBS:-$(($(nproc 2> /dev/null || echo 1) + 2))} # some wait for others
    while [ $ended -lt ${#names[@]} ]; do
        while [ ${#group[@]} -lt "$most" ] && [ $next -lt ${#names[@]} ]; do
            [ ${#group[@]} -gt 0 ] && [ -z "$crowded" ] &&
                { is_alone "${names[next - 1]}" || is_alone "${names[next]}"; } && break
            start_job $next
            next=$((next + 1))
        done
        # The time may be up in the middle of a line, or just behind its last character.
        IFS= read -r -t $heartbeat -u "$ends" line
        half=$half$line
        if [ "${half%.}" != "$half" ]; then
            read -r i status <<< "${half%.}"
            half=
            [ -n "${group[$i]:-}" ] && end_job "$i" "$status"
        else
            look_at_jobs
            # Others than ours have the processors: then all may run beside each other as well.
            i=$((next - 1))
            [ -n "${group[$i]:-}" ] && is_alone "${names[$i]}" &&
                [ $((($(microseconds) - begin[i]) / 1000000)) -ge $solitude ] && crowded=yes
        fi
    done
    echo "$label: $passed passed, $failed failed"
    [ $failed = 0 ] && [ $passed -gt 0 ]
}
