#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel recommend: how many NICs, without a scenario.
. "$(dirname "$0")/lib.sh"
question="--processors 8 --nics 1,2,4,8 --utilization 0.48 --max-slowdown 1.1"

# Values of independent high-precision code (P = 8, N = 4, U = 0.48; with one NIC a processor).
run recommend $question --format json
check "recommend: done" exits 0
check "recommend: JSON is whole" sh -c 'grep -q "^}" out && empty=$(grep -c "nan\|inf" out); [ "$empty" = 0 ]'
check "pooled slowdown" near "$(key slowdown 7)" 1.00193123733961 1e-13
check "limited slowdown" near "$(key slowdown 8)" 1.10477750516548 1e-13
# Pairs: (8.8) with P = 2, N = 1: X = (1-U) (1 + 2c + 2c^2)/(1 + c), c = U/(1-U).
pair=$(awk 'BEGIN { U = .48; c = U/(1-U); printf "%.15g", (1-U)*(1+2*c+2*c*c)/(1+c) }')
check "static slowdown" near "$(key slowdown 9)" "$pair" 1e-13
check "correlated: 1 + U (P-N)/N" near "$(key correlated 7)" 1.48 1e-13
check "scheduled: P U/N" near "$(key scheduled 7)" 0.96 1e-13
check "what the further NICs save" near "$(key saved_by_each_nic 7)" \
    "$(awk -v a="$(key slowdown 4)" -v b="$(key slowdown 7)" 'BEGIN { print (a-b)/a/2 }')" 1e-5
check "4 are enough" has out '"recommended_nics": 4,'
check "4 are the least" has out '"least_pooled": 4,'
check "7 if correlated: 1 + .48 (8-N)/N <= 1.1 from N = 6.62 on" has out '"least_correlated": 7,'
check "limited: 8 of the list" has out '"enough_limited": 8,'

# By inversion against trial.
least() { # least ARRANGEMENT-OPTIONS: the smallest N by asking for each
    local n
    for n in 1 2 3 4 5 6 7 8 9; do
        run slowdown -P 8 -N $n -U 0.48 "$@" --format json
        if awk -v x="$(key slowdown)" 'BEGIN { exit !(x <= 1.1) }'; then echo $n; return; fi
    done
}
pooled=$(least) limited=$(least --max-nics-per-processor 1) static=$(least --mapping static)
run recommend $question --format json
check "least pooled by trial" has out "\"least_pooled\": $pooled,"
check "least limited by trial" has out "\"least_limited\": $limited,"
check "least static by trial" has out "\"least_static\": $static,"
up_to=$(sed -n 's/.*"holds_up_to_utilization": \([0-9.]*\).*/\1/p' out)
run slowdown -P 8 -N 4 -U "$up_to" --format json
check "just enough at the utilization it holds up to" near "$(key slowdown)" 1.1 1e-11

# Two ports in a slot that carries 1.2: the third NIC makes it slower again.
run recommend -P 4 -U 0.3 --ports-per-slot 3 --slot-bandwidth 1.2 --max-slowdown 1.5
check "more that are not enough after all" eval "tr -s ' \n' ' ' < out | grep -q '1 if each processor is tied to one (but not 3)'"

# Prices.
run recommend $question --nic-price 1500 --node-price 30000 --port-price 500 --format json
check "price" near "$(key price 7)" 38000 1e-9
check "price of a NOW machine's work" near "$(key price_per_now_machine 7)" \
    "$(awk 'BEGIN { printf "%.12g", 38000*1.00193123733961/8 }')" 1e-6
run recommend $question --nic-price 1500 --node-price 30000
check "one line answers" sh -c 'head -n 1 out | grep -q "^4 NICs are enough .*slowdown 1.0019, allowed 1.1"'
check "and names the cheapest" has out 'cheapest with 8 NICs: 3460.35'
run recommend $question --format csv
check "csv: a header and twelve rows" sh -c '[ "$(wc -l < out)" = 13 ]'

run recommend -P 2 -U 0.9 --node-price 30000 --nic-price 10 # 3 are cheaper
check "the cheapest is one of those shown" sh -c "tr '\\n' ' ' < out | grep -q 'cheapest with 2 NICs of the numbers above: '"

# A share of MPI that was measured behind the NICs of today (values of an independent computation).
field() { sed -n "s/^  \"$1\": \([0-9.e-]*\).*/\1/p" out; }
measured="--cores 2x64 --mpi-share 35% --measured-nics 2"
run recommend $measured --nics 1,2,4,8 --format json
check "share: done" exits 0
check "share: 128 cores" has out '"processors": 128,'
check "share: all at once" near "$(key correlated 1)" 1.35 1e-12
check "share: at times of their own" near "$(key independent 1)" 1.99999772292 1e-10
check "share: utilization if all at once" near "$(field utilization_correlated)" .00834326579261 1e-11
check "share: utilization otherwise" near "$(field utilization_independent)" .0234741523049 1e-11
run recommend $measured --nic-speed 200Gb/s --bytes-per-second 17.5GB --format json
check "share: 17.5 GB/s are 35% of two NICs: all at once" near "$(key ratio 1)" 1.35 1e-6
cp out bytes
run recommend $measured --nic-busy 35% --format json
check "share: as bytes or as a share" cmp -s out bytes
run recommend $measured --nic-busy 20% --format json
check "share: what NICs do not explain is waiting" near "$(field waiting)" 0.15 1e-9
check "share: and twice the rest" near "$(key ratio 1)" 1.2 1e-9
for form in "--bytes-per-second 17.5GB/s --nic-speed 25GB/s" "--bytes-per-second 17.5e9 --nic-speed 200" \
    "--bytes-per-second 17.5GB --nic-speed 200Gbit/s"; do
    run recommend $measured $form --format json
    check "share: $form" cmp -s out bytes
done
refuses 2 "--measured-nics is missing" recommend --cores 2x64 --mpi-share 35%
refuses 2 "--mpi-share is missing, expected it beside --measured-nics" recommend -P 8 --measured-nics 2
refuses 2 "found --mpi-share and --utilization" recommend -P 8 -U 0.3 --mpi-share 0.3 --measured-nics 2
refuses 2 "--nic-speed is missing" recommend $measured --bytes-per-second 1GB
refuses 2 "expected at most 50, which is what 2 NICs" recommend $measured --bytes-per-second 80GB --nic-speed 200Gb/s
refuses 2 "found '20miles'" recommend $measured --bytes-per-second 1GB --nic-speed 20miles
refuses 2 "found '350ms'" recommend $measured --nic-speed 350ms
refuses 2 "35% is 0.35" recommend -P 8 --mpi-share 35 --measured-nics 2
refuses 2 "expected less than --mpi-share" recommend $measured --waiting 40%
refuses 2 "found '2x'" recommend --cores 2x --mpi-share 35% --measured-nics 2
run recommend -P 128 -U 0.35 -N 1,2 --nic-speed 200
check "a utilization that cannot be one" sh -c "tr '\\n' ' ' < out | grep -q '8.96 Tb/s.*--mpi-share 35% --measured-nics'"

# The programs of a machine: shares of node hours, each as above.
cat > work.csv << 'END'
program,share,mpi_share,waiting,nic_busy,source
one,3,35%,,,profile
"two, <b>",1,0.5,15%,35%,"a ""guess"""
END
prices="--node-price 20000 --nic-price 1000"
run recommend --cores 2x64 --measured-nics 2 --nics 1,2 --workload work.csv $prices --format json
check "workload: done" exits 0
check "workload: 3/4 of 1.35 and 1/4 of 1.35, all at once at 35%" near "$(key time_least 1)" 1.35 1e-6
check "workload: 3/4 of 2.00 and 1/4 of 1.35" near "$(key time_most 1)" 1.83749829219 1e-10
check "workload: what a node and its NICs cost, times the time" near "$(key cost_most 1)" 38587.464136 1e-4
check "workload: as measured nothing changes" near "$(key time_most 2)" 1 1e-12
check "workload: one NIC costs more and takes longer" has out '"nics": 1.*"best": false'
cp out whole
run recommend --cores 2x64 --measured-nics 2 --nics 1,2 --workload work.csv $prices --format json --html page.html
check "workload: the page changes nothing" cmp -s out whole
check "workload: the page has a picture, and names of strangers as text" sh -c 'grep -q "<svg" page.html && grep -q "two, &lt;b&gt;" page.html'
check "workload: no script, nothing from elsewhere" sh -c '! grep -q "<script\|http://\|https://\| style=" page.html'
wrong() { # MESSAGE LINES...: of a file that is refused
    local message=$1
    shift
    printf '%s\n' "$@" > wrong.csv
    refuses 2 "$message" recommend --cores 8 --measured-nics 2 --workload wrong.csv
}
wrong "wrong.csv: found no program" "program,share,mpi_share"
wrong "wrong.csv:1: found no column 'mpi_share'" "program,share" "a,1"
wrong "wrong.csv:1: found a column 'nics'" "program,share,mpi_share,nics" "a,1,0.2,3"
wrong "wrong.csv:3: mpi_share: found '35'" "program,share,mpi_share" "a,1,0.2" "b,1,35"
wrong "wrong.csv:2: share: found '0'" "program,share,mpi_share" "a,0,0.2"
wrong "wrong.csv:2: mpi_share: found '10%'" "program,share,mpi_share,waiting" "a,1,10%,20%"
wrong "wrong.csv:2: mpi_share: found ''" "program,share,mpi_share" "a,1,"
wrong "wrong.csv:2:" "program,share,mpi_share" "a,1"
wrong "--nic-speed is missing" "program,share,mpi_share,bytes_per_second" "a,1,20%,1e9"
wrong "wrong.csv:2: nic_busy: found '0'" "program,share,mpi_share,nic_busy" "a,1,20%,0"
wrong "nothing beside nic_busy" "program,share,mpi_share,nic_busy,bytes_per_second" "a,1,20%,10%,1e9"
wrong "found '1e300', expected a number from 0 to 1e15" "program,share,mpi_share" "a,1e300,20%"
printf 'program,share,mpi_share,nic_busy\na,1,20%%,10%%\n' > known.csv
run recommend --cores 8 --measured-nics 2 --workload known.csv --node-price 3.2 --nic-price 0.25
check "workload: small prices keep their decimals" has out '3.700 '
check "workload: one number where one is known" lacks out '[0-9] to \([0-9.]*\) times'
refuses 2 "none.csv" recommend --cores 8 --measured-nics 2 --workload none.csv
refuses 2 "--measured-nics is missing" recommend --cores 8 --workload work.csv
refuses 2 "expected --workload beside it" recommend -P 8 -U 0.5 --html page.html

# A step of training: 2 (P-1)/P S bytes through the NICs of a node each way, of which computation hides a part.
step="--gpus 8 --nic-speed 400 --gradients 1.2GB --step 350ms --nodes 16 --nics 4,8"
run recommend $step --overlap 0.9 --format json
check "gradients: done" exits 0
check "gradients: the exchange" near "$(key exchange_s 2)" 0.005953125 1e-14
check "gradients: what is not hidden twice instead of once" near "$(key step_most_s 1)" 0.3505953125 1e-12
check "gradients: one number if the overlap is known" near "$(key step_least_s 1)" 0.3505953125 1e-12
run recommend $step --format json
check "gradients: all of it may be hidden" near "$(key ratio_least 1)" 1 1e-12
check "gradients: or nothing" near "$(key step_most_s 1)" 0.355953125 1e-12
run recommend $step --step-alone 349ms --format json
check "gradients: what one node tells is not hidden" near "$(key step_most_s 1)" 0.351 1e-12
run recommend --gpus 8 --nic-speed 1 --gradients 100GB --step 1000s --overlap 1 --nodes 16 --nics 1,8 --format json
check "gradients: computation hides no more than it takes" near "$(key step_most_s 1)" 1587.5 0.001
run recommend --cores 8 --nic-speed 50GB/s --gradients 1.2e9 --step 0.35 --nodes 16 --nics 4 --measured-nics 8 --overlap 90% --format json
check "gradients: other units, the same" near "$(key step_most_s 1)" 0.3505953125 1e-12
for option in "--nic-speed 400" "--step 350ms" "--nodes 16"; do
    refuses 2 "${option% *} is missing" recommend ${step/$option/} --overlap 0.9
done
refuses 2 "--measured-nics is missing" recommend ${step/--nics 4,8/}
refuses 2 "--gradients is missing, expected it beside --step" recommend -P 8 --step 350ms
refuses 2 "found --gradients and --utilization" recommend $step -U 0.5
refuses 2 "expected no more than --step" recommend $step --step-alone 351ms
refuses 2 "two of --processors" recommend $step --cores 8
refuses 2 "found '7B'" recommend ${step/1.2GB/7B}
refuses 2 "found '200e9'" recommend ${step/400/200e9}
refuses 2 "--nodes: found '1'" recommend ${step/--nodes 16/--nodes 1}
refuses 2 "--step: found 0.002 s, expected at least 0.00595" recommend ${step/350ms/2ms}
run recommend $step --overlap 0.9 --node-price 3.2 --nic-price 0.25 # by the hour
check "gradients: small prices keep their decimals" has out '4.200 '
refuses 2 "found '1.2miles'" recommend --gpus 8 --gradients 1.2miles

# A limit that was given decides.
run recommend $question --max-nics-per-processor 1 --format json
check "limited verdict" has out '"recommended_nics": 8,'
# Below 1-U no number of NICs goes.
run recommend -P 8 -U 0.48 --max-slowdown 0.5
check "none is enough" has out '^No number up to 32 is enough'
run recommend -P 1 -U 0 --format json
check "one processor that never communicates" has out '"recommended_nics": 1,'
run recommend -P 8 -U 0.5 -N 8 --demand correlated
check "8 NICs for 8, all at once: 1 whatever U is" has out '0.01 more leaves the slowdown as it is'
# Whoever only communicates gains from more NICs: X = P U/N near U = 1, and no utilization is above it.
run recommend -P 8 -U 1
check "and none that is higher" lacks out 'higher utilization'
run recommend -P 1 -U 1 -N 1
check "one that always does" exits 0

# Placement: one slot for both rails, b = 13.1/11.8, one process that only sends.
run recommend -P 1 -N 2 -U 1 --ports-per-slot 2 --slot-bandwidth 1.1101694915254237 --format json
check "two rails of one card: 11.8 to 13.1 GB/s" near "$(awk -v x="$(key slowdown)" 'BEGIN { print 11.8/x }')" 13.1 1e-6
run recommend -P 2 -N 2 -U 0.5 --domains 2 --far 0.5 --demand correlated --format json
# c = 3/4: 1 - U + U/c, and both together over two NICs.
check "half of the NICs far" near "$(key slowdown)" "$(awk 'BEGIN { printf "%.15g", .5 + .5/.75 }')" 1e-13
check "tied to the near one" near "$(key slowdown 3)" 1 1e-13

refuses 2 'utilization is missing' recommend -P 8
refuses 2 'nics: found 100001 numbers, expected at most 100000' recommend -P 8 -U 0.5 -N 1:100001
refuses 2 'domains is missing' recommend -P 8 -U 0.5 --far 0.5
refuses 2 'ports-per-slot is missing' recommend -P 8 -U 0.5 --slot-bandwidth 1
run recommend -P 8 -U 0.2 --demand correlated --nics 2,4,8
check "what fewer cost, and how sure" has out '4 NICs in place of 8: 1.2 times the time, 90% between 1.04 and 1.38'
run recommend -P 8 -U 0 --nics 1,2
check "where nothing is saved nothing is told" lacks out 'in place of'
run recommend -P 8 -U 0.3 --nic-price 1500 --nics 1,2
check "a node without a price is told" has out '(--node-price)'
run recommend -P 8 -U 0.3 --nic-price 1500 --node-price 1 --nics 1,2
check "one with a price is not" lacks out 'node-price'
run recommend -P 8 -U 0.3 --demand correlated --nics 1,2
check "what to do where none is enough" eval "has out 'max-slowdown 1.1 would' && lacks out 'within'"
run recommend -P 8 -U 0.01 --demand correlated --nics 1,2,4
check "and that fewer are nearly as good" has out 'come within 2.0% of that' # 1.03 over 1.01
run recommend -P 8 -U 0.3 --demand correlated --nics 1,2 --max-slowdown 1.2
check "who said what is allowed is not told how" lacks out 'max-slowdown'
refuses 2 "scenarios are for 'clumpmodel predict'" recommend x.lua
refuses 2 'slot bandwidth' recommend -P 8 -U 0.5 --ports-per-slot 2 --slot-bandwidth 3
refuses 2 'equally near' recommend -P 4 -N 1 -U 0.5 --demand gang:2 --domains 2 --far 0.5
# 3 NICs of which a processor drives 2: the best schedule of processors that differ is not known.
run recommend -P 8 -U 0.4 --domains 2 --far 0.5 --max-nics-per-processor 2
check "no best timing, and all else" has out ' 3 .* - *2.0400'
check "best timing where one rate serves all" has out ' 4 .*1.0667 *1.6667'
run recommend -P 8 -U 0.4 --nics 3 --domains 2 --far 0.5 --max-nics-per-processor 2
check "no best timing in words, either" lacks out ' nan'
refuses 2 'serve each at another rate' recommend -P 8 -U 0.4 --domains 2 --far 0.5 --max-nics-per-processor 2 --demand scheduled

# A limit that is met exactly: N = P NICs of which a processor keeps one busy leave X = 1.
for case in '8 .9' '8 .11' '26 .11' '32 .2' '64 .2'; do
    read -r P U <<< "$case"
    run recommend -P "$P" -U "$U" -N "$P" --max-nics-per-processor 1 --format json
    check "limit of 1 is met: P = $P, U = $U" has out "\"recommended_nics\": $P,"
    check "and found as the least" has out '"least_limited": [0-9]'
done
# Two ports share a slot that carries one: a second one beside it makes it worse, 1/1/1 is better than 3.
run recommend -P 3 -U 0.5 --max-slowdown 1.4 --ports-per-slot 2 --slot-bandwidth 1 -N 1,2,3,4,5 --format json
check "tied to ports of shared slots: least of those asked for" has out '"enough_static": 3,'
check "and of all" has out '"least_static": 3,'
# 2 processors on 4 ports in 2 slots: one in each, and both as fast as on the NOW.
run recommend -P 2 -N 4 -U 0.5 --ports-per-slot 2 --slot-bandwidth 1 --format json
check "ports without processors are idle" near "$(key slowdown 3)" 1 1e-13

# The answer is the least of all numbers unless some are asked for; beside it is the cautious one.
first() { tr '\n' ' ' < out | sed 's/ *NICs *Pooled.*//'; } # the sentence, however it is wrapped
run recommend -P 8 -U 48% --format json
check "all eight numbers are shown" [ "$(grep -c '"arrangement": "pooled"' out)" = 8 ]
check "5 for programs" has out '"recommended_nics": 5,'
check "and 8" has out '"cautious_nics": 8,'
run recommend -P 8 -U 0.48 -N 2:6:2 --format json
check "6 of 2, 4, 6" has out '"recommended_nics": 6,'
check "none of them is cautious" sh -c 'grep -q "\"least_cautious\": 8" out && [ "$(grep -c cautious_nics out)" = 0 ]'
run recommend -P 8 -U 0.48 -N 2,4 --format json
check "none of these, 5 would be" eval 'has out "\"least_pooled\": 5," && lacks out "\"recommended_nics\": [0-9]"'
# 1 - U + 8 U/N <= .88 from N = 56 on, which is more than is looked at.
run recommend -P 8 -U 0.14 --demand correlated --max-slowdown 0.88
check "none of those looked at" sh -c "printf %s '$(first)' | grep -q '^No number up to 32 is enough: 8 NICs leave a slowdown of 1.0000, allowed 0.88,'"
check "with any demand" sh -c "tr -s '\\n ' ' ' < out | grep -q 'and no number up to 32 is enough\\.'"
# 1 - U + U/N: all NICs have to be used for it, also by one processor.
run recommend -P 1 -U 0.9 --max-slowdown 0.4
check "one processor: what is assumed" sh -c "printf %s '$(first)' | grep -q '^3 NICs are enough (slowdown 0.4000, allowed 0.4) if every processor uses all of them, .*; no number up to 4 is, if each uses only one'"
run recommend -P 1 -U 0.9 --format json
check "one processor, one NIC" has out '"recommended_nics": 1,'
run recommend -P 17 -U 0.0304 -N 6,9 --max-nics-per-processor 1
check "a slowdown above the limit is not printed as the limit" sh -c "printf %s '$(first)' | grep -q 'slowdown of 1\\.0*[1-9][0-9]*, allowed 1,'"
run recommend -P 8 -U 0.2 --demand correlated --max-slowdown 1.13 --format json
check "correlated: 5, and 8 to be safe" eval 'has out "\"recommended_nics\": 5," && has out "\"cautious_nics\": 8,"'
run recommend -P 8 -U 0.48 -N 1:8 --format csv
cp out ranged
run recommend -P 8 -U 0.48 -N 8,1,2,3,3,4,5,6,7 --format csv
check "a range, and a list in any order" cmp -s out ranged
# Each uses one NIC: 1 - U + U n for n that start together on one, and all wait for the slowest.
run recommend -P 30 -U 0.2 --max-slowdown 1.25 --format json
cautious=$(sed -n 's/.*"cautious_nics": \([0-9]*\).*/\1/p' out)
check "the cautious number by trial" [ "$cautious" = "$(awk 'BEGIN { P = 30; U = .2
    for (N = 1; N <= P; N++) { s = int(P/N); l = P % N
        tied = 1-U+U*(s + (l > 0)); pool = 1-U+U*P/N
        if (tied <= 1.25 && pool <= 1.25) { print N; exit } } }')" ]
nics=$(sed -n 's/.*"recommended_nics": \([0-9]*\).*/\1/p' out)
run slowdown -P 30 -N "$nics" -U 0.2 --format json
check "the least: it is enough" awk -v x="$(key slowdown)" 'BEGIN { exit !(x <= 1.25) }'
run slowdown -P 30 -N $((nics - 1)) -U 0.2 --format json
check "and one less is not" awk -v x="$(key slowdown)" 'BEGIN { exit !(x > 1.25) }'
run recommend -P 30 -U 0.2 --max-slowdown 1.25
check "lines have 80 columns" [ "$(awk 'length > 80' out | wc -l)" = 0 ]
run recommend -P 3 -U 0.5 --max-slowdown 1.4 --ports-per-slot 2 --slot-bandwidth 1
check "says where more can be slower" sh -c 'tr "\n" " " < out | grep -q "More NICs can make it *slower here, so that *numbers were tried one by one\."'
run recommend -P 8 -U 0.3 --max-slowdown 8
check "at any utilization" sh -c 'tr -s "\n " " " < out | grep -q "1 NIC is enough at any higher utilization as well"'
run recommend -P 90 -U 0.3 --domains 8 --far 0.5 --max-slowdown 1.1 --format json
check "far NICs, 90 processors: done" exits 0
# Of 10^8 processors that share N >> 1 NICs X is max(1 - U + U/N, P U/N): P U NICs.
run recommend -P 100000000 -U 0.48 --format json
check "10^8 processors" has out '"recommended_nics": 48000000,'
check "of which each keeps one NIC busy: 1 up to rounding" near "$(sed -n 's/.*"least_limited": \([0-9]*\).*/\1/p' out)" 48000000 100000
# Tied processors that share memory: no solution for gangs in groups of several sizes, nor for a schedule.
run recommend -P 8 -U 0.3 --max-slowdown 1.3 --memory-share 0.5 --memory-feeds 5
check "shared memory, all numbers: done" exits 0
check "tied ones as well" grep -q '^   3 .* 1\.1864 \*' out
run recommend -P 8 -U 0.3 --max-slowdown 1.3 --memory-share 0.5 --memory-feeds 5 --demand gang:2
check "shared memory, gangs: done" exits 0
check "the others are answered" has out '3 NICs are enough (slowdown 1.0913'
check "a gap where it is not known" grep -q '^   3 .* 1\.1484 \*  *-  ' out
check "and why" sh -c 'tr -s "\n " " " < out | grep -q "tied to one NIC each are not predicted for all numbers: gangs: groups of 3 and of 2 processors"'
run recommend -P 8 -U 0.3 -N 3 --memory-share 0.5 --memory-feeds 5 --demand gang:2 --format json
check "for programs: the reason, and no slowdown" sh -c "grep -q '\"static_refused\": \"gangs: groups of 3' out && grep -q '\"arrangement\": \"static\", \"enough\": false' out"

# An application whose messages were counted: what scenarios make of it.
echo 'return scenario { application = application "SAMPLE", platform = platform "e5000-clump", demand = "correlated" }' > counted.lua
run predict counted.lua --format json
for quantity in utilization remote_fraction cost_ratio waiting_fraction memory_penalty slowdown; do
    eval "counted_$quantity=$(sed -n "s/.*\"$quantity\": \([0-9.e+-]*\),*.*/\1/p" out | head -1)"
done
run recommend --application SAMPLE --platform e5000-clump --nics 4 --format json
check "recommend: an application" exits 0
for quantity in utilization remote_fraction cost_ratio waiting_fraction memory_penalty; do
    check "its $quantity" near "$(sed -n "s/.*\"$quantity\": \([0-9.e+-]*\),*.*/\1/p" out | head -1)" \
        "$(eval "echo \$counted_$quantity")" 1e-12
done
check "as predict has it, tied to NICs and all at once" near "$(key slowdown 3)" "$counted_slowdown" 1e-12
run recommend --application SAMPLE --platform e5000-clump
check "in words" has out 'SAMPLE on e5000-clump: with a NIC for each processor it takes 2.46 s'
run recommend --application SAMPLE --platform e5000-clump -P 4
check "and not where they were asked for" lacks out 'Nodes are taken to have'
run recommend --application SAMPLE --platform e5000-clump --demand independent
check "unless it is said" lacks out 'all at once, as measured programs'
run import mpip "$TOP/tests/logs/fft3d-concise.mpiP" --platform profiled --application fft3d --db profiled.db --quiet
check "a report of mpiP" exits 0
refuses 2 "names no NOW .*remote_traffic.*'clumpmodel data show fft3d' has what was imported" recommend --application fft3d --platform profiled -P 2 --db profiled.db
refuses 2 'beside --application: where its messages were counted' recommend --application SAMPLE
refuses 2 'found --application and --utilization' recommend --application SAMPLE --platform e5000-clump -U 0.5
refuses 2 'found --application and --recording' recommend --application SAMPLE --platform e5000-clump --recording x
refuses 2 'no application' recommend --application 'no "such]]' --platform e5000-clump
refuses 2 'no platform' recommend --application SAMPLE --platform 'no\such'
refuses 2 'no application is called' recommend --application "$(printf 'x%.0s' $(seq 200))" --platform e5000-clump
