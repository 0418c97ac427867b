#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Networks that lose packets: scenarios name a protocol and a loss rate.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
column() { # column KEY: of the CSV in out
    cut -d, -f"$(head -n 1 out | tr , '\n' | grep -n "^$1\$" | cut -d: -f1)" out | tail -n +2
}
scenario() { # scenario NETWORK [FIELDS]
    cat <<LUA
return scenario { title = "lossy", nics = 2,
  application = application { name = "program", computation = 0.01,
                              remote_traffic = { short_messages = 1000 } },
  platform = platform { name = "node", processors = 4, nics = 2,
    network = { L = 5, o_s = 1, o_r = 1, g = 2, G = 0.01 $1 },
    shared_memory = { L = 1, o_s = 0.2, o_r = 0.2, g = 0.5, G = 0.001 } },
  $2 }
LUA
}

# By hand: with a window of 1 a message of a stream takes T q/(1-q) longer, q = p(2-p) = 0.19.
scenario ', protocol = "l-nirx", loss = 0.1, window = 1, timeout = 100' > by-hand.lua
run predict by-hand.lua --format csv
check "by hand" exits 0
check "utilization" near "$(column utilization)" "$(awk 'BEGIN { c = 1000*(2 + 100*.19/.81); print c/(10000 + c) }')" 1e-5
check "loss factor" near "$(column loss_factor)" "$(awk 'BEGIN { print (2 + 100*.19/.81)/2 }')" 1e-4
check "time on the NOW" near "$(column now_time_s)" "$(awk 'BEGIN { print .012 + .1*.19/.81 }')" 1e-6
check "waiting" near "$(column waiting_fraction)" "$(awk 'BEGIN { a = .19/.81; print 98*a/(2 + 100*a) }')" 1e-5
check "protocol" [ "$(column protocol)" = l-nirx ]
check "slower than without" awk -v t="$(column predicted_time_s)" 'BEGIN { exit !(t > 0.02) }'
run predict by-hand.lua --format json
check "JSON has the loss" [ "$(key loss)" = 0.1 ]

# loss = 0 gives what no word about it gives, but for the columns that name it.
scenario > plain.lua
run predict plain.lua --format csv
cp out plain.csv
check "nothing named, no columns" lacks out ,loss
scenario ', protocol = "l-nirx", loss = 0, window = 3, timeout = 50' > zero.lua
run predict zero.lua --format csv
first=$(head -n 1 out | tr , '\n' | grep -n '^protocol$' | cut -d: -f1)
check "loss = 0: the same to the last digit" cmp -s <(cut -d, -f"$first,$((first + 1)),$((first + 2))" --complement out) plain.csv
run predict zero.lua
check "and no factor" lacks out 'Loss'

# Sweeps: losses by field, protocols by field, a variable of that name.
run explore plain.lua -s protocol=l-nirx,l-hrx,ssam -s loss=0:0.02/5 --format csv
check "sweep over protocol and loss" [ "$(column loss | wc -l)" = 15 ]
check "more loss, more time" awk 'NR % 5 != 1 && !($1 > last) { exit 1 } { last = $1 }' <(column predicted_time_s)
check "no loss, one time" [ "$(column predicted_time_s | awk 'NR % 5 == 1' | sort -u | wc -l)" = 1 ]
cp out whole
scenario '' 'protocol = { "l-nirx", "l-hrx", "ssam" }, loss = range(0, 0.02, 0.005)' > lists.lua
run predict lists.lua --format csv
column predicted_time_s > listed
cp whole out
check "lists and sweeps agree" cmp -s listed <(column predicted_time_s)
run explore plain.lua -s protocol=l-nirx --uncertain 'loss=0:0.01' --format csv
check "uncertain loss" exits 0
check "its band" awk -v l="$(column low)" -v h="$(column high)" 'BEGIN { exit !(l + 0 != h + 0) }'
run simulate by-hand.lua --format csv
check "simulated" exits 0
near_interval() { awk -v a="$1" -v b="$2" -v h="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(h > 0 && d < 3 * h) }'; }
simulated=$(column slowdown) half=$(column half_width)
run predict by-hand.lua --format csv
check "simulation agrees" near_interval "$simulated" "$(column slowdown)" "$half"

# What loses nothing must not, and mistakes are told where they are.
scenario ', protocol = "l-pio", loss = 0.1' > pio.lua
refuses 2 'pio.lua:4: platform: network: loss is 0.1, but "l-pio" relies on a network that loses nothing' predict pio.lua
scenario ', protocol = "l-nirz"' > wrong.lua
refuses 2 "wrong.lua:4: .*found 'nirz' in 'l-nirz'" predict wrong.lua
scenario ', loss = 0.1' > alone.lua
refuses 2 'alone.lua:4: .*expected protocol with it' predict alone.lua
refuses 2 'expected loss = 0' simulate by-hand.lua --messages
refuses 2 'relies on a network that loses nothing' explore plain.lua -s protocol=l-sdma -s loss=0.1

run predict by-hand.lua --explain
check "--explain" exits 0
check "g" has out '25.46' # 2 + 100*0.19/0.81
run predict plain.lua --explain
check "without a protocol: between what any schedule lies" eval 'exits 0 && has out "At least" && lacks out "LogGP parameters"'
refuses 2 'expected tables' predict by-hand.lua --explain --format csv
