# SPDX-License-Identifier: GPL-3.0-or-later
# calibrate virtual: what it prints, what it stores, what it refuses.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
again && { pass "measured once; with sanitizers in make check-sanitize-all"; exit 0; }
few="--nodes 4 --rounds 20"

run calibrate virtual --hardware ppro-myrinet --protocol l-nirx --db a.db --format json --rounds 50
check "runs" exits 0
check "o_s, by the table 1.8" near "$(key value 1)" 1.8 0.18
check "L, by the table 13.7" near "$(key value 3)" 13.7 1.37
check "the document beside" near "$(key document 3)" 13.7 0
check "throughput over sizes" [ "$(grep -c '"transfer_rate"' out)" -ge 6 ]
check "multicasts of 64 nodes" [ "$(grep multicast_latency out | grep -c '"nodes": 64')" -eq 1 ]
cp out first.json
run data check --db a.db
check "the database is sound" exits 0
run data export ppro-myrinet --db a.db --format csv
check "samples are stored" has out 'virtual,l-nirx.*multicast_latency\|multicast_latency.*virtual,l-nirx'
run calibrate virtual --hardware ppro-myrinet --protocol l-nirx --db a.db --format json --rounds 50
grep -v '"source"' out > second.json
check "the same run, the same numbers" [ "$(grep -v '"source"' first.json)" = "$(cat second.json)" ]
check "each run is a source of its own" [ "$(grep '"source"' out)" != "$(grep '"source"' first.json)" ]

# 2 W = 1,536 pages on 1,024 entries: 2 (W - 512) of W share theirs.
run calibrate virtual --hardware p3-myrinet --protocol l-rcpy --pages 768 --rounds 768 --nodes 4 --db a.db --format csv
check "pages that miss translations" has out '^source_miss_rate,16,2,0\.666666666666'
run calibrate virtual --hardware p3-myrinet --protocol l-rcpy --translations 4 --pages 2 $few --db a.db --format csv
check "pages that have them" has out '^destination_miss_rate,16,2,0,'
# RTT + 250 without interrupts; with them RTT + 30^2/1000 + (1 - 30/500) (30 + 30) = RTT + 57
run calibrate virtual --hardware p3-myrinet --protocol l-sdma --compute 500 --rounds 2000 --nodes 4 --db a.db --format csv
check "a host that computes" near "$(sed -n 's/^busy_round_trip,16,2,\([0-9.]*\),.*/\1/p' out)" 73 4
check "and is not interrupted" near "$(sed -n 's/^busy_round_trip_polling,16,2,\([0-9.]*\),.*/\1/p' out)" 266 12
run data show p3-myrinet --db a.db
check "its figures are stored" has out 'busy_round_trip_polling'

run calibrate virtual --hardware ppro-myrinet --protocol l-nirx --db a.db --format json --rounds 1 --nodes 64
check "few rounds, the same figures" [ "$(grep '"gap"' out)" = "$(grep '"gap"' first.json)" ]

run calibrate virtual --hardware ss20-atm --protocol ssam --db a.db --format csv --rounds 20
check "ssam" has out '^cell_send_request,,2,4\.'
check "memory of a peer, section 3.5: 8 kB" has out '^peer_memory,,2,8192,B'
run calibrate virtual --hardware ss20-atm --protocol ssam --db a.db --format csv --rounds 1
check "ssam: one round, and a stream of many cells" has out '^bandwidth,,2,5\.2[0-9]*,B/us,5\.5,'
run calibrate virtual --hardware ss20-atm --protocol ssam --db a.db --format csv --window 2
check "ssam: another window is not what the document measured" has out '^bandwidth,,2,[0-9.]*,B/us,,$'
run calibrate virtual --hardware ss1-atm --protocol system-call --db a.db --format csv --rounds 20
check "ssam by system calls, table 2" has out '^cell_read_call_empty,,2,113,us,113,0'
check "and what messages take then" has out '^round_trip_time,,2,6[0-9][0-9]\.'
run calibrate virtual --hardware p3-myrinet --protocol l-hrx --loss 0.02 $few --db a.db --format csv
check "l-hrx survives loss" exits 0
check "no figure of a document for other conditions" lacks out ',9\.9,'
for protocol in l-sdma l-pio-1k l-rcpy l-hrx l-nirx-4k l-sdma-hmc-binomial; do
    run calibrate virtual --hardware p3-myrinet --protocol $protocol $few --db a.db
    check "$protocol" exits 0
done

refuses 1 'relies on links' calibrate virtual --hardware p3-myrinet --protocol l-pio --loss .05 $few --db a.db
refuses 2 'only remote copy' calibrate virtual --hardware p3-myrinet --protocol l-pio --pages 3 --db a.db
refuses 2 'watchdog' calibrate virtual --hardware ss20-atm --protocol ssam --compute 3 --db a.db
refuses 2 'begins at .hrx' calibrate virtual --hardware p3-myrinet --protocol l-rcpy-hrx --db a.db
refuses 2 'of the 19 costs' calibrate virtual --hardware p3-myrinet --protocol system-call --db a.db
refuses 2 "found 'l-fast'" calibrate virtual --hardware p3-myrinet --protocol l-fast --db a.db
refuses 2 'no platform\|not found\|nowhere' calibrate virtual --hardware nowhere --protocol l-pio --db a.db
refuses 2 'no description' calibrate virtual --hardware e5000-clump --protocol l-pio --db a.db
refuses 2 'ss20-atm' calibrate virtual --hardware p3-myrinet --protocol ssam --db a.db
refuses 2 'only ssam' calibrate virtual --hardware ss20-atm --protocol l-pio --db a.db
