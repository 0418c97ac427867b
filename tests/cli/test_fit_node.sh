# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel fit node: known NICs come back, platforms are used, what cannot be told is said.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# value KEY PARAMETER: of one of the parameters in the JSON in out.
value() { grep '"parameter": "'"$2"'"' out | head -n 1 | sed -n "s/.*[{ ]\"$1\": \(\"[^\"]*\"\|[^,}]*\).*/\1/p" | tr -d '"'; }

# make NAME BENCHMARK LAW: made up, a source for each number of pairs, two runs 0.4% apart. A process moves 1000 B/us and
# 1 message a us. One NIC carries as much ("turns": two NICs in turns, the longest time counts; "pooled": all
# together 3500; "striped": one process fills all).
make_log() {
    awk -v name="$1" -v benchmark="$2" -v law="$3" 'BEGIN {
        print "platform,application,transport,platform_nodes,platform_processors,platform_nics,quantity,statistic,benchmark,processes,size_bytes,value,unit,source,run"
        for (k = 1; k <= 8; k++) for (both = 0; both < 2; both++) for (n = 8; n <= 4194304; n *= 8) for (r = 1; r <= 2; r++) {
            if (law == "turns") rate = k * 1000 / int((k + 1) / 2)
            else if (law == "pooled") rate = k * 1000 < 3500 ? k * 1000 : 3500
            else rate = 1000
            rate *= n / (n + 1000) * (1 + both) * (1 + 0.004 * sin(7 * k + 3 * r + both))
            printf "%s,,network,2,8,1,transfer_rate%s,single,%s,%d,%d,%.9g,B/us,%s %d %d,%d\n", name, both ? "_both_ways" : "", \
                benchmark, 2 * k, n, rate, name, k, both, r
        } }' > "$1.csv"
    run import csv "$1.csv" --db node.db --quiet
    check "made up: $1" exits 0
}
make_log turns 'IMB Uniband' turns
make_log pooled mine pooled
make_log striped mine striped

run fit node --platform turns --db node.db --format json
check "two NICs in turns are told by the shape" eval 'exits 0 && has out "\"nics_from\": \"shape\""'
check "N" [ "$(value value nics)" = 2.0 ]
for pair in nics_per_process,1,0.01 nic_bandwidth,1000,10 process_rate,1000,10 filling,2,0.02 nic_duplex,2,0.02; do
    IFS=, read -r name truth margin <<< "$pair"
    check "$name is found" near "$(value value $name)" $truth $margin
    check "$name is in its interval" awk -v l="$(value low $name)" -v h="$(value high $name)" -v t=$truth \
        'BEGIN { exit !(l != "" && l <= t * 1.005 && t <= h * 1.005) }'
done
check "laws, pairs, sizes" eval 'has out "\"assignment\": \"in turns\", \"nics\": 2.0, .*\"used\": true" && has out "\"limit\": \"NICs\"" && has out "\"used_as\": \"short\""'

run fit node --platform pooled --db node.db
check "3.5 processes fill them: N is not told" eval 'exits 0 && has out "no whole share" && has out "N is not told"'
run fit node --platform pooled --db node.db --nics 7 --format json
check "with seven NICs a process uses two" eval 'near "$(value value nics_per_process)" 2 0.03 && near "$(value value nic_bandwidth)" 500 5'
run fit node --platform pooled --db node.db --nic-rate 1800 --format json
check "with links of 1.8 GB/s there are two" eval '[ "$(value value nics)" = 2.0 ] && has out "\"nics_from\": \"link\""'
run fit node --platform striped --db node.db
check "one process fills them" eval 'exits 0 && has out "one process alone fills what there is" && has out "^NICs of 0.99.* GB.s together; .* One process fills them" && has out "memory, one process *?"'
cp out striped.txt
run fit node --platform striped --db node.db
check "the same again" cmp -s out striped.txt

# Kept, traced, used.
run fit node --platform turns --db node.db --name turns/node --format csv
check "kept" eval 'exits 0 && has err "turns/node"'
run fit node --platform pooled --db node.db --nics 7 --name pooled/node --quiet
check "kept, with seven" exits 0
run data show pooled/node --db node.db --format json
check "m and duplex, with half widths" eval 'has out "\"quantity\": \"nics_per_process\".*\"half_width\"" && has out "\"quantity\": \"nic_duplex\""'
run data check --db node.db
check "nothing wrong with it" exits 0
cat > use.lua <<'LUA'
local p = platform(name)
return scenario { platform = p, processors = 8, nics = p.nics, mapping = p.mapping, utilization = 0.5, remote_fraction = 1,
                  cost_ratio = 1, demand = "independent" }
LUA
run predict use.lua -D name=turns/node --db node.db --format json
check "static NICs in a scenario" eval 'exits 0 && [ "$(key nics)" = 2 ] && [ "$(key mapping)" = static ]'
run predict use.lua -D name=pooled/node --db node.db --format json
check "m in a scenario" eval 'exits 0 && [ "$(key nics)" = 7 ] && near "$(key max_nics_per_processor)" 2 0.03'
refuses 2 'pooled/node' fit node --platform pooled --db node.db --nics 7 --name pooled/node

# What the data cannot tell, and what is no data.
row() { printf 'platform,application,transport,platform_nodes,platform_processors,platform_nics,quantity,statistic,benchmark,processes,size_bytes,value,unit,source,run\n'; cat; }
row > one.csv <<< 'one,,network,2,8,1,transfer_rate,single,mine,2,65536,1000,B/us,one,1'
run import csv one.csv --db odd.db --quiet
run fit node --platform one --db odd.db
check "one sample" eval 'exits 0 && has out "only 1 pair was measured" && has out "cannot be told apart" && has out "no intervals"'
refuses 2 'number of NICs is not known' fit node --platform one --db odd.db --name one/node
{ for k in 1 2 4 8; do for n in 8 65536 1048576; do echo "equal,,network,2,8,1,transfer_rate,single,mine,$((2 * k)),$n,1000,B/us,equal $k,1"; done; done; } | row > equal.csv
run import csv equal.csv --db odd.db --quiet
run fit node --platform equal --db odd.db
check "all equal" eval 'exits 0 && has out "one process alone fills what there is" && has out "^NICs of 1 GB.s together; .* One process fills them"'
{ for k in 1 2 4 8; do echo "zero,,network,2,8,1,transfer_rate,single,mine,$((2 * k)),65536,0,B/us,zero $k,1"; done; } | row > zero.csv
run import csv zero.csv --db odd.db --quiet
refuses 2 'no rates of pairs' fit node --platform zero --db odd.db
{ echo 'wide,,network,2,8,1,transfer_rate,single,mine,2,65536,1e-300,B/us,wide 1,1'; echo 'wide,,network,2,8,1,transfer_rate,single,mine,4,65536,1e300,B/us,wide 2,1'
    echo 'wide,,network,2,8,1,transfer_rate,single,mine,4000000000,8,1e300,B/us,wide 3,1'; echo 'wide,,network,2,8,1,transfer_rate,single,mine,2000000,64,7,B/us,wide 4,1'; } | row > wide.csv
run import csv wide.csv --db odd.db --quiet
run fit node --platform wide --db odd.db
check "from 1e-300 to 1e300" eval 'exits 0 && lacks out "nan\|inf"'
{ for k in 1 2 4 8; do for t in a b; do echo "two,,$t,2,8,1,transfer_rate,single,mine,$((2 * k)),65536,1000,B/us,two $k $t,1"; done; done; } | row > two.csv
run import csv two.csv --db odd.db --quiet
refuses 2 "transports 'a' and 'b'" fit node --platform two --db odd.db
run fit node --platform two --transport a --db odd.db --format json
check "one of them" exits 0
refuses 2 'nobody' fit node --platform nobody --db odd.db

# At once from files: as from the database, which is not touched.
run fit node --platform turns --db node.db --format csv
mv out kept
run fit node turns.csv --platform turns --format csv --plot turns.svg
check "a file by itself" eval 'exits 0 && cmp -s out kept && has turns.svg "<svg"'
cat turns.csv > both.csv && tail -n +2 pooled.csv >> both.csv
run fit node both.csv --platform turns --format csv
check "one platform of a file" cmp -s out kept
refuses 2 'samples of 2 platforms' fit node both.csv
refuses 2 'platform is missing, expected --platform NAME, or a FILE' fit node
refuses 2 'nosuch.txt' fit node nosuch.txt
refuses 2 'found it with a file' fit node turns.csv --name n
run fit node "$TOP/tests/logs/mpi_bench_small.txt" --format json
check "calibrate mpi's" eval 'exits 0 && has out "\"benchmark\": \"mpi-bench one-way\""'
refuses 2 'found both' fit node --platform two --nics 2 --nic-rate 100 --db odd.db
refuses 2 'no rates of pairs' fit node --platform two --transport a --variant v --db odd.db
run fit node --platform turns --db node.db --plot node.gp --quiet
check "a picture" eval 'exits 0 && has node.gp "Pairs of processes"'

# ---- a rate in another unit, and NICs of which nobody has said anything
log() { # log PAIRS RATE: what osu_mbw_mr prints
    printf '# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n# [ pairs: %d ] [ window size: 64 ]\n# Size                  MB/s        Messages/s\n' "$1"
    for n in 65536 262144 1048576 4194304; do awk -v n=$n -v r="$2" 'BEGIN { printf "%d %.2f %.2f\n", n, r, r * 1e6 / n }'; done
}
for k in 1 2 3 4; do log $k $((k < 2 ? 12000 : 24000)); done > gbits.txt
run fit node gbits.txt --nic-rate 12500
check "which log would narrow it most" has out 'narrow it most: 4 pairs with messages of 8 and of 128 B'
for k in 1 2 3 4; do log $k $((k < 2 ? 12000 : 24000)) | sed 's/^65536 /8 /; s/^262144 /128 /'; done > three.txt
run fit node three.txt
check "the next one: both directions" has out 'narrow it most: 4 pairs in both directions'
log 2 24000 > two-only.txt
run fit node two-only.txt
check "without one pair: that" has out 'narrow it most: one pair at all sizes'
run fit node gbits.txt --nic-rate 12500
check "two links of 100 Gb/s" eval 'exits 0 && has out "^2 NICs of 12 GB/s" && lacks out "described with"'
run fit node gbits.txt --nic-rate 100
check "Gb/s in place of bytes a microsecond: asked at the top" eval 'exits 0 && sed -n 1p out | grep -q "bytes a microsecond, 12500 for"'
run import auto gbits.txt --platform unsaid --transport network --db unsaid.db -q
run fit node --platform unsaid --nic-rate 12500 --db unsaid.db
check "a NIC that nobody has counted" has out 'described with 1 NIC, as it is where nothing is said'
