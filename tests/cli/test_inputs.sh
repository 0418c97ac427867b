# SPDX-License-Identifier: GPL-3.0-or-later
# What the uncertainty of inputs does to intervals: measured numbers, memory, fits, and validate; each against draws or
# against runs with the number itself elsewhere.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "compares numbers; with sanitizers in make check-sanitize-all"; exit 0; }

# lab GAP LATENCY TIME TRAFFIC: the store lab.db with these numbers, each "value,half width"
lab() {
    cat > lab.csv <<END
platform,application,transport,quantity,statistic,value,half_width,unit,source,platform_nodes,platform_processors,platform_nics,platform_mapping,platform_counterpart,application_style
flat,solver,,execution_time,mean,$3,s,now runs,64,1,1,,,streaming
flat,waiter,,execution_time,mean,$3,s,now runs,64,1,1,,,blocking
fat,,network,latency,mean,$2,us,benchmarks,4,16,4,static,flat,
fat,,network,send_overhead,mean,1,,us,benchmarks,4,16,4,static,flat,
fat,,network,receive_overhead,mean,1,,us,benchmarks,4,16,4,static,flat,
fat,,network,gap,mean,$1,us,benchmarks,4,16,4,static,flat,
fat,,network,gap_per_byte,mean,1,,nsec/B,benchmarks,4,16,4,static,flat,
fat,,shared-memory,latency,mean,0.1,,us,benchmarks,4,16,4,static,flat,
fat,,shared-memory,send_overhead,mean,0.2,,us,benchmarks,4,16,4,static,flat,
fat,,shared-memory,receive_overhead,mean,0.2,,us,benchmarks,4,16,4,static,flat,
fat,,shared-memory,gap,mean,0.5,,us,benchmarks,4,16,4,static,flat,
fat,,shared-memory,gap_per_byte,mean,0.2,,nsec/B,benchmarks,4,16,4,static,flat,
fat,solver,network,short_messages,mean,$4,count,traces,4,16,4,static,flat,streaming
fat,solver,shared-memory,short_messages,mean,900000,,count,traces,4,16,4,static,flat,streaming
fat,waiter,network,short_messages,mean,$4,count,traces,4,16,4,static,flat,blocking
fat,waiter,shared-memory,short_messages,mean,200000,,count,traces,4,16,4,static,flat,blocking
fat,solver,,execution_time,mean,15,,s,node runs,4,16,4,static,flat,streaming
fat,waiter,,execution_time,mean,15,,s,node runs,4,16,4,static,flat,blocking
END
    rm -f lab.db
    "$CLUMPMODEL" import clumpmodel lab.csv --db lab.db --quiet > imported 2>&1 || cat imported
}
echo 'return scenario { application = { application "solver", application "waiter" }, platform = platform "fat", demand = { "independent", "correlated" } }' > lab.lua

# ---- nothing known, and said
lab 2, 5, 12.5, 600000,
run predict lab.lua --db lab.db
check "predict" exits 0
run predict lab.lua --db lab.db --format json
check "and no key" lacks out input_low
cp out exact
run slowdown -P 8 -N 4 -U 0.48
check "slowdown says so" has out '0.82 to 1.23 (inputs taken as exact)'
run recommend -P 8 -U 0.48
check "recommend says so" has out 'taken to be exact'

# ---- measured numbers, against draws
lab 2,0.1 5,0.4 12.5,0.5 600000,20000
run predict lab.lua --db lab.db
check "inputs are counted" has out 'and by the intervals of 6 inputs'
run predict lab.lua --db lab.db --format json
cp out predicted
for row in 1 2 3 4; do
    check "the prediction stays, row $row" [ "$(key slowdown $row)" = "$(cp exact out; key slowdown $row)" ]
    cp predicted out
done
run explore lab.lua --db lab.db --uncertain measured --draws 1000 --each --format json
check "explore draws" exits 0
cp out drawn
# The distance of the ends of 1,000 draws has a standard error of 3%.
for row in 1 2 3 4; do
    cp predicted out
    width=$(compute 'log(h/l)' h="$(key input_high $row)" l="$(key input_low $row)")
    application=$(key application $row) demand=$(key demand $row)
    line=$(grep '^    {' drawn | grep "\"application\": \"$application\".*\"demand\": \"$demand\"")
    high=$(sed 's/.*"input_high": \([0-9.]*\).*/\1/' <<< "$line") low=$(sed 's/.*"input_low": \([0-9.]*\).*/\1/' <<< "$line")
    check "as wide as 1,000 draws, row $row" near "$(compute 'w / log(h/l)' w="$width" h="$high" l="$low")" 1 0.12
done
run explore lab.lua --db lab.db --each --format json
check "explore without draws has them, too" [ "$(grep -c '"input_low": [0-9]' out)" = 4 ]
line=$(grep '^    {' out | grep '"application": "waiter".*"demand": "correlated"')
cp predicted out
check "and the same" [ "$(sed 's/.*"input_high": \([0-9.]*\).*/\1/' <<< "$line")" = "$(key input_high 4)" ]

# ---- validate: half of the 95% interval, against runs with each number at its ends
judge() { "$CLUMPMODEL" validate --dataset "node runs" --db lab.db --fit none --format json > "$1"; }
of() { cp "$1" out; key predicted_time_s "$2"; }
lab 2,0.1 5,0.4 12.5,0.5 600000,20000
judge known
squares=(0 0 0)
for moved in "1 2.1, 1.9," "2 5.4, 4.6," "3 13, 12," "4 620000, 580000,"; do
    read -r place up down <<< "$moved"
    numbers=(2, 5, 12.5, 600000,)
    numbers[place - 1]=$up; lab "${numbers[@]}"; judge above
    numbers[place - 1]=$down; lab "${numbers[@]}"; judge below
    for row in 1 2; do
        squares[row]=$(compute 's + ((a - b) / 2) ^ 2' s="${squares[row]}" a="$(of above $row)" b="$(of below $row)")
    done
done
for row in 1 2; do
    cp known out
    check "validate adds up squares, row $row" near "$(key predicted_half_width_s $row)" \
        "$(compute 'sqrt(s)' s="${squares[row]}")" 1e-6
done
lab 2,0.1 5,0.4 12.5,0.5 600000,20000

# ---- times of statistic "single": one that has a half width counts as a mean with it does; several by their scatter
lab 2, 5, 12.5,0.5 600000,
judge known
run predict lab.lua --db lab.db --format json
cp out mean
sed -i 's/^\(flat,[a-z]*,,execution_time,\)mean/\1single/' lab.csv
rm -f lab.db
"$CLUMPMODEL" import clumpmodel lab.csv --db lab.db --quiet
judge single
check "a single time's half width is in validate" [ "$(of single 1) $(key predicted_half_width_s 1)" = "$(of known 1) $(key predicted_half_width_s 1)" ]
check "which is not 0" near "$(key predicted_half_width_s 1)" 0.5 0.5
run predict lab.lua --db lab.db --format json
check "and in predict" eval '[ "$(key input_high 1)" ] && cmp -s <(grep "^    {" mean) <(grep "^    {" out) && [ "$(grep -c "^    {" out)" -gt 0 ]'
cat lab.csv <(sed -n '/^flat/s/12.5,0.5/11.5,/p' lab.csv) <(sed -n '/^flat/s/12.5,0.5/13.5,/p' lab.csv) > several.csv
rm -f lab.db
"$CLUMPMODEL" import clumpmodel several.csv --db lab.db --quiet
run predict lab.lua --db lab.db --format json
cp out several
lab 2, 5, 12.5,2.484137711843753 600000, # t / sqrt(3), t = 4.3027 with two degrees of freedom
run predict lab.lua --db lab.db --format json
for k in slowdown input_low input_high; do
    check "several: their scatter, $k" near "$(key $k 2)" "$(cp out one; cp several out; key $k 2; cp one out)" 1e-9
done
sed 's/,mean,12.5,[0-9.]*,/,mean,12.5,1e301,/' lab.csv > wide.csv
refuses 2 'wide.csv:2: .*half-width 1e+301.*from 0 to 1e+150' import clumpmodel wide.csv --db wide.db
check "and the database is not there" [ ! -e wide.db ]
printf 'value,half_width,unit,quantity\n12.5,1e200,s,execution_time\n' > wide.csv
refuses 2 'wide.csv:2: .*half-width 1e+200.*from 0 to 1e+150' import csv wide.csv --platform wide --application solver --db wide.db --nodes 1
lab 2,0.1 5,0.4 12.5,0.5 600000,20000

# ---- a utilization with an interval: correlated, X = 1 + U (P-N)/N
run slowdown -P 8 -N 4 -U 0.48 --demand correlated --half-width 0.05 --format json
check "slowdown: low" near "$(key input_low)" "$(compute '1.48 - 0.05 * 1.6448536 / 1.9599640')" 1e-6
check "slowdown: high" near "$(key input_high)" "$(compute '1.48 + 0.05 * 1.6448536 / 1.9599640')" 1e-6
run slowdown -P 8 -N 4 -U 0.48
run recommend -P 8 -N 4 -U 0.48 --demand correlated --half-width 0.05 --format json
check "recommend: wider" awk -v h="$(grep -o '"interval_high": [0-9.]*' out | head -1 | cut -d' ' -f2)" 'BEGIN { exit !(h > 1.80) }'
refuses 2 'expected it with one' slowdown -P 2 -N 1 -U 0.1,0.2 --half-width 0.1

# ---- ^C and limits do not matter here: rows are the same when script and store come from standard input
"$CLUMPMODEL" predict - --db lab.db --format json < lab.lua > out
check "from standard input" [ "$(grep -c '"input_low": [0-9]' out)" = 4 ]

# ---- long names differ in their last letter only; a script that asks another question elsewhere says nothing
cat > long.lua <<'LUA'
local N = ("u"):rep(159)
local a = uncertain { name = N .. "a", value = 0.5, half_width = 0.1, least = 0, most = 1 }
uncertain { name = N .. "a", value = 0.5, half_width = 0.1, least = 0, most = 1 }
local b = uncertain { name = N .. "b", value = 0.5, half_width = 0.3, least = 0, most = 1 }
return scenario { title = "one", processors = 8, nics = 4, utilization = a },
       scenario { title = "two", processors = 8, nics = 4, utilization = b }
LUA
run predict long.lua
check "names of 160 bytes are told apart" has out '2 inputs'
cat > other.lua <<'LUA'
local u = uncertain { name = "u", value = 0.5, half_width = 0.1, least = 0, most = 1 }
return scenario { processors = 8, nics = u > 0.49 and 1 or 8, utilization = u }
LUA
run predict other.lua --format json
# Only utilizations of more than 0.49 ask for 1 NIC: what is above the median counts, as there is none at the other end to both sides.
high=$(key input_high)
"$CLUMPMODEL" slowdown -P 8 -N 1 -U 0.58392264 --format json > out # 0.5 + 0.1 * 1.6448536 / 1.9599640
check "other numbers of NICs are not compared" near "$high" "$(key slowdown)" 1e-5

# ---- a script that hangs or fails where an input is elsewhere is given up, and named
cat > hangs.lua <<'LUA'
local u = uncertain { name = "u", value = 0.5, half_width = 0.1, least = 0, most = 1 }
local v = uncertain { name = "v", value = 1, half_width = 0.1, least = 0.5, most = 2 }
local w = uncertain { name = "w", value = 1, half_width = 0.1, least = 0.5, most = 2 }
while v ~= 1 do end
if w ~= 1 then error "no such w" end
return scenario { processors = 8, nics = 4, utilization = u }
LUA
sed -i 's/while v ~= 1/while math.abs(v - 1) > 1e-6/; s/if w ~= 1/if math.abs(w - 1) > 1e-6/' hangs.lua
run predict hangs.lua
check "one of three inputs is counted" has out '^and by the interval of 1 input\.$'
run explore hangs.lua --each
check "in explore, too" eval 'has out "^and by the interval of 1 input\.$" && has out "^2 uncertain inputs are not in it"'
cat > works.lua <<'LUA'
for i = 1, 1e8 do end
local all = {}
for i = 1, 40 do all[i] = uncertain { name = "u" .. i, value = 0.5, half_width = 0.1, least = 0, most = 1 } end
return scenario { processors = 8, nics = 4, utilization = all[1] }
LUA
run predict works.lua
check "81 times a script that works long is too long" has out '^with the intervals of 40 inputs it would take too long (--inputs all)\.$'
run predict long.lua --inputs none --format json
check "--inputs none" lacks out input_high
run predict long.lua --inputs none
check "is said" has out '^inputs are taken as exact (--inputs none)\.$'
run explore long.lua --inputs none
check "in explore, too" has out '^inputs are taken as exact (--inputs none)\.$'

# ---- a slowdown that falls and rises with the utilization: its quantiles, not what is at the ends of U
run slowdown -P 8 -N 4 -U 0.5 --half-width 0.7 --format json
low=$(key input_low) high=$(key input_high)
echo 'return scenario { processors = 8, nics = 4, utilization = uncertain { name = "U", value = 0.5, half_width = 0.7, least = 0, most = 1 } }' > valley.lua
run explore valley.lua --uncertain measured --draws 4000 --each --format json
check "low, as 4,000 draws" near "$low" "$(key input_low)" 0.002
check "high, as 4,000 draws" near "$high" "$(key input_high)" 0.06
run recommend -P 8 -N 4 -U 0.5 --half-width 0.7 --format json
check "recommend has them" eval 'near "$(key input_low)" $low 1e-9 && near "$(key input_high)" $high 1e-9'
