# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel calibrate udp: what it prints and stores, who comes and goes. Never how fast.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
again && { pass "measured once; with sanitizers in make check-sanitize-all"; exit 0; }

serve() { # serve ERR ARGUMENTS...: a server in the background; $server and $address
    local log=$1
    shift
    "$CLUMPMODEL" calibrate udp "$@" > /dev/null 2> "$log" < /dev/null &
    server=$!
    await eval 'grep -q "listening on .*[0-9]$" "$log" || ended $server'
    address=$(sed -n 's/.*listening on //p' "$log")
}
stored() { # stored DATABASE: wait until a run is stored
    local db=$1
    await eval '"$CLUMPMODEL" data list sources --db "$db" 2> /dev/null | grep -q "calibrate udp" || ended $client'
}
keep() { # keep FILES COMMAND...: its exit code is kept in a file, since the shell forgets it when a later process has the same number
    local files=$1 code=0
    shift
    "$@" > "$files.out" 2> "$files.err" < /dev/null || code=$?
    echo $code > "$files.new"
    mv "$files.new" "$files.code"
}
ends() { # ends NAME FILES CODE: wait for what was started with keep
    await test -e "$2.code"
    status=$(cat "$2.code") ran=$1
    cp "$2.out" out
    cp "$2.err" err
    check "$1: exit code $3" exits "$3"
}

# Nobody listens: the others run meanwhile.
keep nobody "$CLUMPMODEL" calibrate udp --peer 127.0.0.1:9 --db nobody.db -q &

# The server is killed in the middle: what was measured is kept. The client is asked about it below, when it has
# lost its patience.
serve killed.log --listen 0 --patience 60
killed=$server
keep killed "$CLUMPMODEL" calibrate udp --peer "$address" --quick --runs 1000 --stages loggp --patience 10 --platform lab \
    --db killed.db -q --format json &
client=$! killed_address=$address
stored killed.db
kill -9 $killed
{ wait $killed; } 2> /dev/null

# The client is stopped by ^C: kept, too.
serve stopped.log --listen 127.0.0.1:0 --once --patience 60
"$CLUMPMODEL" calibrate udp --peer "$address" --patience 60 --runs 1000 --quick --stages loggp --platform lab --db stopped.db -q > stopped.out \
    2> stopped.err < /dev/null &
client=$!
stored stopped.db
kill -INT $client
wait $client
status=$? ran='client stopped'
cp stopped.err err
cp stopped.out out
check 'client stopped: exit code 130' exits 130
check 'client stopped: says so' has err 'stopped; [0-9]* of 1000 runs'
check 'client stopped: prints what there is' has out 'half_round_trip'
wait $server
status=$? ran='server of a client that left'
check 'server of a client that left: exit code 1 with --once' exits 1
check 'server of a client that left: says so' has stopped.log 'was gone before it was done'

# One after the other; tags; a port that is taken.
serve served.log --listen 0 --tag 5 --patience 60
refuses 1 'does not accept this tag; give both sides the same --tag' calibrate udp --peer "$address" --db no.db -q
refuses 1 'cannot listen on' calibrate udp --listen "$address"
for protocol in l-hrx ssam; do
    run calibrate udp --peer "$address" --tag 5 --patience 60 --quick --runs 2 --stages loggp --protocol $protocol --platform lab \
        --db lab.db -q --format csv
    check "$protocol: exit code 0" exits 0
    check "$protocol: the column of the protocol" has out "^table,protocol,"
    check "$protocol: its round trips" has out "^LogGP,$protocol,round_trip_time"
done
kill -TERM $server
wait $server
status=$? ran='server, ended'
check 'server, ended: exit code 0' exits 0
check 'server: says who came' eval '[ "$(grep -c "is done; [0-9]* requests" served.log)" -eq 2 ]'

run calibrate udp --quick --runs 2 --platform lab --db lab.db -q --format json
check 'local: exit code 0' exits 0
check 'local: nothing on stderr with --quiet' empty err
for quantity in latency send_overhead receive_overhead gap gap_per_byte round_trip_time poll_cost \
    half_round_trip transfer_rate datagram_loss packets_resent; do
    check "local: has $quantity" has out "\"quantity\": \"$quantity\""
done
value() { grep "\"quantity\": \"$1\"" out | sed -n 's/.*"mean": \([-+0-9.e]*\).*/\1/p' | head -n 1; }
parts=("$(value latency)" "$(value round_trip_time)" "$(value send_overhead)" "$(value receive_overhead)")
check 'L is RTT/2 - o_s - o_r' eval 'doubt out "${parts[@]}" || is_latency "${parts[@]}"'
check 'G is 1 / bandwidth' eval 'doubt out "$(value bandwidth)" ||
    near "$(compute "G * b" G="$(value gap_per_byte)" b="$(value bandwidth)")" 1 1e-9'
sent=$(sed -n 's/.*"datagrams_sent": \([0-9]*\).*/\1/p' out)
check 'datagrams were counted' [ "${sent:-0}" -gt 4000 ]
run data check --db lab.db
check 'what is stored passes the check' exits 0
run data list sources --db lab.db --format json
check 'source: the command, without an address' has out 'calibrate udp --patience 60 --quick --runs 2 --stages loggp --protocol ssam --peer HOST:PORT'
check 'source: no host name' lacks out "$(uname -n)"
run data show lab --db lab.db --format json
for variant in am2 l-hrx ssam; do
    check "samples of $variant" has out "\"variant\": \"$variant\""
done

# Recorded: fitted from the samples, LogGP is what the direct method gave, within the intervals of both.
run import auto "$TOP/tests/logs/calibration-udp-loggp.csv" --db recorded.db -q
check 'a recorded calibration can be imported' exits 0
run data show recorded --db recorded.db --format json
cp out direct
run fit loggp --platform recorded --variant am2 --db recorded.db --format json
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

ends 'server killed' killed 1
check 'server killed: says so' has err "the server at $killed_address is gone\|$killed_address: no request .* was answered"
check 'server killed: says what is kept' has err 'of 1000 runs are complete, [0-9]* samples are kept'
check 'server killed: prints it' has out '"quantity": "half_round_trip"'
run data check --db killed.db
check 'server killed: what is stored passes the check' exits 0

ends 'nobody listens' nobody 1
check 'nobody listens: says so' has err 'no endpoint answers at 127.0.0.1:9; is .*--listen'
check 'nobody listens: no database is made' [ ! -e nobody.db ]

refuses 2 "found --peer and --listen" calibrate udp --peer a:1 --listen 0 --db no.db
refuses 2 "found 'somewhere', expected HOST:PORT" calibrate udp --peer somewhere --db no.db
refuses 2 'address "localhost:": expected HOST:PORT' calibrate udp --peer localhost: --db no.db
refuses 2 'and a port from 1 to 65535' calibrate udp --peer 127.0.0.1:0 --db no.db
refuses 2 'expected HOST:PORT' calibrate udp --listen 99999
refuses 2 "found 'size', expected a list of loggp, sizes" calibrate udp --stages loggp,size --db no.db
refuses 2 'found --once without --listen' calibrate udp --once --db no.db
refuses 2 'found --protocol with --listen' calibrate udp --listen 0 --protocol ssam
check 'refused: no database is made' [ ! -e no.db ]
