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
    check "$format: standard input gives the same, but for the command" eval 'cmp -s <(grep -v "^  .command" out) <(grep -v "^  .command" out2)'
done
check "CSV: quoted as RFC 4180 says" has out ',"node, ""quoted""",'
run predict plain.lua
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
run predict refused.lua --format json
check "JSON: the reason in the row" [ "$(grep -c '"refused": "application' out)" = 2 ]
check "JSON: none where there is a prediction" [ "$(grep '"application": "A"' out | grep -c "refused\":")" = 0 ]
"$CLUMPMODEL" predict refused.lua --format csv > out2
check "CSV: a column of its own" [ "$(head -1 out2 | grep -c ',refused$')" = 1 ]
run predict refused.lua --html refused.html --plot refused.svg --plot refused.gp
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
for field in L o_s o_r g G; do # no NaN of their products
    printf 'return scenario { platform = platform { name = "n", processors = 2, nics = 1, network = { L = 1, o_s = 1, o_r = 1, g = 1, G = 1, %s = 1e308 } }, utilization = 0.1 }\n' $field > units.lua
    refuses 2 "units.lua:1: platform: network: $field is 1e.308, expected a number, .*0* to 1" predict units.lua
done

# A number of -D that is none.
for value in 25Gb nan 1,5; do
    refuses 2 "messages-and-bytes.lua:[0-9]*: attempt to .*; -D gigabits=$value: found a text, expected a number" predict messages-and-bytes -D gigabits=$value
done

# The size of one message in place of the bytes of all.
for bytes in 10 1e9; do
    printf 'return scenario { application = application { name = "a", computation = 1, remote_traffic = { bulk_messages = 1000, bulk_bytes = %s } },
        platform = platform { name = "n", processors = 2, nics = 1, network = { L = 1, o_s = 1, o_r = 1, g = 1, G = 0.001 } } }\n' $bytes > sizes.lua
    run predict sizes.lua
    case $bytes in
    10) check "messages of less than a byte are noticed" has err 'remote_traffic: bulk_bytes 10 for 1000 bulk_messages is less than a byte' ;;
    *) check "others are not" lacks err 'less than a byte' ;;
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
refuses 2 "endless.lua:1: the script needs more than the 0.1 s allowed.*--max-seconds" predict endless.lua --max-seconds 0.1
awk 'BEGIN { printf("local a return a"); for (i = 0; i < 200000; i++) printf(" and a") }' > large.lua
refuses 2 "large.lua: larger than 256 KiB" predict large.lua
printf 'local t = {} while true do t[#t + 1] = ("x"):rep(1000) .. #t end' > hungry.lua
refuses 2 "max-memory" predict hungry.lua --max-memory 1M
refuses 2 "ever reads" predict plain.lua -D unknown=1
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

# ---- a file of another kind says what it is for
printf '<?xml version="1.0"?>\n<topology version="2.0"/>\n' > node.xml
printf '# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n1   3.5\n' > osu.txt
printf '# bytes us\n8 1.5\n' > numbers.txt
printf '@ mpiP\n' > report.mpiP
printf 'num_ranks 2\nrank 0 {\n}\n' > steps.goal
"$CLUMPMODEL" import csv "$TOP/docs/clusters/abci-pairs.csv" --db some.db -q > /dev/null
refuses 2 "node.xml:1: found XML, expected the text of a scenario; 'clumpmodel topology'" predict node.xml
refuses 2 "osu.txt:1: found what tools write.*'clumpmodel import'" predict osu.txt
refuses 2 "numbers.txt:1: found what tools write" explore numbers.txt
refuses 2 "report.mpiP:1: found a report.*'clumpmodel import'" simulate report.mpiP
refuses 2 "steps.goal:1: found a schedule.*--schedule" predict steps.goal
refuses 2 "some.db:1: found a database.*--db" predict some.db
refuses 2 "found a recording.*record --report" predict "$TOP/docs/recording/halo/rank-000000.clumprec"
printf '#!/usr/bin/env clumpmodel\n-- first\nreturn scenario { processors = 8, nics = 4, utilization = 0.5 }\n' > first.lua
run predict first.lua
check "a line with a hash is none of these" exits 0

# ---- LogGP parameters of which some are known: what can be done is said, and it works
cat > known.csv <<'EOT'
platform,application,transport,platform_nodes,platform_processors,platform_nics,quantity,statistic,value,unit,source,run
half,,network,4,64,1,gap,mean,0.25,us,a log,1
half,,network,4,64,1,gap_per_byte,mean,0.0001,us/B,a log,1
EOT
"$CLUMPMODEL" import csv known.csv --db half.db -q > /dev/null
cat > half.lua <<'LUA'
local node = said and platform { like = platform "half", network = { L = 0.6, o_s = 0.3, o_r = 0.3 } } or platform "half"
return scenario { platform = node, nics = 2, demand = "correlated",
  application = application { name = "a", computation = 1, style = "streaming", remote_traffic = { bulk_messages = 1, bulk_bytes = 100000001 } } }
LUA
refuses 2 'known are g, G\. Measure the others .*platform { like = platform "half", network = { L =, o_s =, o_r = } }' predict half.lua --db half.db
# What a part has from its whole is known of it, too, also beside a doubtful sample of its own.
sed -e 's/transport,/transport,platform_part_of,doubtful,/; 2,$d' known.csv > part.csv
echo 'part,,network,half,1,4,64,1,latency,mean,9,us,a log,1' >> part.csv
cp half.db part.db
"$CLUMPMODEL" import csv part.csv --db part.db -q > /dev/null
sed 's/"half"/"part"/g' half.lua > part.lua
refuses 2 'known are g, G\. Measure the others .*platform { like = platform "part", network = { L =, o_s =, o_r = } }' predict part.lua --db part.db
# Nothing stays in the node, so that no costs inside of it are needed: 1 s and 10 ms + 0.25 us, 64 processors on 2 NICs.
run predict half.lua --db half.db -D said=true --format json
check "what is known is taken, and nothing inside is asked for" near "$(key predicted_time_s 1)" "$(compute '1 + 32 * (0.01 + 0.25e-6)')" 1e-6
