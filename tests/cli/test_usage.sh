# SPDX-License-Identifier: GPL-3.0-or-later
# Every way to get the command line wrong: exit code, silence on stdout, a message that helps.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
ok="-P 8 -N 4 -U 0.5"

refuses 2 "found no command, expected a COMMAND"
refuses 2 "unknown command 'slowdwn'; did you mean 'slowdown'" slowdwn
refuses 2 "unknown command 'xyzzy'$" xyzzy
refuses 2 "unknown command 'slo'; did you mean 'slowdown'" help slo
refuses 2 "found no command, expected list" data
refuses 2 "unknown option '--procesors'; did you mean '--processors'" slowdown --procesors 8
refuses 2 "options of a command follow its name" --nics 4 slowdown
refuses 2 "unknown option '-x'" slowdown -x
refuses 2 "'--m' can mean --mapping, --max-nics-per-processor, --memory" slowdown --m 3
refuses 2 "found 'extra', expected nothing more" slowdown $ok extra
refuses 2 "found 'extra', expected nothing more" slowdown $ok -- extra

# Dashes that a document or a mail has made prettier.
for dash in – — ‐ − –-; do
    refuses 2 "found '${dash}demand', expected '-' or '--' before an option" slowdown $ok "${dash}demand" correlated
done
run slowdown -P 8 -N 4 -U -0
check 'zero has no sign' has out '^Utilization  *0$'

# Numbers as people write them; what every option refuses is in test_options.sh.
for good in 1e9 25e7 1000000000 1E9; do
    run predict two-cores --max-rows $good --max-seconds 30.5
    check "--max-rows $good" exits 0
done
refuses 2 "found 2 values, expected 1 or .* 8 processors; a decimal point, not a comma: 0.1$" slowdown -P 8 -N 4 -U 0,1

# Demand, mapping, groups.
refuses 2 "demand: found 'gang', expected" slowdown $ok --demand gang
# What the engine does not have it says itself.
refuses 2 "gang size: 9, expected 1 to the 8 processors" slowdown $ok --demand gang:9
refuses 2 "gang demand: expected one utilization" slowdown -P 2 -N 1 -U .1,.2 --demand gang:1.5
refuses 2 "group sizes: only a static mapping has groups" slowdown $ok --mapping pooled --group-sizes 2,2,2,2
refuses 2 "group-sizes: found 3, expected one for each of the 4" slowdown $ok --group-sizes 3,3,2
refuses 2 "group sizes: .*the 8 processors" slowdown $ok --group-sizes 3,2,2,2
refuses 2 "max-nics-per-processor: found a static" slowdown $ok --max-nics-per-processor 2 --mapping static

# The station and what couples to it.
refuses 2 "cost-ratio is missing" slowdown $ok --remote-fraction 0.5
refuses 2 "remote-fraction is missing" slowdown $ok --cost-ratio 0.5

# Other commands.
echo 'return scenario { platform = platform "my/network", utilization = 0.1 }' > elsewhere.lua
refuses 2 "no platform is called 'my/network'; there are .*; is it in another database (--db)?" predict elsewhere.lua
refuses 2 "expected FORMAT FILE..., such as 'import auto FILE'" import osu_latency.txt
refuses 2 'or "measured"$' explore two-cores --uncertain measure
refuses 2 "expected SCENARIO.lua; 'clumpmodel predict' alone lists" predict -D n=3
echo 'return scenario { processors = 8, nics = { 1, 2, 3, 4, 5, 6, 7, 8 }, utilization = 0.5 }' > eight.lua
for command in predict explore; do
    refuses 2 'asks for 8 rows, more than the 3 allowed; .* --max-rows' $command eight.lua --max-rows 3
done
refuses 2 "define: found 'nics', expected NAME=VALUE" predict - -D nics
refuses 2 "define: found '2x=3'" predict - -D 2x=3
refuses 2 "found 'plaforms', expected platforms, .*did you mean 'platforms'" data list plaforms
refuses 2 "format: found table or json, expected csv" data export --format json

# Control characters of the command line do not reach the terminal.
esc=$(printf '\033[31m\302\233\177')
for option in "--format=$esc" "--$esc" "-U$esc"; do
    run slowdown -P 8 -N 4 "$option"
    check "escapes: $(printf %s "$option" | cat -v)" lacks err "$(printf '[\033\177\302]')"
    check "and refuses" exits 2
done
run "$esc"
check "escapes a command" has err '\\x1b'

# A value that is the longest the system takes.
long=$(head -c 100000 /dev/zero | tr '\0' 9)
refuses 2 "utilization: found" slowdown -P 8 -N 4 -U "$long"
refuses 2 "unknown option" slowdown "--$long"
refuses 2 "unknown command" "$long"
refuses 2 "no scenario\|name too long\|Name too long" predict "$long"
