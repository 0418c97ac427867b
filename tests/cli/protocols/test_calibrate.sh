# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel calibrate shm: what it prints and stores. Never how fast: that is for make bench.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

db=calibrated.db
run calibrate shm --quick --stages loggp,breakdown --platform lab --db $db --quiet --format json
check 'loggp: exit code 0' exits 0
check 'loggp: nothing on stderr with --quiet' empty err
for quantity in latency send_overhead receive_overhead gap round_trip_time poll_cost; do
    check "loggp: has $quantity" has out "\"quantity\": \"$quantity\""
done
check 'loggp: the platform is in the answer' has out '"platform": "lab"'

value() { grep "\"quantity\": \"$1\"" out | sed -n 's/.*"mean": \([-+0-9.e]*\).*/\1/p' | head -n 1; }
parts=("$(value latency)" "$(value round_trip_time)" "$(value send_overhead)" "$(value receive_overhead)")
check 'L is RTT/2 - o_s - o_r' eval 'doubt out "${parts[@]}" || is_latency "${parts[@]}"'

# Components add up to the time of a whole send: nine rows.
check 'nine components of a send' [ "$(grep -c '"send_component"' out)" -eq 9 ]

run data check --db $db
check 'what is stored passes the check' exits 0
run data list sources --db $db --format json
check 'source: a calibration by this program' has out '"kind": "calibration"'
check 'source: the command' has out 'clumpmodel calibrate shm --quick'
check 'source: no host name' lacks out "$(uname -n)"
run data show lab --db $db --format json
check 'samples of each run are there' [ "$(grep -c '"quantity": "half_round_trip"' out)" -eq 10 ]
check 'the variant is the algorithm' has out '"variant": "lock-free"'

again || {
# A second calibration goes beside the first one; the thesis beside the machine.
run calibrate shm --quick --stages loggp --queue ticket --platform lab --db $db -q --compare thesis
check 'second calibration: exit code 0' exits 0
check 'thesis: o_s of the ticket lock (table 6.3)' has out '1\.764'
check 'thesis: RTT of the ticket lock' has out '5\.737'
run data check --db $db
check 'both pass the check' exits 0

# ^C between stages: the first is kept, the second is not; exit code 130; nothing is left running.
"$CLUMPMODEL" calibrate shm --quick --stages loggp,lengths --processes 6 --platform lab --db stop.db \
    > out 2> err < /dev/null &
child=$!
stored_or_ended() { "$CLUMPMODEL" data list sources --db stop.db 2> /dev/null | grep -q 'calibrate shm' || ended $child; }
await stored_or_ended
kill -INT $child
wait $child
status=$? ran='calibrate shm, stopped'
check 'stopped: exit code 130' exits 130
check 'stopped: says what is complete' has err '1 of 2 stages are complete and stored'
check 'stopped: prints what is complete' has out 'round_trip_time'
run data check --db stop.db
check 'stopped: what is stored passes the check' exits 0
check 'stopped: no shared memory is left' [ -z "$(ls /dev/shm 2> /dev/null | grep "^clump-calibrate-$child\\.")" ]
}

refuses 2 "'nonsense', expected one of all, lock-free" calibrate shm --queue nonsense --db no.db
refuses 2 'expected a list of loggp' calibrate shm --stages loggp,size --db no.db
refuses 2 "expected thesis" calibrate shm --compare theses --db no.db
for what in shm memory multi udp; do
    refuses 2 'expected one of them' calibrate $what --quick --full --db no.db
done
for what in shm memory multi udp clump; do
    refuses 2 "found 'e5000-smp', a platform of the reference data" calibrate $what --platform e5000-smp --db no.db
done
refuses 2 'expected shm' calibrate
check 'refused: no database is made' [ ! -e no.db ]

# A recorded calibration: fitted from its samples, LogGP is what the direct method gave, within the
# intervals of both. (Two ways: the method of section 5.3.1 with means, and a robust fit.)
run import auto "$TOP/tests/logs/calibration-shm-loggp.csv" --platform recorded --db recorded.db -q
check 'a recorded calibration can be imported' exits 0
run data show recorded --db recorded.db --format json
cp out direct
run fit loggp --platform recorded --variant lock-free --db recorded.db --format json
check 'it can be fitted' exits 0
field() { sed -n "s/.*\"$1\": \([-+0-9.e]*\).*/\1/p" | head -n 1; }
for quantity in latency send_overhead receive_overhead gap; do
    row=$(grep "\"quantity\": \"$quantity\"" direct | grep '"statistic": "mean"')
    mean=$(echo "$row" | field value) half=$(echo "$row" | field half_width)
    row=$(grep "\"quantity\": \"$quantity\"" out)
    low=$(echo "$row" | field low) high=$(echo "$row" | field high)
    check "$quantity: fitted and direct agree" awk -v m="$mean" -v h="$half" -v l="$low" -v u="$high" \
        'BEGIN { exit !(h > 0 && u > l && l <= m + h && u >= m - h) }'
done
