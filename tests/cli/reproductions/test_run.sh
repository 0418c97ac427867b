# SPDX-License-Identifier: GPL-3.0-or-later
# run: the documents' programs, in virtual time and live; what it refuses.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

run run
check "lists programs" has out '^sample  *SAMPLE'
run run --format csv
check "as CSV" has out '^em3d-good,EM3D/good,'
run run em3d --describe --format json
check "describes sizes" has out '"name": "degree"'
check "and operations" has out '"operation_us": 0\.'

refuses 2 "found 'em4d', expected a program: sample" run em4d
refuses 2 'expected keys=NUMBER, a whole number from 1' run sample --set keys=0
refuses 2 'expected a size of sample' run sample --set steps=3
refuses 2 'at most 2^31 in all' run sample --virtual e5000-clump --nodes 64 --set keys=1e8
refuses 2 'without --virtual' run sample --nics 2
refuses 2 'without --virtual' run sample --name mine --db new.db
refuses 2 'a platform that is as the run' run sample --virtual e5000-clump --nics 8 --name mine --db new.db
check "a database that nothing is stored in is not made" [ ! -e new.db ]
refuses 2 'whose packets an LCI protocol' run qr --virtual ppro-myrinet --name mine --db new.db
refuses 2 'cannot open' run sample --virtual e5000-smp --db nowhere.db
refuses 2 'expected adaptive, adaptive:NAME' run sample --virtual e5000-smp --polling sometimes
refuses 2 'must not exceed the damping' run sample --virtual e5000-smp --polling adaptive:s_max=4096
refuses 2 'an LCI protocol' run qr --virtual ppro-myrinet --polling adaptive
refuses 2 "found 'lock', .* shared memory; expected .*anderson-lock.*multi-protocol" run em3d --virtual e5000-smp --layer lock
refuses 2 "of the network; expected multi-protocol, single-protocol" run em3d --virtual ultra170-now-8 --layer lock-free
refuses 2 'without a NOW' run em3d --virtual e5000-smp --layer lock-free --predict
refuses 2 'expected one node' run em3d --virtual e5000-smp --layer lock-free --nodes 2
refuses 2 'layer: found --polling beside it' run em3d --virtual e5000-smp --layer lock-free --polling always
refuses 2 'layer: found with a run whose packets' run asp --virtual p3-myrinet --layer lock-free
refuses 2 'queue: found --polling beside it' run fft --virtual e5000-smp --queue 8 --polling always
refuses 2 'expected platform, or 1 to 1e9 bytes' run fft --virtual e5000-smp --memory much
refuses 2 'expected at least 209' run fft --virtual e5000-smp --memory 200
refuses 2 'memory: found --jobs beside it' run fft --virtual e5000-smp --memory platform --jobs 2
refuses 2 'expected one whose processors are shared' run fft --virtual e5000-clump --jobs 2
refuses 2 'sequential: found --polling beside it' run fft --virtual e5000-smp --sequential 1 --polling always
refuses 2 'expected at most 4096 processes' run em3d --virtual e5000-smp --processors 100 --jobs 60
refuses 2 'slice: found without --jobs, --sequential or --yield' run fft --virtual e5000-smp --slice 10
refuses 2 'operation: found --fit beside it' run sample --virtual e5000-smp --fit 1 --operation 1
refuses 2 'expected document, or a time' run sample --virtual e5000-smp --fit -1
refuses 2 'found no time of SAMPLE on e5000-smp' run sample --virtual e5000-smp --fit document --set keys=20
refuses 1 'no cost of an operation gives that' run sample --virtual e5000-smp --fit 1e-6 --set keys=200
refuses 2 "several samples of 'latency'" run sample --virtual ppro-myrinet
refuses 2 'no LogGP parameters' run sample --virtual ss20-atm
refuses 2 'expected at most 64' run em3d --processors 65 --set steps=1
refuses 2 'at most 4096 processors' run em3d --virtual e5000-clump --nodes 4096 --processors 8

refuses 2 "found 'l-udma', expected l- with" run asp --virtual p3-myrinet --protocol l-udma
refuses 2 'expected sdma or pio' run asp --virtual p3-myrinet --protocol l-rcpy
refuses 2 'expected a program over MPI' run em3d --virtual e5000-smp --protocol l-hrx
refuses 2 'hardware is described: ppro' run asp --virtual e5000-smp --protocol l-hrx
refuses 2 'expected 2 to 1024 nodes of one' run asp --virtual p3-myrinet --nodes 2 --processors 2
refuses 1 'relies on links that lose nothing' run asp --virtual p3-myrinet --nodes 4 --set nodes=200 --loss 0.1

run run sample --virtual e5000-clump --set keys=2000 --set samples=320 --predict --name mine --db mine.db
run recommend --application mine --platform e5000-clump --db mine.db
check "recommend knows a run that was stored" has out 'mine on e5000-clump: with a NIC'

again && exit 0
small="--set keys=2000 --set samples=320"
run run sample --virtual e5000-clump $small
check "in virtual time" exits 0
check "the result is right" has out '^Result: that of a sequential run'
cp out first
run run sample --virtual e5000-clump $small
check "the same again, to the last digit" cmp -s out first
run run sample --virtual e5000-clump $small --nics 8 --format json
check "with other NICs" exits 0
check "which cost less time" eval 'awk "/\"time_s\"/ { sub(/,/, \"\"); t = \$2 } END { exit !(t > 0 && t < '"$(sed -n 's/.*time: \([0-9.]*\) s$/\1/p' first)"') }" out'
run run sample --virtual e5000-clump $small --polling adaptive
check "with a strategy of polling" has out '^Result: that of a sequential run'
cp out first
run run sample --virtual e5000-clump $small --polling adaptive
check "the same polls, the same time" cmp -s out first
run run sample --virtual e5000-clump $small --polling always
check "another one takes another time" eval '[ "$status" = 0 ] && ! cmp -s out first'
run run em3d --virtual e5000-smp --format csv
check "table 5.6: 141,448 short messages" has out '^short_messages,shared-memory,count,14[01][0-9]*\.*[0-9]*,[0-9]*,[0-9]*,141448,'
check "table 7.7: 0.667 s" has out '^execution_time,,s,0\.[0-9]*,0\.[0-9]*,0\.[0-9]*,0\.667,'
# Layers: queue algorithms that move more cache lines take longer (section 6.3.3); the network alone looks at it in
# each poll (6.5).
time_with() { run run sample --virtual "$@" $small --no-check --format json; sed -n 's/.*"time_s": \([0-9.e-]*\),/\1/p' out; }
check "algorithms by the lines that they move" awk -v free="$(time_with e5000-smp --layer lock-free)" \
    -v ticket="$(time_with e5000-smp --layer ticket-lock)" -v anderson="$(time_with e5000-smp --layer anderson-lock)" \
    'BEGIN { exit !(0 < free && free < ticket && ticket < anderson) }'
check "the same algorithm, the same time" [ "$(time_with e5000-smp --layer lock-free)" = "$(time_with e5000-smp --layer lock-free)" ]
check "a NOW with the network alone takes longer" awk -v both="$(time_with ultra170-now-8)" \
    -v alone="$(time_with ultra170-now-8 --layer single-protocol)" 'BEGIN { exit !(0 < both && both < alone) }'
run run fft --virtual e5000-smp --layer anderson-lock --no-check --format csv
check "table 6.5: 0.681 s" has out '^execution_time,,s,[0-9.]*,[0-9.]*,[0-9.]*,0\.681,'
# Processors that several processes share.
tiny_fft="fft --virtual e5000-smp --set values=64"
run run $tiny_fft --slice 10 --jobs 3
check "three jobs" exits 0
check "with the right result" has out '^Result: that of a sequential run'
cp out first
run run $tiny_fft --slice 10 --jobs 3
check "the same turns, the same time" cmp -s out first
share() { run run $tiny_fft "$@" --no-check --format json; sed -n 's/.*"time_s": \([0-9.e-]*\),/\1/p' out; }
check "whoever competes takes its share" awk -v alone="$(share)" -v jobs="$(share --slice 10 --jobs 2)" \
    -v one="$(share --slice 10 --sequential 1)" -v two="$(share --slice 10 --sequential 2)" \
    'BEGIN { exit !(alone > 0 && jobs > 1.5 * alone && one > 1.2 * alone && two > 1.2 * one) }'
check "time for each job" has out '"sequential": 2,'
run run em3d --virtual e5000-smp --set nodes=200 --set steps=2 --yield 5 --no-check --format json
often=$(sed -n 's/.*"time_s": \([0-9.e-]*\),/\1/p' out)
run run em3d --virtual e5000-smp --set nodes=200 --set steps=2 --yield 255 --no-check --format json
check "who yields too early waits for its processor (figure 6.5)" awk -v often="$often" \
    -v seldom="$(sed -n 's/.*"time_s": \([0-9.e-]*\),/\1/p' out)" 'BEGIN { exit !(seldom > 0 && often > 1.2 * seldom) }'
# Memory: two banks of eight (table 7.11), and what is shared by nobody. FFT's slices do not stay in the cache.
walked() { run run fft --set values=64 --processors 4 --nodes 1 --virtual "$@" --no-check --format json; sed -n 's/.*"time_s": \([0-9.e-]*\),/\1/p' out; }
check "memory with two banks" awk -v eight="$(walked e5000-smp --memory platform)" -v two="$(walked e5000-smp-2-banks --memory platform)" \
    -v rate="$(walked e5000-smp --memory 771.751936)" -v less="$(walked e5000-smp --memory 300)" \
    'BEGIN { exit !(0 < eight && 1.02 * eight < two && two == rate && 1.2 * two < less) }'
check "the same again" [ "$(walked e5000-smp-2-banks --memory platform)" = "$(walked e5000-smp-2-banks --memory platform)" ]
run run con-comp --virtual e5000-smp --memory platform --set nodes=90000
check "whose result is right" has out '^Result: that of a sequential run'
check "what a program keeps in memory" has out '^memory  *-  *B  *[1-9]'
run run em3d --virtual e5000-smp --set nodes=400 --set steps=2 --set wait=0 --queue 3 --jobs 2 --slice 1
check "queues that are full" has out '^longest_queue  *-  *count  *[0-9.]*  *[0-9]*  *[0-9]*  '
check "and the right result" has out '^Result: that of a sequential run'
# Connected components: roots get lists of edges, first and last edge of each in 16 bytes. Means are rounded
# to a tenth.
run run con-comm --virtual e5000-clump --set nodes=8000 --format csv
check "lists of 16 bytes come to roots" eval 'awk -F, "/^bulk_messages/ { n += \$4 } /^bulk_bytes/ { b += \$4 } END { exit !(n > 1 && b > 16 * n - 2 && b < 16 * n + 2) }" out'
run run con-comm --virtual e5000-clump --set nodes=8000 --set wait=0
check "many questions at once" has out '^Result: that of a sequential run'
for edges in 0 0.1 0.4 1; do
    run run con-comm --virtual e5000-clump --nodes 3 --processors 2 --set nodes=1000 --set edges=$edges --seed 3
    check "components of a lattice with $edges of its edges" has out '^Result: that of a sequential run'
done
run run con-comp --virtual e5000-smp --set nodes=10000
check "and how many messages wait" has out '^longest_queue  *-  *count  *[1-9]'
# Communication phases: of programs whose document has them, and only those.
run run em3d-good --virtual e5000-clump --set nodes=100 --set steps=2 --format csv
check "how unequal processors are" has out '^load_imbalance,,ratio,[2-9]\.[0-9]*,,,,$'
run run fft --virtual e5000-smp --set values=32 --format json
check "programs without such phases do not tell" lacks out 'load_imbalance\|communication_phase'
# A price is one with which the run takes the time: what it takes with any price it is fitted to again.
run run sample --virtual e5000-clump $small --operation 0.05 --format json
time=$(sed -n 's/.*"time_s": \([0-9.e-]*\),/\1/p' out)
run run sample --virtual e5000-clump $small --fit "$time" --format json
check "the price is found again" eval 'awk "/\"operation_us\"/ { sub(/,/, \"\"); p = \$2 } END { exit !(p > 0.04999 && p < 0.05001) }" out'
run run fft --virtual ultra170-now-8 --set values=32 --format json
cp out first
run run fft --virtual ultra170-now-8 --set values=32 --io-bus half-duplex --format json
check "a bus that carries one direction at a time takes longer" eval '[ "$(sed -n "s/.*time_s.: \([0-9.]*\),/\1/p" first out | sort -g | head -1)" = "$(sed -n "s/.*time_s.: \([0-9.]*\),/\1/p" first)" ] && ! cmp -s out first'
run run em3d --virtual ultra170-now-8 --set steps=1
check "a NOW has the costs of its Clump" has err 'messages cost on ultra170-now-8 what they do on e5000'
run run em3d --processors 3 --set steps=1
check "live" exits 0
check "with the right result" has out '^Result: that of a sequential run'
run run sample --nodes 2 --processors 2 --set keys=500
check "live over UDP between nodes" exits 0
check "and shared memory within" has out '^short_messages  *shared-memory'

# The article's programs: packets through an LCI protocol.
run run qr --virtual ppro-myrinet --nodes 8 --protocol l-hrx --loss 0.02 --set order=60
check "with an LCI protocol that loses packets" exits 0
check "the result is right all the same" has out '^Result: that of a sequential run'
check "some were sent again" has out '^packets_resent  *network  *count  *[0-9.]*[1-9]'
cp out first
run run qr --virtual ppro-myrinet --nodes 8 --protocol l-hrx --loss 0.02 --set order=60
check "the same packets, the same time" cmp -s out first
run run qr --virtual ppro-myrinet --nodes 4 --set order=60 --operation 1e-9
check "an operation that takes less than time can tell" has out '^Result: that of a sequential run'
check "what comes in at a node" has out '^multicast_rate  *network  *1/s  *[1-9]'
check "no figure of the document for another input" lacks out '^parallel_efficiency.*%'
run run leq --virtual ppro-myrinet --no-check --format csv
check "table VII: LEQ's efficiency is 0.44" has out '^parallel_efficiency,,ratio,0\.[45][0-9]*,,,0\.44,'
check "but not its time, which is that of more iterations" has out '^execution_time,,s,[0-9.]*,[0-9.]*,[0-9.]*,,$'
run run leq --virtual ppro-myrinet --protocol l-pio --set iterations=1 --no-check --format csv
check "nothing of the article with another protocol" has out '^parallel_efficiency,,ratio,0\.[0-9]*,,,,$'
run run sor --virtual p3-myrinet --nodes 5 --set points=50 --set iterations=3 --format json
check "l-sdma by default" has out '"protocol": "l-sdma"'
run run asp --nodes 2 --processors 2 --set nodes=60
check "over MPI live, between nodes and within" has out '^Result: that of a sequential run'

# Over shared regions, and over jobs.
run run radix --virtual ppro-myrinet --nodes 6 --protocol l-nirx --loss 0.02 --set keys=3000
check "regions with an LCI protocol that loses packets" exits 0
check "with the right result, too" has out '^Result: that of a sequential run'
check "packets were sent again" has out '^packets_resent  *network  *count  *[0-9.]*[1-9]'
run run radix --nodes 2 --processors 2 --set keys=200 --set bits=14
check "regions live" has out '^Result: that of a sequential run'
run run barnes --virtual p3-myrinet --nodes 7 --protocol l-hrx --loss 0.02 --set bodies=60 --set steps=2
check "small regions, and a sum to the last bit" has out '^Result: that of a sequential run'
run run puzzle-64 --virtual p3-myrinet --nodes 9 --protocol l-hrx --loss 0.02 --set walk=40
check "jobs with an LCI protocol that loses packets" has out '^Result: that of a sequential run'
run run puzzle-4 --nodes 2 --processors 2 --set walk=20
check "jobs live" has out '^Result: that of a sequential run'
refuses 2 'found with ppro-myrinet, expected none' run asp --virtual ppro-myrinet --nics 2
refuses 2 'expected a power of 2' run radix --virtual ppro-myrinet --set radix=100

# Stored as an application: scenarios take it, and the model says the same of it (where memory has no costs, as
# in virtual time, and no NIC has more to do than others).
tiny="--set nodes=200 --set steps=2"
run run em3d --virtual e5000-smp $tiny --predict --name mine --db runs.db --format json
check "stored with a prediction" exits 0
check "on both machines" has err "application 'mine' on e5000-smp"
check "that is the NOW, too" has err "application 'mine' on ultra170-now-8"
cp out first
cat > stored.lua << 'EOF'
return scenario { application = application "mine", platform = platform "e5000-smp",
                  demand = "correlated", memory_penalty = 1 }
EOF
run predict stored.lua --db runs.db --format json
check "a scenario takes it" exits 0
predicted=$(sed -n 's/.*"predicted_time_s": \([0-9.e-]*\),.*/\1/p' out)
# The run knows what each worker sent; the store, of messages within a node, the mean alone.
check "and predicts the same but for who sends more" awk -v p="$predicted" \
    '/"model_time_s"/ { sub(/,/, ""); m = $2 } END { exit !(p > 0 && m > 0.9 * p && m < 1.1 * p) }' first
run explore stored.lua --db runs.db
check "explore takes it" exits 0
run run em3d --virtual e5000-smp $tiny --name mine --db runs.db
check "the same again is there already" has err 'has this run on e5000-smp already'
refuses 2 "which is not 'em3d nodes=200" run em3d --virtual e5000-smp $tiny --seed 2 --name mine --db runs.db
run run em3d --virtual e5000-smp $tiny --set wait=0 --predict --name sent --db runs.db
check "without waiting" exits 0
run data show sent --db runs.db
check "it is streaming" has out '^Style  *streaming'
run data remove mine --db runs.db
check "it can be removed" exits 0
run run sample --virtual e5000-clump $small --predict --format json
check "a Clump beside the model" has out '"model_error": -*0\.'

# The prices of prices.h, found again from the NOW of 8 workstations, to the digits that are there.
if [ "${CLUMP_TEST_LONG:-0}" = 1 ]; then
    for program in sample em3d con-comp fft; do
        run run $program --describe --format json
        price=$(sed -n 's/.*"operation_us": \([0-9.]*\),*/\1/p' out)
        platform=$(sed -n 's/.*"price_platform": "\(.*\)",*/\1/p' out)
        run run $program --virtual "$platform" --fit document --no-check --format json
        found=$(sed -n 's/.*"operation_us": \([0-9.]*\),*/\1/p' out)
        check "$program: $price us is the price of table 7.7" awk -v a="$price" -v b="$found" \
            'BEGIN { exit !(a > 0 && b > 0.9995 * a && b < 1.0005 * a) }'
    done
fi
