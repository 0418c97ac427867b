# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel fit loggp: known parameters come back, real logs say what they can, results are used.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
logs=$TOP/tests/logs

# value KEY PARAMETER: of one of the parameters in the JSON in out.
value() { grep '"parameter": "'"$2"'", .*"reason\|"parameter": "'"$2"'"' out | head -n 1 | sed -n "s/.*\"$1\": \(\"[^\"]*\"\|[^,}]*\).*/\1/p" | tr -d '"'; }

# Made up from o_s = 1.2, o_r = 1.5, L = 4, g = 2, G = 0.0005, and 9 + 0.0002 (n-1) a message from
# 8192 B on; rates with 16 messages on their way: max(g + (n-1) G, RTT/16). Three runs, 1% apart.
awk 'BEGIN {
    print "size,value,unit,quantity,window,run,benchmark"
    for (r = 1; r <= 3; r++) for (n = 1; n <= 1048576; n *= 2) {
        w = 1 + 0.01 * sin(37 * r + 11 * log(n))
        h = 6.7 + 0.0005 * (n - 1); s = 2 + 0.0005 * (n - 1)
        if (n >= 8192) { h = 13.7 + 0.0002 * (n - 1); s = 9 + 0.0002 * (n - 1) }
        printf "%d,%.9g,us,half_round_trip,,%d,mine\n", n, h * w, r > "h"
        t = 2 * h / 16 > s ? 2 * h / 16 : s
        printf "%d,%.9g,us,message_gap,16,%d,mine\n", n, t * (2 - w), r > "s"
        if (n <= 64) {
            printf "%d,%.9g,us,send_time,,%d,mine\n", n, 1.2 * w, r > "o"
            printf "%d,%.9g,us,receive_time,,%d,mine\n", n, 1.5 * w, r > "p"
        }
    } }' > head.csv
cat head.csv h s o p > made.csv
run import csv made.csv --platform made --transport eth --db made.db --nodes 4 --processors 8 --nics 2 --quiet
check "made up" exits 0
run fit loggp --platform made --db made.db --format json
check "fits" exits 0
for pair in L,4,0.1 o_s,1.2,0.02 o_r,1.5,0.02 g,2,0.03 G,0.0002,0.000003; do
    IFS=, read -r name truth margin <<< "$pair"
    check "$name is found" near "$(value value $name)" $truth $margin
    check "$name is in its interval" awk -v l="$(value low $name)" -v h="$(value high $name)" -v t=$truth \
        'BEGIN { exit !(l != "" && l <= t && t <= h) }'
done
check "the break" has out '"curve": "stream", "after_bytes": 4096, "by_bytes": 8192,.*"kind": "protocol change"'
check "all points, with their sources" [ "$(grep -c '"measured_us".*"source": "made.csv' out)" -eq 168 ]
check "notes and sources" eval 'has out "\"sources\": \[" && has out "\"correlations\": \["'
cp out first.json
OMP_NUM_THREADS=1 run fit loggp --platform made --db made.db --format json
check "the same with one thread" cmp -s out first.json
run fit loggp --platform made --db made.db --format json --seed 2
check "another seed, other intervals" eval '! cmp -s out first.json'

# Kept, traced, used; a second time it is refused and nothing changes.
run fit loggp --platform made --db made.db --name made/fitted --format csv
check "kept" eval 'exits 0 && has err "made/fitted.*network"'
run fit loggp --platform made --db made.db --name made/fitted --as shared-memory --quiet
check "kept as the other protocol, too" exits 0
run data show made/fitted --db made.db --format json
check "with interval and method" has out '"quantity": "latency", "transport": "network", .*"statistic": "median".*"half_width": .*between'
check "the platform is as the measured one" has out '"processors": 8'
run data list sources --db made.db --format csv
check "the source names its samples and the command" \
    has out '^fit-made/fitted-network,.*clumpmodel fit loggp --platform .made. --seed 1.*from made.csv'
run data check --db made.db
check "nothing wrong with it" exits 0
cp made.db before.db
refuses 2 "has LogGP of transport 'network' already" fit loggp --platform made --db made.db --name made/fitted
check "nothing changed" cmp -s made.db before.db
cat > use.lua << 'END'
return scenario {
  platform = platform "made/fitted", nics = { 1, 2 },
  application = application { name = "x", computation = 0.01, style = "streaming",
    remote_traffic = { short_messages = 1000 }, local_traffic = { short_messages = 0 } },
}
END
run predict use.lua --db made.db --format json
check "predict uses it" exits 0
# 1000 streamed messages keep a NIC busy for 1000 g = 2 ms, beside 10 ms of computation: U = 2/12.
check "with these parameters" near "$(key utilization)" 0.16667 0.003

# A latency test alone gives a sum.
run import auto "$logs"/osu_latency_v74_shm_r*.txt --platform shm --db osu.db --quiet
run fit loggp --platform shm --db osu.db
check "sum only" eval 'exits 0 && has out "^L  *<= 0.1" && has out "^L+o_s+o_r  *0.1[0-9]"'
check "what is not known, and what to run" eval 'has out "Not known: o_s .*netgauge.*logp_mpi" && has out "Not known: g .*osu_mbw_mr"'
check "the step of Open MPI at 4 kB" has out '^one way  *2048  *4096 .* 2  *2  *protocol change$'
run fit loggp --platform shm --db osu.db --name shm/fitted
check "kept in part, it says what lacks" has err 'scenarios need L, o_s, o_r, g, too'

# Two speeds of a machine are no protocol.
run import auto "$logs/NPopenmpi_shm_r1.txt" --platform one --db np.db --quiet
run fit loggp --platform one --db np.db --format json
check "one run: a step, but no protocol" \
    eval 'has out "\"by_bytes\": 27, .*\"kind\": \"not confirmed\"" && lacks out "protocol change"'
run import auto "$logs"/NPopenmpi_shm_r[12].txt --platform two --db np.db --quiet
run fit loggp --platform two --db np.db --format json
check "two runs: no break at 27 B" eval 'lacks out "\"by_bytes\": 27,"'
check "the interval spans both speeds" awk -v l="$(value low 'L+o_s+o_r')" -v h="$(value high 'L+o_s+o_r')" \
    'BEGIN { exit !(l != "" && l < 0.14 && h > 0.42) }'
check "but the machine's speed" has out 'NPopenmpi_shm_r1.txt .* between 24 and 27 B'

# netgauge: its L holds o_s and o_r. Its first line says 0.400554, 0.129067, 0.100134.
run import auto "$logs/loggp_shm_64k.out" --platform ng --db ng.db --quiet
run fit loggp --platform ng --db ng.db --format json
check "half a round trip" near "$(value value 'L+o_s+o_r')" 0.400554 0.01
check "o_s" near "$(value value o_s)" 0.129067 0.005
check "o_r" near "$(value value o_r)" 0.100134 0.005
check "L" near "$(value value L)" 0.171 0.02
check "g is that of short messages" near "$(value value g)" 0.0679 0.01

# logp_mpi prints steps of 0.1 us.
run import auto "$logs/logp_test_tcp.out" --platform lm --db lm.db --quiet
run fit loggp --platform lm --db lm.db --format json
check "parameterized LogP: L + g(0)" near "$(value value 'L+o_s+o_r')" 5.3 0.001
check "no interval is narrower than the rounding" \
    awk -v l="$(value low o_r)" -v h="$(value high o_r)" 'BEGIN { exit !(h - l >= 0.0999) }'

# Half round trips of 6 us and a message each 0.11 us with 64 or fewer on their way do not go
# together (12 us / 64 is more): g is at most what 1 / 8.80 us says within the scatter, never below 0.
run import auto "$logs/osu_latency_v74_tcp_r1.txt" "$logs/osu_bw_W16.txt" --platform w --db w.db --quiet
for window in 16 64; do
    run fit loggp --platform w --db w.db --window $window --format json
    check "window $window: g is not known, and at most" eval '[ -z "$(value value g)" ] && near "$(value at_most g)" 0.1136 0.01'
    check "window $window: says what does not go together" has out '"stream, 1 to 2048 B: messages are faster than their window'
    check "window $window: no time and no step is below 0" eval '! grep -q "\"\(at_most\|first_us\|at_one_byte_us\|step\|value\|fitted_us\)\": -" out'
done

# Two runs with about 1,034 degrees of freedom: no quantile of F can be had by iteration there.
awk 'BEGIN {
    srand(3); print "size,value,unit,quantity,run"
    for (r = 1; r <= 2; r++) for (n = 1; n <= 519; n++)
        printf "%d,%.6g,us,half_round_trip,%d\n", n, (5 + 0.01 * n) * (1 + 0.01 * (rand() + rand() + rand() - 1.5)), r
    }' > two.csv
run import csv two.csv --platform two --db two.db --quiet
run fit loggp --platform two --db two.db --resamples 200 --format json
check "two runs of many sizes" eval 'exits 0 && near "$(value value "L+o_s+o_r")" 5.01 0.02'

# Sizes up to 2^63 - 1, which a double cannot hold: rounded, they would be negative.
for run in 1 2; do
    for size in 1 64 4096 1048576 4611686018427387904 9223372036854775807; do
        echo "$size,$(compute '(2 + 0.001 * s) * (1 + 0.01 * r)' s=$size r=$run),us,half_round_trip,$run"
    done
done | sed '1i size,value,unit,quantity,run' > large.csv
run import csv large.csv --platform large --db large.db --quiet
run fit loggp --platform large --db large.db
check "sizes near 2^63" eval 'exits 0 && has out "^one way  *1  *9223372036854775807 " && lacks out " -[0-9]"'
run fit loggp --platform large --db large.db --format json
check "sizes near 2^63, JSON" eval 'has out "\"to_bytes\": 9223372036854775807" && lacks out "_bytes\": -"'

# Mistakes.
refuses 2 "no platform is called 'lba'" fit loggp --platform lba
refuses 2 "transports 'network', 'shared-memory'\|transports 'shared-memory', 'network'" fit loggp --platform e5000-clump
refuses 2 "no times of messages of transport 'ib'" fit loggp --platform made --transport ib --db made.db
refuses 2 'found no --name' fit loggp --platform made --as network --db made.db
printf 'size,value,unit,quantity,variant\n1,1,us,half_round_trip,a\n1,2,us,half_round_trip,b\n' > variants.csv
run import csv variants.csv --platform v --db v.db --quiet
refuses 2 "variants 'a', 'b', expected --variant" fit loggp --platform v --db v.db
run fit loggp --platform v --variant b --db v.db --format json
check "a variant" near "$(value value 'L+o_s+o_r')" 2 1e-9
printf 'size,value,unit,quantity\n1,0,us,half_round_trip\n2,0,us,half_round_trip\n' > zero.csv
run import csv zero.csv --platform z --db z.db --quiet
run fit loggp --platform z --db z.db --format json
check "only zeros" eval 'exits 0 || exits 2'

# Nothing but doubtful samples: no parameters, and it says so.
sed 's/,us,0,,/,us,1,taken away,/; s/,shared-memory,/,network,/' "$logs/calibration-shm-loggp.csv" > busy.csv
run import auto busy.csv --platform recorded --db busy.db -q
refuses 2 'doubtful times of messages only (116)' fit loggp --platform recorded --variant lock-free --db busy.db
echo 'return scenario { platform = platform "recorded", nics = 1, application = application { name = "a", computation = 1,
    style = "streaming", remote_traffic = { bulk_messages = 10, bulk_bytes = 10 } } }' > busy.lua
refuses 2 "no sample of 'latency' for platform 'recorded'.*; 1 doubtful sample is left out" predict busy.lua --db busy.db
# What was marked doubtful changes nothing: an eleventh run, ten times as slow.
awk -F, -v OFS=, 'NR > 1 && $10 == 1 { $10 = 99; $11 += 1000; $13 *= 10; $19 = 1; $20 = "taken away"; print }' \
    "$logs/calibration-shm-loggp.csv" | cat "$logs/calibration-shm-loggp.csv" - > doubtful.csv
for name in calibration-shm-loggp doubtful; do
    [ -e $name.csv ] || cp "$logs/$name.csv" .
    run import auto $name.csv --platform recorded --db $name.db -q
    check "$name can be imported" exits 0
    run fit loggp --platform recorded --transport shared-memory --variant lock-free --db $name.db --format json
    cp out $name.json
done
check "said" has doubtful.json 'samples are marked doubtful and are left out'
parameters() { sed -n '/"parameters"/,/\]/p' "$1"; }
check "and left out" eval '[ -n "$(parameters doubtful.json)" ] && [ "$(parameters doubtful.json)" = "$(parameters calibration-shm-loggp.json)" ]'
