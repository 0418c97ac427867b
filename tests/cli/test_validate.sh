# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel validate: what it prints, when it fails, and that a scenario goes through the same model.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "measured once; with sanitizers in make check-sanitize-all"; exit 0; }

run validate
check "validate" exits 0
check "nothing on stderr" empty err
for table in 7.8 7.9; do
    check "table $table is there" has out "Data set: thesis-table-$table"
done
check "intervals" has out '3.33 +- 0.07'
run validate --dataset thesis
check "and listed for a data set that is asked for" has out 'Not predicted because'
run validate --dataset 7.8 --fit none --format json
check "JSON" exits 0
check "six predictions" [ "$(grep -c '"predicted_time_s"' out)" = 6 ]
check "measured" [ "$(key measured_time_s 1)" = 3.33 ]
# Half of a computation waits for misses, unless that is fitted: of 51 cycles instead of 44, and for the 64 bytes of seven others
# at 2.5 GB/s.
penalty=$(awk 'BEGIN {
    alone = 1 + 0.5 * (51/44 - 1); share = 0.5 * (64/2500) / (44/167) / alone
    for (k = 1; k <= 8; k++) { there = share * (1 + queue); cycle = 1 - share + there; queue = k * there / cycle }
    printf("%.15g", alone * cycle) }')
check "error" near "$(key error 1)" "$(awk -v p="$(key predicted_time_s 1)" 'BEGIN { print p / 3.33 - 1 }')" 1e-6
check "errors by variant" [ "$(grep -c '"mean_absolute_error"' out)" = 13 ]
mean=$(grep -o '"error": [-0-9.e]*' out | awk '{ sum += $2 < 0 ? -$2 : $2 } END { print sum / NR }')
check "the mean is that of the rows" near "$(grep -o '"mean_absolute_error": [0-9.]*' out |
    head -1 | cut -d' ' -f2)" "$mean" 1e-6
run validate --dataset 7.8 --variant all --format csv
check "CSV: header and 12 variants of 6 runs" [ "$(wc -l < out)" = 73 ]
cp out first
run validate --dataset 7.8 --variant all --format csv
check "the same every time" cmp -s out first

# ---- by simulation ----
check "without it nothing of it is there" eval '! grep -q simulated first'
run validate --dataset 7.9 --engine simulation --precision 5% --seed 3 --threads 1 --format json
check "--engine simulation" exits 0
check "nothing on stderr" empty err
check "four simulations" [ "$(grep -c '"simulated_time_s": [0-9]' out)" = 4 ]
check "beside the same predictions" near "$(key error 1)" "$("$CLUMPMODEL" validate --dataset 7.9 --format json | grep -m1 -o '"error": [-0-9.e]*' | cut -d' ' -f2)" 1e-12
check "error" near "$(key simulated_error 1)" "$(awk -v p="$(key simulated_time_s 1)" 'BEGIN { print p / 1.76 - 1 }')" 1e-5
check "one more variant" [ "$(grep -c '"variant": "simulation"' out)" = 1 ]
check "nothing left out" has out '"not_simulated": \[\]'
sample=$(printf %.4g "$(key simulated_time_s 1)")
run validate --dataset 7.9 --engine simulation --precision 5% --seed 3 --threads 3
check "the same on three threads" has out "SAMPLE .* $sample "
run validate --dataset 7.9 --engine simulation --max-events 1000 --format csv
check "too few events: exit code 1" exits 1
check "and it is said" has err '4 of 4 simulations did not reach the precision'
refuses 2 '--seed: the exact engine does not simulate' validate --seed 1

# ---- in and out of sample ----
run validate --format json
check "all data sets, and all of them" [ "$(sed -n '/"datasets": \[/,/\]/p' out | grep -c '"dataset"')" -ge 5 ]
total() { sed -n '/"datasets": \[/,/\]/p' out | sed -n "s/.*\"dataset\": \"$1\".*\"$2\": \([-0-9.e]*\).*/\1/p"; }
mean=$(sed -n '/"predictions": \[/,/\]/p' out | grep -o '"error": [-0-9.e]*' | awk '{ sum += $2 < 0 ? -$2 : $2 } END { printf "%.15g", sum / NR }')
check "the mean over all is that of the rows" near "$(total all out_of_sample_error)" "$mean" 1e-9
held=$(sed -n '/"predictions": \[/,/\]/p' out | grep -c '"within": true')
check "and the number within the intervals" [ "$(total all held)" = "$held" ]
# Mean squares of the logarithms of two data sets, by hand; 2.919986 is Student's t of 2 degrees of freedom.
square() { sed -n '/"predictions": \[/,/\]/p' out | grep "\"dataset\": \"thesis-table-$1\"" |
    sed 's/.*"predicted_time_s": \([0-9.e-]*\).*"measured_time_s": \([0-9.e-]*\).*/\1 \2/' |
    awk '{ y = log($2 / $1); sum += y * y } END { printf "%.15g", sum / NR }'; }
scale=$(awk -v a="$(square 7.8)" -v b="$(square 7.9)" 'BEGIN { printf "%.15g", sqrt((a + b) / 2) }')
clusters=$(grep '"change": "shared-nics", "basis"' out)
check "the model's error of clusters" near "$(echo "$clusters" | sed 's/.*"scale": \([0-9.e-]*\).*/\1/')" "$scale" 1e-9
check "and its 90%" near "$(echo "$clusters" | sed 's/.*"high": \([0-9.e-]*\).*/\1/')" "$(awk -v s="$scale" 'BEGIN { print exp(2.919986 * s) }')" 1e-5
check "every prediction has an interval" [ "$(total all intervals)" = "$(total all count)" ]
run validate --fit local,memory --format json
check "what is fitted does better on what it is fitted to" awk -v i="$(total all in_sample_error)" -v o="$(total all out_of_sample_error)" 'BEGIN { exit !(i < o) }'
check "and says so" has out '"constant": "local", "value": [0-9.]*, "source": "fitted", "fitted": true'
run validate --fit none --format json
check "nothing is fitted" eval '! grep -q "\"fitted\": true" out'
check "then both are the same" [ "$(total all in_sample_error)" = "$(total all out_of_sample_error)" ]
refuses 2 "did you mean 'memory'" validate --fit memori

# ---- limits ----
run validate --dataset 7.8 --max-error 12 --max-mean-error 5.5
check "table 7.8: no run off by 12%, 5.5% in the mean" exits 0
run validate --dataset 7.9 --max-error 10
check "table 7.9: no run off by 10%" exits 0
run validate --dataset 7.8 --max-error 1
check "--max-error fails with 1" exits 1
check "and prints what it found" has out 'SAMPLE'
check "and names the worst" has err "'3-D FFT' on 'e5000-clump' (thesis-table-7.8) is off by 11.5"
run validate --dataset 7.8 --max-mean-error 1
check "--max-mean-error fails with 1" exits 1
check "and names the data set" has err 'data set thesis-table-7.8, variant full: mean absolute error'
for table in 7.8 7.9; do # 100 e/100 need not be e
    run validate --dataset $table --format json
    greatest=$(grep -o '"error": [-0-9.e]*' out | tr -d '"-' | sort -g -k2 | tail -n 1 | awk '{ printf "%.17g", 100*$2 }')
    run validate --dataset $table --max-error "$greatest"
    check "the greatest error of $table is within itself" exits 0
done
run validate --dataset 7.8 --max-error 20 --variant full,chapter-8
check "limits hold for all variants that are listed" exits 1
check "EM3D/good is worst in the plain one" has err 'EM3D/good'

# ---- refusals ----
refuses 2 "no measured time.*data set 'nosuch', expected one of: thesis-table-6.5" validate --dataset nosuch
refuses 2 "did you mean 'no-memory'" validate --variant nomemory

# ---- a scenario that describes everything by itself ----
cat > inline.lua << 'LUA'
local compute = (0.773 - (76522 * 3.251 + 5 * 28 * 0.0063) / 1e6) / penalty
return scenario {
  platform = platform {
    name = "somebody's", nodes = 4, processors = 8, nics = 4, mapping = "static",
    network       = { L = 12.56, o_s = 3.463, o_r = 8.93, g = 14.51, G = 0.031208 },
    shared_memory = { L = -0.52, o_s = 2.135, o_r = 1.73, g = 3.251, G = 0.0063 },
    memory_penalty = penalty,
  },
  application = {
    application { name = "sort", now_time = 2.46, computation = compute,
      remote_traffic = { short_messages = 65608, bulk_messages = 4, bulk_bytes = 384 },
      local_traffic  = { short_messages = 19119, bulk_messages = 3, bulk_bytes = 87 } },
    application { name = "transform", now_time = 0.31, lockstep = true,
      computation = (0.666 - (7231 * 3.251 + 3584 * 2047 * 0.0063) / 1e6) / 4 / penalty,
      remote_traffic = { short_messages = 966, bulk_messages = 768, bulk_bytes = 768 * 2048 },
      local_traffic  = { short_messages = 282, bulk_messages = 224, bulk_bytes = 224 * 2048 } },
    application { name = "waves", now_time = 4.93, style = "exchange",
      computation = (0.667 - 141448 * 9.270027796055796 / 2 / 1e6) / penalty,
      remote_traffic = { short_messages = 60856 }, local_traffic = { short_messages = 101220 } },
  },
  demand = "correlated",
}
LUA
run validate --dataset 7.8 --fit none --variant no-slowest --format json
stored="$(key predicted_time_s 1) $(key predicted_time_s 4) $(key predicted_time_s 5)"
run predict inline.lua -D penalty="$penalty" --format json
check "a scenario of one's own" exits 0
row=1
for time in $stored; do
    check "goes through the same model: row $row" near "$(key predicted_time_s $row)" "$time" 1e-9
    row=$((row + 1))
done
sed 's/memory_penalty = penalty/io_bus = "sideways"/' inline.lua > bus.lua
refuses 2 'io_bus is "sideways", expected' predict bus.lua -D penalty=1
sed 's/lockstep = true/lockstep = 1/' inline.lua > step.lua
refuses 2 'lockstep is .*expected true or false' predict step.lua -D penalty=1
sed 's/"exchange"/"barter"/' inline.lua > style.lua
refuses 2 'style is "barter", expected "streaming", "blocking" or "exchange"' predict style.lua -D penalty=1

# ---- data of one's own, from files ----
store() { "$CLUMPMODEL" import csv - --db own.db --quiet "$@" > /dev/null 2> err || fail "import $*: $(cat err)"; }
printf 'value,unit,quantity,statistic\n1,s,execution_time,mean\n' |
    store --platform flat --application solver --nodes 64 --processors 1 --nics 1 --style streaming
printf 'value,unit,quantity,statistic\n1.5,s,execution_time,mean\n' |
    store --platform fat --application solver --nodes 4 --processors 16 --nics 4 --mapping pooled \
        --counterpart flat
printf 'value,unit,quantity,statistic\n5,us,latency,mean\n1,us,send_overhead,mean\n1,us,receive_overhead,mean\n2,us,gap,mean\n1,nsec/B,gap_per_byte,mean\n' |
    store --platform fat --transport network
printf 'value,unit,quantity,statistic\n0.1,us,latency,mean\n0.2,us,send_overhead,mean\n0.2,us,receive_overhead,mean\n0.5,us,gap,mean\n0.2,nsec/B,gap_per_byte,mean\n' |
    store --platform fat --transport shared-memory
printf 'value,unit\n3,s\n' > other.csv
"$CLUMPMODEL" import csv other.csv --db own.db --platform flat --application other --quiet \
    --quantity execution_time > /dev/null
"$CLUMPMODEL" import csv other.csv --db own.db --platform fat --application other --quiet \
    --quantity execution_time > /dev/null
run validate --db own.db --dataset other.csv --format json
check "a data set is an imported file" [ "$(grep -c '"problem"' out)" = 1 ]
run validate --db own.db --dataset other.csv
check "a table tells why one's own time is not predicted" has out 'fat .*no traffic of'
run validate --db own.db --dataset 7.9
check "reference data are there too" exits 0
run validate --db own.db --format json
check "without its traffic it is not predicted" has out '"application": "solver".*no traffic'
printf 'value,unit,quantity,statistic\n100000,count,short_messages,mean\n' |
    store --platform fat --application solver --transport network
printf 'value,unit,quantity,statistic\n50000,count,short_messages,mean\n' |
    store --platform fat --application solver --transport shared-memory
run validate --db own.db --format json
# 150,000 messages of 2 us in the second; 100,000 of 16 processors on 4 NICs; 50,000 of 0.5 us
check "one's own time is predicted" near "$(key predicted_time_s 1)" 1.525 1e-12
check "and compared" near "$(key error 1)" 0.0166666666667 1e-9

# ---- what else is known of one's own program: other runs of it, and another network on the NOW ----
cp own.db more.db
more() { "$CLUMPMODEL" import csv - --db more.db --quiet "$@" > /dev/null 2> err || fail "import $*: $(cat err)"; }
printf 'value,unit,quantity\n150,cycles,l2_miss_memory_cycles\n' | more --platform fat
printf 'value,unit,quantity\n100,cycles,l2_miss_memory_cycles\n' | more --platform flat
run validate --db more.db --fit none --format json
# half of it in misses that take half as long again
check "memory stretches all 0.7 s" near "$(key predicted_time_s 1)" 1.7 1e-12
printf 'value,unit,quantity,statistic\n0.55,s,execution_time,mean\n' |
    more --platform one --application solver --processors 16 --nics 4 --mapping pooled --part-of fat
printf 'value,unit,quantity,statistic\n100000,count,short_messages,mean\n' |
    more --platform one --application solver --transport shared-memory
run validate --db more.db --fit none --format json
check "a run of its own says nothing" near "$(key predicted_time_s 1)" 1.7 1e-12
printf 'value,unit,quantity\n1,count,computation_from\n' | more --platform one --application solver
run validate --db more.db --fit none --format json
# 0.55 s less 0.05 s of messages, which is 0.4 s on the NOW
check "unless it is told: memory stretches 0.4 s" near "$(key predicted_time_s 1)" 1.625 1e-12
printf 'value,unit,quantity,statistic\n1.2,s,execution_time,mean\n' |
    more --platform half --application solver --nodes 2 --processors 16 --nics 4 --mapping pooled --part-of fat \
        --counterpart flat
run validate --db more.db
check "traffic was not counted" has out 'half .*no traffic of'
printf 'value,unit,quantity\n1,count,traffic_from\n' | more --platform fat --application solver
run validate --db more.db --fit none --format json
check "it is that of another run" [ "$(key traffic 2)" = scaled ]
check "two thirds of it leave a node there, too" near "$(key remote_fraction 2)" "$(key remote_fraction 1)" 1e-12
printf 'value,unit,quantity,statistic\n5,us,latency,mean\n1,us,send_overhead,mean\n1,us,receive_overhead,mean\n1,us,gap,mean\n1,nsec/B,gap_per_byte,mean\n' |
    more --platform flat --transport network
run validate --db more.db --fit none --format json
# messages cost 0.15 s there, so that 0.85 s are left
check "a NOW with a network of its own" near "$(key predicted_time_s 1)" 1.775 1e-12
check "utilization on that NOW" near "$(key utilization 1)" 0.15 1e-9
"$CLUMPMODEL" data rename application solver resolver --db more.db --quiet > /dev/null
run validate --db more.db --fit none --format json
check "another name changes nothing" near "$(key predicted_time_s 1)" 1.775 1e-12
"$CLUMPMODEL" data merge more.db --db again.db --quiet > /dev/null
cp out before
run validate --db again.db --fit none --format json
check "nor does another database" cmp -s out before
printf 'value,unit,quantity\n7,us,gap\n' > gap.csv
refuses 2 "part-of: found 'flat', expected none" import csv gap.csv --db own.db --platform fat \
    --transport network --part-of flat
refuses 2 "counterpart: found 'fat', expected none" import csv gap.csv --db own.db --platform flat \
    --transport network --counterpart fat

# What it says of a run is in its page.
run validate --dataset 7.8 --format json
sed 's/\\f[BIRP]//g; s/\\-/-/g' "$TOP/docs/man/clumpmodel-validate.1" > page
for key in $(grep -o '"[a-z_]*":' out | tr -d '":' | sort -u); do
    check "key $key is in clumpmodel-validate(1)" grep -qw "$key" page
done
for variant in $(grep -o '"variant": "[^"]*"' out | cut -d'"' -f4 | sort -u); do
    check "variant $variant is in clumpmodel-validate(1)" grep -qw -- "$variant" page
done

# What says nothing without another number is not left out without a word.
docs=$(realpath "${BASH_SOURCE[0]}"); docs=${docs%/tests/*}/docs/validation
run import clumpmodel "$docs"/lab.csv "$docs"/measured.csv --db memory.db --quiet
printf 'value,unit,quantity\n2.5,GB/s,sustained_memory_bandwidth\n' |
    "$CLUMPMODEL" import csv - --platform fat --db memory.db --quiet > out 2> err
run validate --dataset 'node runs' --db memory.db
check "a bandwidth of memory without the size of a line is named" has out 'sustained_memory_bandwidth of .fat., but no l2_line_size'
printf 'value,unit,quantity\n64,B,l2_line_size\n' | "$CLUMPMODEL" import csv - --platform fat --db memory.db --quiet > out 2> err
run validate --dataset 'node runs' --db memory.db
check "and without the clock" has out 'but no clock'
printf 'value,unit,quantity\n2000,MHz,clock\n' | "$CLUMPMODEL" import csv - --platform fat --db memory.db --quiet > out 2> err
run validate --dataset 'node runs' --db memory.db
check "with both the run is predicted" lacks out 'Not predicted because'
