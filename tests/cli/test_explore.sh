#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel explore, against sums, trial and closed forms that are computed here.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# X of (8.8) for equal processors and independent demand, by its sums: no recursion of ours.
cat > model.awk <<'AWK'
function exact(P, N, U,   c, q, term, Z, Y, t2) {
    c = U / (N * (1 - U))
    term = 1; Z = 1
    for (q = 1; q <= P; q++) { term *= (P - q + 1) * c; Z += term }
    term = 1; Y = 1
    for (q = 1; q <= P - 1; q++) { term *= (P - q) * c; Y += term }
    return (1 - U) * Z / Y
}
AWK
field() { # field KEY: its number in the CSV header of out
    head -n 1 out | tr , '\n' | grep -n "^$1\$" | cut -d: -f1
}
column() { cut -d, -f"$(field "$1")" out | tail -n +2; } # no commas in the texts of these scenarios

cat > plain.lua <<'LUA'
return scenario { title = "plain", processors = 8, nics = 4, utilization = 0.48 }
LUA
cat > two.lua <<'LUA'
return scenario {
  title = "mix", processors = 8, nics = 4, weights = { 3, 1 },
  prices = { node = 1000, nic = 100 },
  application = { application { name = "a", utilization = 0.2 },
                  application { name = "b", utilization = 0.7 } },
}
LUA

# ---- conditions also know what only `predict` shows: U_adj = U without tight coupling
run explore plain.lua -s U=0.05:0.95:0.05 --where 'adjusted_utilization > 0.5 and mean_active < 8' --format csv
check "conditions on any number of a result" [ "$(column utilization | tr '\n' ' ')" = "0.55 0.6 0.65 0.7 0.75 0.8 0.85 0.9 0.95 " ]
check "which adds no column" lacks out 'adjusted_utilization'
refuses 2 "did you mean 'mean_active'" explore plain.lua --where 'mean_activ > 3'

# ---- sweeps
run explore plain.lua -s N=1:8 -s U=0.05:0.95:0.05 --format csv
check "sweep: 8 x 19 rows" [ "$(column slowdown | wc -l)" = 152 ]
paste <(column nics) <(column utilization) <(column slowdown) > rows
check "every row is (8.8)" awk -f model.awk -f <(echo '{ d = $3/exact(8, $1, $2) - 1; if (d*d > 1e-26) exit 1 }') rows
check "the last step is not lost to rounding" [ "$(column utilization | tail -n 1)" = 0.95 ]
cp out whole
run explore plain.lua -s U=0.3:0:-0.1 --format csv
check "downwards to 0, not to what rounding leaves" [ "$(column utilization | tr '\n' ' ')" = "0.3 0.2 0.1 0 " ]
cp whole out
run explore plain.lua -s N=1:8 -s U=0.05:0.95/19 --format csv --threads 1
check "one thread: the same bytes" cmp -s out whole
run explore plain.lua -s nics=4,2 -s mapping=static,pooled -s demand=independent,gang:2.5 --format csv
check "lists of names" [ "$(column demand | sort -u | tr '\n' ' ')" = "gang independent " -o "$(column demand | sort -u | tr '\n' ' ')" = "gang:2.5 independent " ]
check "2 x 2 x 2 rows" [ "$(column slowdown | wc -l)" = 8 ]
run explore nics-per-node -s most=2,5 --format csv
check "a variable of the script: (2 + 5) x 3 rows" [ "$(column slowdown | wc -l)" = 21 ]
check "and its column" [ "$(column most | uniq -c | tr -s ' \n' ' ')" = " 6 2 15 5 " ]
run explore figure-8.2 -s N=2,3 -s U=0.5 --format csv
check "N sets the variable nics where the script reads it" has out 'share 3 NICs'

# ---- selection, against the whole list
cp whole out
paste -d' ' <(column slowdown) <(column nics) <(column utilization) > all
run explore plain.lua -s N=1:8 -s U=0.05:0.95:0.05 --format csv --where 'slowdown < 1 and (nics <= 5 or U > 0.9)'
check "--where" [ "$(column slowdown | sort)" = "$(awk '$1 < 1 && ($2 <= 5 || $3 > 0.9) { print $1 }' all | sort)" ]
run explore plain.lua -s U=10%:50%:10%,1 --format csv
check "a list has no range in it" [ "$status" = 2 ]
run explore plain.lua -s U=0.1:0.5:0.1 --format csv
cp out by_number
run explore plain.lua -s U=10%:50%:10% --format csv
check "percentages in ranges" cmp -s out by_number
run explore plain.lua -s U=10%,20%,30%,40%,50% --format csv
check "and in lists" cmp -s out by_number
# With N = P NICs of which a processor keeps one busy X is 1, up to rounding.
many='-s N=8 -s max_nics_per_processor=1 -s U=0.01:0.99:0.01 --format csv'
run explore plain.lua $many --where 'slowdown <= 1 and slowdown = 1 and not slowdown > 1 and not slowdown < 1'
check "conditions do not see rounding" [ "$(column slowdown | wc -l)" = 99 ]
run explore plain.lua $many --max-slowdown 1 --where 'U > 0.2 and least_nics = 8'
check "nor does --max-slowdown" [ "$(column slowdown | wc -l)" = 79 ]
run explore plain.lua -s N=8 -s max_nics_per_processor=1 --break-even now --format csv
check "nor do break-evens" sh -c '[ "$(grep -c . out)" -le 1 ]'
run explore plain.lua -s N=1:8 -s U=0.05:0.95:0.05 --format csv --best 7 --by 'slowdown*nics,-U'
check "--best --by" [ "$(column slowdown)" = "$(awk '{ printf "%.17g %s %s\n", $1*$2, -$3, $1 }' all | sort -g -k1,1 -k2,2g | head -n 7 | cut -d' ' -f3)" ]
run explore plain.lua -s N=1:8 -s U=0.05:0.95:0.05 --format csv --pareto --by nics,slowdown
awk '{ x[NR] = $2; y[NR] = $1 } END { for (i = 1; i <= NR; i++) { b = 0
       for (j = 1; j <= NR; j++) if (x[j] <= x[i] && y[j] <= y[i] && (x[j] < x[i] || y[j] < y[i])) b = 1
       if (!b) print y[i] } }' all | sort > front
check "Pareto set by comparing all pairs" [ "$(column slowdown | sort)" = "$(cat front)" ]
# With sanitizers in make check-sanitize-all.
again || {
run explore plain.lua -s demand=correlated -s U=0:1/200101 --where 'nics = 4' --format csv -q
check "more rows than are kept: all of them" [ "$(wc -l < out)" = 200102 ]
# X = 1 + U is least at U = 0 only.
check "and the Pareto set is marked there too" [ "$(grep -c 'true$' out)" -ge 1 ]
run explore plain.lua -s demand=correlated -s U=0:1/200101 --by slowdown --format csv -q
check "that many cannot be sorted" sh -c "[ $status = 2 ] && grep -q 'expected --best' err"
}

# ---- programs that wait for the slowest group: 3, 2 and 2 processors on three NICs, X = 1 + 2 U
cat > groups.lua <<'LUA'
return scenario { processors = 7, nics = 3, utilization = U or 0.3, demand = "correlated", mapping = "static" }
LUA
run explore groups.lua --uncertain U=0.2:0.4 --draws 4000 --max-slowdown 1.7 --node-price 70 --format json
check "draws are of what is waited for" eval 'exits 0 && near "$(key median 1)" 1.6 0.01 && near "$(key high 1)" 1.78 0.01 && near "$(key input_low 1)" 1.42 0.01'
check "and so is the price of work" near "$(key price_per_now_machine 1)" 16 1e-9
sed 's/demand/memory_penalty = 0.9, demand/' groups.lua > faster.lua
run explore faster.lua --break-even now --format json
check "0.9 (1 - U) + 3 U is 1" near "$(key utilization 1)" 0.0476190476 1e-9

# ---- mixes and prices
run explore two.lua -s N=3,4 --format json
a=$(awk -f model.awk -f <(echo 'BEGIN { printf "%.15g", exact(8, 4, .2) }')) b=$(awk -f model.awk -f <(echo 'BEGIN { printf "%.15g", exact(8, 4, .7) }'))
check "weighted mean" near "$(key slowdown 2)" "$(awk "BEGIN { printf \"%.15g\", .75*$a + .25*$b }")" 1e-12
check "worst" near "$(key worst_slowdown 2)" "$b" 1e-12
check "and whose it is" [ "$(key worst_application 2)" = b ]
check "price" near "$(key price 2)" 1400 1e-9
check "price of a NOW machine's work" near "$(key price_per_now_machine 2)" "$(awk "BEGIN { printf \"%.15g\", 1400*(.75*$a + .25*$b)/8 }")" 1e-9
run explore two.lua -s N=3,4 --nic-price 200 --port-price 50 --format json
check "prices of the command line" near "$(key price 2)" 2000 1e-9
run explore two.lua --each --format csv
check "--each: a row an application" [ "$(column application | tr '\n' ' ')" = "a b " ]

# ---- the least number of NICs, against trial
for of in worst mean; do
    run explore two.lua --max-slowdown 1.05 --of $of --format json
    found=$(key least_nics)
    trial=$(awk -v of=$of -f model.awk -f <(echo 'BEGIN { for (N = 1; ; N++) { a = exact(8, N, .2); b = exact(8, N, .7)
        X = of == "mean" ? .75*a + .25*b : (a > b ? a : b); if (X <= 1.05) { print N; exit } } }'))
    check "least NICs of $of" [ "$found" = "$trial" ]
done
run explore plain.lua --max-slowdown 1.1 --format json
check "least NICs" [ "$(key least_nics)" = 4 ]
check "and the real number: X there is the limit" near \
    "$(awk -v N="$(key least_nics_real)" -f model.awk -f <(echo 'BEGIN { printf "%.12g", exact(8, N, .48) }'))" 1.1 1e-9
run explore plain.lua --max-slowdown 0.5 --format json
check "below 1-U none is enough" lacks out least_nics

# Correlated: all wait for the slowest. Three NICs on two sockets: two of four processors are nearer, mean 1.35, slowest 1.4.
printf 'return scenario { processors = 4, utilization = 0.5, demand = "correlated", nics = range(1, 8), placement = { domains = 2, far = 0.5 } }\n' > apart.lua
for limit in 1.38 1.41; do
    run recommend -P 4 -U 0.5 --demand correlated --domains 2 --far 0.5 --max-slowdown $limit --format json
    least=$(sed -n 's/.*"least_pooled": \([0-9]*\).*/\1/p' out)
    run explore apart.lua --max-slowdown $limit --format json
    check "least NICs as recommend finds it: $least" [ "$(key least_nics)" = "$least" ]
done
check "3 within 1.41" [ "$least" = 3 ]

# ---- uncertainty: correlated demand is linear, X = 1 + U (P-N)/N
# With sanitizers a tenth of the draws: quantiles scatter by the root of ten as much.
draws=4000
within() { echo "$1"; }
again && { draws=400; within() { compute 'sqrt(10) * t' t="$1"; }; }
linear="-s demand=correlated --uncertain U=0.40:0.56 --draws $draws"
run explore plain.lua $linear --max-slowdown 1.1 --format json
# Standard error of a quantile of a uniform: 0.16 sqrt(p (1-p)/4000); four of them.
check "median" near "$(key median)" 1.48 "$(within 0.0051)"
check "5%" near "$(key low)" 1.408 "$(within 0.0023)"
check "95%" near "$(key high)" 1.552 "$(within 0.0023)"
# At U = 0.552 it takes N >= 8 U/(0.1 + U) = 6.77 NICs, at 0.56 6.79, at 0.40 6.4: 7 for all.
check "least NICs at the 95th percentile" [ "$(key least_nics)" = 7 ]
cp out first
run explore plain.lua $linear --max-slowdown 1.1 --format json --threads 1
check "one thread: the same numbers" eval 'cmp -s <(grep -v "^  .command" out) <(grep -v "^  .command" first)'
run explore plain.lua $linear --max-slowdown 1.1 --format json --seed 2
check "another seed: others" eval '! cmp -s <(grep -v "^  .command" out) <(grep -v "^  .command" first)'
run explore plain.lua $linear --percentile 25 --format json
check "any percentile" near "$(key percentile)" 1.44 "$(within 0.0044)"
# 4 NICs are enough up to U = 0.1/(8/4-1): of U uniform on 0 to 0.2 for half of the draws.
run explore plain.lua -s demand=correlated --uncertain U=0:0.2 --max-slowdown 1.1 --percentile 49 --format json
check "4 NICs for 49% of the draws" [ "$(key least_nics)" = 4 ]
run explore plain.lua -s demand=correlated --uncertain U=0:0.2 --max-slowdown 1.1 --percentile 54 --format json
check "5 for 54%" [ "$(key least_nics)" = 5 ]
run explore plain.lua -s demand=correlated --uncertain 'U=normal(0.3,0.02)' --draws $draws --format json
check "normal: 95% is 1.645 deviations up" near "$(key high)" 1.3329 "$(within 0.0027)"
cat > own.lua <<'LUA'
local U = uncertain { name = "share", value = 0.3, half_width = 0.05, least = 0, most = 1 }
return scenario { title = "own", processors = 8, nics = 4, utilization = U, demand = "correlated" }
LUA
run predict own.lua --format json
check "predict takes the median" near "$(key slowdown)" 1.3 1e-12
cat > triangle.lua <<'LUA'
local U = uncertain { name = "share", from = 0.1, to = 0.5, most_likely = 0.1 }
return scenario { title = "triangle", processors = 8, nics = 4, utilization = U, demand = "correlated" }
LUA
run predict triangle.lua --format json
check "that of a triangle with its top at the left: to - width/sqrt 2" near "$(key utilization)" 0.2171572875 1e-9
run explore own.lua --uncertain measured --draws $draws --format json
check "explore draws: half width/1.96*1.645" near "$(key high)" 1.34197 "$(within 0.0034)"
run explore clump-vs-now --uncertain measured --draws 20 --format json
check "intervals of the database are drawn" sh -c '[ $(grep -c "\"low\"" out) = 6 ]'

# ---- sensitivity: with V = 0 and correlated demand X = (1-U) c + 2 f U at P = 8, N = 4
sensitive="-s U=0.5 -s V=0 -s demand=correlated --uncertain c=1:1.2 --uncertain f=0.5:1 --sensitivity"
run explore plain.lua $sensitive --draws $draws --format json
check "derivative by the memory penalty" near "$(key derivative 1)" 0.5 1e-9
check "derivative by the remote fraction" near "$(key derivative 2)" 1 1e-9
# Variances 0.25 (0.2)^2/12 and (0.5)^2/12: shares 1/26 and 25/26.
check "first-order index of the remote fraction" near "$(key first_order 2)" 0.9615 "$(awk -v e="$(key first_order_error 2)" 'BEGIN { print 4*e + 1e-9 }')"
check "total index of the memory penalty" near "$(key total 1)" 0.0385 "$(awk -v e="$(key total_error 1)" 'BEGIN { print 4*e + 1e-9 }')"
check "and errors are small" near "$(key total_error 1)" 0 "$(within 0.004)"
check "which matters most" has out '"most_important": "remote_fraction"\|"most_important": "f"'

# ---- break-even, to 1e-9, against bisection of the sums
root=$(awk -f model.awk -f <(echo 'BEGIN { a = .2; b = .9; for (i = 0; i < 60; i++) { m = (a+b)/2
    if (exact(8, 4, m) < 1) a = m; else b = m }; printf "%.13f", a }'))
run explore plain.lua --break-even now --format json
check "where the Clump loses its advantage: U = 0.4786" near "$(key utilization)" "$root" 1e-9
cat > shapes.lua <<'LUA'
-- 8.4.3: six NICs for eight processors against machines with two NICs each
local now = side == "now"
return scenario { title = "shapes", processors = now and 1 or 8, nics = now and 2 or 6, utilization = 0.5 }
LUA
root=$(awk -f model.awk -f <(echo 'BEGIN { a = .2; b = .9; for (i = 0; i < 60; i++) { m = (a+b)/2
    if (exact(8, 6, m) < exact(1, 2, m)) a = m; else b = m }; printf "%.13f", a }'))
run explore shapes.lua --break-even side=clump,now --format json
check "six NICs for eight against two each: about 0.5" near "$(key utilization)" "$root" 1e-9
check "which is faster below" [ "$(key faster_below)" = clump ]
# A memory penalty of 1.02: slower at first, then faster, then slower. X = (1-U) c + ... = k X(U/k).
run explore plain.lua -s c=1.02 --break-even now --format json
check "all crossings: two" [ "$(grep -c '"utilization"' out)" = 2 ]
for i in 1 2; do
    check "crossing $i by the sums" near "$(awk -v U="$(key utilization $i)" -f model.awk -f <(echo 'BEGIN {
        k = (1-U)*1.02 + U; printf "%.13f", k*exact(8, 4, U/k) }'))" 1 1e-11
done
run explore plain.lua -s demand=correlated --break-even mapping=pooled,static
check "correlated demand: no difference" has out 'equally fast at every utilization'
run explore plain.lua --break-even nics=4,5
check "more NICs are always faster" has out 'without a crossing'

# ---- tables, and what is refused
run explore plain.lua -s U=0:1:0.01
check "a long table is cut, and says so" has out '^41 more rows'
run explore plain.lua --where 'slowdown > 99'
check "nothing found" has out 'No row satisfies'
run explore plain.lua --pareto --by slowdown,price
check "nothing to compare, for want of a price" has out 'a price needs --node-price'
refuses 2 "found 'nics=1-8', expected a colon in a range" explore gpu-node -s nics=1-8
refuses 2 "did you mean 'nics'" explore plain.lua -s nisc=1:3
refuses 2 "did you mean 'slowdown'" explore plain.lua --by slowdwn
refuses 2 'maximum depth' explore plain.lua --by "slowdown$(printf '+%.0s0' {1..200})"
refuses 2 'at most 1e8 values' explore plain.lua -s U=0:1:1e-300
refuses 2 'no column' explore plain.lua --where 'slowdwn < 1'
refuses 2 "'nics' is not expected behind 'slowdown'; .* commas between expressions" explore plain.lua --by 'slowdown nics'
refuses 2 "incomplete input" explore plain.lua --where 'slowdown < '
refuses 2 "'desc' is not expected behind 'slowdown'" explore plain.lua --by 'slowdown desc' # no other name of the column, either
refuses 2 "'limit' is not expected behind" explore plain.lua --where 'nics < 3 limit 1'
refuses 2 'not authorized' explore plain.lua --where '(SELECT 1)'
refuses 2 'reads no variable' explore plain.lua -s wheels=1:4
refuses 2 'range with a step' explore plain.lua -s N=4:1
refuses 2 'NAME=A,B' explore plain.lua -s N
refuses 2 'NAME=A,B' explore plain.lua -s N=1,,2
refuses 2 'found .U. twice' explore plain.lua -s U=0.5 --uncertain U=0.4:0.6
refuses 2 'uncertain is missing' explore plain.lua --sensitivity
refuses 2 'nothing uncertain' explore plain.lua --uncertain measured
refuses 2 'expected more' explore plain.lua --uncertain U=0.6:0.4
refuses 2 'NAME=FROM:TO' explore plain.lua --uncertain U=maybe
refuses 2 'two to compare' explore plain.lua --break-even nics=1,2,3
refuses 2 'max-slowdown is missing' explore plain.lua --of mean
refuses 2 'never reads' explore plain.lua -D nothing=1
cat > bad.lua <<'LUA'
return scenario { processors = 8, nics = 4, utilization = 0.1, weights = { 1, 2 } }
LUA
refuses 2 'weights has 2 entries' explore bad.lua

# ---- scenarios for today's machines: each number with its source, and what follows from them
draws=50 names='gpu-node cpu-node-128 cloud-adapters dual-rail rails two-cores lossy-ethernet messages-and-bytes'
again && draws=5 names='rails'
for name in $names; do
    run predict $name --format csv
    check "$name runs" exits 0
    check "$name marks its figures" grep -q '^-- \(VENDOR\|SITE\|MEASUREMENT\)' "$TOP/scenarios/$name.lua"
    grep '^--   clumpmodel' "$TOP/scenarios/$name.lua" | sed 's/^-- *clumpmodel //' > lines
    while read -r line; do
        eval "run $line --draws $draws"
        [ "${line%% *}" = predict ] && eval "run $line"
        check "$name: $line" exits 0
    done < lines
done
# What all send, one process after the other: half of 10e9 B and of 1e5 messages of each leaves.
run predict messages-and-bytes -D cores=64 -D nodes=8 -D gigabits=100 -D computing=100 -D messages=1e5 -D bytes=10e9 -D leaves=0.5 --format csv
check "messages and bytes, all at once" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    /,correlated,/ { near = (0.5e5 * 0.3 + 4.99995e9 / 1e4) / 1e6; t = 100 + near + 64 * (0.5e5 * 0.56 + 4.99995e9 / 12500) / 1e6 / $at["nics"]
        d = $at["predicted_time_s"] / t - 1; if (d*d > 1e-18) exit 1; seen++ } END { exit seen != 3 }' out
run predict rails -D funnelled=true --format csv
# Twice the bytes through four of eight NICs: X = 1 + U for correlated demand.
check "eight ranks on four NICs" [ "$(grep -c ',correlated,' out)" = 9 ]
check "take 1 + U" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    /,correlated,/ { d = $at["slowdown"] - 1 - $at["utilization"]; if (d*d > 1e-20) exit 1 }' out
run explore rails -s U=1 -s mapping=pooled -s demand=correlated --format json
# One near and seven far NICs of eight: mean speed (1 + 7/2)/8.
check "all NICs, most of them far" near "$(key slowdown)" "$(awk 'BEGIN { printf "%.12g", 8/4.5 }')" 1e-11
run explore dual-rail -D slot=1.11 -s N=2 -s U=1 -s demand=correlated --format json
check "two ports in a narrow slot" near "$(key slowdown)" "$(awk 'BEGIN { printf "%.12g", 6/1.11 }')" 1e-11

# ---- platforms and applications by name
run explore clump-vs-now -s application=SAMPLE,EM3D/good -s nics=4 -s demand=correlated --each --format csv
check "applications by name" [ "$(column application | sort -u | tr '\n' ' ')" = "EM3D/good SAMPLE " ]
cat > platforms.lua <<'LUA'
local a = platform { name = "a", processors = 8, nics = 4 }
local b = platform { name = "b", processors = 8, nics = 8, mapping = "static" }
return scenario { title = "platforms", platform = which == "b" and b or a, utilization = 0.5 }
LUA
run explore platforms.lua --break-even which=a,b --format json
# Eight pinned NICs for eight processors are the NOW.
check "two platforms cross where the first crosses the NOW" near "$(key utilization)" 0.478628801536234 1e-9
run explore plain.lua -s platform=e5000-clump --format csv
check "a platform by name" [ "$(column platform)" = e5000-clump ]

refuses 2 "found 'price', key 1 of which has no number" explore nics-per-node --sweep most=4 --best 3 --by price
run explore nics-per-node --sweep most=4 --draws 50 --format csv
check "--draws without anything uncertain: said" has err 'draws has no effect'

# No row is kept: nothing to sort.
run explore plain.lua -s N=1,2 --where 'slowdown < 0' --best 3 --format csv
check 'explore: the best of no rows' exits 0
check 'explore: the best of no rows is a header' [ "$(wc -l < out)" -eq 1 ]

# ---- rows that cannot be predicted
cat > refused.lua << 'LUA'
local protocol = { L = 10, o_s = 4, o_r = 4, g = 15, G = 0.03 }
local seconds = seconds or 0.1
return scenario {
    application = application { now_time = seconds, remote_traffic = { short_messages = 1000 } },
    platform = platform { name = "P", processors = 8, nics = 4, network = protocol, shared_memory = protocol },
}
LUA
run explore refused.lua -s seconds=0.01,0.1,0.2 --format csv
check 'explore: a refused row beside others' exits 0
check 'explore: it says why' [ "$(grep -c 'takes 0.015 s.*more than the 0.01 s' out)" = 1 ]
check 'explore: and has no slowdown' [ "$(column slowdown | awk '$1 == ""' | wc -l)" = 1 ]
run explore refused.lua -s seconds=0.01,0.1,0.2 --where 'slowdown < 9' --format csv
check 'explore: a condition leaves it out' [ "$(wc -l < out)" = 3 ]
check 'explore: which is said' has err '1 of 3 rows could not be predicted'
run explore refused.lua -s seconds=0.01,0.1,0.2 --best 2 --max-slowdown 1.1
check 'explore: it is never among the best' lacks out ' - '
run explore refused.lua -s seconds=0.01,0.1,0.2
check 'explore: below the table is the reason' has out 'Not predicted:'
# The time is 0.015 to 0.020 in half of the draws, and less than the messages take in the others.
run explore refused.lua --uncertain seconds=0.01:0.0201 --draws 400 --format json
refused=$(key refused_draws)
check 'explore: draws that are refused are counted' [ "$refused" -gt 150 ]
check 'explore: and do not count' [ "$refused" -lt 250 ]
check 'explore: quantiles are those of the others' [ -n "$(key median)" ]
refuses 2 'sensitivity: .*takes 0.015 s' explore refused.lua --uncertain seconds=0.01:0.0201 --sensitivity
refuses 2 'refused.lua:[0-9]*: .*takes 0.015 s' explore refused.lua -D seconds=0.01
# The name of the platform that is compared with, of which each point has a scenario of its own.
cat > other.lua <<'END'
local today = platform { name = "nodes with the NICs of today", processors = 8, nics = 2 }
return scenario { application = application { name = "solver", utilization = 0.3 }, communication_ratio = 0.5,
    platform = platform { name = "new", like = today }, compare_with = today }
END
run explore other.lua -s nics=1:4 -s communication_ratio=0.25:1:0.25 --format csv
check "compared with, by name, in every row" [ "$(grep -c ',nodes with the NICs of today,' out)" = 16 ]

# ---- what a row is judged by
# Static 7 on 3: the slowest take 1 + 2 U, and all wait for them. Pooled with a memory penalty of 1.1: 1.1 (1 - U) + 7/3 U.
cat > judged.lua <<'LUA'
local function node(mapping, penalty)
  return scenario { title = mapping, processors = 7, nics = 3, utilization = 0.3, demand = "correlated",
                    mapping = mapping, memory_penalty = penalty, prices = { node = 70 } }
end
return { node("static", 1), node("pooled", 1.1) }
LUA
run explore judged.lua --best 1 --format json
check "the best is what the program waits for least" eval 'exits 0 && [ "$(key scenario 1)" = pooled ] && near "$(key pace 1)" 1.47 1e-12'
run explore judged.lua --pareto --format json
check "the Pareto set, too" eval '[ "$(key scenario 1)" = pooled ] && lacks out "\"scenario\": \"static\""'
run explore judged.lua --by slowdown --best 1 --format json
check "and it is the slowdown" eval '[ "$(key scenario 1)" = pooled ] && near "$(key slowdown 1)" 1.47 1e-12'
run explore judged.lua --plot judged.gp --format json
check "and prices are over that" grep -q '^ *70 1\.47' judged.gp
# Correlated: t = 1 - U + U P/N over the NOW. Of two programs on four NICs instead of one: (1 + 1)/(1.3 + 3.4).
cat > two-compared.lua <<'LUA'
local today = platform { name = "today", processors = 4, nics = 1 }
local new = platform { name = "new", like = today, nics = 4 }
return scenario { application = { application { name = "a", utilization = 0.1 }, application { name = "b", utilization = 0.8 } },
    platform = new, compare_with = today, demand = "correlated" }
LUA
run explore two-compared.lua --max-slowdown 0.5 --of mean --format json
check "the ratio of a mix is that of its time" eval 'near "$(key ratio 1)" 0.425531914893617 1e-12 && near "$(key compared_slowdown 1)" 2.35 1e-12'
# (2 + 0.9*4/N... ) N = 3: 1.033 + 1.267 = 2.3 of 4.7 is 0.489; N = 2: 1.1 + 1.8 is 0.617
check "and so is the least number of NICs for it" [ "$(key least_nics 1)" = 3 ]
# Half the communication on as many NICs as processors: 0.6 + 0.2 of the NOW compared with, whatever NOW these NICs make.
cat > half.lua <<'LUA'
local today = platform { name = "today", processors = 4, nics = 2 }
return scenario { application = application { name = "a", utilization = U or 0.4 }, demand = "correlated", prices = { node = 100 },
    platform = platform { name = "new", like = today, nics = which == "slow" and 1 or 4 },
    communication_ratio = which == "slow" and 0.2 or which == "fast" and 1 or 0.5,
    memory_penalty = which == "slow" and 1.05 or 1, compare_with = today }
LUA
run explore half.lua --format json
check "prices are of one NOW's work for all rows" near "$(key price_per_now_machine 1)" 20 1e-10
# 1.05 (1 - U) + 0.2*4 U is 1 at U = 0.2: over NOWs of their own the two never cross.
run explore half.lua --break-even which=slow,fast --format json
check "break-even of two that are compared" eval 'near "$(key utilization 1)" 0.2 1e-9 && [ "$(key faster_above 1)" = slow ]'
# d ratio/dU of (0.6 + ...): (1 - U + 0.5 U)/(1 + U) by U is -1.5/(1 + U)^2
run explore half.lua --uncertain U=0.3:0.5 --sensitivity --draws 50 --format json
check "sensitivity is of the ratio" near "$(key derivative 1)" "$(awk 'BEGIN { printf "%.12g", -1.5/1.4^2 }')" 1e-7
