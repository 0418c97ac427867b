# SPDX-License-Identifier: GPL-3.0-or-later
# Finding scenarios, running them, and what comes out. The language has its own tests.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cat > plain.lua << 'LUA'
local P = P or 8
print("P is", P, "\27[31m")
return scenario {
    title = "plain, title",
    application = application { name = "app", utilization = 0.48 },
    platform = platform { name = "node, \"quoted\"", processors = P, nics = 4 },
    nics = { 1, 4 },
}
LUA
run predict plain.lua --format json
check "predict, JSON" exits 0
# Erlang-B: X = P U/(1-B), B the loss of P servers at load (1-U)/U.
erlang=$(awk 'BEGIN { a = 0.52/0.48; b = 1; for (p = 1; p <= 8; p++) b = a*b/(p + a*b); printf("%.15g", 8*0.48/(1-b)) }')
check "slowdown of the first row" near "$(key slowdown 1)" "$erlang" 1e-13
check "slowdown of the second row" near "$(key slowdown 2)" 1.00193123733961 1e-14
check "names" [ "$(key application 1)" = app ]
check "title" has out '^  "title": "plain, title"'
check "what the script prints is on stderr" has err '^P is	8	'
check "without control characters" lacks err "$(printf '\033')"
run predict plain.lua -D P=2 --format json
check "-D sets a global" [ "$(key processors 1)" = 2 ]
definitions=20000
again && definitions=1000
awk -v n=$definitions 'BEGIN { for (i = 0; i < n; i++) printf("-Dname%d=%d\n", i, i) }' > many
ran="predict with $definitions definitions"
xargs -s 2000000 -n 30000 "$CLUMPMODEL" predict plain.lua -D name7=1 < many > out 2> err
status=$?
check "a second definition among many" has err "found 'name7' twice"
run predict plain.lua --define P=2 --quiet
check "--quiet: nothing on stderr" empty err
for format in table json csv; do
    run predict plain.lua --format $format
    check "$format: no control characters in tables and JSON" eval \
        "[ $format = csv ] || lacks out '$(printf '[\033\302]')'"
    "$CLUMPMODEL" predict - --format $format < plain.lua > out2 2> /dev/null
    check "$format: standard input gives the same" cmp -s out out2
done
check "CSV: quoted as RFC 4180 says" has out ',"node, ""quoted""",'
run predict plain.lua
check "table: what is the same stands above" has out '^Application: app, Platform: .*Processors: 8'
check "table: the title has a line of its own" has out '^Scenario: plain, title$'
check "table: columns" has out '^NICs .*Slowdown'
check "table: nothing that is empty" lacks out 'Measured\|Predicted\|Remote\|nan\| -$'

cat > mix.lua << 'LUA'
return scenario { title = "mix", processors = 2, nics = 1, utilizations = { 0.5, 0.5 } }
LUA
run predict mix.lua --format json
check "a row a processor" [ "$(grep -c '"processor": ' out)" -eq 2 ]
check "its slowdown" near "$(key slowdown 2)" 1.25 1e-14

# A row that cannot be predicted says why; the others are there.
cat > refused.lua << 'LUA'
local function app(name, seconds)
    return application { name = name, now_time = seconds, remote_traffic = { short_messages = 1000 } }
end
local protocol = { L = 10, o_s = 4, o_r = 4, g = 15, G = 0.03 }
return scenario {
    title = "refused",
    application = { app("A", 0.1), app("B", 0.01) },
    platform = platform { name = "P", processors = 8, nics = 4, network = protocol, shared_memory = protocol },
    nics = which == "B" and 4 or { 2, 4 },
}
LUA
run predict refused.lua
check "an application is refused: the others are predicted" exits 0
check "it has its rows" [ "$(grep -c '^B  .* - *-$' out)" = 2 ]
check "with both figures below" has out 'B.*takes 0.015 s.*more than the 0.01 s given.*(2 rows)'
run predict refused.lua --format json
check "JSON: the reason in the row" [ "$(grep -c '"refused": "application' out)" = 2 ]
check "JSON: none where there is a prediction" [ "$(grep '"application": "A"' out | grep -c "refused\":")" = 0 ]
"$CLUMPMODEL" predict refused.lua --format csv > out2
check "CSV: a column of its own" [ "$(head -1 out2 | grep -c ',refused$')" = 1 ]
run predict refused.lua --html refused.html --plot refused.svg --plot-script refused.gp
check "refused rows make no points" lacks refused.gp 'nan\|^B'
check "the page tells how many" has refused.html '2 of 4 cases could not be predicted'
check "and why" has refused.html 'takes 0.015 s on the NOW'
sed -i 's/"A", 0.1/"A", 0.001/' refused.lua
refuses 2 'refused.lua:[0-9]*: application .A.* takes 0.015 s' predict refused.lua
refuses 2 'refused.lua:[0-9]*: application .B.* takes 0.015 s' explore refused.lua --each

# A gap of a byte in another unit: GB/s, or seconds.
for G in 25 4e-11 0.00004; do
    sed "s/G = 0.03/G = $G/; s/0.001/1/; s/0.01/1/" refused.lua > units.lua
    run predict units.lua
    case $G in
    25) check "G in GB/s is noticed" has err 'platform: network: G is 25 us a byte, that is 4e+04 bytes a second' ;;
    4e-11) check "G in seconds is noticed" has err 'G is 4e-11 us a byte, that is 2.5e+16 bytes a second' ;;
    *) check "G in us is not" lacks err 'us a byte' ;;
    esac
done

cat > two.lua << 'LUA'
return { scenario { title = "first", processors = 2, nics = 1, utilization = { 0.25, 0.5 } },
         scenario { title = "second", processors = 4, nics = { 1, 2 }, utilization = 0.5 } }
LUA
run predict two.lua
check "a table for each scenario" [ "$(grep -c '^Scenario: ' out)" -eq 2 ]
run predict two.lua --format csv
check "one CSV for both" [ "$(wc -l < out)" -eq 5 ]

# Measured beside predicted: (slowdown - measured)/measured, and times that fit.
cat > measured.lua << 'LUA'
return scenario { title = "measured", application = application "SAMPLE", platform = platform "e5000-clump" }
LUA
run predict measured.lua --format json
x=$(key slowdown) m=$(key measured_slowdown)
check "measured: table 7.8, 3.33 s and 2.46 s" near "$m" 1.353658536585 1e-9
check "error" near "$(key error)" "$(awk "BEGIN { printf(\"%.15g\", $x/$m - 1) }")" 1e-12
check "predicted time" near "$(key predicted_time_s)" "$(awk "BEGIN { printf(\"%.15g\", $x*2.46) }")" 1e-12
check "interval" near "$(key measured_half_width)" 0.03 0.005
run predict measured.lua
check "table: measured with its interval" has out '1.354 +- 0.03'
LC_ALL=C.UTF-8 run predict measured.lua
check "table in UTF-8" has out "1.354 $(printf '\302\261') 0.03"

# Shipped scenarios by name. How a format is written does not depend on the scenario: with sanitizers one is enough.
formats='table json csv'
again && formats=json
for file in "$CLUMPMODEL_SCENARIOS"/*.lua; do
    name=$(basename "$file" .lua)
    for format in $formats; do
        run predict "$name" --format $format
        check "shipped: $name, $format" exits 0
    done
    check "shipped: $name prints nothing on stderr" empty err
done
run predict clump-vs-now.lua --format csv
check "with suffix" exits 0
(cd / && ran=x && "$CLUMPMODEL" predict clump-vs-now > /dev/null 2>&1)
status=$?
check "from another directory" exits 0
mkdir -p clump-vs-now
run predict clump-vs-now
check "a directory of that name is no matter" exits 0
refuses 2 "no scenario 'clmp-vs-now'.*did you mean 'clump-vs-now'" predict clmp-vs-now
refuses 2 "shipped scenarios: .*clump-vs-now" predict nosuch
refuses 2 "no scenario './nosuch.lua'" predict ./nosuch.lua
refuses 2 "is a directory" predict ./clump-vs-now
refuses 2 "no scenario ''" predict ''
CLUMPMODEL_SCENARIOS=$PWD/empty refuses 2 "no shipped scenarios in" predict nosuch

# Errors of the scenario.
echo 'return {' > syntax.lua
refuses 2 "syntax.lua:[12]: " predict syntax.lua
printf 'local x = 1\nerror("no")\n' > error.lua
refuses 2 "error.lua:2" predict error.lua
printf 'while true do end' > endless.lua
refuses 2 "max-steps" predict endless.lua --max-steps 100000
awk 'BEGIN { printf("local a return a"); for (i = 0; i < 40000; i++) printf(" and a") }' > chain.lua
refuses 2 "chain.lua: compiling the script takes more than the 100000 steps.*--max-steps" predict chain.lua --max-steps 100000
awk 'BEGIN { printf("local a return a"); for (i = 0; i < 200000; i++) printf(" and a") }' > large.lua
refuses 2 "large.lua: larger than 256 KiB" predict large.lua
printf 'local t = {} while true do t[#t + 1] = ("x"):rep(1000) .. #t end' > hungry.lua
refuses 2 "max-memory" predict hungry.lua --max-memory 1M
refuses 2 "max-rows" predict two.lua --max-rows 3
refuses 2 "ever reads" predict plain.lua -D unknown=1
refuses 2 "missing.db" predict plain.lua --db missing.db
printf 'return scenario { title = "\\27[31m", processors = 2, nics = 1, utilization = 0.5 }' > title.lua
run predict title.lua
check "control characters of a title" lacks err "$(printf '[\033\302]')"
printf 'error("\\27[31m\\194\\155")' > escape.lua
run predict escape.lua
check "control characters of an error" lacks err "$(printf '[\033\302]')"
head -c 3000 /dev/urandom > garbage.lua
run predict garbage.lua
check "garbage is no scenario" exits 2
check "and prints no results" empty out

# A title may be long enough; what is wrong with it is told apart from its length.
printf 'return scenario { title = ("x"):rep(99) .. "\\27", processors = 8, nics = 4, utilization = 0.5 }\n' > title.lua
refuses 2 'title is a string of 100 bytes, expected one line' predict title.lua
