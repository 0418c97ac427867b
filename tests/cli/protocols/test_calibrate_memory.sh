# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel calibrate memory: what it prints and stores. Never how fast: that is for make bench.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
short='--quick --runs 2 --size 1M'
there=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc) # processors that may be used
most=$((there < 2 ? there : 2))

run calibrate memory $short --processes $most --kernels triad,read --platform lab --db memory.db --format json
check 'exit code 0' exits 0
check 'small arrays: says so' has err 'arrays of 1 MiB are less than 4 times the largest cache'
check 'a row for each kernel and number of processes' [ "$(grep -c '"kernel"' out)" -eq $((2 * most)) ]
check 'the platform is in the answer' has out '"platform": "lab"'
check 'the size of arrays' has out '"array_bytes": 1048576'
check 'processors: those that may be used' has out "\"processors\": $there"
cp out json
for row in $(seq $((2 * most))); do
    kernel=$(key kernel "$row") processes=$(key processes "$row")
    bandwidth=$(key bandwidth "$row") slowest=$(key slowest "$row")
    check "$kernel of $processes: above 0, and the slowest no more than its share" eval \
        'doubt out "$bandwidth" "$slowest" ||
         [ "$(compute "s > 0 && s * k <= b * 1.000001" s="$slowest" b="$bandwidth" k="$processes")" = 1 ]'
done
check 'one process is the unit' eval 'doubt out "$(key ratio 1)" || [ "$(key ratio 1)" = 1.0 ]'

# The database has the samples of each run, and their means are what was printed.
run data show lab --db memory.db --format csv
check 'the samples of each run' [ "$(grep -c ',memory_bandwidth,.*,single,' out)" -eq $((4 * most)) ]
check 'and of the slowest' [ "$(grep -c ',slowest_memory_bandwidth,.*,single,' out)" -eq $((4 * most)) ]
run data show lab --db memory.db --format json
mean=$(grep '"quantity": "memory_bandwidth"' out | grep '"variant": "triad"' | grep '"processes": 1[,}]' |
    sed -n 's/.*"value": \([-+0-9.e]*\).*/\1/p' | awk '{ s += $1; n++ } END { if (n) printf "%.17g", s / n }')
cp json out
row=$(grep '^    {' out | grep -n '"kernel": "triad"' | head -n 1 | cut -d: -f1)
check 'means are of what is stored' eval \
    '[ "$(key doubtful "$row")" != 0 ] || near "$(key bandwidth "$row")" "$mean" "$(compute "1e-9 * m" m="$mean")"'
run data check --db memory.db
check 'what is stored passes the check' exits 0
run data list sources --db memory.db --format json
check 'source: a calibration by this program' has out '"kind": "calibration"'
check 'source: the command' has out 'clumpmodel calibrate memory --quick --runs 2 --size 1M'
check 'source: what was found of the machine' has out '3 arrays of 1 MiB a process, largest cache'
check 'source: no host name' lacks out "$(uname -n)"

run calibrate memory $short --kernels copy --counts 1 --platform lab --db memory.db --format csv -q
check 'csv: its columns' has out '^kernel,processes,nodes,bandwidth,half_width,std_dev,slowest,slowest_half_width,unit,ratio'
check 'csv: one process only' [ "$(wc -l < out)" -eq 2 ]
check '--quiet: nothing on stderr' empty err
run calibrate memory $short --kernels triad --processes 1 --spread compact --cache 64K --db memory.db
check 'table: one process' has out 'Memory bandwidth of 1 process, 3 arrays of 1 MiB each'

again || {
check 'spread: says where it changes nothing' eval \
    '[ "$(ls -d /sys/devices/system/node/node[0-9]* | wc -l)" -gt 1 ] || has err "one memory node: --spread changes nothing"'

# Drawn, unless all runs are doubtful.
run calibrate memory $short --kernels triad --db memory.db --platform lab --quiet --format csv --plot curve.svg --plot curve.gp
if exits 1 && has err 'no picture: all runs are doubtful'; then
    check 'all runs are doubtful, no picture' [ ! -e curve.svg ]
else
    check 'it is drawn' eval 'exits 0 && grep -q "<svg" curve.svg && has curve.gp "Bandwidth over that of one process"'
fi

# While it runs: a process on each processor.
children() { cat "/proc/$child/task/$child/children" 2> /dev/null; }
begin() { # begin OPTIONS...: returns when a run is stored
    rm -f stop.db
    "$CLUMPMODEL" calibrate memory --runs 1000 --size 1M --kernels read --processes $most --platform lab --db stop.db "$@" \
        > out 2> err < /dev/null &
    child=$!
    ran='calibrate memory, in the background'
    await stored_or_ended
}
stored_or_ended() { "$CLUMPMODEL" data list sources --db stop.db 2> /dev/null | grep -q 'calibrate memory' || ended $child; }
begin
for process in $(children); do sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$process/status"; done > places
check 'a process for each' [ "$(wc -l < places)" -eq $most ]
check 'each on one processor of its own' [ "$(grep -c '^[0-9]*$' places)" -eq "$(sort -u places | wc -l)" ]

# Moved to where it does not belong, it goes back.
if [ $most -eq 2 ]; then
    second=$(children | cut -d' ' -f2)
    allowed() { sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$second/status"; }
    place=$(allowed)
    taskset -cp "$(cat places | head -n 1)" "$second" > out2 2>&1
    check 'moved: goes back to its processor' await eval '[ "$(allowed)" = "$place" ]'
fi

# ^C: complete runs are kept, exit code 130, nobody is left.
processes=$(children)
kill -INT $child
wait $child
status=$?
check 'stopped: exit code 130' exits 130
check 'stopped: says what is complete' has err 'of 1000 stages are complete and stored'
check 'stopped: prints what is complete' has out 'Memory bandwidth of 1 '
left=
for process in $processes; do ended "$process" || left="$left $process"; done
check 'stopped: nobody is left' [ -z "$left" ]
run data check --db stop.db
check 'stopped: what is stored passes the check' exits 0

# A process that is killed is reported, and what is complete is kept.
begin
kill -KILL $(children | cut -d' ' -f1)
wait $child
status=$?
check 'killed: exit code 1' exits 1
check 'killed: says who' has err 'process 1 of [12] was ended by signal 9: by somebody, or by the system'
check 'killed: prints what is complete' has out 'Memory bandwidth of 1 '

# A parent that is killed takes its processes along.
begin
processes=$(children)
kill -KILL $child
wait $child 2> /dev/null
all_ended() { for process in $processes; do ended "$process" || return 1; done; }
check 'parent killed: nobody is left' await all_ended
}

refuses 2 "expected 1 to $there: the processors that this program may use" calibrate memory --processes 1024 --db no.db
refuses 2 "expected 1 to $there: the processors that this program may use" calibrate memory --counts 1,1024 --db no.db
refuses 2 'expected a list of read, copy, triad' calibrate memory --kernels read,write --db no.db
refuses 2 'of memory that can be had' calibrate memory --size 1T --processes 1 --db no.db
refuses 2 'expected fewer\|ask for fewer --processes' calibrate memory --cache 64G --processes 1 --db no.db
check 'refused: no database is made' [ ! -e no.db ]
refuses 2 "cannot write 'nowhere/u.svg'" calibrate memory --quick --plot nowhere/u.svg --db plotless.db
check 'a plot that cannot be written: nothing is measured' [ ! -e plotless.db ]
