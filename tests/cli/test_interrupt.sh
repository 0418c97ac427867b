# SPDX-License-Identifier: GPL-3.0-or-later
# ^C in the middle: what is there so far is printed and marked, and the exit code is that of a shell.
# Nobody can say how far a command is after some time: it is interrupted once it has computed for so long, and
# there is more to do than anybody waits for.

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "when it ends does not depend on the build; with sanitizers in make check-sanitize-all"; exit 0; }

# computed PROCESS HUNDREDTHS: of a second of processor time.
computed() {
    local fields
    fields=$(sed 's/.*) //' "/proc/$1/stat" 2> no) || return 0
    # shellcheck disable=SC2086 # words
    set -- "$2" $fields
    [ $((100 * (${13} + ${14}) / $(getconf CLK_TCK))) -ge "$1" ]
}

# interrupts SIGNAL HUNDREDTHS COMMAND...: sends the signal once it has computed, and waits for the end.
interrupts() {
    local signal=$1 spent=$2
    shift 2
    "$CLUMPMODEL" "$@" > out 2> err < /dev/null &
    local child=$!
    await eval 'computed $child $spent || ended $child'
    kill -"$signal" $child
    { wait $child; } 2> no
    status=$?
    ran="$* (SIG$signal)"
}

# A row of this takes a tenth of a second; there are a hundred thousand of them.
cat > rows.lua << 'LUA'
return scenario { processors = range(3000000, 3100000), nics = 4, utilization = 0.5, efficiency = { 1, 0.9 } }
LUA
cat > loop.lua << 'LUA'
while true do end
LUA
cat > node.lua << 'LUA'
return scenario { processors = 8, nics = { 4, 2 }, utilization = 0.5 }
LUA
long='--max-seconds 1e9 --max-memory 1T'

interrupts INT 10 predict loop.lua $long
check 'a script that loops: exit code 130' exits 130
check 'a script that loops: nothing on stdout' empty out
check 'a script that loops: says so' has err 'interrupted; the script was running'
interrupts TERM 10 predict loop.lua $long
check 'SIGTERM: exit code 143' exits 143
interrupts HUP 10 explore loop.lua $long
check 'SIGHUP: exit code 129' exits 129
check 'explore, a script that loops: says so' has err 'interrupted; there are no results yet'

interrupts INT 10 predict rows.lua $long
check 'predict: exit code 130' exits 130
check 'predict: says how many rows are there' has err 'interrupted; [0-9]* of 100001 rows'
interrupts INT 10 explore rows.lua $long --threads 1
check 'explore: exit code 130' exits 130
check 'explore: says how many rows are there' has err 'interrupted; [0-9]* of 100001 rows'

# A simulation has its first interval after milliseconds of the half a second, and never the one that is wanted.
simulation='simulate node.lua --precision 0.0001% --max-events 1e18'
interrupts INT 50 $simulation --format csv
check 'csv: exit code 130' exits 130
check 'csv: says so' has err 'interrupted; 1 of 2 rows is there'
check 'csv: the row is there' [ "$(wc -l < out)" -eq 2 ]
interrupts INT 50 $simulation --format json
check 'json: exit code 130' exits 130
check 'json: the row is there' [ "$(grep -c '^    {' out)" -eq 1 ]
check 'json: marked' has out '"incomplete": "interrupted"'
check 'json: how many there would be' has out '"rows_expected": 2'
interrupts TERM 50 $simulation --plot no.svg
check 'table: exit code 143' exits 143
check 'table: marked' has out '^Incomplete: interrupted after 1 of 2 rows\.$'
check 'no picture of what is not complete' [ ! -e no.svg ]

# A number of NICs takes milliseconds; there are a hundred thousand of them.
interrupts INT 10 slowdown -P 100000 -N 1:100000 -U 0.5 --max-nics-per-processor 1.5
check 'slowdown, many NICs: exit code 130' exits 130
check 'slowdown, many NICs: those that are there' has out '^Incomplete: interrupted after [0-9]* of 100000 rows\.$'
# All processors differ.
seq 1 200000 | awk '{ print $1 / 200001 }' > utilizations
interrupts INT 100 slowdown -P 200000 -N 4 -U @utilizations
check 'slowdown, many kinds: exit code 130' exits 130
check 'slowdown, many kinds: says so' has err 'interrupted; there is no result yet'

# The search tries numbers one by one where more NICs can be slower, and there are millions.
interrupts INT 10 recommend -P 100000000 -U 0.3 --ports-per-slot 2 --slot-bandwidth 1.1
check 'recommend: exit code 130' exits 130
check 'recommend: says so' has err 'interrupted; the search for the least number of NICs was not over'

# With a narrow interval no simulation of table 7.8 ends. What comes before the first one takes a while with sanitizers.
interrupts INT 100 validate --dataset 7.8 --engine simulation --precision 0.0001% --max-events 1e18
check 'validate: exit code 130' exits 130
check 'validate: says so' has err 'interrupted; [01] of 6 rows'
check 'validate: those not simulated say why' has out 'interrupted'

# Who cannot wait sends a second one: the program ends by it.
"$CLUMPMODEL" predict loop.lua $long > out 2> err < /dev/null &
child=$!
await computed $child 20
kill -STOP $child
kill -INT $child
kill -TERM $child
kill -CONT $child
{ wait $child; } 2> no
status=$? ran='predict loop.lua, interrupted twice'
check 'twice: ends' [ "$status" -ge 129 ]
